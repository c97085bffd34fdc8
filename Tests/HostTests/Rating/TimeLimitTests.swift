import HummingbirdTesting
import Model
import Simulation
import Testing

@testable import Host

@Suite("A time limit that was exceeded")
struct TimeLimitTests {
    private static let limited = #"{"id": "a", "title": "A", "timeLimitSeconds": 60, "questions": []}"#

    /// A test of a version, that took so many seconds.
    private func test(of version: String, seconds: Double, _ timing: TestTiming? = nil) throws -> (TestID, [UInt8]) {
        let digest = try PublishedQuestionnaire(json: Array(version.utf8)).digest
        var record = TestRecord(
            id: .random(), questionnaire: QuestionnaireReference(id: "a", title: "A", digest: digest),
            dateStarted: ManualClock.start, dateFinished: ManualClock.start.adding(seconds: seconds),
            deviceId: "device", sequence: 1)
        record.timing = timing
        return (record.id, try DocumentCoding.encode(record))
    }

    @Test(
        "the receipt and the list say it, by the longest of what was measured",
        arguments: [
            (30.0, TestTiming?.none, false, TimeTaken.Measure.deviceClock), (61, nil, true, .deviceClock),
            (1, TestTiming(activeSeconds: 75), true, .activeTime),
        ])
    func said(_ seconds: Double, _ timing: TestTiming?, _ isLate: Bool, _ measure: TimeTaken.Measure) async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", Self.limited)
        let (id, bytes) = try test(of: Self.limited, seconds: seconds, timing)
        try await fixture.serve { client in
            let reply = try await client.put("/v1/tests/\(id)", bytes)
            let receipt = try DocumentCoding.decode(Receipt.self, from: reply.bytes)
            #expect(receipt.late == isLate)
            // By the device's clock alone it is not proven.
            #expect(receipt.reasonCode == (isLate && measure == .deviceClock ? .lateUnproven : nil))
            #expect(receipt.timeTaken?.measuredBy == measure && receipt.timeTaken?.limitSeconds == 60)
        }
        let line = try #require(try fixture.archive().lists.list().tests.first)
        #expect(line.late == isLate && line.timeTaken?.measuredBy == measure)
    }

    @Test("a limit beyond all measure refuses nothing")
    func endless() async throws {
        let fixture = try HostFixture()
        let questionnaire =
            #"{"id": "a", "title": "A", "timeLimitSeconds": \#(Int.max), "availability": {"late": "refuse"}, "questions": []}"#
        try fixture.publish("a.json", questionnaire)
        let (id, bytes) = try test(of: questionnaire, seconds: 5, TestTiming(activeSeconds: 1000))
        try await fixture.serve { client in
            let reply = try await client.put("/v1/tests/\(id)", bytes)
            #expect(reply.status == .created)
        }
    }

    @Test(
        "where late tests are refused, one is that is proven to have taken longer than a program needs to hand in",
        arguments: [
            (TestTiming(activeSeconds: 91), "refuse", true), (TestTiming(activeSeconds: 90), "refuse", false),
            (
                TestTiming(startedBefore: ManualClock.start, finishedAfter: ManualClock.start.adding(seconds: 91)),
                "refuse", true
            ),
            (TestTiming(activeSeconds: 60), "refuse", false), (TestTiming(activeSeconds: 91), "mark", false),
            (TestTiming(activeSeconds: 91), "accept", false),
        ])
    func refused(_ timing: TestTiming, _ late: String, _ isRefused: Bool) async throws {
        let fixture = try HostFixture()
        let questionnaire =
            #"{"id": "a", "title": "A", "timeLimitSeconds": 60, "availability": {"late": "\#(late)"}, "questions": []}"#
        try fixture.publish("a.json", questionnaire)
        let (id, bytes) = try test(of: questionnaire, seconds: 500, timing)
        try await fixture.serve { client in
            let reply = try await client.put("/v1/tests/\(id)", bytes)
            #expect(reply.status == (isRefused ? .unprocessableContent : .created))
            if isRefused {
                let problem = try reply.problem()
                #expect(problem.type == "urn:quire:problem:over-time-limit")
                #expect(problem.detail.contains("longer than its time limit of 1 min,"))
            } else {
                let receipt = try DocumentCoding.decode(Receipt.self, from: reply.bytes)
                #expect(receipt.late == true)
            }
            #expect(try await client.get("/v1/tests/\(id)").status == (isRefused ? .notFound : .ok))
        }
    }

    @Test("without a limit, and of a version that is not here, nothing is said")
    func unknown() async throws {
        let fixture = try HostFixture()
        let unlimited = #"{"id": "a", "title": "A", "questions": []}"#
        try fixture.publish("a.json", unlimited)
        for version in [unlimited, Self.limited] {
            let (id, bytes) = try test(of: version, seconds: 500)
            try await fixture.serve { client in
                let reply = try await client.put("/v1/tests/\(id)", bytes)
                let receipt = try DocumentCoding.decode(Receipt.self, from: reply.bytes)
                #expect(receipt.late == nil && receipt.timeTaken == nil)
            }
        }
        #expect(try fixture.archive().lists.list().tests.map(\.late) == [false, false])
    }
}
