import Model
import OutboxStore
import Sync

/// The status of a test, its history, and its next step, from the files alone.
public struct Explanation: Sendable, Codable, Hashable {
    public var id: TestID
    public var status: TestStatus
    public var questionnaire: String?
    public var title: String?
    public var state: String
    public var facts: [String]
    public var next: String
    public var nextAttempt: Timestamp?
    public var evaluation: Evaluation?
    /// What is given out on questions while the score is not.
    package var review: [Evaluation.QuestionEvaluation]?
    /// When more of the result is given out.
    package var releasesAt: Timestamp?
    /// The rating that the current one replaced.
    package var former: Receipt.FormerRating?
    /// A teacher's request to correct it.
    package var returned: Receipt.Return?
    /// Whether the time limit was exceeded, according to the server; before its reply, according to this device.
    public var late: Bool?
    /// The file with this information.
    public var file: String
    /// The same for another version, if two exist under one id.
    public var otherVersions: [Explanation] = []
}

extension Explanation {
    static func nothingMore(_ language: Language) -> String {
        language.text("Nothing more to do.")
    }

    /// A file of the outbox that says nothing.
    static func unreadable(
        _ item: OutboxItem, _ error: OutboxError, file: String, _ language: Language
    ) -> Explanation {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        return Explanation(
            id: item.id, status: item.status, state: say("Unreadable"), facts: [error.description],
            next: say("Nothing is sent. Repair the file, or run “quire doctor --repair” to move it to quarantine."),
            file: file)
    }
}

extension QuireStore {
    public func explain(_ item: OutboxItem, _ language: Language = .english) throws -> Explanation {
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
        let file = path.pushing(item.path).string
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
        facts += try attachments(of: record).map { $0.words(language) }
        if let finished = record.dateFinished, !item.status.isDraft {
            facts.append(say("Finished \(finished.inWords)."))
        }
        if let revision = try revisionChain(of: record).words(language) { facts.append(revision) }
        if !item.status.isDraft {
            facts += Self.laterVersions(of: item.id, among: try tests()).map { say("It was revised: \($0.item.id).") }
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
        if isMissing(item) {
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
            if let isPassed = evaluation.isPassed((try? questionnaire(of: record)) ?? nil) {
                facts.append(isPassed ? say("Passed") : say("Not passed"))
            }
        }
        if let words = receipt?.returnWords(language) { facts.append(words) }
        if let moment = receipt?.releasesAt, moment >= clock.now {
            facts.append(say("More of the result is shown after \(moment.inWords)."))
        }
        // A damaged version is named where the test is opened.
        let taken = receipt?.timeTaken ?? (receipt?.late == nil ? (try? timeTaken(by: record)) ?? nil : nil)
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
        case .sent where isMissing(item), .checking where isMissing(item), .rated where isMissing(item):
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
        let revisions = try tests().filter { $0.record?.parent == id }
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

    /// So long another page in the place of the remote is taken to be still there, in seconds.
    static let strangerSeconds = 60.0

    /// Whether the remote is likely to be reachable, determined without traffic: from the machine's network state, and
    /// the last contact.
    public func isOnline(_ remote: (any Remote)?) -> (isOnline: Bool, reason: String?) {
        guard let remote else { return (false, "no remote is set") }
        let presence = remote.presence()
        if case .away(let reason) = presence { return (false, reason) }
        if let contact = journal.contact(), contact.trouble == .notTheServer,
            (0..<Self.strangerSeconds).contains(clock.now.seconds(since: contact.at))
        {
            return (false, contact.reason)
        }
        if presence == .certain { return (true, nil) }
        // The network leads there; only the last contact shows, for a while, whether the remote answers.
        if let contact = journal.contact(), !contact.isReachable, clock.now.seconds(since: contact.at) < 300 {
            return (false, contact.reason)
        }
        return (true, nil)
    }
}
