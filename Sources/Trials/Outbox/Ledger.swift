import Model
import Synchronization

/// The replies to a person about each test, recorded outside of the store: the promises to check it against.
package final class Ledger: Sendable {
    package struct Promise {
        /// The possible content of a test: the answers of the last save that returned, and later attempts.
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
        /// The server has lost it; until the resend has returned it may stay delivered here.
        var isLostByServer = false
    }

    /// The reply to a person about a changed questionnaire or favourite.
    package enum ChangePromise: Sendable {
        /// It will be carried out, once.
        case promised
        /// It was tried to take it back.
        case mayBeGone
        case isGone
    }

    let changes = Mutex<[TestID: ChangePromise]>([:])
    private let names = Mutex(0)

    /// The id of a new questionnaire: different at each attempt, also after one without a reply.
    func nextName() -> String {
        names.withLock { number in
            number += 1
            return "mine-\(number)"
        }
    }

    /// Tests to which the picture was attached.
    let attached = Mutex<Set<TestID>>([])
    /// The items that wait for questionnaires with the picture.
    let shown = Mutex<Set<TestID>>([])
    private let promises = Mutex<[TestID: Promise]>([:])

    var all: [TestID: Promise] { promises.withLock { $0 } }

    func change(_ id: TestID, _ body: (inout Promise) -> Void) {
        promises.withLock { body(&$0[id, default: Promise()]) }
    }

    /// Another process is about to move tests, or has moved them.
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
