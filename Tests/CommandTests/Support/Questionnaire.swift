import Foundation

/// A questionnaire made for a test.
struct Questionnaire {
    var id: String
    var title: String
    var description = "For a test."
    var questions = 2
    var hasKey = true
    /// Follows the first question.
    var remark = ""

    /// Each question has the options yes and no; yes is right.
    var json: String {
        let texts = (1...questions).map { number in
            let text = "Question \(number) of \(id)?" + (number == 1 ? remark : "")
            return #"{"id": "q\#(number)", "text": "\#(text)", "options": ["yes", "no"], "required": \#(number == 1)}"#
        }
        let keys = (1...questions).map { #""q\#($0)": "yes""# }.joined(separator: ", ")
        return """
            {"id": "\(id)", "title": "\(title)", "description": "\(description)",
            "questions": [\(texts.joined(separator: ",\n"))]\(hasKey ? ", \"answerKey\": {\(keys)}" : "")}

            """
    }

    static let rightAnswers = #"{"q1": "yes", "q2": "yes"}"#

    /// Many of them with content that does not compress well.
    static func many(_ count: Int, prefix: String = "many", bytes: Int = 400) -> [Questionnaire] {
        var generator = SeededGenerator(seed: 2)
        return (1...count).map { number in
            Questionnaire(
                id: "\(prefix)-\(number)", title: "Of many \(number)",
                description: generator.text(bytes: bytes), questions: 2)
        }
    }
}

/// The same numbers at every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Letters without a pattern.
    mutating func text(bytes: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes)
        for _ in 0..<bytes { text.append(letters[Int(next() % UInt64(letters.count))]) }
        return String(decoding: text, as: UTF8.self)
    }
}
