import Templates
import Testing

@Suite("templates")
struct TemplateTests {
    private func render(
        _ source: String, _ model: [String: any Sendable] = [:], others: [String: String] = [:]
    ) throws -> String {
        try TemplateLibrary(others.merging(["page": source]) { $1 }).render(model, with: "page")
    }

    @Test("a value is escaped for HTML, and is unchanged in three braces")
    func values() throws {
        let model: [String: any Sendable] = ["text": "<a href='x'>\"R&D\" — ё</a>", "number": 7]
        #expect(
            try render("{{text}}|{{ text }}|{{number}}|{{missing}}", model)
                == "&lt;a href=&#39;x&#39;&gt;&quot;R&amp;D&quot; — ё&lt;/a&gt;|"
                + "&lt;a href=&#39;x&#39;&gt;&quot;R&amp;D&quot; — ё&lt;/a&gt;|7|")
        #expect(try render("{{{text}}}", model) == "<a href='x'>\"R&D\" — ё</a>")
    }

    @Test("a section is written for what is there, once for each element, and its inversion otherwise")
    func sections() throws {
        let template = "{{#x}}[{{.}}]{{/x}}{{^x}}none{{/x}}"
        #expect(try render(template, ["x": ["a", "b"]]) == "[a][b]")
        #expect(try render(template, ["x": [String]()]) == "none")
        #expect(try render(template, ["x": ""]) == "[]")
        #expect(try render(template, ["x": 0]) == "[0]")
        #expect(try render(template, ["x": false]) == "none")
        #expect(try render(template) == "none")
        #expect(try render("{{#x}}yes{{/x}}{{^x}}no{{/x}}", ["x": true]) == "yes")
    }

    @Test("a name is sought in the innermost section first, and dots lead to members")
    func names() throws {
        let rows: [[String: any Sendable]] = [["name": "inner", "w": ["save": "Here"]], [:]]
        let model: [String: any Sendable] = ["name": "outer", "w": ["save": "Save"], "rows": rows]
        #expect(try render("{{#rows}}{{name}}:{{w.save}} {{/rows}}{{w.none}}", model) == "inner:Here outer:Save ")
    }

    @Test("another template has the values of its place")
    func others() throws {
        let model: [String: any Sendable] = ["rows": [["n": "1"], ["n": "2"]]]
        #expect(try render("{{#rows}}{{> row}}{{/rows}}", model, others: ["row": "<{{n}}>"]) == "<1><2>")
    }

    @Test("a template that is left out is written as nothing")
    func omitted() throws {
        let library = try TemplateLibrary(["page": "a{{> files}}b"], omitting: ["files"])
        #expect(library.render([:], with: "page") == "ab")
    }

    @Test("a tag without a value that is alone on its line takes the line with it")
    func lines() throws {
        let template = "a\n  {{#x}}\nb\n{{/x}}  \nc {{#x}}\nd{{/x}}\n{{! about }}\n{{> row}}\ne"
        #expect(try render(template, ["x": true], others: ["row": "row\n"]) == "a\nb\nc \nd\nrow\ne")
    }

    @Test("what is wrong with a template is said with its line")
    func faults() {
        let faults: [(String, TemplateError)] = [
            ("a\n{{#x}}", .missingEnd(of: "x")), ("a\n{{/x}}", .unexpectedEnd(of: "x", line: 2)),
            ("{{#x}}{{/y}}", .unexpectedEnd(of: "y", line: 1)), ("a\n\n{{x", .unclosedTag(line: 3)),
            ("{{ }}", .emptyTag(line: 1)), ("{{> row}}", .unknownTemplate("row", in: "page")),
        ]
        for (source, fault) in faults {
            #expect(throws: fault) { try render(source) }
        }
    }
}
