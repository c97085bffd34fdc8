import AuthorDrafts
import Foundation
import HTTPServing
import HTTPTypes
import HummingbirdTesting
import Model
import NIOCore
import Testing

@testable import Authoring
@testable import Desk
@testable import Host

@Suite("Pictures and sound of a draft")
struct MediaScreenTests {
    private static let png = Array(
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
            ?? Data())
    /// A GIF by its first bytes, and a page with a program by all others.
    private static let polyglot = Array("GIF89a/*<html><script>alert(document.cookie)</script>*/=1;".utf8)

    private static func body(_ fields: [(String, String)], _ name: String, _ bytes: [UInt8]) -> [UInt8] {
        var body: [UInt8] = []
        for (field, value) in fields {
            body += Array("--XX\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(value)\r\n".utf8)
        }
        body += Array(
            "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\nContent-Type: image/png\r\n\r\n"
                .utf8)
        return body + bytes + Array("\r\n--XX--\r\n".utf8)
    }

    private func upload(
        _ browser: DeskBrowser, _ path: String, _ name: String, _ bytes: [UInt8], alt: String = "",
        action: String = "add", typed: [(String, String)] = []
    ) async throws -> TestResponse {
        let hidden = try DeskBrowser.hidden(in: try await browser.page(path)).map { ($0.key, $0.value) }
        let body = Self.body(hidden + [("alt", alt), ("do", action)] + typed, name, bytes)
        return try await send(browser, path, body)
    }

    private func send(_ browser: DeskBrowser, _ path: String, _ body: [UInt8]) async throws -> TestResponse {
        var fields: HTTPFields = [.contentType: "multipart/form-data; boundary=XX"]
        fields[.cookie] = browser.cookie
        return try await browser.client.executeRequest(
            uri: path, method: .post, headers: fields, body: ByteBuffer(bytes: body))
    }

    @Test(
        "a picture is put into the draft's folder, shown in preview and trial, and published to where devices fetch it",
        arguments: DeskPlace.ofOneHost)
    func whole(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let (author, taker) = (try await fixture.key(.author).text, try await fixture.key(.taker).text)
        let path = ContentPath(Digest(sha256Of: Self.png), mediaType: "image/png")
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: author)
            let draft = try await browser.draftOfExam()
            let media = draft + "/q/q1/media"
            let added = try await upload(browser, media, "Карта <b>.exe", Self.png, alt: "A <map>")
            #expect(added.status == .seeOther && added.headers[.location] == media + "?said=saved")
            for screen in [media, draft + "/q/q1/preview", draft + "/try"] {
                let page = try await browser.page(screen)
                #expect(page.contains("<img src=\"\(draft)/file/\(path)\" alt=\"A &lt;map&gt;\""), "\(screen)")
            }
            let shown = try await browser.get(draft + "/file/\(path)")
            #expect(Array(shown.body.readableBytesView) == Self.png && shown.headers[.contentType] == "image/png")
            #expect(try await browser.page(draft).contains("1 file"))
            // Before it is published no device gets it.
            let bearer: HTTPFields = [.authorization: "Bearer \(taker)"]
            let early = try await client.executeRequest(
                uri: "/v1/questionnaires/\(path)", method: .get, headers: bearer, body: nil)
            #expect(early.status == .notFound)
            let check = try await browser.page(draft + "/publish")
            let form = try DeskBrowser.form(draft + "/publish", in: check)
            #expect(try await browser.post(draft + "/publish", form).status == .seeOther)
            let named = try #require(
                try await fixture.published()?.published.questionnaire.questions[0].media.first)
            #expect(named.path == path.description && named.alt == "A <map>" && named.type == "image/png")
            let file = try #require(MediaPath(named.path))
            #expect(try await fixture.media(file)?.digest == path.digest)
            // The draft went with its files; in a bucket its end stays for a while.
            if let store = fixture.store {
                let left = try await store.list(prefix: "drafts/", after: nil, limit: 10)
                #expect(left.map(\.sizeBytes) == [0])
            } else {
                let folder = fixture.data.appending("drafts").string
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            }
            // A new draft shows the published one.
            let again = try await browser.draftOfExam()
            let published = try await browser.get(again + "/file/\(path)")
            #expect(Array(published.body.readableBytesView) == Self.png)
        }
    }

    @Test(
        "a draft of an old version shows and publishes its picture; where the picture is nowhere, it is not published")
    func oldVersion() async throws {
        let fixture = try DeskFixture()
        let key = try await fixture.key(.author).text
        let path = ContentPath(Digest(sha256Of: Self.png), mediaType: "image/png")
        let file = fixture.root.appending("questionnaires/\(path)").string
        @Sendable func published() async throws -> Questionnaire {
            try #require(try await fixture.published()).published.questionnaire
        }
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let first = try await browser.draftOfExam()
            _ = try await upload(browser, first + "/q/q1/media", "a.png", Self.png)
            _ = try await browser.send(first + "/publish", [:])
            let old = try #require(
                try await browser.page("/desk/write/of/exam").firstMatch(
                    of: #/href="(/desk/write/of/exam/[0-9a-f]{64})"[^\n]*?published now/#)
            ).output.1
            fixture.clock.advance(by: .seconds(60))
            let second = try await browser.draftOfExam()
            _ = try await browser.send(second + "/q/q1/media", ["do": "remove.0"])
            _ = try await browser.send(second + "/publish", [:])
            #expect(try await published().media.isEmpty)
            let taken = try #require(try await browser.send(String(old), [:]).headers[.location])
            let third = String(taken.prefix { $0 != "?" })
            let shown = try await browser.get(third + "/file/\(path)")
            #expect(Array(shown.body.readableBytesView) == Self.png && shown.headers[.contentType] == "image/png")
            #expect(shown.headers[.contentSecurityPolicy]?.contains("sandbox") == true)
            try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
            #expect(try await browser.get(third + "/file/\(path)").status == .notFound)
            let check = try await browser.page(third + "/publish")
            #expect(check.contains("<a href=\"\(third)/q/q1\">Question 1</a>"))
            #expect(check.contains("File 1 of its pictures and sounds is missing"))
            let refused = try await browser.send(third + "/publish", [:])
            #expect(refused.headers[.location] == third + "/publish")
            #expect(try await published().media.isEmpty)
            try FileManager.default.moveItem(atPath: file + ".away", toPath: file)
            _ = try await browser.send(third + "/publish", [:])
            #expect(try await published().media.map(\.path) == [path.description])
            let named = try #require(MediaPath(path.description))
            #expect(try await fixture.media(named)?.digest == path.digest)
        }
    }

    @Test(
        "descriptions, order and removal; the files of a section are those of its passage",
        arguments: DeskPlace.allCases)
    func editing(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            let media = draft + "/q/q1/media"
            _ = try await upload(browser, media, "a.png", Self.png, alt: "First")
            _ = try await upload(browser, media, "b.wav", Array("RIFF....WAVEfmt ".utf8), alt: "")
            let page = try await browser.page(media)
            #expect(page.contains("<audio controls") && page.contains("aria-label=\"Description of file 2\""))
            func change(_ fields: [String: String]) async throws {
                #expect(try await browser.send(media, fields).status == .seeOther)
            }
            try await change(["alt.0": "First", "alt.1": "A song", "do": "up.1"])
            let document = DraftDocument(
                try #require(try await fixture.drafts().first).document)
            #expect(
                document.question("q1")?.members["media"]?.elements?.map { $0.members?["alt"]?.text } == [
                    "A song", "First",
                ])
            try await change(["alt.0": "A song", "alt.1": "First", "do": "remove.0"])
            let rest = DraftDocument(try #require(try await fixture.drafts().first).document)
            #expect(rest.question("q1")?.members["media"]?.elements?.count == 1)
        }
    }

    @Test(
        "a chosen file is added by whatever button is pressed; where it is refused, the typed descriptions are saved",
        arguments: DeskPlace.allCases)
    func chosen(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            let media = draft + "/q/q1/media"
            func descriptions() async throws -> [String?] {
                let document = DraftDocument(try #require(try await fixture.drafts().first).document)
                return (document.media(at: .question("q1")) ?? []).map { $0["alt"]?.text }
            }
            // The Enter key presses the first button of the form.
            let added = try await upload(browser, media, "a.png", Self.png, alt: "First", action: "save")
            #expect(added.headers[.location] == media + "?said=saved")
            #expect(try await descriptions() == ["First"])
            let both = try await upload(browser, media, "b.gif", Self.polyglot, alt: "Second", action: "remove.0")
            #expect(both.status == .seeOther)
            #expect(try await descriptions() == ["Second"])
            let refused = try await upload(
                browser, media, "c.pdf", Array("%PDF-1.7".utf8), alt: "A <page>", action: "save",
                typed: [("alt.0", "Typed")])
            #expect(refused.status == .unprocessableContent && refused.text.contains("role=\"alert\""))
            #expect(refused.text.contains("value=\"A &lt;page&gt;\""))
            #expect(try await descriptions() == ["Typed"])
            // The field of a form without a chosen file.
            let saved = try await upload(browser, media, "", [], action: "save", typed: [("alt.0", "Again")])
            #expect(saved.headers[.location] == media + "?said=saved")
            #expect(try await descriptions() == ["Again"])
        }
    }

    @Test(
        "what is not shown everywhere is refused by its content, whatever its name says",
        arguments: [
            "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
            "<!doctype html><script>alert(1)</script>",
            "%PDF-1.7", "MZ....", "",
        ])
    func refused(_ content: String) async throws {
        let fixture = try DeskFixture()
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            let reply = try await upload(browser, draft + "/q/q1/media", "<i>cat.png", Array(content.utf8))
            #expect(reply.status == .unprocessableContent)
            #expect(reply.text.contains("role=\"alert\"") && !reply.text.contains("<i>cat"))
            #expect(try await fixture.drafts().first?.version == 1)
        }
    }

    @Test(
        "a file that is a picture and a page is sent as a picture, in a sandbox that runs nothing",
        arguments: DeskPlace.allCases)
    func polyglot(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            _ = try await upload(browser, draft + "/q/q1/media", "page.html", Self.polyglot)
            let path = ContentPath(Digest(sha256Of: Self.polyglot), mediaType: "image/gif")
            let shown = try await browser.get(draft + "/file/\(path)")
            #expect(shown.status == .ok && shown.headers[.contentType] == "image/gif")
            #expect(shown.headers[.xContentTypeOptions] == "nosniff")
            let policy = shown.headers[.contentSecurityPolicy] ?? ""
            #expect(
                policy.contains("default-src 'none'") && policy.contains("sandbox") && !policy.contains("allow-scripts")
            )
            for wrong in ["/file/media/../../../access", "/file/exam.json", "/file/media/x.png"] {
                #expect(try await browser.get(draft + wrong).status == .notFound, "\(wrong)")
            }
        }
    }

    @Test(
        "too long a file, half a form, a foreign form and a stranger put nothing there", arguments: DeskPlace.allCases)
    func bounds(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            let media = draft + "/q/q1/media"
            // Both with the form within its bound, and beyond it.
            for extra in [0, DeskPages.maximumFormBytes] {
                let long = Self.png + [UInt8](repeating: 0, count: DraftStore.maximumMediaBytes + extra)
                let refused = try await upload(browser, media, "a.png", long)
                #expect(refused.status == .contentTooLarge)
                #expect(refused.text.contains("The file is longer than 16 MB."))
            }
            let body = Self.body([("token", "guessed"), ("version", "1"), ("do", "add")], "a.png", Self.png)
            #expect(try await send(browser, media, body).status == .forbidden)
            #expect(try await send(browser, media, Array(body.dropLast(20))).status == .badRequest)
            #expect(try await send(DeskBrowser(client), media, body).status == .unauthorized)
            #expect(try await fixture.drafts().first?.version == 1)
        }
    }

    @Test("a form with a file is read like any other form")
    func reading() throws {
        let read = try #require(
            UploadedFile.read(
                Self.body([("a", "x & \"y\""), ("b", "ы")], "n\u{0}ame", [1, 2, 13, 10]),
                "multipart/form-data; boundary=XX"))
        #expect(read.form["a"] == "x & \"y\"" && read.form["b"] == "ы")
        #expect(read.file?.bytes == [1, 2, 13, 10])
        #expect(UploadedFile.read([], "multipart/form-data; boundary=XX") == nil)
        #expect(UploadedFile.read([], "multipart/form-data") == nil)
    }
}
