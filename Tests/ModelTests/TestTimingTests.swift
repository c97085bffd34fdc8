import Model
import Simulation
import Testing
import Wording

@Suite("The time that a test takes")
struct TestTimingTests {
    private static let start = ManualClock.start
    private static let limited = Questionnaire(id: "a", title: "A", timeLimitSeconds: 60, questions: [])

    private func record(seconds: Double?, _ timing: TestTiming? = nil) -> TestRecord {
        var record = TestRecord(
            id: .random(),
            questionnaire: QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [])),
            dateStarted: Self.start, dateFinished: seconds.map { Self.start.adding(seconds: $0) }, deviceId: "d",
            sequence: 1)
        record.timing = timing
        return record
    }

    private func server(_ seconds: Double) -> Timestamp { Self.start.adding(seconds: 1_000_000 + seconds) }

    @Test("the longest of what was measured counts, and is named")
    func measures() {
        func taken(_ seconds: Double?, _ timing: TestTiming? = nil) -> TimeTaken? {
            Self.limited.timeTaken(by: record(seconds: seconds, timing))
        }
        #expect(taken(60) == TimeTaken(limitSeconds: 60, tookSeconds: 60, measuredBy: .deviceClock))
        #expect(taken(60)?.isLate == false && taken(60.5)?.isLate == true)
        // The device's clock was set back; the others say what it was.
        #expect(taken(-500) == nil)
        #expect(
            taken(-500, TestTiming(activeSeconds: 90))
                == TimeTaken(limitSeconds: 60, tookSeconds: 90, measuredBy: .activeTime))
        #expect(
            taken(30, TestTiming(activeSeconds: 20, startedBefore: server(0), finishedAfter: server(300)))
                == TimeTaken(limitSeconds: 60, tookSeconds: 300, measuredBy: .serverClock))
        #expect(taken(30, TestTiming(activeSeconds: .infinity))?.tookSeconds == 30)
        #expect(taken(nil) == nil)
        #expect(Self.limited.timeTaken(by: record(seconds: nil), now: Self.start.adding(seconds: 61))?.isLate == true)
    }

    @Test("without a limit nothing is late")
    func unlimited() {
        #expect(Questionnaire(id: "a", title: "A", questions: []).timeTaken(by: record(seconds: 1e6)) == nil)
    }

    @Test("active time adds up, and the times of the server bound the test from within")
    func adding() {
        var timing = TestTiming()
        timing.add(activeSeconds: 0)
        timing.add(activeSeconds: .nan)
        #expect(timing == TestTiming())
        for seconds in [0.1, 0.2, 3] { timing.add(activeSeconds: seconds) }
        #expect(timing.activeSeconds == 3.3)
        for seconds in [5.0, 2, 9] {
            timing.note(serverTime: server(seconds), heardAt: Self.start, startedAt: Self.start)
        }
        #expect(timing.startedBefore == server(5) && timing.finishedAfter == server(9))
    }

    @Test("it is a member of the test's file, and one of another form stays as it was")
    func file() throws {
        let full = record(seconds: 5, TestTiming(activeSeconds: 4.25, startedBefore: server(0)))
        let text = try DocumentCoding.encode(full)
        #expect(String(decoding: text, as: UTF8.self).contains("\"activeSeconds\" : 4.25"))
        #expect(try DocumentCoding.decode(TestRecord.self, from: text) == full)
        let other = Array(
            """
            {"id": "3fa85f64-5717-4562-b3fc-2c963f66afa6", "questionnaire": {"id": "a", "title": "A",
            "digest": "\(Digest(sha256Of: []))"}, "dateStarted": "2026-11-21", "answers": [], "timing": "soon"}
            """.utf8)
        let kept = try DocumentCoding.decode(TestRecord.self, from: other)
        #expect(kept.timing == nil && kept.otherFields["timing"] == .string("soon"))
        #expect(String(decoding: try DocumentCoding.encode(kept), as: UTF8.self).contains("\"timing\" : \"soon\""))
    }

    @Test("a receipt says it, and one of a later host is no less a receipt")
    func receipt() throws {
        var receipt = Receipt(test: .random(), status: .sent)
        receipt.late = true
        receipt.timeTaken = TimeTaken(limitSeconds: 2, tookSeconds: 4, measuredBy: .deviceClock)
        #expect(try DocumentCoding.decode(Receipt.self, from: try DocumentCoding.encode(receipt)) == receipt)
        let later = Array(#"{"test": "\#(receipt.test)", "late": {"by": 3}, "timeTaken": {"by": "sundial"}}"#.utf8)
        #expect(try DocumentCoding.decode(Receipt.self, from: later).late == nil)
        for (attempt, known) in [(Int.max, Int?.none), (0, nil), (-1, nil), (3, 3)] {
            let receipt = Array(#"{"test": "\#(receipt.test)", "attempt": \#(attempt)}"#.utf8)
            #expect(try DocumentCoding.decode(Receipt.self, from: receipt).attempt == known)
        }
    }

    @Test(
        "a span is said to the second",
        arguments: [(0.0, "0 s", "0 с"), (100, "1 min 40 s", "1 мин 40 с"), (7200, "2 h", "2 ч")])
    func spans(_ seconds: Double, _ english: String, _ russian: String) {
        #expect(TimeSpan.exact(seconds: seconds) == english)
        #expect(TimeSpan.exact(seconds: seconds, .russian) == russian)
    }
}
