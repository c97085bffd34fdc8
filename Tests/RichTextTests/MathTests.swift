import RichText
import Testing

@Suite("Formulas")
struct MathTests {
    @Test(
        "dollars are formulas only where they can be",
        arguments: [
            ("from $5 to $10", []), ("$5-$6", []), ("a $ b $ c", []), ("$x$", ["x"]), ("($x$, $y$)", ["x", "y"]),
            ("\\$x$", []), ("`$x$` $y$", ["y"]), ("$a_b$ and $c_d$", ["a_b", "c_d"]),
            ("$a*b$ *c* $d*e$", ["a*b", "d*e"]),
            ("$\\text{5\\$}$", ["\\text{5\\$}"]), ("$$x$$", ["x"]), ("a $$x$$ b", ["x"]), ("$$$", []), ("$$$$", []),
            ("$a", []),
            ("$$\na\n+ b\n- c\n$$", ["a\n+ b\n- c"]), ("$$\na\n\nb\n$$", []), ("$$a\n= b$$", ["a\n= b"]),
            ("```\n$$\na\n$$\n```", []), ("```math\nx^2\n```", ["x^2"]), ("- item\n\n$$\nx\n$$", ["x"]),
        ])
    func dollars(_ markdown: String, _ formulas: [String]) {
        #expect(Self.formulas(FormattedText(markdown: markdown).blocks) == formulas)
    }

    private static func formulas(_ blocks: [FormattedText.Block]) -> [String] {
        blocks.flatMap { block -> [String] in
            switch block {
            case .paragraph(let inlines), .heading(_, let inlines):
                inlines.compactMap { if case .math(let math) = $0 { math.source } else { nil } }
            case .math(let math): [math.source]
            case .list(let list): list.items.flatMap(formulas)
            case .quote(let blocks): formulas(blocks)
            default: []
            }
        }
    }

    private func mathML(_ source: String, isDisplayed: Bool = false) -> String {
        var writer = HTMLWriter()
        writer.math(MathText(source, isDisplayed: isDisplayed))
        return writer.html
    }

    @Test(
        "the subset becomes MathML",
        arguments: [
            ("\\frac{a}{2}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mn>2</mn></mrow></mfrac>"),
            ("\\sqrt[3]{x}", "<mroot><mrow><mi>x</mi></mrow><mrow><mn>3</mn></mrow></mroot>"),
            ("x_1^2", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"),
            (
                "f'(x)",
                #"<msup><mi>f</mi><mi>′</mi></msup><mo form="prefix" stretchy="false">(</mo><mi>x</mi><mo form="postfix" stretchy="false">)</mo>"#
            ),
            ("\\alpha\\le\\Omega", "<mi>α</mi><mo>≤</mo><mi>Ω</mi>"),
            ("a<b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
            ("\\text{if <x> } 1", "<mtext>if\u{A0}&lt;x&gt;\u{A0}</mtext><mn>1</mn>"),
            ("\\vec{v}", #"<mover accent="true"><mrow><mi>v</mi></mrow><mo stretchy="true">→</mo></mover>"#),
            (
                "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}",
                #"<mrow><mo form="prefix">(</mo><mtable><mtr><mtd><mrow><mn>1</mn></mrow></mtd><mtd><mrow><mn>2</mn></mrow></mtd></mtr><mtr><mtd><mrow><mn>3</mn></mrow></mtd><mtd><mrow><mn>4</mn></mrow></mtd></mtr></mtable><mo form="postfix">)</mo></mrow>"#
            ),
            (
                "\\sum_{i=1}^n",
                #"<msubsup><mo movablelimits="false">∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></msubsup>"#
            ),
            ("3{,}5\\,\\mathbb{R}", #"<mn>3,5</mn><mspace width="0.166em"></mspace><mi>ℝ</mi>"#),
            ("\\sin x", "<mi>sin</mi><mi>x</mi>"),
        ])
    func mathML(_ source: String, _ content: String) {
        #expect(mathML(source) == "<math alttext=\"\(HTMLEscaping.of(source))\"><mrow>\(content)</mrow></math>")
    }

    @Test("a displayed sum has its bounds below and above, an integral beside")
    func displayed() {
        #expect(mathML("\\sum_{i}^n", isDisplayed: true).contains("<munderover><mo movablelimits=\"false\">∑</mo>"))
        #expect(mathML("\\int_0^1", isDisplayed: true).contains("<msubsup><mo movablelimits=\"false\">∫</mo>"))
        #expect(
            mathML("\\lim_{x\\to 0}", isDisplayed: true).contains(
                "<munder><mo movablelimits=\"false\" largeop=\"false\">lim</mo>"))
    }

    @Test(
        "what is outside of the subset is shown as its source, all of it",
        arguments: [
            "\\unknown{x}", "\\frac{a}", "{a", "a}", "\\left( a", "\\begin{array}{cc}1\\end{array}",
            "\\begin{matrix}1\\end{pmatrix}",
            "x^2^3", "x_", "\\sqrt[3", "\\text{a", "\\href{javascript:alert(1)}{x}", "\\def\\a{b}", "#1", "\\", "a & b",
            String(repeating: "{", count: 100) + String(repeating: "}", count: 100),
            String(repeating: "x", count: 2001),
        ])
    func outside(_ source: String) {
        let math = MathText(source, isDisplayed: false)
        #expect(math.expression == nil)
        #expect(math.plain == "$\(source)$")
        #expect(mathML(source) == "<code class=\"math\">\(HTMLEscaping.of("$\(source)$"))</code>")
    }

    @Test(
        "a terminal shows a line of Unicode",
        arguments: [
            ("\\frac{a+b}{2}", "(a + b)/2"), ("x^2+y^{10}", "x² + y¹⁰"), ("a_{ij}", "aᵢⱼ"), ("x^{n+1}", "xⁿ⁺¹"),
            ("x^{a/b}", "x^(a/b)"),
            ("\\sqrt{x}", "√x"), ("\\sqrt[3]{x+1}", "³√(x + 1)"), ("\\alpha \\leq \\beta", "α ≤ β"), ("-1", "−1"),
            ("a=-b", "a = −b"),
            ("\\sin x", "sin x"), ("\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", "(1, 2; 3, 4)"), ("f(x,y)", "f(x, y)"),
            ("2\\cdot 3", "2⋅3"),
            ("\\text{if } x", "if x"), ("v = \\frac{s}{t}", "v = s/t"), ("\\int_0^1 x", "∫₀¹ x"), ("\\mathbb{R}", "ℝ"),
        ])
    func plain(_ source: String, _ expected: String) { #expect(MathText(source, isDisplayed: false).plain == expected) }
}

/// The escapes of an attribute or a text.
enum HTMLEscaping {
    static func of(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
