import Model
import OutboxStore
import Synchronization

/// What a person was told about each test, kept apart from the store: the promises to check it against.
final class Ledger: Sendable {
    struct Promise {
        /// What the test may hold: the answers of the last save that returned, and what was tried since.
        var allowed: Set<[Answer]> = []
        /// The bytes that `finish` returned.
        var frozen: [UInt8]?
        /// The folder that the last call has put it into, as long as no other is under way.
        var place: TestStatus?
        /// It was tried to make it a draft again.
        var mayThaw = false
        /// It was tried to throw it away.
        var mayBeGone = false
        /// `discard` has returned.
        var isGone = false
    }

    private let promises = Mutex<[TestID: Promise]>([:])

    var all: [TestID: Promise] { promises.withLock { $0 } }

    func change(_ id: TestID, _ body: (inout Promise) -> Void) {
        promises.withLock { body(&$0[id, default: Promise()]) }
    }

    /// Somebody else is about to move tests, or has moved them.
    func place(_ status: TestStatus?, _ ids: some Sequence<TestID>) {
        for id in ids { change(id) { $0.place = status } }
    }

    func copy() -> Ledger {
        let copy = Ledger()
        let now = all
        copy.promises.withLock { $0 = now }
        return copy
    }
}

/// A person at work: does what the outbox offers and writes down what it acknowledged.
struct Person: Sendable {
    let outbox: Outbox
    let ledger: Ledger
    static let device = "tablet-7"

    static let questionnaire = QuestionnaireReference(
        id: "capitals", title: "Столицы", digest: Digest(sha256Of: Array("capitals".utf8)))

    static func answers(_ texts: String...) -> [Answer] {
        texts.enumerated().map { Answer(questionId: "q\($0.offset)", value: .one($0.element)) }
    }

    func begin() throws -> TestID {
        let stored = try outbox.begin(Self.questionnaire, deviceID: Self.device)
        ledger.change(stored.record.id) { promise in
            promise.allowed = [[]]
            promise.place = .empty
        }
        return stored.record.id
    }

    func create(_ status: TestStatus, _ answers: [Answer]) throws -> TestID {
        let stored = try outbox.create(Self.questionnaire, deviceID: Self.device, as: status) { $0.answers = answers }
        ledger.change(stored.record.id) {
            $0.allowed = [answers]
            $0.place = status
            if status == .done { $0.frozen = stored.bytes }
        }
        return stored.record.id
    }

    func save(_ id: TestID, _ answers: [Answer]) throws {
        guard let item = try outbox.find(id) else { throw OutboxError.notFound(id.description) }
        var record = try outbox.read(item).record
        record.answers = answers
        ledger.change(id) {
            $0.allowed.insert(answers)
            $0.place = nil
        }
        let stored = try outbox.save(record)
        ledger.change(id) {
            $0.allowed = [answers]
            $0.place = stored.status
        }
    }

    func finish(_ id: TestID) throws {
        ledger.change(id) { $0.place = nil }
        let stored = try outbox.finish(id)
        ledger.change(id) {
            $0.place = .done
            $0.frozen = stored.bytes
            $0.mayThaw = false
        }
    }

    @discardableResult
    func reopen(_ id: TestID) throws -> TestID {
        ledger.change(id) {
            $0.mayThaw = true
            $0.place = nil
        }
        let stored = try outbox.reopen(id, deviceID: Self.device)
        let reopened = stored.record.id
        if reopened == id {
            ledger.change(id) { $0.frozen = nil }
        } else {
            ledger.change(id) { $0.mayThaw = false }
            ledger.change(reopened) { $0.allowed = [stored.record.answers] }
        }
        return reopened
    }

    func discard(_ id: TestID) throws {
        ledger.change(id) {
            $0.mayBeGone = true
            $0.place = nil
        }
        try outbox.discard(id)
        ledger.change(id) { $0.isGone = true }
    }
}
