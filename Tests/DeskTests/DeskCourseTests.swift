import HummingbirdTesting
import Model
import Testing

@testable import Desk
@testable import Host

@Suite("Many tests on the desk")
struct DeskCourseTests {
    private func names(_ page: String) -> [String] {
        page.matches(of: #/<th scope="row"[^>]*>(?:<a href="[^"]*" dir="auto">)?([^<]+)</#).map { String($0.output.1) }
    }

    private func course(_ fixture: DeskFixture, people: Int) async throws {
        for number in 0..<people {
            let name = "P\(String(1000 + number).dropFirst())"
            try await fixture.deliver(
                person: name, ["q1": number % 3 == 0 ? "Paris" : "London", "essay": number % 2 == 0 ? "So." : ""],
                group: number < 10 ? "7a" : "7b")
        }
    }

    @Test("lists come in pages, whose links keep order and selection", arguments: DeskPlace.allCases)
    func pages(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        try await course(fixture, people: 120)
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            for screen in ["", "/results"] {
                let first = try await browser.page("/desk/q/exam\(screen)")
                #expect(names(first).count == 100 && first.contains("1–100 of 120") && first.contains("120 tests"))
                let second = try await browser.page("/desk/q/exam\(screen)?page=2")
                #expect(names(second).count == 20 && Set(names(first)).isDisjoint(with: names(second)))
                #expect(try await browser.page("/desk/q/exam\(screen)?page=99").contains("101–120 of 120"))
                let turned = try await browser.page("/desk/q/exam\(screen)?sort=name&order=desc")
                #expect(names(turned).first?.hasPrefix("P119") == true)
                #expect(turned.contains("order=desc&amp;page=2"), "the next page keeps the order")
            }
        }
    }

    @Test(
        "person, group, status and lateness narrow a list, and a wrong value shows nothing by mistake",
        arguments: DeskPlace.allCases)
    func selection(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        try await course(fixture, people: 30)
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            func count(_ query: String) async throws -> Int {
                names(try await browser.page("/desk/q/exam?" + query)).count
            }
            for (query, expected) in [
                ("group=7a", 10), ("group=7b", 20), ("group=none", 0), ("status=checking", 15), ("status=rated", 15),
                ("status=returned", 0), ("late=1", 0), ("person=p00", 10), ("person=P029&group=7a", 0),
            ] {
                #expect(try await count(query) == expected, "\(query)")
            }
            let page = try await browser.page("/desk/q/exam/results?group=7a&sort=q%3Aq1&order=desc")
            #expect(names(page).prefix(4) == ["P000 (7a)", "P003 (7a)", "P006 (7a)", "P009 (7a)"], "\(names(page))")
            #expect(page.contains("<option value=\"7a\" selected") && page.contains("Show all"))
        }
    }

    @Test("the overview follows what arrives, what is marked and what is removed")
    func follows() async throws {
        let fixture = try DeskFixture()
        let id = try await fixture.deliver(person: "Ada", ["q1": "Paris", "essay": "So."])
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            #expect(try await browser.page("/desk/q/exam").contains("1 of 4"))
            try await fixture.rate(id, TeacherRating(verdict: .points(question: "essay", 2, maximum: nil)))
            #expect(try await browser.page("/desk/q/exam").contains("3 of 4"))
            #expect(try await browser.page("/desk/q/exam/statistics").contains("1 test, 1 rated"))
            try await fixture.deliver(person: "Boris", ["q1": "Paris"])
            #expect(try await browser.page("/desk/q/exam/statistics").contains("2 tests, 2 rated"))
            #expect(names(try await browser.page("/desk/q/exam/results")) == ["Ada", "Boris"])
            try fixture.remove("tests/\(id).test.json")
            #expect(names(try await browser.page("/desk/q/exam")) == ["Boris"])
        }
    }

    @Test(
        "the class is shown with where everyone stands, and loads itself again only when that is wanted",
        arguments: DeskPlace.allCases)
    func watching(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        try await fixture.classList("id,name,group\nAda,Ada,7a\nBoris,Борис <b>,7a\nCleo,Cleo,7b\n")
        let id = try await fixture.deliver(person: "Ada", ["q1": "Paris", "essay": "So."])
        try await fixture.deliver(person: "Zoe", ["q1": "London"])
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            let reply = try await browser.get("/desk/q/exam/watching")
            #expect(names(reply.text) == ["Ada", "Борис &lt;b&gt;", "Cleo", "Zoe"], "\(names(reply.text))")
            for words in ["not handed in: 2", "being checked: 1", "rated: 1", "not on the class list", "/desk/t/\(id)"]
            {
                #expect(reply.text.contains(words), "\(words)")
            }
            #expect(
                reply.headers.first { $0.name.canonicalName == "refresh" } == nil
                    && !reply.text.withoutOwnScript.contains("<script"))
            #expect(names(try await browser.page("/desk/q/exam/watching?group=7b")) == ["Cleo"])
            let fresh = try await browser.get("/desk/q/exam/watching?group=7a&refresh=1")
            #expect(
                fresh.headers.first { $0.name.canonicalName == "refresh" }?.value == "20"
                    && fresh.text.contains("checked"))
            try await fixture.rate(id, TeacherRating(verdict: .returned, comment: "Say why."))
            #expect(try await browser.page("/desk/q/exam/watching").contains("returned to be corrected: 1"))
        }
    }

    @Test(
        "files come as one archive with readable names, and a test as a page for paper", arguments: DeskPlace.allCases)
    func takenAway(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let bytes = Array("photo".utf8)
        let file = Model.Attachment(
            id: .random(), questionId: "essay", name: "ёлка.jpg", mediaType: "image/jpeg", sizeBytes: 5,
            digest: Digest(sha256Of: bytes))
        let missing = Model.Attachment(
            id: .random(), questionId: "essay", name: "gone.jpg", mediaType: "image/jpeg", sizeBytes: 9,
            digest: Digest(sha256Of: [9]))
        let id = try await fixture.deliver(person: "Ада", ["essay": "So."], files: [file, missing], group: "7б")
        try await fixture.put("media/\(file.digest.hex)", bytes)
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            #expect(try await browser.page("/desk/q/exam/results").contains("/desk/q/exam/files.zip"))
            let reply = try await browser.get("/desk/q/exam/files.zip")
            #expect(reply.status == .ok && reply.headers[.contentType] == "application/zip")
            let zip = Array(reply.body.readableBytesView)
            #expect(zip.starts(with: [0x50, 0x4B, 3, 4]) && reply.headers[.contentLength] == "\(zip.count)")
            let text = String(decoding: zip, as: UTF8.self)
            #expect(text.contains("7б/Ада, attempt 1/2 ёлка.jpg") && text.contains("photo") && !text.contains("gone"))
            let hidden = try await browser.get("/desk/q/exam/files.zip?names=hidden")
            #expect(!String(decoding: Array(hidden.body.readableBytesView), as: UTF8.self).contains("Ада"))

            let paper = try await browser.get("/desk/t/\(id)/print")
            #expect(paper.text.contains("So.") && paper.text.contains("Ада") && !paper.text.contains("<script"))
            #expect(paper.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
            #expect(!(try await browser.page("/desk/t/\(id)/print?names=hidden")).contains("Ада"))
        }
    }
}
