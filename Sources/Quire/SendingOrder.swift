import Model
import OutboxStore

/// What goes before what: whether the order lets something in `done` go, whatever its time.
struct SendingOrder {
    private let outbox: Outbox
    /// Of questionnaires and favourites, by their ids, and in the order in which they were made.
    private let changes: [TestID: StoredChange]
    private let sequence: [StoredChange]
    private let naming: NamingChanges

    init(_ outbox: Outbox) throws {
        self.outbox = outbox
        sequence = try outbox.changes().filter { $0.item.kind != .media }
        changes = Dictionary(sequence.map { ($0.item.id, $0) }, uniquingKeysWith: { first, _ in first })
        naming = try outbox.namingChanges()
    }

    /// Whether a test may go: the server shall know its questionnaire.
    func standing(of test: TestRecord) -> NamingChanges.Standing {
        creation(of: test.questionnaire.id).map { .waiting($0.item) } ?? .ready
    }

    func standing(of change: OutgoingChange) throws -> NamingChanges.Standing {
        switch change {
        case .media(let media):
            switch media.owner {
            case .questionnaire(let path):
                let standing = naming.standing(of: path, in: media.questionnaire)
                guard case .waiting(let owner) = standing else { return standing }
                return try behind(owner)
            case .test(let test): return try outbox.find(test).map(behind) ?? .ready
            }
        case .favorite(let favorite):
            if let former = former(of: change, .favorite) { return .waiting(former.item) }
            return creation(of: favorite.questionnaire).map { .waiting($0.item) } ?? .ready
        case .questionnaire(let questionnaire):
            if let after = questionnaire.after, let item = try outbox.find(after) { return try behind(item) }
            return try former(of: change, .questionnaire).map { try behind($0.item) } ?? .ready
        }
    }

    /// Where something stands that goes after this. What holds up a whole row is the one that the person decides about.
    private func behind(_ item: OutboxItem) throws -> NamingChanges.Standing {
        switch item.status {
        case .sent, .checking, .rated: return .ready
        case .conflict, .rejected: return .refused(item)
        case .empty, .inProgress, .done, .sending: break
        }
        guard let change = changes[item.id]?.change, case .questionnaire(let questionnaire) = change,
            let after = questionnaire.after.flatMap({ changes[$0] }), after.change.sequence < change.sequence
        else { return .waiting(item) }
        guard case .refused(let first) = try behind(after.item) else { return .waiting(item) }
        return .refused(first)
    }

    /// A change of the same thing that waits, too, and was made before.
    private func former(of change: OutgoingChange, _ kind: OutboxKind) -> StoredChange? {
        sequence.first {
            $0.item.kind == kind && $0.item.status.isWaiting && $0.change.questionnaire == change.questionnaire
                && $0.item.id != change.id && $0.change.sequence < change.sequence
        }
    }

    /// The creation of a questionnaire here that neither the server nor a hub has.
    private func creation(of questionnaire: String) -> StoredChange? {
        sequence.first {
            $0.item.kind == .questionnaire && $0.item.status.isWaiting && $0.change.action == .create
                && $0.change.questionnaire == questionnaire && (try? outbox.receipt($0.item))?.keptAt == nil
        }
    }
}

extension QuireStore {
    /// Where what a change goes after stands, and so whether it may go.
    public func standing(of change: OutgoingChange) throws -> NamingChanges.Standing {
        try SendingOrder(outbox).standing(of: change)
    }

    /// What something of this kind waits for, and what a person can do; `nil` where nothing is before it.
    func obstacle(_ standing: NamingChanges.Standing, of kind: OutboxKind, _ language: Language) -> String? {
        let say = language.pick
        switch standing {
        case .ready: return nil
        case .unwanted:
            return say(
                "Its questionnaire does not show it any more: the next “quire sync” puts it into quarantine.",
                "Анкета его больше не показывает: следующий «quire sync» уберёт его в карантин.")
        case .refused(let owner):
            // A damaged one is named by doctor.
            let reason = (try? outbox.receipt(owner))?.delivery?.reason(in: language)
            let state = owner.status.words(language, reason: reason).asSentence
            return say(
                "It waits for \(owner.inWords(language)), which stands so: \(state) Decide about that first: ",
                "Ждёт \(owner.inWords(language)), а там: \(state) Сначала решите с ним: ")
                + commands(for: owner, id: owner.id.beginning, language) + "."
        case .waiting(let owner) where owner.kind == .test:
            return say("It waits for its test, and goes after it.", "Ждёт свой тест и уйдёт после него.")
        case .waiting(let owner) where kind == owner.kind:
            return say(
                "It waits for the change before it, \(owner.id.beginning), and goes after it.",
                "Ждёт предыдущее изменение, \(owner.id.beginning), и уйдёт после него.")
        case .waiting:
            return say("It waits for its questionnaire, and goes after it.", "Ждёт свою анкету и уйдёт после неё.")
        }
    }

    /// The commands by which a person decides about what was refused, or met another version.
    func commands(for item: OutboxItem, id: String, _ language: Language) -> String {
        guard item.kind == .questionnaire, item.status == .conflict else {
            return language.pick(
                "“quire outbox retry \(id)” or “quire outbox discard \(id)”",
                "«quire outbox retry \(id)» или «quire outbox discard \(id)»")
        }
        // One that cannot be read is named by doctor.
        let conflict = (try? outbox.conflicts())?.first { $0.stored.item == item }
        let choices = conflict?.choices ?? ConflictChoice.allCases
        let flags = choices.map { "--" + $0.rawValue }.joined(separator: " | ")
        return language.pick(
            "“quire conflicts” shows the difference, “quire resolve \(id) \(flags)” settles it",
            "«quire conflicts» покажет разницу, «quire resolve \(id) \(flags)» решит")
    }
}

extension OutboxItem {
    /// What it is, in the accusative, with the beginning of its id.
    fileprivate func inWords(_ language: Language) -> String {
        switch kind {
        case .test: language.pick("test \(id.beginning)", "тест \(id.beginning)")
        case .questionnaire, .favorite: language.pick("change \(id.beginning)", "изменение \(id.beginning)")
        case .media: language.pick("attachment \(id.beginning)", "вложение \(id.beginning)")
        }
    }
}

extension TestID {
    /// Enough of it for a person to name it.
    var beginning: String { String(description.prefix(8)) }
}

extension String {
    /// With a full stop, where it does not end as a sentence already: a server's sentence has one of its own.
    var asSentence: String {
        guard let last, !".!?…".contains(last) else { return self }
        return self + "."
    }
}
