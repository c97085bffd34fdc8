import Foundation
import Model
import Testing

/// The cases that the phone app's `numbers.js` passes, too.
struct NumberCase: Decodable, Sendable {
    var text: String
    var number: String?
    var ambiguous: [String]?

    static func all() throws -> [NumberCase] {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = tests.appending(path: "../Vectors/numbers.json")
        return try JSONDecoder().decode([NumberCase].self, from: Data(contentsOf: file))
    }
}

@Suite("A written number is read in one way everywhere")
struct WrittenNumberTests {
    @Test("each case of the shared vectors has its meaning")
    func vectors() throws {
        let cases = try NumberCase.all()
        #expect(cases.count > 60)
        for one in cases {
            let expected: WrittenNumber =
                if let both = one.ambiguous { .ambiguous(fraction: both[0], whole: both[1]) } else {
                    one.number.map(WrittenNumber.number) ?? .none
                }
            #expect(WrittenNumber(one.text) == expected, "“\(one.text)”")
        }
    }

    @Test("the plain form means the number itself, so that reading it once more changes nothing")
    func stable() throws {
        for one in try NumberCase.all() {
            guard let plain = WrittenNumber(one.text).plain else { continue }
            #expect(WrittenNumber(plain) == .number(plain))
            #expect(WrittenNumber.value(of: one.text) == Double(plain))
        }
    }

    @Test("spaces of any kind around it, and line ends, do not matter; what two numbers share is neither")
    func edges() {
        #expect(WrittenNumber("\u{2003}1\u{3000}\r\n") == .number("1"))
        #expect(WrittenNumber.value(of: "1,500") == nil)
        #expect(WrittenNumber("5\u{301}") == .none)
        #expect(WrittenNumber(String(repeating: "9", count: 400)) == .none)
    }
}
