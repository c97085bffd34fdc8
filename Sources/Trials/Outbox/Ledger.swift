import Model
import Synchronization

/// What a person was told about each test, kept apart from the store: the promises to check it against.
package final class Ledger: Sendable {
    package struct Promise {
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
        /// And its receipt with it.
        var isReceiptGone = false
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
