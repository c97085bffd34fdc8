import HTTPTypes
import HummingbirdTesting
import Model
import NIOCore
import Quire
import Simulation
import Testing

@testable import Web

@Suite("A question that files answer, on the page without a script")
struct FileKindTests {
    private static let question = """
        {"id": "photo", "kind": "file", "text": "The nest?", "capture": "camera", "maxFiles": 2, "required": true}
        """

    /// As a browser sends the form of the field: the token stands before the file in the page.
    private func attach(_ browser: Browser, _ uri: String, _ name: String) async throws -> TestResponse {
        var body = "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n\(browser.token)\r\n"
        body += "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n"
        body += "Content-Type: image/png\r\n\r\n\(name)\r\n--b--\r\n"
        let fields: HTTPFields = [
            .cookie: browser.cookie, .acceptLanguage: browser.language, .contentType: "multipart/form-data; boundary=b",
        ]
        return try await browser.client.executeRequest(
            uri: uri, method: .post, headers: fields, body: ByteBuffer(string: body))
    }

    @Test("its field is on its card, as the author asks for it; it is full at the limit, and one is removed there")
    func card() async throws {
        let fixture = try await KindFieldTests.fixture(Self.question)
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/kinds/begin").location
            let empty = try await browser.get(test).text
            let field = empty.split(separator: "<").first { $0.contains("type=\"file\"") } ?? ""
            for part in ["form=\"attach0\"", "accept=\"image/*\"", "capture=\"environment\"", " multiple"] {
                #expect(field.contains(part), "\(field)")
            }
            #expect(empty.contains("At most 2 files.") && !empty.contains("Attach a file…"))
            // A form's fields are sent in the order of the page, and the token authenticates the file.
            let form = try #require(empty.firstRange(of: "<form id=\"attach0\""))
            #expect(form.lowerBound < (try #require(empty.firstRange(of: "type=\"file\""))).lowerBound)
            #expect(empty.contains("action=\"\(test)/files/1\""))
            // It is required.
            #expect(try await browser.get(test + "/review").text.contains("still needs an answer"))
            for name in ["a.png", "b.png"] {
                let back = try await attach(browser, test + "/files/1", name)
                #expect(back.status == .seeOther && back.location == test + "?n=1#q0")
            }
            let full = try await browser.get(test).text
            #expect(full.contains("data-full") && full.contains("b.png") && full.contains("form=\"detach0\""))
            let refused = try await attach(browser, test + "/files/1", "c.png")
            #expect(refused.status == .unprocessableContent)
            #expect(refused.text.contains("At most 2 files. Remove one to attach another."))
            let id = try #require(TestID(test.dropFirst(3)))
            let item = try #require(try fixture.store.outbox.find(id))
            let known = try fixture.store.outbox.read(item).record.attachments
            #expect(known.map(\.name) == ["a.png", "b.png"])
            let away = try await browser.post(
                test + "/detach", [("n", "1"), ("file", known[0].id.description)]
            ).location
            #expect(away == test + "?n=1#q0")
            #expect(try fixture.store.outbox.read(item).record.attachments.map(\.name) == ["b.png"])
            let review = try await browser.get(test + "/review").text
            #expect(review.contains("b.png") && !review.contains("still needs an answer"))
        }
    }

    @Test("on one page with others the way to files saves what is typed first")
    func all() async throws {
        let fixture = try await KindFieldTests.fixture(
            Self.question + #", {"id": "why", "kind": "text", "text": "Why?"}"#)
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/kinds/begin").location
            let page = try await browser.get(test + "?view=all").text
            #expect(page.contains("class=\"taking scripted\"") && page.contains("class=\"attaching unscripted\""))
            let form = [("shown", "1"), ("was.1", "-"), ("a.1", "so"), ("view", "all"), ("go", "files-0")]
            #expect(try await browser.post(test, form).location == test + "/files/1")
            #expect(try fixture.answer("why") == "so")
            let files = try await browser.get(test + "/files/1").text
            #expect(files.contains("capture=\"environment\"") && files.contains("At most 2 files."))
        }
    }
}
