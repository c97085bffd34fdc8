import Model
import Testing
import WireFormat

@testable import Host

@Suite("Who has handed in")
struct HandedInTests {
    private func test(
        _ person: Person?, _ status: TestStatus, at second: Int64, attempt: Int? = 1
    ) -> TestSummary {
        TestSummary(
            id: .random(), questionnaire: .init(id: "q", title: "Q"), person: person, status: status,
            receivedAt: Timestamp(millisecondsSinceEpoch: second * 1000), attempt: attempt, late: false)
    }

    @Test("each person of the list has a state, by their last test; others who handed in follow")
    func states() {
        let people = (1...4).map { Person(id: "s-\($0)", name: "\u{738B} \($0)", group: $0 == 4 ? "8a" : "7b") }
        let stranger = Person(id: "x", name: "Guest")
        let tests = [
            test(people[0], .rated, at: 10), test(people[0], .checking, at: 20, attempt: 2),
            test(people[1], .sent, at: 5), test(stranger, .rated, at: 1), test(nil, .sent, at: 2, attempt: nil),
        ]
        let handedIn = HandedIn(PeopleList(people), tests)
        #expect(handedIn.lines.map(\.person.id) == ["s-1", "s-2", "s-3", "s-4", "x"])
        #expect(handedIn.lines.map(\.state) == [.checking, .delivered, .notBegun, .notBegun, .rated])
        #expect(handedIn.lines[0].last?.attempt == 2 && handedIn.lines[0].tests == 2)
        #expect(handedIn.lines.map(\.isListed) == [true, true, true, true, false])
        #expect(handedIn.withoutPerson == 1 && handedIn.count(.notBegun) == 2)
        #expect(HandedIn(PeopleList(people), tests, group: "8a").lines.map(\.person.id) == ["s-4"])
    }

    @Test("who is at it and whose test waits at a hub is said of those of whom nothing has arrived")
    func open() {
        let people = ["ada", "boris", "cleo", "dan"].map { Person(id: $0, name: $0) }
        let tests = [test(people[0], .rated, at: 10)]
        func heard(_ person: Person, _ state: OpenTest.State, at seconds: Double) -> HeardTest {
            let time = Timestamp.epoch.adding(seconds: seconds)
            let open = OpenTest(
                test: .random(), questionnaire: .init(id: "q", digest: Digest(sha256Of: [])), person: person,
                state: state,
                since: time)
            return HeardTest(test: open, heard: time)
        }
        let zoe = Person(id: "zoe", name: "Zoe")
        let handedIn = HandedIn(
            PeopleList(people), tests,
            open: [
                heard(people[0], .started, at: 20), heard(people[1], .started, at: 1),
                heard(people[1], .waiting, at: 2),
                heard(people[2], .started, at: 3), heard(zoe, .started, at: 4),
            ])
        #expect(handedIn.lines.map(\.state) == [.rated, .waiting, .started, .notBegun, .started])
        #expect(handedIn.lines.map { $0.open != nil } == [true, true, true, false, true])
        #expect(handedIn.lines.last?.isListed == false && handedIn.lines.count { $0.state.hasArrived } == 1)
    }

    @Test("a later test that someone else sent in their name does not count before one with their key")
    func typed() {
        let ada = Person(id: "ada", name: "Ada")
        var (own, typed) = (test(ada, .rated, at: 10), test(ada, .sent, at: 20))
        (own.verified, typed.verified) = (true, false)
        let line = HandedIn(PeopleList([ada]), [own, typed]).lines[0]
        #expect(line.state == .rated && line.last?.id == own.id && line.tests == 2)
    }
}
