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
