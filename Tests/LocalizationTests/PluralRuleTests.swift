import Foundation
import Testing

@testable import Localization

@Suite("Plural rules")
struct PluralRuleTests {
    private struct Vectors: Decodable {
        var language: String
        var category: String
        var numbers: [Int]
    }

    /// The page and the app choose by the browser's own rules; their tests read the same file.
    @Test("every language chooses the categories of Tests/Vectors/plurals.json")
    func vectors() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors/plurals.json")
        let vectors = try JSONDecoder().decode([Vectors].self, from: Data(contentsOf: file))
        for vector in vectors {
            guard let catalog = Language(rawValue: vector.language)?.catalog else { continue }
            for number in vector.numbers {
                #expect(catalog.pluralCategory(of: number) == vector.category, "\(vector.language): \(number)")
            }
        }
        for language in Language.allCases {
            #expect(vectors.contains { $0.language == language.rawValue }, "no numbers for \(language)")
        }
    }

    @Test(
        "the greatest and the least number that a file can hold have a category",
        arguments: [(Int.min, 7), (.min + 1, 7), (.max, 7), (-1, 1)])
    func extremes(_ number: Int, _ lastDigit: Int) {
        #expect(PluralRule.matches("i % 10 = \(lastDigit)", number))
        for language in Language.allCases { #expect(language.catalog?.pluralCategory(of: number) != "") }
    }

    @Test(
        "the syntax of CLDR for whole numbers",
        arguments: [
            ("n = 1", [1], [0, 2, 11]), ("i = 0,1", [0, 1], [2]), ("n != 0..4", [5], [0, 4]),
            ("n % 100 = 3..10", [3, 103, 110], [2, 111]), ("v != 0", [], [0, 1]),
            ("v = 0 and i % 10 = 1 and i % 100 != 11", [1, 21, 101], [11, 111, 2]),
            ("n = 2 or n = 4", [2, 4], [3]), ("", [], [0]), ("n", [], [0]), ("n = x", [], [0]),
        ] as [(String, [Int], [Int])])
    func syntax(_ rule: String, _ matching: [Int], _ others: [Int]) {
        for number in matching { #expect(PluralRule.matches(rule, number), "\(number)") }
        for number in others { #expect(!PluralRule.matches(rule, number), "\(number)") }
    }
}
