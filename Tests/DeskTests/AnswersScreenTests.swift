import HummingbirdTesting
import Model
import Testing

@testable import Desk
@testable import Host

@Suite("Free answers on the desk")
struct AnswersScreenTests {
    @Test(
        "answers are searched by a word, counted, and lead to their tests; nothing in them is markup",
        arguments: DeskPlace.allCases)
    func search(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let id = try await fixture.deliver(person: "Ada", ["essay": "The <b>trees</b> are old", "q1": "Paris"])
        try await fixture.deliver(person: "Boris", ["essay": "Stones and trees"])
        try await fixture.deliver(person: "Clara", ["essay": "Stones"])
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            let all = try await browser.page("/desk/q/exam/answers")
            #expect(all.contains("3 answers"))
            #expect(all.contains("The &lt;b&gt;trees&lt;/b&gt; are old") && !all.contains("<b>trees"))
            #expect(all.contains("search=trees\"") && all.contains("search=stones\"") && !all.contains("Paris"))
            let found = try await browser.page("/desk/q/exam/answers?search=trees&question=essay")
            // The word that was searched for is in the field, and not again among the frequent ones.
            #expect(!found.contains("search=trees\""))
            #expect(
                found.contains("2 of 3 answers") && found.contains("/desk/t/\(id)\"") && !found.contains(">Stones<"))
            #expect(found.contains("value=\"trees\"") && found.contains("Ada"))
            let hidden = try await browser.page("/desk/q/exam/answers?search=trees&names=hidden")
            #expect(!hidden.contains("Ada") && hidden.contains("names=hidden"))
            let hostile = try await browser.page("/desk/q/exam/answers?search=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
            #expect(!hostile.contains("<script>alert") && hostile.contains("0 of 3 answers"))
            #expect(try await browser.page("/desk/q/exam/answers?search=stones&attempt=all").contains("2 of 3 answers"))
            #expect(try await browser.page("/desk/q/exam/statistics").contains("/desk/q/exam/answers?question=essay"))
            // A test that arrives is found at once.
            try await fixture.deliver(person: "Dora", ["essay": "More trees"])
            #expect(try await browser.page("/desk/q/exam/answers?search=trees").contains("3 of 4 answers"))
        }
        let author = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: author)
            #expect(try await browser.get("/desk/q/exam/answers").status == .forbidden)
        }
    }
}
