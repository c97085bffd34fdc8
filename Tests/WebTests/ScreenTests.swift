import HTTPTypes
import HummingbirdTesting
import Model
import Quire
import Simulation
import Testing

@testable import Web

@Suite("The screens")
struct ScreenTests {
    @Test(
        "every word that a template names is there, in two languages; only the frame and authors' formatted texts are markup"
    )
    func words() throws {
        for template in Screens.Template.allCases {
            let text = String(decoding: template.bytes, as: UTF8.self)
            // Formatted texts are HTML that `RichText` has written.
            let markup: Set =
                template == .layout
                ? ["content"]
                : [
                    "heading", "body", "html", "formattedHint", "formattedDescription", "formatted",
                    "formattedExplanation", "formattedFeedback",
                ]
            for match in text.matches(of: /\{\{\{([^}]*)\}\}\}/) {
                #expect(markup.contains(String(match.1)), "\(template)")
            }
            for match in text.matches(of: /\{\{\{?\s*&?w\.([A-Za-z]+)\s*\}\}/) {
                #expect(Words.Key(rawValue: String(match.1)) != nil, "\(template): \(match.1)")
            }
            #expect(!text.contains("{{&"))
            // No text of its own: all words come from the tables.
            #expect(
                text.replacing(/<[^>]*>|\{\{[^}]*\}\}/, with: "").filter(\.isLetter).allSatisfy {
                    "QuireBk".contains($0)
                } || template == .layout)
        }
        for key in Words.Key.allCases {
            let (english, russian) = (Words.text(key, .english), Words.text(key, .russian))
            #expect(!english.isEmpty && !russian.isEmpty && english != russian, "\(key)")
            func isCyrillic(_ text: String) -> Bool { text.lowercased().contains { ("а"..."я").contains($0) } }
            #expect(!isCyrillic(english) && isCyrillic(russian), "\(key)")
        }
    }

    @Test(
        "the language is the one that was chosen, else the first of Accept-Language that we speak",
        arguments: [
            (nil, "ru-RU,ru;q=0.9,en;q=0.8", Language.russian), (nil, "en-GB, ru;q=0.9", .english),
            (nil, "de, ru;q=0.5", .russian),
            (nil, "de", .english), (nil, "ru;q=0, en", .english), ("ru", "en", .russian), ("xx", "ru", .russian),
            (nil, "", .english),
        ])
    func language(_ chosen: String?, _ accepted: String, _ expected: Language) {
        let cookies = chosen.map { [PageRequest.languageCookie: $0] } ?? [:]
        #expect(PageRequest.language(cookies: cookies, fields: [.acceptLanguage: accepted]) == expected)
    }

    @Test("all screens speak Russian where that is wanted")
    func russian() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(language: "ru") { browser, _ in
            let expected = [
                "/": "Библиотека", "/outbox": "Исходящие", "/results": "Результаты", "/settings": "Настройки",
                "/q/capitals": "Начать",
            ]
            for (page, word) in expected {
                let text = try await browser.get(page).text
                #expect(text.contains(word) && text.contains("<html lang=\"ru\">"), "\(page)")
            }
        }
    }

    @Test("the library shows what is known: here, fresh or stale, a draft, a favourite first")
    func library() async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish("aaa", #"{"id": "aaa", "title": "Aardvarks", "questions": []}"#)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve { browser, _ in
            let plain = try await browser.get("/").text
            #expect(
                plain.contains("4 questions") && plain.contains("on this device") && plain.contains("2 questionnaires"))
            let (first, second) = try (
                #require(plain.firstRange(of: "Aardvarks")), #require(plain.firstRange(of: ">Capitals<"))
            )
            #expect(first.lowerBound < second.lowerBound)
            _ = try await browser.post("/q/capitals/favorite", [("on", "1")])
            _ = try await browser.post("/q/capitals/begin")
            let marked = try await browser.get("/").text
            #expect(
                try #require(marked.firstRange(of: ">Capitals<")).lowerBound
                    < #require(marked.firstRange(of: ">Aardvarks<")).lowerBound)
            #expect(marked.contains("draft in progress"))
            fixture.remote.publish(
                "capitals", #"{"id": "capitals", "title": "Capitals", "questions": [{"id": "q1", "text": "New?"}]}"#)
            _ = try await fixture.store.puller(fixture.remote).pull()
            #expect(try await browser.get("/").text.contains("newer version available"))
            #expect(try await browser.get("/?q=nothing+like+it").text.contains("Nothing matches"))
            fixture.disk.clock.advance(by: .seconds(1_000_000))
            #expect(try await browser.get("/").text.contains(" ago"))
        }
    }

    @Test("a long library comes in pages, and a page beyond the end is the last one")
    func pages() async throws {
        let fixture = try await PageFixture()
        for number in 0..<60 {
            fixture.remote.publish(
                "n\(number)", #"{"id": "n\#(number)", "title": "Number \#(number)", "questions": []}"#)
        }
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve { browser, _ in
            let first = try await browser.get("/").text
            #expect(first.ranges(of: "card item").count == 50 && first.contains("1 of 2"))
            for page in ["2", "99", "x", "-3"] {
                let text = try await browser.get("/?page=\(page)").text
                #expect(text.contains(page == "2" || page == "99" ? "2 of 2" : "1 of 2"))
            }
            #expect(try await browser.get("/?q=number&page=2").text.contains("q=number&amp;page=1"))
        }
    }

    @Test("a refused test says why, and waits for a decision; discarding asks first")
    func decisions() async throws {
        let fixture = try await PageFixture()
        fixture.remote.respond { $0.isPut ? .status(422) : nil }
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "0"), ("a.0", "0")])
            _ = try await browser.post(test + "/finish")
            _ = try await browser.post("/sync")
            let outbox = try await browser.get("/outbox").text
            #expect(outbox.contains("You decide") && outbox.contains("Not accepted"))
            let asked = try await browser.get(test + "/discard").text
            #expect(asked.contains("Keep it") && asked.contains("quarantine"))
            #expect(try fixture.store.tests().count == 1)
            _ = try await browser.post(test + "/discard")
            #expect(try fixture.store.tests().isEmpty)
        }
    }

    @Test("the outbox offers to send where something waits, and not for drafts alone", arguments: ["en", "ru"])
    func sendNow(_ language: String) async throws {
        let fixture = try await PageFixture()
        let button = language == "ru" ? "Отправить сейчас" : "Send now"
        try await fixture.serve(isOnline: false, language: language) { browser, _ in
            #expect(try await !browser.get("/outbox").text.contains(button))
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "0"), ("a.0", "0")])
            let drafts = try await browser.get("/outbox").text
            #expect(drafts.contains(language == "ru" ? "Не закончены" : "Not finished") && !drafts.contains(button))
            _ = try await browser.post(test + "/finish")
            #expect(try await browser.get("/outbox").text.contains(button))
        }
    }

    @Test("settings are saved, and a fault is shown beside its field")
    func settings() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let wrong = try await browser.post("/settings/remote", [("remote", "not an address")])
            #expect(wrong.status == .unprocessableContent && wrong.text.contains("is not an address"))
            #expect(try await browser.post("/settings/quota", [("quota", "much")]).text.contains("is not a size"))
            #expect(try await browser.post("/settings/quota", [("quota", "1 MB")]).location == "/settings")
            #expect(try await browser.get("/settings").text.contains("of 1 MB used"))
            #expect(
                try await browser.post("/settings/remote", [("remote", "https://other.example")]).status == .seeOther)
            #expect(try await browser.get("/settings").text.contains("https://other.example"))
        }
    }

    @Test("script and style together are below 92 kB, and are kept by browsers for good")
    func assets() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, opened in
            let assets = opened.router.screens.assets
            #expect(assets.sizeBytes < 92_000)
            // What is left out of the script is no part of a text: none goes over several lines.
            let script = try await browser.get(assets.script).text
            #expect(script.split(separator: "\n").allSatisfy { $0.count { $0 == "`" }.isMultiple(of: 2) })
            #expect(!script.contains("\n//") && !script.contains("\n "))
            for path in [assets.stylesheet, assets.script, assets.iconPath] {
                let reply = try await browser.get(path)
                #expect(reply.status == .ok && reply.headers[.cacheControl]?.contains("immutable") == true)
                #expect(reply.headers[.xContentTypeOptions] == "nosniff")
            }
        }
    }

    @Test("news are shown once: what was delivered, rated or refused since the last look")
    func notices() {
        let (one, two, three) = (TestID.random(), TestID.random(), TestID.random())
        var before = LiveState()
        before.statuses = [one: .done, two: .sent, three: .rated]
        var after = before
        after.statuses = [one: .sent, two: .rated, three: .rated]
        #expect(Set(LiveBoard.notices(from: before, to: after).map(\.test)) == [one, two])
        #expect(LiveBoard.notices(from: after, to: after).isEmpty)
        #expect(LiveBoard.notices(from: LiveState(), to: after).isEmpty)
        #expect(before.version != after.version)
    }
}
