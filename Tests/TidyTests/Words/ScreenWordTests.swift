import Testing

/// The Russian word, or its beginning, that stands for an English one on every screen.
private let vocabulary = ["questionnaire": "анкет", "receipt": "квитанц", "token": "токен"]

/// Pairs of an English and a Russian text that use another word than the vocabulary's: in the catalog, and in the sources.
func strayWords(in file: TextFile) -> [Finding] {
    let isCatalog = file.path.hasSuffix("/Texts/ru.json")
    guard file.path.hasPrefix("Sources/"),
        isCatalog || file.path.hasSuffix(".swift") || file.path.hasSuffix(".js")
    else { return [] }
    let pair =
        isCatalog
        ? #/"((?:[^"\\\n]|\\.)*)": (".*)/#
        : file.path.hasSuffix(".js")
            ? #/'([^'\n]*)',\s*'([^'\n]*)'/# : #/"((?:[^"\\\n]|\\.)*)",\s*"((?:[^"\\\n]|\\.)*)"/#
    let isRussian = { (text: Substring) in text.contains { ("а"..."я").contains($0) } }
    return file.text.matches(of: pair).flatMap { match -> [Finding] in
        let (english, russian) = (match.output.1, match.output.2)
        guard !isRussian(english), isRussian(russian) else { return [] }
        // Names of commands and options are the same in every language.
        let words = english.replacing(#/“[^”]*”|--[a-z-]+/#, with: "").lowercased().split { !$0.isLetter }
        let line = file.text[..<match.range.lowerBound].count { $0.isNewline } + 1
        return vocabulary.filter { name, stem in
            words.contains { $0 == name || $0 == name + "s" } && !russian.lowercased().contains(stem)
        }.map { name, stem in
            Finding(path: file.path, line: line, advice: "“\(name)” is «\(stem)…» in Russian, as on every other screen")
        }
    }
}

@Suite("Words on screens")
struct ScreenWordTests {
    @Test("a questionnaire, a receipt and a token have one Russian word each")
    func tree() { expectNone(Repository.textFiles.flatMap(strayWords)) }

    @Test("another word is found")
    func broken() {
        let swift = "\nlanguage.pick(\n    \"The questionnaire is here\", \"Тест здесь\")\n"
        #expect(strayWords(in: TextFile(path: "Sources/Web/Words.swift", text: swift)).map(\.line) == [3])
        let catalog = "{\n\"A token\": \"Ключ\",\n\"{0} tokens\": {\"one\": \"{0} ключ\", \"few\": \"{0} токена\"}\n}\n"
        #expect(strayWords(in: TextFile(path: "Sources/Localization/Texts/ru.json", text: catalog)).map(\.line) == [2])
        let script = "table = {\n  gone: ['No receipts', 'Расписок нет'],\n};\n"
        #expect(strayWords(in: TextFile(path: "Sources/Hub/App/Assets/words.js", text: script)).map(\.line) == [2])
    }

    @Test("a test is a «тест», and the name of an option is no word")
    func allowed() {
        let swift =
            "pick(\"A test of a questionnaire (--token-file)\", \"Тест анкеты (--token-file)\"), [\"token\", \"x\"]"
        #expect(strayWords(in: TextFile(path: "Sources/Web/Words.swift", text: swift)).isEmpty)
    }
}
