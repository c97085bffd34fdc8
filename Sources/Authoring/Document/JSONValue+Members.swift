import Model

/// Reading documents of which little is known.
extension JSONValue {
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    var truth: Bool? { if case .bool(let truth) = self { truth } else { nil } }
    var elements: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    package var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
    var texts: [String] { (elements ?? []).compactMap(\.text) }

    /// A number as it is written in a form: `2.5`.
    var numberText: String? {
        switch self {
        case .integer(let number): "\(number)"
        case .number: DecimalNumber(self)?.description
        default: nil
        }
    }

    /// The number that was typed into a form, with a comma or a point; `nil` for anything else.
    init?(number text: String) {
        guard let plain = WrittenNumber(text).plain else { return nil }
        if let whole = Int64(plain) {
            self = .integer(whole)
        } else if let number = Double(plain), number.isFinite {
            self = .number(number)
        } else {
            return nil
        }
    }
}

extension [String: JSONValue] {
    /// Sets a text; a blank one removes the member.
    package mutating func set(_ name: String, text: String?) {
        let isBlank = text?.allSatisfy(\.isWhitespace) ?? true
        self[name] = isBlank ? nil : text.map(JSONValue.string)
    }

    /// Sets a truth; `false`, which is the default of each, removes the member.
    mutating func set(_ name: String, truth: Bool) { self[name] = truth ? .bool(true) : nil }

    /// Sets a number; a blank text removes the member, and one that is no number stays for the check to find.
    mutating func set(_ name: String, number text: String) {
        let text = text.trimmed
        self[name] = text.isEmpty ? nil : JSONValue(number: text) ?? .string(text)
    }

    /// A number, or whatever stands in its place, as the form shows it.
    func number(_ name: String) -> String { self[name].flatMap { $0.numberText ?? $0.text } ?? "" }

    /// Changes an object among the members; one that is empty then is removed.
    package mutating func change(_ name: String, _ change: (inout [String: JSONValue]) -> Void) {
        var members = self[name]?.members ?? [:]
        change(&members)
        self[name] = members.isEmpty ? nil : .object(members)
    }
}

extension String {
    /// As browsers send the lines of a field, with the line ends of documents.
    package var unixLines: String { replacing("\r\n", with: "\n").replacing("\r", with: "\n") }
}
