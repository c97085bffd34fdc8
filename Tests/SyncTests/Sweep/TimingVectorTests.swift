import Foundation
import HTTPTypes
import Model
import Quire
import Testing

@testable import Sync

/// The table that the app for phones is tested with too.
@Suite("The time that a test takes: the same in Swift and in the app")
struct TimingVectorTests {
    private struct Vectors: Decodable {
        struct Heard: Decodable {
            var moment: Timestamp
            var time: Timestamp
        }
        struct Step: Decodable {
            var activeSeconds: Double
            var heard: Heard?
        }
        struct Test: Decodable {
            var name: String
            var start: Timestamp
            var steps: [Step]
            var timing: TestTiming?
        }
        struct Meter: Decodable {
            var name: String
            var moments: [Double]
            var seconds: Double
        }
        struct End: Decodable {
            var name: String
            var start: Timestamp
            var limit: Int
            var timing: TestTiming?
            var activeSeconds: Double?
            var dateFinished: Timestamp
            var ended: TestTiming?
        }
        struct Reply: Decodable {
            var name: String
            var now: Timestamp
            var fields: [String: String]
            var time: Timestamp?
        }
        var tests: [Test]
        var meter: [Meter]
        var ends: [End]
        var replies: [Reply]

        init() throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let file = folder.appending(path: "../Vectors/timing.json")
            self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
        }
    }

    @Test("a test that its time limit ends is in time up to its end, and late where a person went on")
    func ends() throws {
        for row in try Vectors().ends {
            var timing = row.timing
            let end = TimeLimitEnd.end(
                &timing, adding: row.activeSeconds ?? 0, limit: row.limit, startedAt: row.start)
            #expect(end == row.dateFinished && timing == row.ended, "\(row.name)")
        }
    }

    @Test("active time adds up, and the times of the server bound the test from within")
    func tests() throws {
        for row in try Vectors().tests {
            var timing = TestTiming()
            for step in row.steps {
                timing.add(activeSeconds: step.activeSeconds)
                if let heard = step.heard {
                    timing.note(serverTime: heard.time, heardAt: heard.moment, startedAt: row.start)
                }
            }
            #expect(timing == row.timing ?? TestTiming(), "\(row.name)")
        }
    }

    @Test("active time has no longer pause than ten minutes")
    func meter() throws {
        for row in try Vectors().meter {
            let start = SuspendingClock.now
            var meter = ActiveTimeMeter(at: start)
            for moment in row.moments { meter.note(start + .seconds(moment)) }
            #expect(abs(meter.take() - row.seconds) < 0.001, "\(row.name)")
        }
    }

    @Test("which time of the server a reply states")
    func replies() throws {
        for row in try Vectors().replies {
            var fields = HTTPFields()
            for (name, value) in row.fields { fields[try #require(HTTPField.Name(name))] = value }
            let reply = RemoteReply(
                status: 200, fields: fields, body: [], requestTime: row.now, responseTime: row.now)
            let heard = Contact(after: .success(reply), now: row.now)?.serverTime
            #expect(heard?.time == row.time, "\(row.name)")
            #expect(heard == nil || heard?.moment == row.now, "\(row.name)")
        }
    }

    @Test("a later contact without a time leaves the last one that was heard")
    func later() {
        var contact = Contact(at: Timestamp(secondsSinceEpoch: 500), isReachable: false)
        contact.skewSeconds = 1000
        #expect(contact.serverTime == nil)
        contact.skewAt = Timestamp(secondsSinceEpoch: 100)
        #expect(contact.serverTime?.time == Timestamp(secondsSinceEpoch: 1100))
        #expect(contact.serverTime?.moment == Timestamp(secondsSinceEpoch: 100))
    }
}
