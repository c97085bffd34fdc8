import Foundation
import RichText
import Testing

/// Texts that were made to break out, to exhaust, or to deceive.
@Suite("Hostile texts")
struct HostileTests {
    private static let scripts = [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>",
        "<iframe src=javascript:alert(1)>",
        "<a href=\"javascript:alert(1)\">a</a>", "<style>*{display:none}</style>",
        "<math><mtext><script>alert(1)</script></mtext></math>",
        "<!--><script>alert(1)</script>-->", "<![CDATA[<script>alert(1)</script>]]>", "<?php echo 1 ?>",
        "</p></div></body><script>x</script>",
        "<details open ontoggle=alert(1)>", "<base href=//evil.example>", "<form action=//evil.example><input name=q1>",
        "[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](java\nscript:alert(1))",
        "[a](java&#x09;script:alert(1))",
        "[a](\u{1}javascript:alert(1))", "[a](data:text/html;base64,PHNjcmlwdD4=)", "[a](vbscript:x)",
        "[a](file:///etc/passwd)",
        "[a](//evil.example)", "[a](https:evil.example)", "[a](https:\\\\evil.example)",
        "[a](https://good.example@evil.example)",
        "[a](https://x\"onmouseover=\"alert(1))", "[a](https://x'onmouseover='alert(1))",
        "[a](<https://x onmouseover=alert(1)>)",
        "[a](https://x \"t\\\" onmouseover=alert(1)\")", "![a](javascript:alert(1))",
        "![\"onerror=alert(1)](https://x)", "<javascript:alert(1)>",
        "[<script>alert(1)</script>](https://x)", "[a][b]\n\n[b]: javascript:alert(1)", "`<script>alert(1)</script>`",
        "```<script>\nx\n```", "```a\"onload=\"alert(1)\nx\n```", "    <script>alert(1)</script>",
        "| <script>x</script> |\n|--|\n| <img src=x onerror=x> |",
        "$<script>alert(1)</script>$", "$\\text{<script>alert(1)</script>}$", "$\"onload=\"alert(1)$", "$x\"y$",
        "$$\n</math><script>x</script>\n$$",
        "# <script>alert(1)</script>", "> <script>alert(1)</script>", "- <script>alert(1)</script>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&#60;script&#62;alert(1)&#60;/script&#62;", "\\<script\\>", "<scr\0ipt>alert(1)</scr\0ipt>", "a\0b",
        "\u{2028}<script>x</script>",
        "<SCRIPT SRC=//evil.example>", "<a\u{A0}href=x>", "<xmp><p title=\"</xmp><img src=x onerror=alert(1)>\">",
    ]

    /// The elements that the renderer may write, and their attributes.
    private static let elements: Set<String> = [
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "code", "blockquote", "ul", "ol", "li", "div", "table", "thead",
        "tbody", "tr", "th",
        "td", "hr", "br", "em", "strong", "a", "bdi", "math", "mi", "mn", "mo", "mrow", "mtext", "mspace", "mfrac",
        "msqrt", "mroot", "msub",
        "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd",
    ]
    private static let attributes: Set<String> = [
        "href", "target", "rel", "class", "dir", "tabindex", "scope", "start", "data-language", "alttext", "display",
        "form", "width",
        "movablelimits", "largeop", "stretchy", "accent", "accentunder", "linethickness",
    ]

    /// Reads the HTML as strictly as it is written; gives what is wrong with it.
    private static func fault(in html: String) -> String? {
        var open: [String] = []
        var rest = html[...]
        while let start = rest.firstIndex(where: { "<>\"'".contains($0) }) {
            guard rest[start] == "<" else { return "a \(rest[start]) in a text" }
            rest = rest[rest.index(after: start)...]
            if rest.first == "/" {
                let name = rest.dropFirst().prefix { $0 != ">" }
                guard open.popLast() == String(name) else { return "</\(name)> closes nothing" }
                rest = rest[name.endIndex...].dropFirst()
                continue
            }
            let name = rest.prefix { $0.isLetter || $0.isNumber }
            guard elements.contains(String(name)) else { return "<\(name.prefix(20))>" }
            rest = rest[name.endIndex...]
            while rest.first == " " {
                rest = rest.dropFirst()
                let attribute = rest.prefix { $0.isLetter || $0 == "-" }
                guard attributes.contains(String(attribute)) else { return "the attribute \(attribute.prefix(20))" }
                rest = rest[attribute.endIndex...]
                guard rest.hasPrefix("=\"") else { return "\(attribute) without a value" }
                rest = rest.dropFirst(2)
                let value = rest.prefix { $0 != "\"" }
                guard !value.contains("<"), !value.contains(">") else { return "the value \(value.prefix(40))" }
                if attribute == "href", !value.hasPrefix("https://"), !value.hasPrefix("http://") {
                    return "the link \(value.prefix(40))"
                }
                rest = rest[value.endIndex...].dropFirst()
            }
            guard rest.first == ">" else { return "<\(name) without an end" }
            rest = rest.dropFirst()
            if !["br", "hr"].contains(name) { open.append(String(name)) }
        }
        if !open.isEmpty { return "<\(open[0])> stays open" }
        return html.unicodeScalars.contains("\0") ? "a NUL" : nil
    }

    @Test("no script, element or attribute of a text's own gets into the HTML", arguments: scripts)
    func injection(_ text: String) {
        for markdown in [text, "a \(text) b", "> - \(text)", "**\(text)**", "[\(text)](https://example.org)"] {
            let formatted = FormattedText(markdown: markdown)
            #expect(Self.fault(in: formatted.html()) == nil, "\(formatted.html())")
            #expect(Self.fault(in: formatted.inlineHTML()) == nil)
            for line in formatted.terminalLines(width: 20) {
                #expect(!line.text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
            }
        }
    }

    @Test("random mixtures of marks give well-formed HTML, and the same each time")
    func mixtures() {
        let pieces =
            Self.scripts + [
                "*", "**", "_", "`", "```\n", "$", "$$", "\n", "\n\n", "[", "](", ")", "![", "|", "|--|--|\n", "> ",
                "- ", "1. ", "    ", "\\", "&", "<", ">",
                "{{1}}", "\u{202E}", "\0", "\u{1B}[2J", "é", "\u{1F600}", "\\frac{", "}", "^", "_{",
                "https://example.org", "\t", "# ", "---\n", "\\begin{matrix}", "\\end{matrix}",
            ]
        var state: UInt64 = 7
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        for _ in 0..<1500 {
            let text = (0..<(1 + next(14))).map { _ in pieces[next(pieces.count)] }.joined()
            let formatted = FormattedText(markdown: text)
            #expect(Self.fault(in: formatted.html()) == nil, "\(text)")
            #expect(formatted == FormattedText(markdown: text))
            for line in formatted.terminalLines(width: 1 + next(30)) {
                #expect(!line.text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E }, "\(text)")
            }
        }
    }

    private static let size = 120_000

    private static let refused: [String] = [
        String(repeating: ">", count: size), String(repeating: "> ", count: 30) + "a",
        String(repeating: "- ", count: 5000) + "a",
        String(repeating: "1. ", count: 100) + "a", String(repeating: "[", count: size),
        String(repeating: "![[]()", count: 20_000),
        String(repeating: "*a_ ", count: 30_000), String(repeating: "`a``", count: 30_000),
        String(repeating: "<!--", count: 30_000),
        String(repeating: "$a ", count: 40_000), String(repeating: "a", count: 200_000),
        String(repeating: "&lt;", count: 30_000),
        String(repeating: "|a", count: 5000) + "\n" + String(repeating: "|-", count: 5000) + "\n"
            + String(repeating: "|\n", count: 5000),
        String(repeating: "**a ", count: 20_000) + "b" + String(repeating: " a**", count: 20_000),
    ]

    @Test("a text that the parser needs quadratic work for is its source")
    func limits() {
        for text in Self.refused {
            let formatted = FormattedText(markdown: text)
            #expect(formatted.isPlain, "\(text.prefix(30))")
            #expect(Self.fault(in: formatted.html()) == nil)
        }
    }

    private static let worstTexts: [String] = [
        String(repeating: "![[]()", count: 1900), String(repeating: "[a](", count: 3900),
        String(repeating: "[", count: 3900),
        String(repeating: "*a _b ", count: 3900),
        String(repeating: "*a ", count: 2000) + String(repeating: "b* ", count: 1900),
        String(repeating: "<!-- ", count: 3900) + String(repeating: "x", count: 100_000),
        String(repeating: "<? ", count: 3900) + String(repeating: "x", count: 100_000),
        String(repeating: "`a ``b ", count: 1300) + String(repeating: "x", count: 100_000),
        String(repeating: "> ", count: 12) + "a\n" + String(repeating: "b\n", count: 50_000),
        String(repeating: "> - ", count: 6) + "a\n" + String(repeating: "  b\n", count: 30_000),
        "|" + String(repeating: "a|", count: 28) + "\n|" + String(repeating: "-|", count: 28) + "\n"
            + String(repeating: "|\n", count: 2000),
        String(repeating: "$a$ ", count: 2000),
        String(repeating: "$", count: 3999) + String(repeating: "\\", count: 100_000),
        String(repeating: "$$\na\n", count: 1900) + String(repeating: "b\n", count: 50_000),
        String(repeating: "\\!", count: 60_000), String(repeating: "[a]: /u\n", count: 3900),
        String(repeating: "&amp ", count: 3900),
        String(repeating: "- a\n\n", count: 25_000), String(repeating: "a\n\n", count: 40_000),
        String(repeating: "{{", count: 60_000),
        "$" + String(repeating: "\\frac{a}{b}+", count: 150) + "c$",
        String(repeating: "$\\sqrt{x_1^2}$ ", count: 1900),
    ]

    @Test("the worst texts within the limits are read and shown")
    func worst() {
        for text in Self.worstTexts {
            let formatted = FormattedText(markdown: text)
            #expect(Self.fault(in: formatted.html { _, _ in false }) == nil, "\(text.prefix(30))")
            #expect(formatted.terminalLines(width: 80).allSatisfy { $0.text.count <= 80 })
            _ = formatted.plainText
        }
    }

    @Test("deep nesting over many lines, and one long URL for many links, stay within bounds")
    func depth() {
        let nested = (0..<200).map { String(repeating: "  ", count: $0) + "- a" }.joined(separator: "\n")
        #expect(FormattedText(markdown: nested).isPlain)
        let emphasis = String(repeating: "*a **b ", count: 100) + String(repeating: "** *", count: 100)
        #expect(Self.fault(in: FormattedText(markdown: emphasis).html()) == nil)
        let url =
            "[a]: https://example.org/" + String(repeating: "x", count: 2000) + "\n\n"
            + String(repeating: "[a] ", count: 1900)
        let links = FormattedText(markdown: url)
        #expect(links.isPlain || links.html().utf8.count < 2_000_000)
        #expect(
            FormattedText(markdown: nested.split(separator: "\n").prefix(8).joined(separator: "\n")).isPlain == false)
    }

    @Test("texts of people are far within the limits")
    func ordinary() {
        let passage = String(
            repeating: "Das ist *ein* Satz mit `code`, $x_1$ und einem [Link](https://example.org). ", count: 600)
        #expect(!FormattedText(markdown: passage).isPlain)
        let code = "```\n" + String(repeating: "let a = b[c]->d * e; // <f>\n", count: 500) + "```"
        #expect(!FormattedText(markdown: code).isPlain)
        let table =
            "| a | b | c | d | e | f |\n|-|-|-|-|-|-|\n" + String(repeating: "| 1 | 2 | 3 | 4 | 5 | 6 |\n", count: 500)
        #expect(!FormattedText(markdown: table).isPlain)
        #expect(
            !FormattedText(markdown: "- - - - - - -\n\n---------------\n\n" + String(repeating: "-", count: 200))
                .isPlain)
    }

    @Test("several threads may read at once")
    func threads() async {
        let text = "a $x_1$ and $y_2$ *b* $z$"
        let expected = FormattedText(markdown: text)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<100).allSatisfy { _ in FormattedText(markdown: text) == expected } }
            }
            for await isSame in group { #expect(isSame) }
        }
    }

    @Test("a destination with controls of direction is no link, and its words are isolated")
    func direction() {
        let html = FormattedText(markdown: "[a\u{202E}b](https://example.org/\u{202E}gpj.exe)").html()
        #expect(!html.contains("href"))
        #expect(FormattedText(markdown: "[\u{202E}b](https://example.org)").html().contains("<bdi>\u{202E}b</bdi>"))
    }
}
