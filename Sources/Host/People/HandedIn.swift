import Model
import WireFormat

/// Who has handed in a questionnaire: a function of the class list and the host's tests.
package struct HandedIn: Hashable, Sendable {
    /// Where a person stands with the questionnaire.
    package enum State: String, Hashable, Sendable, Codable {
        /// The host has no test of theirs; whether they have started is known on their device only.
        case notBegun = "not-begun"
        case delivered
        case checking
        case rated
    }

    package struct Line: Hashable, Sendable {
        package var person: Person
        package var state: State
        /// Their last test, by its time of arrival; a proven one where there is any.
        package var last: TestSummary?
        /// How many tests the host has of them.
        package var tests: Int
        /// Whether they are on the class list.
        package var isListed: Bool
    }

    /// The people of the list in its order, then others whose tests are here.
    package let lines: [Line]
    /// Tests that name no person.
    package let withoutPerson: Int

    /// - Parameters:
    ///   - tests: those of the questionnaire.
    ///   - group: only these people.
    package init(_ list: PeopleList, _ tests: [TestSummary], group: String? = nil) {
        let byPerson = Dictionary(grouping: tests.filter { $0.person != nil }) { $0.person?.id ?? "" }
        func line(_ person: Person, isListed: Bool) -> Line {
            let own = byPerson[person.id] ?? []
            let proven = own.filter { $0.verified == true }
            let last = (proven.isEmpty ? own : proven).max {
                ($0.receivedAt ?? .epoch, $0.attempt ?? 0) < ($1.receivedAt ?? .epoch, $1.attempt ?? 0)
            }
            let state: State =
                switch last?.status {
                case nil: .notBegun
                case .rated: .rated
                case .checking: .checking
                default: .delivered
                }
            return Line(person: person, state: state, last: last, tests: own.count, isListed: isListed)
        }
        let listed = list.members(of: group)
        let ids = Set(list.people.map(\.id))
        let others = byPerson.values.compactMap { $0.first?.person }
            .filter { !ids.contains($0.id) && (group == nil || $0.group == group) }
        lines =
            listed.map { line($0, isListed: true) } + PeopleList(others).people.map { line($0, isListed: false) }
        withoutPerson = tests.count { $0.person == nil }
    }

    package func count(_ state: State) -> Int { lines.count { $0.state == state } }
}
