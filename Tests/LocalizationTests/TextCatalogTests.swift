import Foundation
import Testing

@testable import Localization

@Suite("Catalogs of texts")
struct TextCatalogTests {
    private static let texts = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Localization/Texts")

    /// What a catalog with these bytes has for a pattern.
    private func entry(_ pattern: String, in catalog: String = Self.small) -> TextCatalog.Entry? {
        Array(catalog.utf8).withUnsafeBufferPointer { TextCatalog($0).entry(pattern) }
    }

    private static let small = #"""
        {
        "": {"name": "X", "one": "n = 1"},
        "A \"B\"": "2 \\ {0}",
        "A": "1",
        "A\nB": "3\n4",
        "{0} files": {"one": "{0} F", "other": "{0} FS"}
        }

        """#

    @Test("a text is found by its pattern, with quotes, line breaks and forms")
    func lookup() {
        #expect(entry("A") == .text("1"))
        #expect(entry("A \"B\"") == .text("2 \\ {0}"))
        #expect(entry("A\nB") == .text("3\n4"))
        #expect(entry("{0} files") == .forms(["one": "{0} F", "other": "{0} FS"]))
        #expect(entry("B") == nil && entry("") != nil && entry("{0} filesX") == nil)
    }

    @Test("an empty or broken catalog has no texts", arguments: ["", "{}", "{\n}", "\n", "{\n\"A\": ", "}\n{"])
    func broken(_ text: String) { #expect(entry("B", in: text) == nil) }

    @Test("every text of every catalog is found, and reads as a JSON parser reads it", arguments: Language.allCases)
    func everyText(_ language: Language) throws {
        guard let catalog = language.catalog else { return }
        let file = try Data(contentsOf: Self.texts.appending(path: "\(language.rawValue).json"))
        let members = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
        for (key, value) in members {
            let entry = (value as? String).map { TextCatalog.Entry.text($0) }
            #expect(catalog.entry(key) == (entry ?? .forms(value as? [String: String] ?? [:])), "\(key)")
        }
    }

    @Test("every file of the folder is a language's catalog, with all plural categories of that language")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.texts.path).sorted()
        #expect(files == Language.allCases.filter { $0.catalog != nil }.map { "\($0.rawValue).json" }.sorted())
        for language in Language.allCases {
            guard let catalog = language.catalog else { continue }
            #expect(language.name != "English" || language == .english)
            let categories = Set((0...200).map(catalog.pluralCategory))
            let file = try Data(contentsOf: Self.texts.appending(path: "\(language.rawValue).json"))
            let members = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
            for (key, value) in members where !key.isEmpty {
                guard let forms = value as? [String: String] else { continue }
                #expect(categories.subtracting(forms.keys).isEmpty, "“\(key)” lacks a plural form")
            }
        }
    }

    @Test("values stand where the text has them")
    func values() {
        let text: LocalizedText = "\("a{1}") of \(2)"
        #expect(text.pattern == "{0} of {1}" && text.english == "a{1} of 2")
        #expect(text.filling("{1}: {0}, {0}; {9}{x}{") == "2: a{1}, a{1}; {9}{x}{")
        #expect(LocalizedText(stringLiteral: "{0}").english == "{0}")
    }

    @Test("an unknown text stays English")
    func unknown() {
        #expect(Language.russian.text("No such text: \(7)") == "No such text: 7")
        #expect(Language.russian.plural(2, one: "1 nothing", other: "\(2) nothings") == "2 nothings")
        #expect(Language.english.plural(1, one: "1 nothing", other: "\(1) nothings") == "1 nothing")
    }

    @Test("a known text is in the language of the person")
    func known() {
        #expect(Language.russian.text("Sent") == "Отправлено" && Language.english.text("Sent") == "Sent")
        #expect(Language.russian.text("Not accepted: \("x")") == "Не принято: x")
    }
}
