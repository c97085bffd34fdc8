import Model

/// Which of a person's attempts count.
package enum AttemptChoice: String, Hashable, Sendable, CaseIterable {
    /// The one that arrived last.
    case last
    /// The rated one with the greatest part of its points; of equal ones the later one. Without a rated one, the last.
    case best
    case first
    case all

    /// The facts needed of a test to choose among those of its person.
    package struct Item: Hashable, Sendable {
        package var test: TestID
        /// `nil` for a test without a person, which is one person's.
        package var person: String?
        /// Whether it came with a key of its person.
        package var isProven: Bool
        package var receivedAt: Timestamp?
        package var status: TestStatus
        /// The part of the points that were reached; `nil` without points.
        package var fraction: Double?

        package init(
            test: TestID, person: String?, isProven: Bool, receivedAt: Timestamp?, status: TestStatus, fraction: Double?
        ) {
            self.test = test
            self.person = person
            self.isProven = isProven
            self.receivedAt = receivedAt
            self.status = status
            self.fraction = fraction
        }

        fileprivate var rank: Double { status == .rated ? fraction ?? -1 : -2 }
        fileprivate var arrival: (Int64, TestID) { (receivedAt?.millisecondsSinceEpoch ?? .max, test) }
    }

    /// Selects tests. Anyone can type a person's name: where a person has tests that came with their own key, only these count.
    ///
    /// - Parameter items: in any order.
    /// - Returns: those that count.
    package func tests(of items: some Sequence<Item>) -> Set<TestID> {
        var chosen: [String: Item] = [:]
        var tests: Set<TestID> = []
        for item in items {
            guard self != .all, let person = item.person else {
                tests.insert(item.test)
                continue
            }
            chosen[person] = chosen[person].map { isBetter(item, than: $0) ? item : $0 } ?? item
        }
        return tests.union(chosen.values.lazy.map(\.test))
    }

    /// Selects rows.
    ///
    /// - Parameter rows: in any order.
    /// - Returns: the rows that count, in their order.
    package func rows(of rows: [ResultTable.Row]) -> [ResultTable.Row] {
        if self == .all { return rows }
        let chosen = tests(
            of: rows.lazy.map {
                Item(
                    test: $0.test, person: $0.person?.id, isProven: $0.isProven, receivedAt: $0.receivedAt,
                    status: $0.status, fraction: $0.fraction)
            })
        return rows.filter { chosen.contains($0.test) }
    }

    private func isBetter(_ item: Item, than other: Item) -> Bool {
        if item.isProven != other.isProven { return item.isProven }
        // A proven and a typed test may have the same number.
        return switch self {
        case .first: item.arrival < other.arrival
        case .best: item.rank == other.rank ? item.arrival > other.arrival : item.rank > other.rank
        case .last, .all: item.arrival > other.arrival
        }
    }
}
