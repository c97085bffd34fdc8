import Model
import OutboxStore
import Sync

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

    /// See ``QuireStore/explain(_:)``.
    func explain(_ item: OutboxItem) throws -> Explanation {
        guard let explanation = try outbox.whereItLies(item, explainWhereItIs) else {
            throw OutboxError.notFound(item.id.description)
        }
        return explanation
    }

    private func explainWhereItIs(_ item: OutboxItem) throws -> Explanation {
        guard item.kind == .test else { return try explainChange(item) }
        var explanation = try explainTest(item)
        guard let other = try outbox.otherVersion(of: item),
            let explained = try outbox.whereItLies(other, explainTest)
        else { return explanation }
        explanation.facts.append(.otherVersion(explained.status))
        explanation.otherVersions = [explained]
        return explanation
    }

    private func explainTest(_ item: OutboxItem) throws -> Explanation {
        let file = store.path.pushing(item.path).string
        let stored: StoredTest
        do {
            stored = try outbox.read(item)
        } catch let error as OutboxError {
            if case .notFound = error { throw error }
            return .unreadable(item, error, file: file)
        }
        let record = stored.record
        var receiptFault: OutboxError?
        let receipt: Receipt?
        do {
            receipt = try outbox.receipt(item)
        } catch let error as OutboxError {
            receipt = nil
            receiptFault = error
        }
        var facts: [Explanation.Fact] = [.started(record.dateStarted, answers: record.answers.count)]
        facts += try testAttachments.lines(of: record).map { .attachment($0) }
        if let finished = record.dateFinished, !item.status.isDraft { facts.append(.finished(finished)) }
        let chain = try revisions.chain(of: record)
        if chain.number != nil { facts.append(.revision(chain)) }
        if !item.status.isDraft {
            facts += Revisions.laterVersions(of: item.id, among: try outboxListing.tests()).map {
                .revised(by: $0.item.id)
            }
        }
        if let delivery = receipt?.delivery { facts.append(.tried(delivery)) }
        if item.status.isWaiting, let keptAt = receipt?.keptAt { facts.append(.kept(since: keptAt, medium)) }
        if let received = receipt?.receivedAt, let digest = receipt?.digest {
            facts += [.stored(received), .receipt(digest, matches: digest == stored.digest)]
        }
        if resending.isMissing(item) { facts.append(.missing) }
        if let receiptFault {
            facts.append(.unreadableReceipt(receiptFault))
        } else if item.status == .done, let tried = receipt?.digest, tried != stored.digest {
            facts.append(.changedAfterSending)
        }
        if item.status == .checking, receipt?.reasonCode == .unknownVersion { facts.append(.unknownVersion) }
        if let receipt { facts += resultFacts(receipt, record) }
        // A damaged version is named where the test is opened.
        let taken = receipt?.timeTaken ?? (receipt?.late == nil ? (try? taking.timeTaken(by: record)) ?? nil : nil)
        let late = receipt?.late ?? taken?.isLate
        if late == true { facts.append(.timeTaken(taken)) }
        let (next, nextAttempt) = try next(item, stored, receipt)
        return Explanation(
            id: item.id, status: item.status, questionnaire: record.questionnaire.id, title: record.questionnaire.title,
            state: .init(item, receipt, medium), facts: facts, next: next, nextAttempt: nextAttempt,
            evaluation: receipt?.rating,
            review: item.status == .rated ? receipt?.review : nil, releasesAt: receipt?.releasesAt,
            former: receipt?.former, returned: receipt?.returned, late: late,
            file: file)
    }

    /// The part of the result that the server has released.
    private func resultFacts(_ receipt: Receipt, _ record: TestRecord) -> [Explanation.Fact] {
        var facts: [Explanation.Fact] = []
        if let evaluation = receipt.rating {
            facts.append(.score(evaluation))
            if receipt.former != nil { facts.append(.ratingChanged(receipt)) }
            // A version that is gone, or damaged, says nothing about it.
            if let isPassed = evaluation.isPassed((try? documents.questionnaire(of: record)) ?? nil) {
                facts.append(.passed(isPassed))
            }
        }
        if receipt.returned != nil { facts.append(.returned(receipt)) }
        if let moment = receipt.releasesAt, moment >= clock.now { facts.append(.moreReleased(after: moment)) }
        return facts
    }

    /// The next steps of a test, and when it is sent.
    private func next(
        _ item: OutboxItem, _ stored: StoredTest, _ receipt: Receipt?
    ) throws -> ([Explanation.Step], Timestamp?) {
        switch item.status {
        case .empty, .inProgress: return ([.take(item.id)], nil)
        case .done:
            let nextAttempt = max(DeliveryDecision.dueTime(stored.modified, now: clock.now), clock.now)
            if receipt?.keptAt != nil { return ([.askMedium(medium)], nextAttempt) }
            let standing = try sendingOrder().standing(ofTestOf: stored.record.questionnaire.id)
            if let obstacle = obstacle(standing, of: .test) { return ([.obstacle(obstacle)], nil) }
            return ([nextWhenDue(stored.modified, item.id)], nextAttempt)
        case .sending: return ([.sending], nil)
        case .sent where resending.isMissing(item), .checking where resending.isMissing(item),
            .rated where resending.isMissing(item):
            return ([.sendAgain(item.id)], nil)
        case .sent, .checking, .rated:
            if receipt?.digest == nil { return ([.askReceipt(.test)], nil) }
            var (steps, nextAttempt) = try nextOfAttachments(stored.record)
            if receipt?.returned != nil { steps.append(try nextCorrection(of: item.id)) }
            if item.status != .rated { steps.append(.askRating) }
            return (steps, nextAttempt)
        case .conflict, .rejected:
            let mayRetry = try item.status == .rejected || outbox.otherVersion(of: item) == nil
            return ([.reopen(item.id, mayRetry: mayRetry)], nil)
        }
    }

    /// The next step of a test that a teacher sent back.
    private func nextCorrection(of id: TestID) throws -> Explanation.Step {
        guard let revision = try revisions.all(of: id).first?.item else { return .correct(id) }
        return revision.status.isDraft ? .takeCorrection(revision.id) : .corrected(by: revision.id)
    }

    /// The next step of each unacknowledged attachment of a delivered test, and when the first of them is tried.
    private func nextOfAttachments(_ record: TestRecord) throws -> ([Explanation.Step], Timestamp?) {
        var steps: [Explanation.Step] = []
        var attempts: [Timestamp] = []
        for attachment in record.attachments {
            // An attachment without a file of its own here goes from another machine; doctor reports a damaged one.
            guard let item = try outbox.find(attachment.id), item.kind == .media,
                let change = try? outbox.readChange(item)
            else { continue }
            let receipt = try? outbox.receipt(item)
            if item.status.isDelivered, receipt?.digest != nil { continue }
            if let step = try next(change, receipt) { steps.append(.attachment(attachment.name, step)) }
            if let attempt = try nextAttempt(change) { attempts.append(attempt) }
        }
        return (steps, attempts.min())
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
