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
            #expect(receipt.timeTaken?.measuredBy == measure && receipt.timeTaken?.limitSeconds == 60)
        }
        let line = try #require(try fixture.archive().list().tests.first)
        #expect(line.late == isLate && line.timeTaken?.measuredBy == measure)
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
        #expect(try fixture.archive().list().tests.map(\.late) == [false, false])
    }
}
