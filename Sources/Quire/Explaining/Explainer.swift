import Model
import OutboxStore
import Sync
import Wording

/// Says where an item of the outbox stands, why it waits, and what is next, from the files alone.
package struct Explainer: Sendable {
    let store: QuireStore

    var outbox: Outbox { store.outbox }
    var clock: any StoreClock { store.clock }
    var medium: DeliveryMedium { store.medium }
    var documents: QuestionnaireDocuments { store.documents }
    var testAttachments: TestAttachments { store.testAttachments }
    var taking: TestTaking { store.taking }
    var outboxListing: OutboxListing { store.outboxListing }
    var revisions: Revisions { store.revisions }
    var resending: Resending { store.resending }

    /// See ``QuireStore/explain(_:_:)``.
    func explain(_ item: OutboxItem, _ language: Language = .english) throws -> Explanation {
        guard item.kind == .test else { return try explainChange(item, language) }
        var explanation = try explainTest(item, language)
        guard let other = try outbox.otherVersion(of: item) else { return explanation }
        explanation.facts.append(
            language.text("Another version of it lies in \(other.status.rawValue)."))
        explanation.otherVersions = [try explainTest(other, language)]
        return explanation
    }

    private func explainTest(_ item: OutboxItem, _ language: Language) throws -> Explanation {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        let file = store.path.pushing(item.path).string
        let stored: StoredTest
        do {
            stored = try outbox.read(item)
        } catch let error as OutboxError {
            return .unreadable(item, error, file: file, language)
        }
        let record = stored.record
        var receiptFault: String?
        let receipt: Receipt?
        do {
            receipt = try outbox.receipt(item)
        } catch let error as OutboxError {
            receipt = nil
            receiptFault = error.description
        }
        var facts = [
            language.plural(
                record.answers.count, one: "Started \(record.dateStarted.inWords), 1 answer.",
                other: "Started \(record.dateStarted.inWords), \(record.answers.count) answers.")
        ]
        facts += try testAttachments.lines(of: record).map { $0.words(language) }
        if let finished = record.dateFinished, !item.status.isDraft {
            facts.append(say("Finished \(finished.inWords)."))
        }
        if let revision = try revisions.chain(of: record).words(language) { facts.append(revision) }
        if !item.status.isDraft {
            facts += Revisions.laterVersions(of: item.id, among: try outboxListing.tests()).map {
                say("It was revised: \($0.item.id).")
            }
        }
        if let tried = triedFact(receipt?.delivery, language) {
            facts.append(tried)
        } else if let delivery = receipt?.delivery {
            facts.append(delivery.reason(in: language))
        }
        let keptAt = item.status.isWaiting ? receipt?.keptAt : nil
        if let keptAt { facts.append(keptFact(since: keptAt, language)) }
        if let received = receipt?.receivedAt, let digest = receipt?.digest {
            facts.append(say("The server stored it \(received.inWords)."))
            facts.append(
                digest == stored.digest
                    ? say("The receipt matches this file (\(digest)).")
                    : say("The receipt does not match this file (\(digest)): the file was changed since."))
        }
        if resending.isMissing(item) {
            facts.append(say("The server no longer has it."))
        }
        if let receiptFault {
            facts.append(
                receiptFault
                    + say(" – the next sync asks the server for it again."))
        } else if item.status == .done, let tried = receipt?.digest, tried != stored.digest {
            facts.append(
                say("The file was changed after it was first sent: the server may hold other answers."))
        }
        if item.status == .checking, receipt?.reasonCode == .unknownVersion {
            facts.append(
                say("The server does not know the version that it was taken with, so a person rates it."))
        }
        if let evaluation = receipt?.rating {
            facts.append(say("Score: \(evaluation.summary(language))."))
            if let changed = receipt?.changeWords(language) { facts.append(changed) }
            // A version that is gone, or damaged, says nothing about it.
            if let isPassed = evaluation.isPassed((try? documents.questionnaire(of: record)) ?? nil) {
                facts.append(isPassed ? say("Passed") : say("Not passed"))
            }
        }
        if let words = receipt?.returnWords(language) { facts.append(words) }
        if let moment = receipt?.releasesAt, moment >= clock.now {
            facts.append(say("More of the result is shown after \(moment.inWords)."))
        }
        // A damaged version is named where the test is opened.
        let taken = receipt?.timeTaken ?? (receipt?.late == nil ? (try? taking.timeTaken(by: record)) ?? nil : nil)
        let late = receipt?.late ?? taken?.isLate
        if late == true { facts.append(taken?.words(language) ?? TimeTaken.exceeded(language)) }
        let (next, nextAttempt) = try next(item, stored, receipt, language)
        return Explanation(
            id: item.id, status: item.status, questionnaire: record.questionnaire.id, title: record.questionnaire.title,
            state: item.status.words(
                language, reason: receipt?.delivery?.reason(in: language), isKept: keptAt != nil, medium: medium),
            facts: facts, next: next, nextAttempt: nextAttempt,
            evaluation: receipt?.rating,
            review: item.status == .rated ? receipt?.review : nil, releasesAt: receipt?.releasesAt,
            former: receipt?.former, returned: receipt?.returned, late: late,
            file: file)
    }

    /// The next step of a test, its time, and what a person can do about it.
    private func next(
        _ item: OutboxItem, _ stored: StoredTest, _ receipt: Receipt?, _ language: Language
    ) throws -> (String, Timestamp?) {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        switch item.status {
        case .empty, .inProgress:
            return (
                say("Continue with “quire take \(item.id)”, or send it with “quire finish \(item.id)”."),
                nil
            )
        case .done:
            let nextAttempt = max(DeliveryDecision.dueTime(stored.modified, now: clock.now), clock.now)
            if receipt?.keptAt != nil { return (nextWhenKept(language), nextAttempt) }
            let standing = try sendingOrder().standing(ofTestOf: stored.record.questionnaire.id)
            if let obstacle = obstacle(standing, of: .test, language) { return (obstacle, nil) }
            return (nextWhenDue(stored.modified, item.id, language), nextAttempt)
        case .sending:
            return (
                say("Being sent now; if that was interrupted, the next sync sends it again under the same id."),
                nil
            )
        case .sent where resending.isMissing(item), .checking where resending.isMissing(item),
            .rated where resending.isMissing(item):
            return (
                say("“quire outbox retry \(item.id)” sends it again; it is never counted twice."),
                nil
            )
        case .sent, .checking, .rated:
            if receipt?.digest == nil {
                return (
                    say(
                        "It has no receipt: the next “quire sync” asks the server for it, and sends the test again where the server has not got it."
                    ), nil
                )
            }
            let rating =
                item.status == .rated
                ? nil : say("“quire sync” asks for the rating.")
            let (open, nextAttempt) = try nextOfAttachments(stored.record, language)
            let correction = try receipt?.returned == nil ? nil : nextCorrection(of: item.id, language)
            let sentences = open + [correction, rating].compactMap(\.self)
            return (
                sentences.isEmpty ? Explanation.nothingMore(language) : sentences.joined(separator: " "), nextAttempt
            )
        case .conflict where try outbox.otherVersion(of: item) != nil:
            return (
                say(
                    "You decide: “quire outbox reopen \(item.id)” (a new revision of this one) or “quire outbox discard \(item.id)”."
                ),
                nil
            )
        case .conflict, .rejected:
            return (
                say(
                    "You decide: “quire outbox retry \(item.id)”, “quire outbox reopen \(item.id)” (a new revision) or “quire outbox discard \(item.id)”."
                ),
                nil
            )
        }
    }

    /// The next step of a test that a teacher sent back.
    private func nextCorrection(of id: TestID, _ language: Language) throws -> String {
        let revisions = try self.revisions.all(of: id)
        guard let revision = revisions.first else {
            return language.text("Correct it with “quire outbox reopen \(id)”.")
        }
        return revision.item.status.isDraft
            ? language.text("Continue the correction with “quire take \(revision.item.id)”.")
            : language.text("The correction is \(revision.item.id).")
    }

    /// The next step of the unacknowledged attachments of a delivered test, and when the first of them is tried.
    private func nextOfAttachments(_ record: TestRecord, _ language: Language) throws -> ([String], Timestamp?) {
        var sentences: [String] = []
        var attempts: [Timestamp] = []
        for attachment in record.attachments {
            // An attachment without a file of its own here goes from another machine; doctor reports a damaged one.
            guard let item = try outbox.find(attachment.id), item.kind == .media,
                let change = try? outbox.readChange(item)
            else { continue }
            let receipt = try? outbox.receipt(item)
            if item.status.isDelivered, receipt?.digest != nil { continue }
            sentences.append("\(attachment.name): " + (try next(change, receipt, language)))
            if let attempt = try nextAttempt(change) { attempts.append(attempt) }
        }
        return (sentences, attempts.min())
    }

    // MARK: What may have arrived

    /// Returns `nil` where no other program can have it.
    package func exposure(of item: OutboxItem) throws -> DeliveryExposure? {
        guard !item.status.isDraft, let receipt = try? outbox.receipt(item) else { return nil }
        if item.status.isWaiting, receipt.keptAt != nil { return .kept(medium) }
        // A rejected item was not accepted.
        return item.status.isWaiting && receipt.delivery?.mayHaveArrived == true ? .mayHaveArrived : nil
    }
}
