import Model

/// A questionnaire that is being written: a document that need not be right yet. Members that this program does not know are kept.
package struct DraftDocument: Hashable, Sendable {
    package var members: [String: JSONValue]

    package init(_ json: JSONValue) { members = json.members ?? [:] }

    /// A published document.
    package init(bytes: [UInt8]) throws { self.init(try DocumentCoding.decode(JSONValue.self, from: bytes)) }

    /// A new questionnaire without questions.
    init(id: String, title: String, locale: String) {
        members = [
            "id": .string(id), "title": .string(title), "locale": .string(locale), "textFormat": .string("markdown"),
            "questions": .array([]),
        ]
    }

    package var json: JSONValue { .object(members) }
    package var title: String { members["title"]?.text ?? "" }
    var locale: String? { members["locale"]?.text ?? members["language"]?.text }
    var textFormat: TextFormat { members["textFormat"]?.text.flatMap(TextFormat.init) ?? .plain }

    var questions: [DraftQuestion] {
        get { (members["questions"]?.elements ?? []).map { DraftQuestion($0.members ?? [:]) } }
        set { members["questions"] = .array(newValue.map { .object($0.members) }) }
    }

    package var questionCount: Int { questions.count }

    func place(of id: String) -> Int? { questions.firstIndex { $0.id == id } }
    func question(_ id: String) -> DraftQuestion? { questions.first { $0.id == id } }

    /// The decoded questionnaire; `nil` while the document has faults.
    var bytes: [UInt8] { (try? DocumentCoding.encode(json)) ?? [] }

    /// An id that no question has.
    func freeID() -> String {
        let taken = Set(questions.map(\.id))
        return (1...).lazy.map { "q\($0)" }.first { !taken.contains($0) } ?? TestID.random().description
    }

    // MARK: The key

    /// The key of a question in the form of the member `key`, wherever it stands; empty where there is none.
    func key(of id: String) -> [String: JSONValue] {
        if let key = members["key"]?.members?[id]?.members { return key }
        // The older member for several answers wins, as for all readers.
        for name in ["multiAnswerKey", "answerKey"] {
            guard let value = members[name]?.members?[id], value != .null, let question = question(id) else { continue }
            return ["accept": .array(Self.accepted(value, by: question).map { .object(["value": $0]) })]
        }
        return [:]
    }

    /// Sets the key of a question, in the member `key` alone.
    mutating func setKey(_ key: [String: JSONValue], of id: String) {
        for name in ["answerKey", "multiAnswerKey"] where members[name]?.members?[id] != nil {
            members.change(name) { $0[id] = nil }
        }
        members.change("key") { $0[id] = key.isEmpty ? nil : .object(key) }
    }

    /// The answers that a key of the older form accepts.
    private static func accepted(_ value: JSONValue, by question: DraftQuestion) -> [JSONValue] {
        let values = value.elements ?? [value]
        switch question.kind.valueForm {
        case .number: return values.map { $0.text.flatMap(JSONValue.init(number:)) ?? $0 }
        case .truth:
            return values.map { value in
                guard let text = value.text else { return value }
                if text == "true" || text == question.options.first { return .bool(true) }
                if text == "false" || question.options.count == 2 && text == question.options[1] { return .bool(false) }
                return value
            }
        default: return question.kind.shape == .order ? [.array(values)] : values
        }
    }
}
