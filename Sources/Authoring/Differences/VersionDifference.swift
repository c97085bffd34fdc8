import Model

/// The differences between two versions of a questionnaire, question by question.
package struct VersionDifference: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case settings
        case section(String)
        case question(String)
    }

    enum Change: Hashable, Sendable {
        case added
        case removed
        /// It stands elsewhere among the others.
        case moved
        /// A text, as it was and as it is; `nil` for none.
        case text(Member, from: String?, to: String?)
        case options(added: [String], removed: [String])
        case rows(added: [String], removed: [String])
        case optionOrder
        case key
        case explanation
        case media
        case section(from: String?, to: String?)
        /// Another member, by its name.
        case other(String)
    }

    enum Member: String, Hashable, Sendable, CaseIterable {
        case title, description, text, hint, kind, points, required, unit, pick, opensAt, closesAt, attempts
        case timeLimitSeconds, passScore
    }

    struct Item: Hashable, Sendable {
        var subject: Subject
        /// The text of the question or the title of the section.
        var name: String
        var changes: [Change]
    }

    private(set) var items: [Item] = []

    package var isEmpty: Bool { items.isEmpty }

    /// Whether nothing but keys and explanations is different: it stays the same version for those who take it.
    package var isOfKeyOnly: Bool {
        !isEmpty && items.allSatisfy { $0.changes.allSatisfy { $0 == .key || $0 == .explanation } }
    }

    package init(from former: DraftDocument, to current: DraftDocument) {
        add(.settings, "", Self.settings(former, current))
        let ids = Set(current.sections.map(\.id))
        for section in current.sections {
            add(.section(section.id), section.title, Self.section(former.section(section.id), section))
        }
        for section in former.sections where !ids.contains(section.id) {
            add(.section(section.id), section.title, [.removed])
        }
        addQuestions(former, current)
    }

    private mutating func add(_ subject: Subject, _ name: String, _ changes: [Change]) {
        if !changes.isEmpty { items.append(Item(subject: subject, name: name, changes: changes)) }
    }

    private mutating func addQuestions(_ former: DraftDocument, _ current: DraftDocument) {
        let moved = Self.moved(former.questions.map(\.id), current.questions.map(\.id))
        for question in current.questions {
            guard let before = former.question(question.id) else {
                add(.question(question.id), question.text, [.added])
                continue
            }
            var changes = Self.question(before, question)
            let (old, new) = (former.section(of: question.id), current.section(of: question.id))
            if old?.id != new?.id { changes.append(.section(from: old?.title, to: new?.title)) }
            changes += Self.key(former.key(of: question.id), current.key(of: question.id))
            if moved.contains(question.id) { changes.append(.moved) }
            add(.question(question.id), question.text, changes)
        }
        for question in former.questions where current.question(question.id) == nil {
            add(.question(question.id), question.text, [.removed])
        }
    }

    // MARK: Members

    private static func settings(_ former: DraftDocument, _ current: DraftDocument) -> [Change] {
        var changes: [Change] = []
        for member in [Member.title, .description, .timeLimitSeconds, .passScore] {
            changes += text(member, former.members, current.members)
        }
        let (old, new) = (
            former.members["availability"]?.members ?? [:], current.members["availability"]?.members ?? [:]
        )
        for member in [Member.opensAt, .closesAt, .attempts] { changes += text(member, old, new) }
        let known: Set<String> = [
            "id", "localId", "updatedAt", "title", "description", "timeLimitSeconds", "passScore", "availability",
            "questions", "sections", "key", "answerKey", "multiAnswerKey",
        ]
        if rest(old, without: ["opensAt", "closesAt", "attempts"])
            != rest(new, without: ["opensAt", "closesAt", "attempts"])
        {
            changes.append(.other("availability"))
        }
        return changes + others(former.members, current.members, known)
    }

    private static func section(_ former: DraftSection?, _ current: DraftSection) -> [Change] {
        guard let former else { return [.added] }
        var changes: [Change] = []
        for member in [Member.title, .text, .pick] { changes += text(member, former.members, current.members) }
        // Which questions are in it is said with each question.
        return changes + others(former.members, current.members, ["id", "title", "text", "pick", "questions"])
    }

    private static func question(_ former: DraftQuestion, _ current: DraftQuestion) -> [Change] {
        var changes: [Change] = []
        for member in [Member.text, .hint, .kind, .points, .required, .unit] {
            changes += text(member, former.members, current.members)
        }
        let (oldOptions, newOptions) = (former.options, current.options)
        if Set(oldOptions) != Set(newOptions) {
            changes.append(
                .options(
                    added: newOptions.filter { !oldOptions.contains($0) },
                    removed: oldOptions.filter { !newOptions.contains($0) }))
        } else if oldOptions != newOptions {
            changes.append(.optionOrder)
        }
        let (oldRows, newRows) = (former.rows, current.rows)
        if oldRows != newRows {
            changes.append(
                .rows(
                    added: newRows.filter { !oldRows.contains($0) }, removed: oldRows.filter { !newRows.contains($0) }))
        }
        if former.members["media"] != current.members["media"] { changes.append(.media) }
        return changes
            + others(
                former.members, current.members,
                ["id", "text", "hint", "kind", "points", "required", "unit", "options", "rows", "media"])
    }

    private static func key(_ former: [String: JSONValue], _ current: [String: JSONValue]) -> [Change] {
        var changes: [Change] = []
        if rest(former, without: ["explanation"]) != rest(current, without: ["explanation"]) { changes.append(.key) }
        if former["explanation"] != current["explanation"] { changes.append(.explanation) }
        return changes
    }

    private static func text(
        _ member: Member, _ former: [String: JSONValue], _ current: [String: JSONValue]
    ) -> [Change] {
        let (old, new) = (former[member.rawValue], current[member.rawValue])
        guard old != new else { return [] }
        func words(_ value: JSONValue?) -> String? {
            value.flatMap { $0.text ?? $0.numberText ?? $0.truth.map { "\($0)" } }
        }
        return [.text(member, from: words(old), to: words(new))]
    }

    private static func others(
        _ former: [String: JSONValue], _ current: [String: JSONValue], _ known: Set<String>
    ) -> [Change] {
        Set(former.keys).union(current.keys).subtracting(known).sorted().filter { former[$0] != current[$0] }
            .map(Change.other)
    }

    private static func rest(_ members: [String: JSONValue], without names: Set<String>) -> [String: JSONValue] {
        members.filter { !names.contains($0.key) }
    }

    /// The questions that stand elsewhere: all but a longest run of those that kept their order.
    private static func moved(_ former: [String], _ current: [String]) -> Set<String> {
        let places = Dictionary(former.enumerated().map { ($1, $0) }) { first, _ in first }
        let kept = current.filter { places[$0] != nil }
        let order = kept.compactMap { places[$0] }
        guard order != order.sorted() else { return [] }
        var lengths = [Int](repeating: 1, count: order.count)
        var before = [Int?](repeating: nil, count: order.count)
        for place in order.indices {
            for other in 0..<place where order[other] < order[place] && lengths[other] + 1 > lengths[place] {
                (lengths[place], before[place]) = (lengths[other] + 1, other)
            }
        }
        var moved = Set(kept)
        var place = lengths.indices.max { lengths[$0] < lengths[$1] }
        while let current = place {
            moved.remove(kept[current])
            place = before[current]
        }
        return moved
    }
}
