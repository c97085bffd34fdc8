import Foundation
import Model
import Testing

/// JSONSerialization as the judge of what is JSON.
///
/// Known differences, by design:
/// - it takes UTF-16 and UTF-32, and a byte order mark (RFC 8259 section 8.1 lets a parser refuse them);
/// - it refuses numbers that a Double cannot hold (valid by the grammar);
/// - it allows 512 levels, and a name twice in an object.
@Suite("JSON is what Foundation takes for JSON")
struct JSONOracleTests {
    @Test("generated texts are valid", arguments: 0..<20)
    func valid(_ seed: UInt64) {
        var json = RandomJSON(seed: seed)
        for _ in 0..<100 {
            let text = json.text(depth: 4)
            #expect(isValid(text), "seed \(seed): \(String(decoding: text, as: UTF8.self))")
            #expect(isValidToFoundation(text), "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("damaged texts are judged alike", arguments: 0..<40)
    func damaged(_ seed: UInt64) {
        var json = RandomJSON(seed: seed + 1000)
        for _ in 0..<250 {
            let text = json.damaged(json.text(depth: 3))
            if isBeyondComparison(text) || hasNameTwice(text) { continue }
            #expect(
                isValid(text) == isValidToFoundation(text),
                "seed \(seed): \(text) \(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("random bytes never crash the checker", arguments: 0..<10)
    func junk(_ seed: UInt64) {
        var json = RandomJSON(seed: seed)
        for _ in 0..<500 {
            let text = (0..<json.number(below: 60)).map { _ in UInt8(json.number(below: 256)) }
            _ = isValid(text)
            _ = isValid(bytes("[\"") + text)
            _ = isValid(bytes("{\"a\":") + text)
        }
    }

    private func isValid(_ text: [UInt8]) -> Bool { (try? JSONText(checking: text)) != nil }

    private func isValidToFoundation(_ text: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil
    }

    private func hasNameTwice(_ text: [UInt8]) -> Bool {
        do throws(JSONFault) {
            _ = try JSONText(checking: text)
            return false
        } catch {
            return error.reason.hasSuffix("twice in one object")
        }
    }

    /// One of the known differences.
    private func isBeyondComparison(_ text: [UInt8]) -> Bool {
        // A NUL among the first bytes is what UTF-16 and UTF-32 are known by.
        if text.prefix(4).contains(0) || text.starts(with: [0xEF, 0xBB, 0xBF]) { return true }
        if text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE]) { return true }
        return hasHugeExponent(text)
    }

    private func hasHugeExponent(_ text: [UInt8]) -> Bool {
        String(decoding: text, as: UTF8.self).contains(/[0-9][eE][+-]?[0-9]{3,}|[0-9]{100,}/)
    }
}
