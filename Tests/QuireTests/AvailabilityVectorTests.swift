import Foundation
import Model
import Testing

@testable import Quire

/// The table that the app for phones is tested with too.
@Suite("Whether a test may begin: the same in Swift and in the app")
struct AvailabilityVectorTests {
    private struct Vectors: Decodable {
        struct Expected: Decodable {
            var kind: String
            var at: Timestamp?
            var of: Int?
        }
        struct Access: Decodable {
            var name: String
            var availability: Availability
            var now: Timestamp
            var attempt: Int
            var access: Expected
        }
        struct Attempts: Decodable {
            struct Test: Decodable {
                var status: TestStatus
                var attempt: Int?
            }
            var name: String
            var tests: [Test]
            var next: Int
        }
        var access: [Access]
        var attempts: [Attempts]

        init() throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let file = folder.appending(path: "Vectors/availability.json")
            self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
        }
    }

    @Test("by its times and its attempts")
    func access() throws {
        for row in try Vectors().access {
            let expected: Availability.Access? =
                switch (row.access.kind, row.access.at, row.access.of) {
                case ("open", _, _): .open
                case ("opens", let at?, _): .opens(at: at)
                case ("late", let at?, _): .late(since: at)
                case ("closed", let at?, _): .closed(since: at)
                case ("noAttemptLeft", _, let count?): .noAttemptLeft(of: count)
                default: nil
                }
            #expect(row.availability.access(now: row.now, attempt: row.attempt) == expected, "\(row.name)")
        }
    }

    @Test("which attempt is the next")
    func attempts() throws {
        for row in try Vectors().attempts {
            #expect(Attempts.next(after: row.tests.map { ($0.status, $0.attempt) }) == row.next, "\(row.name)")
        }
    }
}
