import Synchronization

/// What a store may hold under each name, by what its writers were answered.
final class ContentLedger: Sendable {
    /// `nil` is nothing. A call that has not been answered leaves more than one.
    private let possible: Mutex<[String: Set<[UInt8]?>]>
    private let wrong: Mutex<[String]>

    init() {
        possible = Mutex([:])
        wrong = Mutex([])
    }

    private init(copying ledger: ContentLedger) {
        possible = Mutex(ledger.possible.withLock { $0 })
        wrong = Mutex(ledger.wrongAnswers)
    }

    var names: [String] { possible.withLock { $0.keys.sorted() } }
    /// Answers that no store may give.
    var wrongAnswers: [String] { wrong.withLock { $0 } }

    func copy() -> ContentLedger { ContentLedger(copying: self) }

    /// - Returns: whether no call before this one may have left these bytes.
    @discardableResult
    func mayHold(_ name: String, _ bytes: [UInt8]?) -> Bool {
        possible.withLock { $0[name, default: [nil]].insert(bytes).inserted }
    }

    func holds(_ name: String, _ bytes: [UInt8]?) { possible.withLock { $0[name] = [bytes] } }

    /// It said that something is there already.
    ///
    /// - Parameter other: bytes that it can not have.
    func exists(_ name: String, other: [UInt8]?) {
        let isPossible = possible.withLock { all in
            all[name]?.remove(nil)
            all[name]?.remove(other)
            return all[name]?.isEmpty == false
        }
        if !isPossible { wrong.withLock { $0.append("\(name) is said to be there, and was never made") } }
    }

    /// - Returns: what is broken when this is found there.
    func broken(_ name: String, found: [UInt8]?) -> [String] {
        let expected = possible.withLock { $0[name, default: [nil]] }
        if expected.contains(found) { return [] }
        guard let found else { return ["\(name) was acknowledged and is lost"] }
        return ["\(name) has \(found.count) bytes that it should not have"]
    }
}
