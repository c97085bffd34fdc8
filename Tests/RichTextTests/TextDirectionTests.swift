import Foundation
import Model
import RichText
import Testing

@Suite("Which way texts run")
struct TextDirectionTests {
    private struct Case: Decodable {
        var locale: String?
        var texts: [String]
        var direction: String
    }

    @Test("each case of the vectors runs as it says")
    func vectors() throws {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        let cases = try JSONDecoder().decode(
            [Case].self, from: Data(contentsOf: tests.appending(path: "Vectors/directions.json")))
        #expect(cases.count > 30)
        for one in cases {
            let direction = TextDirection(of: one.locale) ?? TextDirection(of: one.texts)
            #expect(direction.rawValue == one.direction, "\(one)")
        }
    }

    @Test("texts run as their first letter says, figures alone as what stands before them")
    func letters() {
        #expect(TextDirection(of: ["كم عدد الكواكب؟", "8", "9"]) == .rightToLeft)
        #expect(TextDirection(of: ["1948?", "שמונה"]) == .rightToLeft)
        #expect(TextDirection(of: ["How many? שמונה", "שמונה"]) == .leftToRight)
        #expect(TextDirection(of: ["1 + 1", "2"]) == .leftToRight)
        #expect(TextDirection(of: [String]()) == .leftToRight)
    }

    @Test("a questionnaire runs as its language does, without one as its first text with a letter")
    func questionnaires() throws {
        func direction(_ members: String, text: String = "Why?") throws -> TextDirection {
            TextDirection(
                of: try Questionnaire(
                    json: Array(
                        #"{"id": "q", \#(members), "questions": [{"id": "a", "text": "\#(text)", "kind": "text"}]}"#
                            .utf8)))
        }
        #expect(try direction(#""title": "Python 3", "locale": "ar""#) == .rightToLeft)
        #expect(try direction(#""title": "Quiz", "locale": "az-Arab""#) == .rightToLeft)
        #expect(try direction(#""title": "Quiz", "locale": "ar-Latn""#) == .leftToRight)
        #expect(try direction(#""title": "חידון""#) == .rightToLeft)
        #expect(try direction(#""title": "2026", "locale": "en""#, text: "لماذا؟") == .rightToLeft)
        #expect(try direction(#""title": "Quiz", "locale": "en""#, text: "لماذا؟") == .leftToRight)
    }
}
