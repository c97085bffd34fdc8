import HTTPTypes
import HummingbirdTesting
import Testing

@testable import Authoring
@testable import Desk

@Suite("A question in the frames of its form")
struct PreviewTests {
    @Test(
        "only the frame's own page may be framed, by the desk alone, and only the form frames anything",
        arguments: DeskPlace.allCases)
    func policies(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let (author, taker) = (try await fixture.key(.author).text, try await fixture.key(.taker).text)
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: author)
            let draft = try await browser.draftOfExam()
            func policy(_ path: String) async throws -> String {
                try await browser.get(path).headers[.contentSecurityPolicy] ?? ""
            }
            let frame = try await policy(draft + "/q/q1/preview")
            #expect(frame.contains("frame-ancestors 'self'") && frame.contains("form-action 'none'"))
            #expect(!frame.contains("script-src") && frame.hasPrefix("default-src 'none'"))
            let form = try await policy(draft + "/q/q1")
            #expect(form.contains("frame-src 'self'") && form.contains("frame-ancestors 'none'"))
            for path in [draft, draft + "/try", draft + "/settings", "/desk/", "/desk/nothing"] {
                let policy = try await policy(path)
                #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("frame-src"), "\(path)")
            }
            let page = try await browser.page(draft + "/q/q1")
            #expect(
                page.matches(of: /<iframe class="\w+" src="[^"]+\/preview" title="[^"]+" sandbox="allow-same-origin">/)
                    .count == 2)
            let shown = try await browser.page(draft + "/q/q1/preview")
            #expect(shown.contains("Capital of France?") && !shown.contains("<script") && !shown.contains("<form"))
            // An id with a slash is an id.
            #expect(try await browser.page(draft + "/q/why%2Fnot/preview").contains("And why not?"))
            #expect(try await browser.get(draft + "/q/none/preview").status == .notFound)
            #expect(try await DeskBrowser(client).get(draft + "/q/q1/preview").status == .unauthorized)
            await #expect(throws: DeskBrowser.NotIn.self) { try await DeskBrowser(client, key: taker) }
        }
    }

    @Test("a question that is not right yet has no frames, and its page says what to do", arguments: DeskPlace.allCases)
    func unready(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            _ = try await browser.send(draft, ["do": "add", "kind": "choice"])
            let page = try await browser.page(draft + "/q/q2")
            #expect(!page.contains("<iframe"))
            #expect(try await browser.page(draft + "/q/q2/preview").contains("This question is not right yet"))
        }
    }
}
