import Disk
import Model
import OutboxStore
import Quire
import Synchronization
import WireFormat

/// Who has handed in what, as far as the hub knows: by its copy of the class list and the tests that came through it. No
/// network is used. Tests that went past this hub are unknown to it.
package struct HubStandings: Hashable, Sendable {
    /// Where a person stands with a questionnaire.
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// No test of theirs came here; whether they have started is known on their device only.
        case notBegun = "not-begun"
        /// It is kept here and not forwarded yet.
        case waiting
        /// The upstream refused it, or has something else.
        case refused
        case delivered
        case checking
        case rated

        init(_ status: TestStatus) {
            switch status {
            case .rejected, .conflict: self = .refused
            case .sent: self = .delivered
            case .checking: self = .checking
            case .rated: self = .rated
            case .empty, .inProgress, .done, .sending: self = .waiting
            }
        }
    }

    /// A test that came through the hub.
    struct Test: Hashable, Sendable {
        var id: TestID
        var questionnaire: String
        var title: String
        var person: Person?
        /// By the device's clock, and used for the order of one person's tests alone.
        var finishedAt: Timestamp?
    }

    package struct Line: Hashable, Sendable {
        package var person: Person
        package var state: State
        /// Their last test.
        package var test: TestID?
        /// How many tests of theirs came here.
        package var tests: Int
        /// Whether they are on the class list.
        package var isListed: Bool
    }

    package struct Questionnaire: Hashable, Sendable {
        package var id: String
        package var title: String
        /// The people of the list in its order, then others whose tests came here.
        package var lines: [Line]
        package var withoutPerson: Int

        package func count(_ state: State) -> Int { lines.count { $0.state == state } }
    }

    /// By their titles.
    package let questionnaires: [Questionnaire]

    /// - Parameters:
    ///   - list: of the upstream; `nil` where the hub has none.
    ///   - id: only this questionnaire, which is there also without a test.
    ///   - group: only these people.
    init(_ list: PeopleList?, _ tests: [(test: Test, status: TestStatus)], only id: String? = nil, group: String? = nil)
    {
        var byQuestionnaire = Dictionary(grouping: tests) { $0.test.questionnaire }
        if let id { byQuestionnaire = [id: byQuestionnaire[id] ?? []] }
        let listed = list?.members(of: group) ?? []
        let ids = Set(list?.people.map(\.id) ?? [])
        questionnaires = byQuestionnaire.map { id, tests in
            let byPerson = Dictionary(grouping: tests.filter { $0.test.person != nil }) { $0.test.person?.id ?? "" }
            func line(_ person: Person, isListed: Bool) -> Line {
                let own = byPerson[person.id] ?? []
                let last = own.max {
                    ($0.test.finishedAt ?? .epoch, $0.test.id) < ($1.test.finishedAt ?? .epoch, $1.test.id)
                }
                return Line(
                    person: person, state: last.map { State($0.status) } ?? .notBegun, test: last?.test.id,
                    tests: own.count, isListed: isListed)
            }
            let others = byPerson.values.compactMap { $0.first?.test.person }
                .filter { !ids.contains($0.id) && (group == nil || $0.group == group) }
            return Questionnaire(
                id: id, title: tests.last?.test.title ?? id,
                lines: listed.map { line($0, isListed: true) }
                    + PeopleList(others).people.map { line($0, isListed: false) },
                withoutPerson: tests.count { $0.test.person == nil })
        }.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
    }

    /// What the store of a hub says, whether the hub runs or not. Blocks on the disk.
    package static func read(_ store: QuireStore, only id: String? = nil, group: String? = nil) throws -> HubStandings {
        try HubStandings(keptPeople(store), HubTestIndex().tests(of: store), only: id, group: group)
    }

    /// The class list that the hub fetched last.
    static func keptPeople(_ store: QuireStore) throws -> PeopleList? {
        let bytes = try store.fileSystem.readFileIfPresent(
            HubLayout.people, maximumBytes: Int64(PeopleList.maximumBytes))?.bytes
        // A damaged copy is fetched again.
        return bytes.flatMap { try? DocumentCoding.decode(PeopleList.self, from: $0) }
    }
}

/// The facts needed of each test in the hub's outbox. A test there is frozen: it is read once.
final class HubTestIndex: Sendable {
    private let known = Mutex<[TestID: HubStandings.Test]>([:])

    func tests(of store: QuireStore) throws -> [(test: HubStandings.Test, status: TestStatus)] {
        let items = try store.outbox.scan().tests
        var former = known.withLock { $0 }
        var found: [TestID: HubStandings.Test] = [:]
        var tests: [(HubStandings.Test, TestStatus)] = []
        for item in items {
            // One that cannot be read is the doctor's concern.
            guard let test = former.removeValue(forKey: item.id) ?? Self.read(item, store) else { continue }
            found[item.id] = test
            tests.append((test, item.status))
        }
        known.withLock { $0 = found }
        return tests
    }

    private static func read(_ item: OutboxItem, _ store: QuireStore) -> HubStandings.Test? {
        guard let record = store.outbox.listed(item)?.record else { return nil }
        return HubStandings.Test(
            id: item.id, questionnaire: record.questionnaire.id, title: record.questionnaire.title,
            person: record.person?.reference, finishedAt: record.dateFinished)
    }
}
