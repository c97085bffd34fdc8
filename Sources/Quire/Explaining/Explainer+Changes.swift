import Model
import OutboxStore
import Sync
import Wording

/// The state of a questionnaire or a favourite on its way to the server.
extension Explainer {
    func explainChange(_ item: OutboxItem, _ language: Language) throws -> Explanation {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        let file = store.path.pushing(item.path).string
        let stored: StoredChange
        do {
            stored = try outbox.readChange(item)
        } catch let error as OutboxError {
            return .unreadable(item, error, file: file, language)
        }
        let change = stored.change
        // A damaged one is named by doctor.
        let receipt = try? outbox.receipt(item)
        var facts = ["\(change.action.words(language)) \(change.dateChanged.inWords)."]
        if case .questionnaire(let questionnaire) = change {
            if let base = questionnaire.base {
                facts.append(say("It is based on the version \(base.etag)."))
            }
            if let after = questionnaire.after {
                facts.append(say("It goes on from change \(after)."))
            }
        }
        if case .media(let media) = change { facts += try mediaFacts(media, receipt, language) }
        let keptAt = item.status.isWaiting ? receipt?.keptAt : nil
        if let keptAt { facts.append(keptFact(since: keptAt, language)) }
        if let tried = triedFact(receipt?.delivery, language) { facts.append(tried) }
        if let received = receipt?.receivedAt {
            facts.append(say("The server stored it \(received.inWords)."))
            if let published = receipt?.published, published.id != change.questionnaire {
                facts.append(
                    say("The server calls it \(published.id)."))
            }
        }
        return Explanation(
            id: item.id, status: item.status, questionnaire: change.questionnaire, title: change.title,
            state: item.status.words(
                language, reason: receipt?.delivery?.reason(in: language), isKept: keptAt != nil, medium: medium),
            facts: facts, next: try next(stored, receipt, language), nextAttempt: try nextAttempt(stored),
            evaluation: nil, file: file)
    }

    private func mediaFacts(_ media: MediaChange, _ receipt: Receipt?, _ language: Language) throws -> [String] {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        let size = ByteCount.format(media.sizeBytes, language)
        var facts = ["\(media.name), \(media.mediaType), \(size)."]
        let question = media.attachment.questionId
        switch media.owner {
        case .test(let test):
            facts.append(
                say("It belongs to question \(question) of test \(test)."))
        case .questionnaire(let path):
            facts.append(
                say("It belongs to question \(question) of questionnaire \(media.questionnaire), as \(path)."))
        }
        if try outbox.media.hasBytes(media.digest) {
            facts.append(store.path.pushing(OutboxLayout.mediaPath(media.digest)).string)
        } else if receipt?.receivedAt != nil {
            facts.append(
                say("The copy here was removed; the server has it."))
        } else {
            facts.append(say("Its bytes are not on this device."))
        }
        if receipt?.delivery?.upload != nil, receipt?.receivedAt == nil {
            facts.append(
                say("A part may be on the server: the next sync goes on from there."))
        }
        return facts
    }

    /// The next step of a change, and what a person can do about it.
    func next(_ stored: StoredChange, _ receipt: Receipt?, _ language: Language) throws -> String {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        let item = stored.item
        switch item.status {
        case .done where receipt?.keptAt != nil:
            // A folder may hold it together with the one that it is based on.
            let standing = try standing(of: stored.change)
            if item.kind == .questionnaire, case .refused = standing,
                let obstacle = obstacle(standing, of: item.kind, language)
            {
                return obstacle
            }
            return nextWhenKept(language)
        case .done:
            if let obstacle = obstacle(try standing(of: stored.change), of: item.kind, language) { return obstacle }
            if let path = try lostBytes(of: stored.change) {
                return say("It cannot go without its file: put it back as \(path).")
            }
            return nextWhenDue(stored.modified, item.id, language)
        case .conflict, .rejected:
            let isGone = receipt?.published?.deleted == true && item.status == .conflict
            return (isGone ? say("The server has deleted it. ") : "")
                + say("You decide: ") + commands(for: item, id: item.id.description, language) + "."
        case .sent where receipt?.digest == nil:
            return say("It has no receipt: the next “quire sync” asks the server for it.")
        case .sent: return Explanation.nothingMore(language)
        default: return nextWhenDue(.epoch, item.id, language)
        }
    }

    /// When it is tried, where it is; `nil` where something else has to happen before.
    func nextAttempt(_ stored: StoredChange) throws -> Timestamp? {
        guard stored.item.status == .done, try standing(of: stored.change) == .ready,
            try lostBytes(of: stored.change) == nil
        else { return nil }
        return max(DeliveryDecision.dueTime(stored.modified, now: clock.now), clock.now)
    }

    /// Where the bytes of an attachment are missed that no server is known to have.
    func lostBytes(of change: OutgoingChange) throws -> String? {
        guard case .media(let media) = change, try testAttachments.isLost(media.digest) else { return nil }
        return store.path.pushing(OutboxLayout.mediaPath(media.digest)).string
    }

    /// Since when it is on its way, and where.
    func keptFact(since keptAt: Timestamp, _ language: Language) -> String {
        medium.keptSince(language).replacing("{time}", with: keptAt.inWords)
    }

    func nextWhenKept(_ language: Language) -> String { medium.next(language) }

    /// The next step of an item that is sent automatically when due.
    func nextWhenDue(_ notBefore: Timestamp, _ id: TestID, _ language: Language) -> String {
        DeliveryDecision.dueTime(notBefore, now: clock.now) > clock.now
            ? language.text("Tried again after \(notBefore.inWords); “quire outbox retry \(id)” makes it due now.")
            : language.text("Sent with the next “quire sync” that reaches the server.")
    }

    /// The number of attempts and the result of the last one; `nil` without one.
    func triedFact(_ delivery: Receipt.Delivery?, _ language: Language) -> String? {
        guard let delivery, delivery.attempts > 0 else { return nil }
        let reason = delivery.reason(in: language).asSentence
        return language.plural(
            delivery.attempts, one: "Tried 1 time, last \(delivery.lastAttempt.inWords): \(reason)",
            other: "Tried \(delivery.attempts) times, last \(delivery.lastAttempt.inWords): \(reason)")
    }
}
