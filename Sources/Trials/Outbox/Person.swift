import Disk
import Model
import OutboxStore

/// A person at work: does what the outbox offers and writes down what it acknowledged.
package struct Person: Sendable {
    let outbox: Outbox
    let ledger: Ledger
    package static let device = "tablet-7"

    package static let questionnaire = QuestionnaireReference(
        id: "capitals", title: "Столицы", digest: Digest(sha256Of: Array("capitals".utf8)))

    package static func answers(_ texts: String...) -> [Answer] {
        texts.enumerated().map { Answer(questionId: "q\($0.offset)", value: .one($0.element)) }
    }

    package func begin() throws -> TestID {
        let stored = try outbox.edits.begin(Self.questionnaire, deviceID: Self.device)
        ledger.change(stored.record.id) { promise in
            promise.allowed = [[]]
            promise.place = .empty
        }
        return stored.record.id
    }

    package func create(_ status: TestStatus, _ answers: [Answer]) throws -> TestID {
        let stored = try outbox.edits.create(Self.questionnaire, deviceID: Self.device, as: status) {
            $0.answers = answers
        }
        noteCreated(stored)
        return stored.record.id
    }

    private func noteCreated(_ stored: StoredTest) {
        ledger.change(stored.record.id) {
            $0.allowed = [stored.record.answers]
            $0.place = stored.status
            if stored.status == .done { $0.frozen = stored.bytes }
        }
    }

    /// Several tests in one durable step.
    package func create(_ status: TestStatus, each answers: [[Answer]]) throws {
        let questionnaires = answers.map { _ in Self.questionnaire }
        let tests = try outbox.edits.create(questionnaires, deviceID: Self.device, as: status) {
            $1.answers = answers[$0]
        }
        for stored in tests { noteCreated(stored) }
    }

    package func save(_ id: TestID, _ answers: [Answer]) throws {
        guard let item = try outbox.find(id) else { throw OutboxError.notFound(id.description) }
        var record = try outbox.read(item).record
        record.answers = answers
        ledger.change(id) {
            $0.allowed.insert(answers)
            $0.place = nil
        }
        let stored = try outbox.edits.save(record)
        ledger.change(id) {
            $0.allowed = [answers]
            $0.place = stored.status
        }
    }

    package func finish(_ id: TestID) throws {
        ledger.change(id) { $0.place = nil }
        let stored: StoredTest
        do {
            stored = try outbox.edits.finish(id)
        } catch OutboxError.frozen(id, .done) {
            // It is done already: that is an acknowledgement too.
            stored = try outbox.read(OutboxItem(id: id, status: .done))
        }
        ledger.change(id) {
            $0.place = .done
            $0.frozen = stored.bytes
            $0.mayThaw = false
        }
    }

    /// - Returns: the draft: the same test, or a revision.
    @discardableResult
    package func reopen(_ id: TestID) throws -> TestID {
        ledger.change(id) {
            $0.mayThaw = true
            $0.place = nil
        }
        let stored = try outbox.edits.reopen(id, deviceID: Self.device)
        let reopened = stored.record.id
        if reopened == id {
            ledger.change(id) { $0.frozen = nil }
        } else {
            ledger.change(id) { $0.mayThaw = false }
            ledger.change(reopened) { $0.allowed = [stored.record.answers] }
        }
        return reopened
    }

    package func discard(_ id: TestID) throws {
        ledger.change(id) {
            $0.mayBeGone = true
            $0.place = nil
        }
        let receipt = try outbox.find(id).flatMap { try outbox.receipt($0) }
        try outbox.discard(id)
        ledger.change(id) {
            $0.isGone = true
            $0.isReceiptGone = receipt != nil
        }
    }
}
