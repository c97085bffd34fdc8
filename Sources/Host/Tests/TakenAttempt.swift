import Model

/// One attempt of a person at a questionnaire whose attempts are limited, in a bucket: the object
/// `attempts/<questionnaire>/<person>/log/<n>`, which is made before its test is stored.
///
/// Its writer has read all entries before it, and takes the number after them by creating it: so two tests that arrive at two
/// hosts in the same moment are never both the last one.
package struct TakenAttempt: Hashable, Sendable, Codable {
    var test: TestID
    /// As in the test's receipt, from 1.
    var attempt: Int
    /// Whether a key of the person came with it.
    var isProven: Bool
    var parent: TestID?
    /// The place in the log.
    var number = 0
    /// By the clock of the host that took it. It is in the entry, since a copy of the bucket makes the object again, later.
    var takenAt: Timestamp
    /// By the store's clock, as the arrival of tests is.
    var madeAt: Timestamp = .epoch

    private enum CodingKeys: String, CodingKey {
        case test, attempt, parent, takenAt
        case isProven = "proven"
    }

    package init(test: TestID, attempt: Int, isProven: Bool, parent: TestID?, takenAt: Timestamp) {
        self.test = test
        self.attempt = attempt
        self.isProven = isProven
        self.parent = parent
        self.takenAt = takenAt
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        test = try container.decode(TestID.self, forKey: .test)
        attempt = try container.decode(Int.self, forKey: .attempt)
        isProven = try container.decode(Bool.self, forKey: .isProven)
        parent = try container.decodeIfPresent(TestID.self, forKey: .parent)
        // Hosts of earlier versions left it out: then the object's time counts.
        takenAt =
            try container.decodeIfPresent(Timestamp.self, forKey: .takenAt)
            ?? Timestamp(millisecondsSinceEpoch: .max)
    }
}

/// The attempts that were taken, as a new test sees them.
struct AttemptLog {
    /// A test that was not stored after so long is not on its way any more: its host was killed, and its device has discarded it.
    static let secondsAnAttemptWaits: Double = 86_400

    /// That of the new test itself, from a delivery that ended before the test was stored.
    let own: TakenAttempt?
    let lastNumber: Int
    /// The others that count before the new test, and may be on their way still.
    private let pending: [TakenAttempt]
    private let later: Set<TestID>
    /// Tests with which a key of their person came: their receipts may not say so yet.
    private let proven: Set<TestID>

    /// - Parameters:
    ///   - entries: all, in the order of their numbers.
    ///   - isStored: whether the test itself is stored: then its attempt stays what it is.
    init(_ entries: [TakenAttempt], for test: TestID, isStored: Bool, at now: Timestamp) {
        func isPending(_ entry: TakenAttempt) -> Bool {
            now.seconds(since: entry.takenAt) < Self.secondsAnAttemptWaits
        }
        let own = entries.last { $0.test == test && (isStored || isPending($0)) }
        self.own = own
        lastNumber = entries.last?.number ?? 0
        let others = entries.filter { $0.test != test }
        proven = Set(others.filter(\.isProven).map(\.test))
        pending = others.filter { entry in isPending(entry) && own.map { entry.number < $0.number } ?? true }
        later = Set(others.filter { entry in own.map { entry.number > $0.number } ?? false }.map(\.test))
    }

    /// Without the tests whose attempts were taken after that of the new one.
    func before(_ tests: [TestSummary]) -> [TestSummary] { tests.filter { !later.contains($0.id) } }

    /// How many attempts are used.
    ///
    /// - Parameter stored: the person's other tests.
    func count(with stored: [TestSummary], isProven: Bool) -> Int {
        UsedAttempts.count(stored, isProven: isProven, proven: proven)
            + waiting(besides: stored).count { $0.isProven || !isProven }
    }

    /// Whether a correction of a test is on its way.
    func hasPending(correcting parent: TestID, since time: Timestamp, besides stored: [TestSummary]) -> Bool {
        waiting(besides: stored).contains { $0.parent == parent && $0.madeAt >= time }
    }

    private func waiting(besides stored: [TestSummary]) -> [TakenAttempt] {
        let known = Set(stored.map(\.id))
        return pending.filter { !known.contains($0.test) }
    }
}
