import Foundation
import Model
import Testing

@testable import Quire

/// The table that the app for phones is tested with too.
@Suite("What a PIN is, and how long wrong ones wait: the same in Swift and in the app")
struct PINVectorTests {
    private struct Vectors: Decodable {
        struct Written: Decodable {
            var written: String
            var digits: String?
        }
        struct Tries: Decodable {
            var name: String
            var wrong: Int
            var past: Double
            var wait: Int
        }
        var pins: [Written]
        var tries: [Tries]
    }

    @Test("each case of the table")
    func table() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let vectors = try JSONDecoder().decode(
            Vectors.self, from: Data(contentsOf: folder.appending(path: "Vectors/pins.json")))
        #expect(vectors.pins.count > 10 && vectors.tries.count > 10)
        for one in vectors.pins { #expect(PIN(one.written)?.digits == one.digits, "\(one.written)") }
        let at = Timestamp(secondsSinceEpoch: 1_800_000_000)
        for one in vectors.tries {
            let wait = PINTries(wrong: one.wrong, at: at).remainingSeconds(at.adding(seconds: one.past))
            #expect(wait == one.wait, "\(one.name)")
        }
    }
}
