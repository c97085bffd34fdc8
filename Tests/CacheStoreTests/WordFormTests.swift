import Model
import SystemPackage
import Testing

@testable import CacheStore

@Suite("searching by other forms of a word")
struct WordFormTests {
    private static let documents: [(id: String, language: String?, title: String, text: String)] = [
        ("ru", "ru", "Анкета для родителей", "Сколько вопросов в анкете?"),
        ("en", "en-GB", "A questionnaire about berries", "Which studies did you read?"),
        ("de", "de", "Umfrage über Häuser", "Welche Bücher lasen Sie?"),
        ("none", nil, "Anketa questionnaire", "Книга, book, Buch"),
        ("unknown", "tlh", "Questionnaire", "Book"),
    ]

    private func cache(_ ground: CacheFixture) throws -> Cache {
        let cache = ground.cache()
        for document in Self.documents {
            let language = document.language.map { "\"language\": \"\($0)\", " } ?? ""
            let json =
                "{\"id\": \"\(document.id)\", \(language)\"title\": \"\(document.title)\", \"questions\": "
                + "[{\"id\": \"q\", \"text\": \"\(document.text)\", \"kind\": \"text\"}]}"
            try cache.store(try arrival(document.id, Array(json.utf8)))
        }
        return cache
    }

    @Test(
        "every form of a word finds it, in the document's own language",
        arguments: [
            ("анкета", ["ru"]), ("анкеты", ["ru"]), ("анкет", ["ru"]), ("АНКЕТАМИ", ["ru"]), ("вопросам", ["ru"]),
            ("анкетами родителями", ["ru"]), ("berry", ["en"]), ("study questionnaires", ["en"]), ("studying", ["en"]),
            ("questionnaires", ["en"]), ("questionnaire", ["en", "none", "unknown"]), ("haus", ["de"]),
            ("Buch", ["de", "none"]),
            ("Buches Umfragen", ["de"]), ("books", []), ("книги", []), ("анкетирование лес", []),
        ] as [(String, [String])])
    func forms(query: String, expected: [String]) throws {
        let ground = CacheFixture()
        let cache = try cache(ground)
        // The first search reads the documents, the second one the index of texts.
        try ground.disk.process().removeIfPresent(FilePath("index/texts.pb"))
        for _ in 0..<2 {
            #expect(try cache.search.matches(query).compactMap(\.record.documentID).sorted() == expected.sorted())
        }
    }

    @Test("a form in the title is one in the title, and a search of the titles alone finds it")
    func titles() throws {
        let cache = try cache(CacheFixture())
        #expect(try cache.search.matches("анкет").map(\.isInTitle) == [true])
        #expect(try cache.search.matches("вопросами").map(\.isInTitle) == [false])
        #expect(try cache.search.matches("анкетой", in: .titles).compactMap(\.record.documentID) == ["ru"])
        #expect(try cache.search.matches("вопросы", in: .titles).isEmpty)
    }

    @Test("a translated document is found by the forms of each of its languages, and by its title in each")
    func translations() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        let json = """
            {"id": "t", "language": "en", "title": "Berries", "translations": {"ru": {"title": "Ягоды", "questions":
            {"q": {"text": "Какие деревья?"}}}}, "questions": [{"id": "q", "text": "Which trees?", "kind": "text"}]}
            """
        try cache.store(try arrival("t", Array(json.utf8)))
        for query in ["berry", "tree", "ягодами", "деревьев"] {
            #expect(try cache.search.matches(query).compactMap(\.record.documentID) == ["t"], "\(query)")
        }
        #expect(try cache.search.matches("ягода", in: .titles).count == 1)
        // The second time from the index.
        for _ in 0..<2 {
            let document = try #require(try ground.cache().catalog.records().first?.document)
            #expect(document.texts(in: .russian).title == "Ягоды" && document.texts(in: .russian).locale == "ru")
            #expect(document.texts(in: .english).title == "Berries" && document.texts(in: .english).locale == "en")
        }
    }

    @Test("an index of the former format is made again, with the languages")
    func formerIndex() throws {
        let ground = CacheFixture()
        _ = try cache(ground).search.matches("анкета")
        for name in ["catalog.pb", "texts.pb"] {
            try ground.disk.damage(FilePath("index/\(name)")) { bytes in
                bytes.replaceSubrange(0..<14, with: Array("quire-index 5\n".utf8))
            }
        }
        #expect(try ground.cache().search.matches("анкетами").compactMap(\.record.documentID) == ["ru"])
        #expect(ground.disk.contents("index/catalog.pb")?.starts(with: Array("quire-index 6\n".utf8)) == true)
    }
}
