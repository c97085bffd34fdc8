/// Templates by their names, and pages made of them.
package struct TemplateLibrary: Sendable {
    private let templates: [String: Template]

    /// - Parameters:
    ///   - sources: the templates' texts, by their names.
    ///   - omitted: templates that the others name and that are written as nothing.
    package init(_ sources: [String: String], omitting omitted: Set<String> = []) throws(TemplateError) {
        var templates: [String: Template] = [:]
        for (name, source) in sources { templates[name] = try Template(source) }
        for (name, template) in templates {
            for other in template.templates where templates[other] == nil && !omitted.contains(other) {
                throw .unknownTemplate(other, in: name)
            }
        }
        self.templates = templates
    }

    /// Makes a page.
    ///
    /// - Parameters:
    ///   - model: texts, truths, lists of them and models within.
    ///   - name: the name of a template of this library.
    package func render(_ model: [String: any Sendable], with name: String) -> String {
        guard let template = templates[name] else { preconditionFailure("there is no template \(name)") }
        var writer = Writer(templates: templates, values: [model])
        writer.write(template.parts)
        return writer.text
    }

    private struct Writer {
        let templates: [String: Template]
        /// The values of the sections around this place, the outermost first.
        var values: [Any]
        var text = ""

        mutating func write(_ parts: [Template.Part]) {
            for part in parts {
                switch part {
                case .text(let text): self.text += text
                case .value(let path, let isEscaped):
                    guard let value = value(at: path) else { continue }
                    let text = value as? String ?? String(describing: value)
                    if isEscaped { append(escaping: text) } else { self.text += text }
                case .section(let path, let isInverted, let parts):
                    isInverted ? writeInverted(value(at: path), parts) : write(value(at: path), parts)
                case .template(let name): write(templates[name]?.parts ?? [])
                }
            }
        }

        private mutating func write(_ value: Any?, _ parts: [Template.Part]) {
            switch value {
            case nil: return
            case let isTrue as Bool: if isTrue { write(parts) }
            case let list as any TemplateList: for element in list.elements { write(parts, in: element) }
            case let value?: write(parts, in: value)
            }
        }

        private mutating func writeInverted(_ value: Any?, _ parts: [Template.Part]) {
            switch value {
            case nil: write(parts)
            case let isTrue as Bool: if !isTrue { write(parts) }
            case let list as any TemplateList: if list.elements.isEmpty { write(parts) }
            default: return
            }
        }

        private mutating func write(_ parts: [Template.Part], in value: Any) {
            values.append(value)
            write(parts)
            values.removeLast()
        }

        /// The value of the innermost section that has the path's first name.
        private func value(at path: TemplatePath) -> Any? {
            guard let first = path.names.first else { return values.last }
            for value in values.reversed() {
                guard var found = member(first, of: value) else { continue }
                for name in path.names.dropFirst() {
                    guard let next = member(name, of: found) else { return nil }
                    found = next
                }
                return found
            }
            return nil
        }

        private func member(_ name: String, of value: Any) -> Any? { (value as? any TemplateModel)?.member(name) }

        private mutating func append(escaping text: String) {
            var rest = text[...]
            while let place = rest.utf8.firstIndex(where: { Self.entity($0) != nil }) {
                self.text += rest[..<place]
                self.text += Self.entity(rest.utf8[place]) ?? ""
                rest = rest[rest.utf8.index(after: place)...]
            }
            self.text += rest
        }

        private static func entity(_ byte: UInt8) -> String? {
            switch byte {
            case UInt8(ascii: "<"): "&lt;"
            case UInt8(ascii: ">"): "&gt;"
            case UInt8(ascii: "&"): "&amp;"
            case UInt8(ascii: "\""): "&quot;"
            case UInt8(ascii: "'"): "&#39;"
            default: nil
            }
        }
    }
}

/// A value with members.
private protocol TemplateModel {
    func member(_ name: String) -> Any?
}

extension Dictionary: TemplateModel where Key == String {
    func member(_ name: String) -> Any? { self[name] }
}

/// A value whose section is written for each element.
private protocol TemplateList {
    var elements: [Any] { get }
}

extension Array: TemplateList {
    var elements: [Any] { self }
}
