import Model
import Testing

@testable import Web

@Suite("How a test looks")
struct TestViewTests {
    @Test("a passage is set as text to read, a question as a heading")
    func passages() async throws {
        let passage = String(repeating: "Read this. ", count: 30)
        let fixture = try await PageFixture()
        fixture.remote.publish(
            "passage",
            #"{"id": "passage", "title": "T", "questions": [{"id": "q1", "text": "Why?"}, {"id": "q2", "text": "\#(passage)"}]}"#
        )
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/passage/begin").location
            let page = try await browser.get(test + "?view=all").text
            #expect(
                page.contains(#"<h2 id="h0" dir="auto">"#) && page.contains(#"<h2 id="h1" dir="auto" class="long">"#))
        }
    }

    @Test("options run the way their question does, also those of figures alone")
    func directions() async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish(
            "arabic",
            #"""
            {"id": "arabic", "title": "T", "questions": [
              {"id": "q1", "text": "كم عدد الكواكب؟", "options": ["8", "9"]}, {"id": "q2", "text": "How many?", "options": ["8"]}]}
            """#)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/arabic/begin").location
            let first = try await browser.get(test + "?n=1").text
            #expect(
                first.contains("<div class=\"options\" dir=\"rtl\"") && first.contains("class=\"sole\" dir=\"ltr\""))
            #expect(first.contains("id=\"q0\" dir=\"rtl\""))
            #expect(try await browser.get(test + "?n=2").text.contains("<div class=\"options\" dir=\"ltr\""))
            #expect(!(try await browser.get(test + "?view=all").text.contains("class=\"sole\"")))
        }
    }

    @Test("the review is one line a question, names those without an answer, and its button says what it does")
    func review() async throws {
        let fixture = try await PageFixture()
        for isOnline in [true, false] {
            try await fixture.serve(isOnline: isOnline, language: isOnline ? "en" : "ru") { browser, _ in
                let test = try await browser.post("/q/capitals/begin").location
                _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0")])
                let review = try await browser.get(test + "/review").text
                let lines = review.components(of: "<li><a href=\"\(test)?n").count
                #expect(lines == 4)
                #expect(review.contains(isOnline ? "3 questions have no answer:" : "Без ответа 3 вопроса:"))
                for number in [2, 3, 4] {
                    #expect(review.contains("href=\"\(test)?n=\(number)#q\(number - 1)\" aria-label="))
                    #expect(review.contains("href=\"\(test)?n=\(number)#q\(number - 1)\" class=\"blank\""))
                }
                #expect(!review.contains("n=1#q0\" class=\"blank\""))
                #expect(review.contains(isOnline ? ">Send</button>" : ">Сохранить, отправить при подключении</button>"))
            }
        }
    }

    @Test("what a rating changes is in regions that change while one looks")
    func liveRegions() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            let about = try await browser.get("/q/capitals").text
            for id in ["facts", "choices", "own"] { #expect(about.contains("id=\"\(id)\" data-live")) }
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0")])
            _ = try await browser.post(test + "/finish")
            let report = try await browser.get(test).text
            let region = try #require(
                report.firstRange(of: "<div id=\"answers\" dir=\"ltr\" data-live><ol class=\"answers\">"))
            #expect(report[region.upperBound...].contains("What is the capital of France?"))
        }
    }

    @Test("a page for a network is printed with addresses that others can open")
    func invitation() {
        let authenticator = PageAuthenticator(
            key: [1], listen: HostAndPort(host: "0.0.0.0", port: 0), allowsNetwork: true)
        func printed(_ addresses: [String]) -> String {
            let configuration = PageConfiguration(
                listen: HostAndPort(host: "0.0.0.0", port: 0), allowsNetwork: true, reachable: { _ in addresses })
            return PageServer.invitation(authenticator, configuration, port: 8480, isFirst: true)
        }
        let two = printed(["192.168.1.5", "fd00::5"])
        #expect(
            two.hasPrefix(
                "quire: the page is at http://192.168.1.5:8480/open and http://[fd00::5]:8480/open, the pairing"))
        #expect(!printed([]).contains("http") && printed([]).contains("no network"))
    }
}
