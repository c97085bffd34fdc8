import Foundation
import Model
import Testing

@Suite("Free texts are compared as answers")
struct AnswerTextTests {
    private struct Case: Decodable {
        var key: String
        var answer: String
        var isSame: Bool
    }

    @Test("each case of the vectors is as it says, in both directions")
    func vectors() throws {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = tests.appending(path: "../Vectors/text-answers.json")
        let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
        #expect(cases.count > 40)
        for one in cases {
            #expect(AnswerText.isSame(one.key, one.answer) == one.isSame, "“\(one.key)”, “\(one.answer)”")
            #expect(AnswerText.isSame(one.answer, one.key) == one.isSame, "“\(one.answer)”, “\(one.key)”")
            #expect(AnswerText.isSame(one.key, one.key))
        }
    }

    @Test("no ASCII sign is dropped: beside a number, in a word, alone")
    func signs() {
        for byte in 0x21...0x7E as ClosedRange<UInt8> {
            let sign = String(UnicodeScalar(byte))
            guard !Character(sign).isLetter, !Character(sign).isNumber else { continue }
            #expect(!AnswerText.isSame("5", sign + "5"), "\(sign)5")
            #expect(!AnswerText.isSame("a b", "a\(sign)b"), "a\(sign)b")
            #expect(!AnswerText.isSame("C", "C" + sign), "C\(sign)")
            for other in "-+#!?.,;:'\"()[]{}<>=*/" where String(other) != sign {
                // A grave accent is typed for an apostrophe.
                if Set([sign, String(other)]) == ["`", "'"] { continue }
                #expect(!AnswerText.isSame(sign, String(other)), "\(sign) \(other)")
            }
        }
    }

    @Test("a text of a million signs takes no time")
    func long() {
        let text = String(repeating: "=\u{338}", count: 200_000) + "a"
        #expect(AnswerText.isSame(text, text + " "))
    }
}
