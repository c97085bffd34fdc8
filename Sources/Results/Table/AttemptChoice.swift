import Model

/// Which of a person's attempts count.
package enum AttemptChoice: String, Hashable, Sendable, CaseIterable {
    /// The one that arrived last.
    case last
    /// The rated one with the greatest part of its points; of equal ones the later one. Without a rated one, the last.
    case best
    case first
    case all

    /// Selects rows. Anyone can type a person's name: where a person has tests that came with their own key, only these count.
    ///
    /// - Parameter rows: in any order. Tests without a person are one person's each.
    /// - Returns: the rows that count, in their order.
    package func rows(of rows: [ResultTable.Row]) -> [ResultTable.Row] {
        if self == .all { return rows }
        var chosen: [String: ResultTable.Row] = [:]
        for row in rows {
            guard let person = row.person else { continue }
            chosen[person.id] = chosen[person.id].map { isBetter(row, than: $0) ? row : $0 } ?? row
        }
        return rows.filter { row in row.person.map { chosen[$0.id]?.test == row.test } ?? true }
    }

    private func isBetter(_ row: ResultTable.Row, than other: ResultTable.Row) -> Bool {
        if row.isProven != other.isProven { return row.isProven }
        // A proven and a typed test may have the same number.
        return switch self {
        case .first: row.arrival < other.arrival
        case .best: row.rank == other.rank ? row.arrival > other.arrival : row.rank > other.rank
        case .last, .all: row.arrival > other.arrival
        }
    }
}

extension ResultTable.Row {
    fileprivate var rank: Double { status == .rated ? fraction ?? -1 : -2 }
    fileprivate var arrival: (Int64, TestID) { (receivedAt?.millisecondsSinceEpoch ?? .max, test) }
}
