import Model

/// A section of a draft. Members that this program does not know are kept.
struct DraftSection: Hashable, Sendable {
    var members: [String: JSONValue]

    init(_ members: [String: JSONValue]) { self.members = members }

    /// An empty section.
    init(id: String, title: String) {
        members = ["id": .string(id), "questions": .array([])]
        members.set("title", text: title)
    }

    var id: String { members["id"]?.text ?? "" }
    var title: String { members["title"]?.text ?? "" }

    var questions: [String] {
        get { members["questions"]?.texts ?? [] }
        set { members["questions"] = .array(newValue.map(JSONValue.string)) }
    }
}

extension DraftDocument {
    var sections: [DraftSection] {
        get { (members["sections"]?.elements ?? []).map { DraftSection($0.members ?? [:]) } }
        set { members["sections"] = newValue.isEmpty ? nil : .array(newValue.map { .object($0.members) }) }
    }

    func section(_ id: String) -> DraftSection? { sections.first { $0.id == id } }

    /// The section that a question belongs to; the first one where several name it.
    func section(of question: String) -> DraftSection? { sections.first { $0.questions.contains(question) } }

    /// An id that no section has.
    func freeSectionID() -> String {
        let taken = Set(sections.map(\.id))
        return (1...).lazy.map { "s\($0)" }.first { !taken.contains($0) } ?? TestID.random().description
    }

    /// Questions that stand together, as people see them: those of a section, or one that is of none.
    struct Block: Hashable, Sendable {
        var section: DraftSection?
        var questions: [DraftQuestion]
    }

    /// The blocks in the order of a test, and then the sections without questions.
    var blocks: [Block] {
        let sections = sections
        let known = Dictionary(questions.map { ($0.id, $0) }) { first, _ in first }
        let order = TestOrder(TestID.random()).questions(
            questions.map { TestOrder.Item(id: $0.id) },
            sections: sections.map { Section(id: $0.id, questions: $0.questions) })
        var blocks: [Block] = []
        var seen: Set<String> = []
        for question in order.compactMap({ known[$0] }) {
            let section = section(of: question.id)
            if let section, blocks.last?.section?.id == section.id {
                blocks[blocks.count - 1].questions.append(question)
            } else {
                blocks.append(Block(section: section, questions: [question]))
            }
            if let section { seen.insert(section.id) }
        }
        return blocks + sections.filter { !seen.contains($0.id) }.map { Block(section: $0, questions: []) }
    }
}
