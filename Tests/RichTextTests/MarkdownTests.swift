import Model
import RichText
import Testing

private func html(_ markdown: String) -> String { FormattedText(markdown: markdown).html() }

@Suite("Markdown")
struct MarkdownTests {
    @Test(
        "each form of CommonMark has its element",
        arguments: [
            ("a *b* **c** `d`", #"<p>a <em>b</em> <strong>c</strong> <code dir="ltr">d</code></p>"#),
            ("# One\n\n### Three", "<h3>One</h3><h5>Three</h5>"),
            ("###### Six", "<h6>Six</h6>"),
            ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
            ("- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
            ("3. a\n4. b", #"<ol start="3"><li>a</li><li>b</li></ol>"#),
            ("1. a", "<ol><li>a</li></ol>"),
            ("> a", "<blockquote><p>a</p></blockquote>"),
            ("a\\\nb", "<p>a<br>b</p>"), ("a\nb", "<p>a\nb</p>"), ("***", "<hr>"),
            ("a & b &amp; c &copy;", "<p>a &amp; b &amp; c ©</p>"),
            ("\\*a\\*", "<p>*a*</p>"), ("", ""), ("   \n\n ", ""),
            ("~~a~~ and www.example.org", "<p>~~a~~ and www.example.org</p>"),
        ])
    func forms(_ markdown: String, _ expected: String) { #expect(html(markdown) == expected) }

    @Test("code keeps each space, tab and line break")
    func code() {
        let code = "if x:\n\n    print( 'a  b' )\t# <&>\n  \n\ty  =  2"
        #expect(FormattedText(markdown: "```python\n\(code)\n```").blocks == [.code(language: "python", code)])
        #expect(
            html("```python\n\(code)\n```")
                == "<pre dir=\"ltr\" tabindex=\"0\"><code data-language=\"python\">"
                + "if x:\n\n    print( &#39;a  b&#39; )\t# &lt;&amp;&gt;\n  \n\ty  =  2</code></pre>")
        #expect(html("`a  b`") == #"<p><code dir="ltr">a  b</code></p>"#)
        #expect(
            html("    indented\n      more") == "<pre dir=\"ltr\" tabindex=\"0\"><code>indented\n  more</code></pre>")
        #expect(FormattedText(markdown: "```\n\n\n```").blocks == [.code(language: nil, "\n")])
    }

    @Test("a table has a head with scope, and the alignment of its columns")
    func table() {
        let table = "| a | b | c |\n|:--|:-:|--:|\n| 1 | `|` | **2** |\n| 3 |"
        #expect(
            html(table.replacing("`|`", with: "x")) == """
                <div class="table" tabindex="0"><table><thead><tr><th scope="col" class="left">a</th>\
                <th scope="col" class="center">b</th><th scope="col" class="right">c</th></tr></thead><tbody>\
                <tr><td class="left">1</td><td class="center">x</td><td class="right"><strong>2</strong></td></tr>\
                <tr><td class="left">3</td><td class="center"></td><td class="right"></td></tr></tbody></table></div>
                """)
    }

    @Test("a cell of a table has formulas, and raw HTML as text")
    func formulasInTable() {
        let markdown = "| $x$ | b |\n|--|--|\n| $$y$$ | a $z$ <b> `$` |"
        #expect(
            html(markdown).contains(
                #"<td>a <math alttext="z"><mrow><mi>z</mi></mrow></math> &lt;b&gt; <code dir="ltr">$</code></td>"#))
        #expect(html(markdown).contains("<mi>x</mi>") && html(markdown).contains("<mi>y</mi>"))
    }

    @Test(
        "a link leads to the web and says where; others are words",
        arguments: [
            (
                "[a](https://example.org/?q=1&r)",
                #"<p><a href="https://example.org/?q=1&amp;r" target="_blank" rel="noopener noreferrer nofollow"><bdi>a</bdi></a> <bdi class="destination" dir="ltr">(https://example.org/?q=1&amp;r)</bdi></p>"#
            ),
            (
                "<http://example.org>",
                #"<p><a href="http://example.org" target="_blank" rel="noopener noreferrer nofollow"><bdi>http://example.org</bdi></a></p>"#
            ),
            (
                "![alt](https://example.org/a.png)",
                #"<p><a href="https://example.org/a.png" target="_blank" rel="noopener noreferrer nofollow"><bdi>alt</bdi></a> <bdi class="destination" dir="ltr">(https://example.org/a.png)</bdi></p>"#
            ),
            ("[a](b.md)", "<p>a (b.md)</p>"), ("[a](<>)", "<p>a</p>"),
            ("<mailto:a@b.example>", "<p>mailto:a@b.example</p>"),
        ])
    func links(_ markdown: String, _ expected: String) { #expect(html(markdown) == expected) }

    @Test("raw HTML is text")
    func rawHTML() {
        #expect(html("a <b onclick=\"x\">c</b>") == "<p>a &lt;b onclick=&quot;x&quot;&gt;c&lt;/b&gt;</p>")
        #expect(
            html("<div>\n  <script>alert(1)</script>\n</div>")
                == "<p>&lt;div&gt;<br>  &lt;script&gt;alert(1)&lt;/script&gt;<br>&lt;/div&gt;</p>")
        #expect(html("<!-- a -->") == "<p>&lt;!-- a --&gt;</p>")
    }

    @Test("one line of text has no paragraph, and a gap is what the caller writes for it")
    func inline() {
        #expect(
            FormattedText(markdown: "*a* $x$").inlineHTML()
                == "<em>a</em> <math alttext=\"x\"><mrow><mi>x</mi></mrow></math>")
        let text = FormattedText(markdown: "a {{1}} `b {{2}}` {{3}}\n\n```\nfor {{1}}\n```")
        let html = text.html { name, writer in
            guard name != "3" else { return false }
            writer.empty("input", [.init("name", name)])
            return true
        }
        #expect(
            html == #"<p>a <input name="1"> <code dir="ltr">b <input name="2"></code> {{3}}</p>"#
                + #"<pre dir="ltr" tabindex="0"><code>for <input name="1"></code></pre>"#)
    }

    @Test("a plain text has its paragraphs and its lines, and nothing of it is read as a mark")
    func plain() {
        let text = FormattedText(plain: "a *b*\n  c\n\n<d>", isPlain: false)
        #expect(text.html() == "<p>a *b*<br>  c</p><p>&lt;d&gt;</p>")
        #expect(text.plainText == "a *b*\n  c\n<d>")
    }
}

@Suite("An author's text")
struct AuthorTextTests {
    @Test("a plain one is no tree, and is its own line")
    func plain() {
        #expect(TextFormat.plain.tree(of: "a *b*") == nil)
        #expect(TextFormat.plain.line(of: "a\n *b*") == "a\n *b*")
    }

    @Test(
        "a line has the words and the formulas, without marks",
        arguments: [
            (
                "What does `x  = 1`\n\n```\nprint\n  y\n```\n\n[this](https://a.example) *do*?",
                "What does x = 1 print y this do?"
            ),
            ("$\\frac{a}{2}$", "a/2"), ("2. two", "2. two"), ("- one", "one"), ("#", "#"),
            ("[a]: https://a.example", "[a]: https://a.example"),
            ("  ", ""),
        ])
    func line(_ text: String, _ line: String) { #expect(TextFormat.markdown.line(of: text) == line) }

    @Test("a short first paragraph or a heading is the heading of a question, a passage is none")
    func heading() throws {
        func parts(_ text: String) throws -> QuestionText {
            QuestionText(try #require(TextFormat.markdown.tree(of: text)))
        }
        let question = try parts("What *is* it?\n\n```\n  x\n```")
        #expect(question.heading?.inlineHTML() == "What <em>is</em> it?")
        #expect(question.body.blocks == [.code(language: nil, "  x")])
        #expect(try parts("## Title\n\na").heading?.inlineHTML() == "Title")
        #expect(try parts("a").body.blocks.isEmpty)
        for passage in [String(repeating: "word ", count: 60), "```\nx\n```\n\nWhat?", "- a\n- b"] {
            let question = try parts(passage)
            #expect(question.heading == nil)
            #expect(question.body == FormattedText(markdown: passage))
        }
    }

    @Test("code in a label is no block that takes the focus")
    func codeInLabel() {
        #expect(
            FormattedText(markdown: "```js\n  a\n```").inlineHTML()
                == #"<code class="block" dir="ltr" data-language="js">  a</code>"#)
    }

    @Test("the same tree as JSON has elements, their attributes and texts")
    func nodes() throws {
        var writer = HTMLWriter()
        FormattedText(markdown: "a <b> `c`\\\n[d](https://a.example)").write(to: &writer)
        let json = try DocumentCoding.encodeLine(writer.nodes)
        let expected = """
            [["p",{},"a <b> ",["code",{"dir":"ltr"},"c"],["br",{}],["a",{"href":"https://a.example",\
            "rel":"noopener noreferrer nofollow","target":"_blank"},["bdi",{},"d"]]," ",\
            ["bdi",{"class":"destination","dir":"ltr"},"(https://a.example)"]]]
            """
        let value = try DocumentCoding.decode(JSONValue.self, from: json)
        #expect(try value == DocumentCoding.decode(JSONValue.self, from: Array(expected.utf8)))
        #expect(writer.html == FormattedText(markdown: "a <b> `c`\\\n[d](https://a.example)").html())
    }
}
