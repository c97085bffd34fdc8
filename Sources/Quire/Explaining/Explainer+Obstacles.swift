import Model
import OutboxStore
import Sync
import Wording

/// Why an item waits for another one that is sent first.
extension Explainer {
    /// The order in which the outbox is sent now.
    ///
    /// - Parameter media: the attachments whose standing will be asked for.
    func sendingOrder(_ scan: OutboxScan? = nil, media: [MediaChange] = []) throws -> SendingOrder {
        try outbox.sendingOrder(try scan ?? outbox.scan(), media: media, keepsSuccessors: medium.keepsSuccessors)
    }

    /// Returns whether a change may be sent, regardless of its time, or its obstacle.
    package func standing(of change: OutgoingChange) throws -> NamingChanges.Standing {
        var media: [MediaChange] = []
        if case .media(let attached) = change { media = [attached] }
        return try sendingOrder(media: media).standing(of: change)
    }

    /// The obstacle of an item of this kind, and what a person can do; `nil` without one.
    func obstacle(_ standing: NamingChanges.Standing, of kind: OutboxKind, _ language: Language) -> String? {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        switch standing {
        case .ready: return nil
        case .unwanted:
            return say("Its questionnaire does not show it any more: the next “quire sync” puts it into quarantine.")
        case .refused(let owner):
            // A damaged one is named by doctor.
            let reason = (try? outbox.receipt(owner))?.delivery?.reason(in: language)
            let state = owner.status.words(language, reason: reason).asSentence
            return say("It waits for \(owner.inWords(language)), which stands so: \(state) Decide about that first: ")
                + commands(for: owner, id: owner.id.beginning, language) + "."
        case .waiting(let owner) where owner.kind == .test:
            return say("It waits for its test, and goes after it.")
        case .waiting(let owner) where kind == owner.kind:
            return say("It waits for the change before it, \(owner.id.beginning), and goes after it.")
        case .waiting:
            return say("It waits for its questionnaire and is sent after it.")
        }
    }

    /// The commands by which a person decides about an item that was rejected, or is in conflict.
    func commands(for item: OutboxItem, id: String, _ language: Language) -> String {
        guard item.kind == .questionnaire, item.status == .conflict else {
            return language.text("“quire outbox retry \(id)” or “quire outbox discard \(id)”")
        }
        // One that cannot be read is named by doctor.
        let conflict = (try? outbox.conflicts.all())?.first { $0.stored.item == item }
        let choices = conflict?.choices ?? ConflictChoice.allCases
        let flags = choices.map { "--" + $0.rawValue }.joined(separator: " | ")
        return language.text("“quire conflicts” shows the difference, “quire resolve \(id) \(flags)” settles it")
    }
}

extension OutboxItem {
    /// Its name, in the accusative, with the first digits of its id.
    fileprivate func inWords(_ language: Language) -> String {
        switch kind {
        case .test: language.text("test \(id.beginning)")
        case .questionnaire, .favorite: language.text("change \(id.beginning)")
        case .media: language.text("attachment \(id.beginning)")
        }
    }
}

extension TestID {
    /// Enough of it for a person to name it.
    var beginning: String { String(description.prefix(8)) }
}

extension String {
    /// With a full stop, where it does not end as a sentence already: a server's sentence has one of its own.
    package var asSentence: String {
        guard let last, !".!?…".contains(last) else { return self }
        return self + "."
    }
}
