import Foundation
import Quire

/// Makes what everything is measured on, the same each time: no clock, no chance.
///
/// A folder with `corpus.bin`, the documents one after another, and `corpus.tsv`, a line for each: id, length, SHA-256,
/// when it expires, when it was last used (both in milliseconds since 1970), title, folded title.
struct CorpusMaker {
    enum Kind: String {
        /// 1.5 to 40 KB, every 500th about 200 KB.
        case questionnaires
        /// Some 600 bytes each.
        case small
        /// Answers of 3 KB each.
        case tests
    }

    private var random: SeededGenerator
    private let latin: [String]
    private let cyrillic: [String]

    init(seed: UInt64) {
        random = SeededGenerator(state: seed)
        latin = Self.words(
            ["ba", "ne", "ri", "to", "lu", "ma", "si", "ve", "ko", "da", "pre", "sta", "con", "ing"], &random)
        cyrillic = Self.words(
            ["ба", "не", "ри", "то", "лу", "ма", "си", "ве", "ко", "да", "пре", "ста", "ско", "ние"], &random)
    }

    private static func words(_ syllables: [String], _ random: inout SeededGenerator) -> [String] {
        (0..<3000).map { _ in
            (0..<Int.random(in: 1...4, using: &random)).map { _ in
                syllables[Int.random(in: 0..<syllables.count, using: &random)]
            }.joined()
        }
    }

    mutating func make(_ kind: Kind, count: Int, in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var table = ""
        let content = folder.appending(path: "corpus.bin")
        guard FileManager.default.createFile(atPath: content.path, contents: nil) else {
            throw BenchError("cannot make \(content.path)")
        }
        let file = try FileHandle(forWritingTo: content)
        var pending = Data()
        let now = Int64(Date().timeIntervalSince1970) * 1000
        for index in 0..<count {
            let (id, title, bytes) = kind == .tests ? test(index) : questionnaire(index, kind)
            // One half has expired, the other lasts; last use is in no order.
            let expires = now + (index % 2 == 0 ? -1 : 1) * (3_600_000 + Int64(index) * 1000)
            let lastUsed = now - 86_400_000 - Int64.random(in: 0..<2_592_000_000, using: &random)
            let hex = Digest(sha256Of: bytes).hex
            table += "\(id)\t\(bytes.count)\t\(hex)\t\(expires)\t\(lastUsed)\t\(title)\t\(TextFolding.fold(title))\n"
            pending.append(contentsOf: bytes)
            if pending.count > 8 << 20 {
                try file.write(contentsOf: pending)
                pending.removeAll(keepingCapacity: true)
            }
        }
        try file.write(contentsOf: pending)
        try file.close()
        try Data(table.utf8).write(to: folder.appending(path: "corpus.tsv"))
    }

    private mutating func questionnaire(_ index: Int, _ kind: Kind) -> (String, String, [UInt8]) {
        let isCyrillic = index % 2 == 1
        let id = "q\(index)-" + latin[Int.random(in: 0..<latin.count, using: &random)]
        // One in a hundred has the word that is searched for.
        let marker = index % 100 == 37 ? (isCyrillic ? " Северное сияние" : " Aurora") : ""
        let title = sentence(4, isCyrillic) + marker + " \(index)"
        let goal: Int =
            switch kind {
            case .small: Int.random(in: 450...750, using: &random)
            default:
                index % 500 == 499
                    ? Int.random(in: 180_000...220_000, using: &random)
                    : Int(1500 * pow(40_000.0 / 1500, Double.random(in: 0..<1, using: &random)))
            }
        var text = """
            {
              "id": "\(id)",
              "title": "\(title)",
              "description": "\(sentence(12, isCyrillic))",
              "locale": "\(isCyrillic ? "ru" : "en")",
              "updatedAt": "2026-08-22T04:30:00Z",
              "questions": [
            """
        var number = 0
        repeat {
            number += 1
            let options = (0..<4).map { _ in "        \"\(sentence(4, isCyrillic))\"" }.joined(separator: ",\n")
            let rare = number == 1 && index % 200 == 11 ? " Звездочёт" : ""
            text += """
                \(number == 1 ? "" : ",")
                    {
                      "id": "q\(number)",
                      "text": "\(sentence(14, isCyrillic))\(rare)?",
                      "kind": "choice",
                      "options": [
                \(options)
                      ],
                      "required": true
                    }
                """
        } while text.utf8.count + 10 < goal
        return (id, title, Array((text + "\n  ]\n}\n").utf8))
    }

    private mutating func test(_ index: Int) -> (String, String, [UInt8]) {
        let hex = String(repeating: "0", count: 12 - String(index, radix: 16).count) + String(index, radix: 16)
        let id = "5eed0000-0000-4000-8000-\(hex)"
        let title = sentence(4, index % 2 == 1) + " \(index)"
        var answers = ""
        var number = 0
        while answers.utf8.count < 2600 {
            number += 1
            answers += """
                \(number == 1 ? "" : ",\n")    {
                      "answer" : "\(sentence(3, index % 2 == 1))",
                      "optionIndexes" : [
                        \(number % 4)
                      ],
                      "questionId" : "q\(number)"
                    }
                """
        }
        let text = """
            {
              "answers" : [
            \(answers)
              ],
              "dateFinished" : "2026-11-21T06:32:10.635Z",
              "dateStarted" : "2026-11-21T06:02:10.635Z",
              "deviceId" : "bench",
              "id" : "\(id)",
              "questionnaire" : {
                "digest" : "sha256:3fa9\(String(repeating: "0", count: 60))",
                "id" : "q\(index)",
                "title" : "\(title)"
              },
              "sequence" : \(index + 1)
            }

            """
        return (id, title, Array(text.utf8))
    }

    private mutating func sentence(_ length: Int, _ isCyrillic: Bool) -> String {
        let words = isCyrillic ? cyrillic : latin
        var text = ""
        for index in 0..<length {
            // Words as in speech: few of them often, many seldom.
            let place = Double.random(in: 0..<1, using: &random)
            let word = words[Int(place * place * place * Double(words.count))]
            text += index == 0 ? word.prefix(1).uppercased() + word.dropFirst() : " " + word
        }
        return text
    }
}

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
