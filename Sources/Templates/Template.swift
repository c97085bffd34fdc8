/// The parts of a template of a page, in the part of Mustache that the pages use:
///
/// - `{{name}}` writes a value, escaped for HTML; `{{{name}}}` writes it unchanged; `{{.}}` is the value of the section
/// - `{{#name}}…{{/name}}` is written once for each element of a list, once for any other value, and not for `false`
/// - `{{^name}}…{{/name}}` is written where `{{#name}}` is not
/// - `{{> name}}` is another template, with the values of this place
/// - `{{! … }}` is a comment
///
/// A section, its end, a comment or another template alone on its line takes the line with it.
struct Template: Sendable {
    enum Part: Sendable {
        case text(String)
        case value(TemplatePath, isEscaped: Bool)
        case section(TemplatePath, isInverted: Bool, [Part])
        case template(String)
    }

    let parts: [Part]

    init(_ source: String) throws(TemplateError) {
        var parser = TemplateParser(source)
        parts = try parser.parts(of: nil)
    }

    /// The names of the templates within.
    var templates: Set<String> { Self.templates(parts) }

    private static func templates(_ parts: [Part]) -> Set<String> {
        parts.reduce(into: []) { names, part in
            switch part {
            case .template(let name): names.insert(name)
            case .section(_, _, let parts): names.formUnion(templates(parts))
            case .text, .value: break
            }
        }
    }
}

/// Where a value is: `w.save` is the member `save` of `w`; without names it is the value of the section.
struct TemplatePath: Hashable, Sendable {
    let names: [String]

    init(_ text: String) {
        names = text == "." ? [] : text.split(separator: ".").map { String($0) }
    }
}

/// Why a template cannot be used.
package enum TemplateError: Error, Equatable, CustomStringConvertible {
    case unclosedTag(line: Int)
    case emptyTag(line: Int)
    case unexpectedEnd(of: String, line: Int)
    case missingEnd(of: String)
    case unknownTemplate(String, in: String)

    package var description: String {
        switch self {
        case .unclosedTag(let line): "line \(line): a tag is not closed"
        case .emptyTag(let line): "line \(line): a tag has no name"
        case .unexpectedEnd(let name, let line): "line \(line): no section “\(name)” ends here"
        case .missingEnd(let name): "the section “\(name)” does not end"
        case .unknownTemplate(let name, let template): "\(template): there is no template “\(name)”"
        }
    }
}
