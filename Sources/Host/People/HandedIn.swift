import Model
import WireFormat

/// Who has handed in a questionnaire: a function of the class list and the host's tests.
package struct HandedIn: Hashable, Sendable {
    /// Where a person stands with the questionnaire.
    package enum State: String, Hashable, Sendable, Codable {
        /// The host has no test of theirs, and has not heard that they have started.
        case notBegun = "not-begun"
        /// They are at it, as their device reports.
        case started
        /// They have handed it in, and a hub has not forwarded it yet.
        case waiting
        case delivered
        case checking
        case rated

        /// Whether the host has a test of theirs.
        package var hasArrived: Bool {
            switch self {
            case .notBegun, .started, .waiting: false
            case .delivered, .checking, .rated: true
            }
        }
    }

    package struct Line: Hashable, Sendable {
        package var person: Person
        package var state: State
        /// Their last test, by its time of arrival; a proven one where there is any.
        package var last: TestSummary?
        /// How many tests the host has of them.
        package var tests: Int
        /// The test that they opened last, of those that have not arrived.
        package var open: HeardTest?
        /// Whether they are on the class list.
        package var isListed: Bool
    }

    /// The people of the list in its order, then others whose tests are here.
    package let lines: [Line]
    /// Tests that name no person.
    package let withoutPerson: Int

    /// - Parameters:
    ///   - tests: those of the questionnaire.
    ///   - open: those of it that were started and have not arrived.
    ///   - group: only these people.
    package init(_ list: PeopleList, _ tests: [TestSummary], open: [HeardTest] = [], group: String? = nil) {
        let openTests = Dictionary(
            open.map { ($0.test.person.id, $0) }, uniquingKeysWith: { $0.since > $1.since ? $0 : $1 })
        let byPerson = Dictionary(grouping: tests.filter { $0.person != nil }) { $0.person?.id ?? "" }
        func line(_ person: Person, isListed: Bool) -> Line {
            let own = byPerson[person.id] ?? []
            let proven = own.filter { $0.verified == true }
            let last = (proven.isEmpty ? own : proven).max {
                ($0.receivedAt ?? .epoch, $0.attempt ?? 0) < ($1.receivedAt ?? .epoch, $1.attempt ?? 0)
            }
            let open = openTests[person.id]
            let state: State =
                switch last?.status {
                case nil: open.map { $0.test.state == .waiting ? .waiting : .started } ?? .notBegun
                case .rated: .rated
                case .checking: .checking
                default: .delivered
                }
            return Line(person: person, state: state, last: last, tests: own.count, open: open, isListed: isListed)
        }
        let listed = list.members(of: group)
        let ids = Set(list.people.map(\.id))
        let unlisted = byPerson.values.compactMap { $0.first?.person } + openTests.values.map(\.test.person)
        let others = Dictionary(unlisted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }).values
            .filter { !ids.contains($0.id) && (group == nil || $0.group == group) }
        lines =
            listed.map { line($0, isListed: true) } + PeopleList(others).people.map { line($0, isListed: false) }
        withoutPerson = tests.count { $0.person == nil }
    }

    package func count(_ state: State) -> Int { lines.count { $0.state == state } }
}
