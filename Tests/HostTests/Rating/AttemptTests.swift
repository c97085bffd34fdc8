import Foundation
import HTTPTypes
import HummingbirdTesting
import Model
import ServedApplication
import Simulation
import Testing
import WireFormat

@testable import Host

@Suite("Whose test it is, which attempt, and whether it is late")
struct AttemptTests {
    private static let start = ManualClock.start
    private static let ada = Person(id: "ada", name: "\u{738B}\u{82B3}")

    private func questionnaire(_ availability: String) -> String {
        #"{"id": "a", "title": "A", "availability": \#(availability), "questions": []}"#
    }

    private func test(_ person: Person? = Self.ada, _ timing: TestTiming? = nil) throws -> (TestID, [UInt8]) {
        var record = TestRecord(
            id: .random(), questionnaire: QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [])),
            dateStarted: Self.start, dateFinished: Self.start, deviceId: "device", sequence: 1)
        record.person = person
        record.timing = timing
        return (record.id, try DocumentCoding.encode(record))
    }

    private func receipt(_ reply: TestResponse) throws -> Receipt {
        try DocumentCoding.decode(Receipt.self, from: reply.bytes)
    }

    @Test("each person may hand in so many tests; the same bytes again are the same attempt", arguments: Way.allCases)
    func attempts(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaire(#"{"attempts": 2}"#))
        let tests = try (0..<3).map { _ in try test() }
        let other = try test(Person(id: "bob", name: "Bob"))
        let none = try test(nil)
        try await fixture.serve(way) { client in
            for (number, (id, bytes)) in tests.prefix(2).enumerated() {
                let reply = try await client.put("/v1/tests/\(id)", bytes)
                #expect(try reply.status == .created && receipt(reply).attempt == number + 1)
                #expect(try receipt(reply).person == Receipt.ProvenPerson(id: "ada", verified: false))
                let again = try await client.put("/v1/tests/\(id)", bytes)
                #expect(again.status == .ok && again.bytes == reply.bytes)
            }
            let refused = try await client.put("/v1/tests/\(tests[2].0)", tests[2].1)
            #expect(refused.status == .unprocessableContent)
            #expect(try refused.problem().type == "urn:quire:problem:no-attempt-left")
            #expect(try await client.get("/v1/tests/\(tests[2].0)").status == .notFound)
            let first = try receipt(try await client.put("/v1/tests/\(other.0)", other.1))
            #expect(first.attempt == 1)
            for _ in 0..<2 {
                let reply = try receipt(try await client.put("/v1/tests/\(none.0)", none.1))
                #expect(reply.attempt == nil && reply.person == nil)
            }
        }
        let listed = try fixture.archive().lists.list().tests.filter { $0.person?.id == "ada" }
        #expect(listed.compactMap(\.attempt).sorted() == [1, 2] && listed.allSatisfy { $0.verified == false })
    }

    @Test("of two tests that arrive at once, one is the last")
    func race() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaire(#"{"attempts": 1}"#))
        let tests = try (0..<4).map { _ in try test() }
        try await fixture.serve(.socket) { client in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for (id, bytes) in tests {
                    group.addTask { try await client.put("/v1/tests/\(id)", bytes).status.code }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 201 } == 1 && statuses.count { $0 == 422 } == 3)
        }
    }

    @Test("a key of the person proves them, and others cannot use up the attempts of a proven person")
    func verified() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaire(#"{"attempts": 1}"#))
        let keys = try KeyStore(making: fixture.data, clock: fixture.clock)
        let code = PersonalCode.make()
        _ = try keys.add(code, of: "ada")
        let shared = try keys.add(.taker).text
        @Sendable func bearer(_ key: String) -> HTTPFields { [.authorization: "Bearer \(key)"] }
        let (named, proven, foreign) = (try test(), try test(), try test(Person(id: "bob", name: "Bob")))
        try await fixture.serve(.socket) { client in
            let typed = try await client.put("/v1/tests/\(named.0)", named.1, bearer(shared))
            #expect(try receipt(typed).person?.verified == false)
            let own = try await client.put("/v1/tests/\(proven.0)", proven.1, bearer(code.grouped))
            #expect(try own.status == .created && receipt(own).person == .init(id: "ada", verified: true))
            #expect(try receipt(own).attempt == 1)
            // Another person's name is not proven by this key.
            let other = try await client.put("/v1/tests/\(foreign.0)", foreign.1, bearer(code.text))
            #expect(try other.status == .created && receipt(other).person == .init(id: "bob", verified: false))
            // The same bytes with the person's key prove it later.
            let later = try await client.put("/v1/tests/\(named.0)", named.1, bearer(code.text))
            #expect(try later.status == .ok && receipt(later).person?.verified == true)
        }
    }

    @Test("a receipt that is made again says whose key came with the test, and which attempt it was")
    func madeAgain() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaire("{}"))
        let keys = try KeyStore(making: fixture.data, clock: fixture.clock)
        let code = PersonalCode.make()
        _ = try keys.add(code, of: "ada")
        let shared = try keys.add(.taker).text
        let own: HTTPFields = [.authorization: "Bearer \(code.text)"]
        let typed = try (0..<3).map { _ in try test() }
        let proven = try (0..<2).map { _ in try test() }
        try await fixture.serve(.socket) { client in
            for (id, bytes) in typed {
                fixture.clock.advance(by: .seconds(1))
                let reply = try await client.put("/v1/tests/\(id)", bytes, [.authorization: "Bearer \(shared)"])
                #expect(try reply.status == .created && receipt(reply).person?.verified == false)
            }
            for (number, (id, bytes)) in proven.enumerated() {
                fixture.clock.advance(by: .seconds(1))
                let reply = try await client.put("/v1/tests/\(id)", bytes, own)
                #expect(try reply.status == .created && receipt(reply).attempt == number + 1)
            }
            for (id, isProven) in [(proven[0].0, true), (typed[0].0, false)] {
                let before = try await client.get(
                    "/v1/tests/\(id)", isProven ? own : [.authorization: "Bearer \(shared)"])
                try fixture.remove(fixture.data.appending("receipts/\(id).receipt.json"))
                let again = try await client.get(
                    "/v1/tests/\(id)", isProven ? own : [.authorization: "Bearer \(shared)"])
                #expect(try receipt(again).person == .init(id: "ada", verified: isProven))
                #expect(try again.status == .ok && receipt(again).attempt == receipt(before).attempt)
            }
        }
        // The same of a host that was killed before the receipt was there: it is made when the host starts.
        try fixture.remove(fixture.data.appending("receipts/\(proven[1].0).receipt.json"))
        try await fixture.serve(.socket) { client in
            let again = try receipt(try await client.get("/v1/tests/\(proven[1].0)", own))
            #expect(again.attempt == 2 && again.person?.verified == true)
        }
    }

    @Test("a test that went with another person's key is proven, and can be read, with the key of its own person")
    func provenLater() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaire("{}"))
        let keys = try KeyStore(making: fixture.data, clock: fixture.clock)
        let codes = try ["ada", "bob", "eve"].map { person -> HTTPFields in
            let code = PersonalCode.make()
            _ = try keys.add(code, of: person)
            return [.authorization: "Bearer \(code.text)"]
        }
        let (id, bytes) = try test()
        try await fixture.serve(.socket) { client in
            let byBob = try await client.put("/v1/tests/\(id)", bytes, codes[1])
            #expect(try byBob.status == .created && receipt(byBob).person?.verified == false)
            #expect(try await client.get("/v1/tests/\(id)", codes[0]).status == .notFound)
            let own = try await client.put("/v1/tests/\(id)", bytes, codes[0])
            #expect(try own.status == .ok && receipt(own).person?.verified == true)
            // With the key that it came with it can be read as before; a third person has no part in it.
            for (number, status) in [HTTPResponse.Status.ok, .ok, .notFound].enumerated() {
                #expect(try await client.get("/v1/tests/\(id)", codes[number]).status == status)
            }
            let foreign = try await client.put("/v1/tests/\(id)", bytes, codes[2])
            let problem = try foreign.problem()
            #expect(foreign.status == .conflict && problem.title == "This test is another person's")
            #expect(!foreign.text.contains("other bytes"))
        }
    }

    @Test("before it opens a test is refused, by the host's clock")
    func notOpen() async throws {
        let fixture = try HostFixture()
        let opens = Self.start.adding(seconds: 60)
        try fixture.publish("a.json", questionnaire(#"{"opensAt": "\#(opens)"}"#))
        let (id, bytes) = try test()
        try await fixture.serve { client in
            let refused = try await client.put("/v1/tests/\(id)", bytes)
            #expect(try refused.status == .unprocessableContent && refused.problem().type.hasSuffix(":not-open"))
            fixture.clock.advance(by: .seconds(61))
            #expect(try await client.put("/v1/tests/\(id)", bytes).status == .created)
        }
    }

    @Test(
        "after it is closed, what the server's times prove to be late is accepted, marked or refused",
        arguments: ["accept", "mark", "refuse"], [true, false])
    func late(_ late: String, _ isProven: Bool) async throws {
        let fixture = try HostFixture()
        let closes = Self.start.adding(seconds: 60)
        try fixture.publish("a.json", questionnaire(#"{"closesAt": "\#(closes)", "late": "\#(late)"}"#))
        fixture.clock.advance(by: .seconds(120))
        let timing = TestTiming(finishedAfter: closes.adding(seconds: isProven ? 10 : -10))
        let (id, bytes) = try test(Self.ada, timing)
        try await fixture.serve { client in
            let reply = try await client.put("/v1/tests/\(id)", bytes)
            switch (late, isProven) {
            case ("refuse", true):
                #expect(try reply.status == .unprocessableContent && reply.problem().type.hasSuffix(":closed"))
            case ("accept", _):
                #expect(try reply.status == .created && receipt(reply).late == nil && receipt(reply).reasonCode == nil)
            default:
                #expect(try reply.status == .created && receipt(reply).late == true)
                #expect(try receipt(reply).reasonCode == (isProven ? .late : .lateUnproven))
            }
        }
    }
}
