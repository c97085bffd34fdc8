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

    /// What a person was told about a questionnaire or a favourite that was changed.
    package enum ChangePromise: Sendable {
        /// It will be carried out, once.
        case promised
        /// It was tried to take it back.
        case mayBeGone
        case isGone
    }

    let changes = Mutex<[TestID: ChangePromise]>([:])
    private let names = Mutex(0)

    /// The id of a questionnaire that is made here: another one at each attempt, also after one that nobody was told of.
    func nextName() -> String {
        names.withLock { number in
            number += 1
            return "mine-\(number)"
        }
    }

    /// Tests to which the picture was attached.
    let attached = Mutex<Set<TestID>>([])
    /// What waits for questionnaires that show the picture.
    let shown = Mutex<Set<TestID>>([])
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
        let changesNow = changes.withLock { $0 }
        copy.changes.withLock { $0 = changesNow }
        let attachedNow = attached.withLock { $0 }
        copy.attached.withLock { $0 = attachedNow }
        let shownNow = shown.withLock { $0 }
        copy.shown.withLock { $0 = shownNow }
        return copy
    }
}
