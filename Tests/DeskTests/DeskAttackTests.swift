import HTTPTypes
import HummingbirdTesting
import Model
import Testing

@testable import Desk
@testable import Host

@Suite("What people hand in does nothing at the desk")
struct DeskAttackTests {
    @Test(
        "a drawing with a program is a picture at most, and a page not even that; opened alone they are in a sandbox that runs nothing",
        arguments: [
            ("drawing.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"),
            ("page.html", "text/html", "<!doctype html><script>alert(1)</script>"),
            // A name and a type of a picture make no picture of it.
            ("photo.jpg", "image/jpeg", "<!doctype html><script>alert(1)</script>"),
        ])
    func upload(name: String, type: String, text: String) async throws {
        let fixture = try DeskFixture()
        let bytes = Array(text.utf8)
        let file = Model.Attachment(
            id: .random(), questionId: "essay", name: name, mediaType: type, sizeBytes: Int64(bytes.count),
            digest: Digest(sha256Of: bytes))
        let id = try await fixture.deliver(person: "Mallory", ["essay": "So."], files: [file])
        try await fixture.put("media/\(file.digest.hex)", bytes)
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            let shown = try await browser.page("/desk/t/\(id)")
            #expect(shown.contains(name) && !shown.contains("alert(1)"))
            // Browsers run no program of a drawing in an <img>.
            #expect(!shown.contains("<object") && !shown.contains("<iframe") && !shown.contains("<embed"))
            if type == "text/html" { #expect(!shown.contains("<img src")) }
            let reply = try await browser.get("/desk/t/\(id)/files/\(file.id)")
            #expect(reply.status == .ok && reply.text == text)
            #expect(reply.headers[.contentDisposition]?.hasPrefix("attachment;") == true)
            let policy = try #require(reply.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && policy.contains("sandbox"))
            #expect(!policy.contains("allow-scripts") && reply.headers[.xContentTypeOptions] == "nosniff")
        }
    }

    @Test(
        "files of persons and groups with hostile names leave no folder of the archive", arguments: DeskPlace.allCases)
    func archive(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let bytes = Array("photo".utf8)
        let file = Model.Attachment(
            id: .random(), questionId: "essay", name: "photo.jpg", mediaType: "image/jpeg", sizeBytes: 5,
            digest: Digest(sha256Of: bytes))
        try await fixture.deliver(
            person: "/etc/../../passwd", ["essay": "So."], files: [file], group: "..\\..\\C:\\windows")
        try await fixture.deliver(person: "..", ["essay": "So."], files: [file], group: "..")
        try await fixture.put("media/\(file.digest.hex)", bytes)
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            let reply = try await browser.get("/desk/q/exam/files.zip")
            let zip = String(decoding: Array(reply.body.readableBytesView), as: UTF8.self)
            #expect(reply.status == .ok && zip.contains("photo.jpg"))
            #expect(!zip.contains("../") && !zip.contains("..\\") && !zip.contains("C:\\"))
        }
    }

    @Test(
        "a screen asks for four files beside itself, which browsers keep for good; the script is below 60 kB",
        arguments: DeskPlace.allCases)
    func requests(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let id = try await fixture.deliver(person: "Ada", ["q1": "Paris", "essay": "So."])
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            var files: Set<String> = []
            for path in [
                "/desk/", "/desk/q/exam", "/desk/q/exam/results", "/desk/q/exam/statistics", "/desk/q/exam/marking",
                "/desk/q/exam/marking/essay", "/desk/q/exam/watching", "/desk/q/exam/comments", "/desk/t/\(id)",
                try await browser.draftOfExam(), "/desk/write/of/exam",
            ] {
                let page = try await browser.page(path)
                #expect(page.utf8.count < 20_000, "\(path) has \(page.utf8.count) bytes")
                let found = page.matches(of: /<(?:link|script|img|audio|video)[^>]* (?:href|src)="([^"]+)"/)
                #expect(found.count == 4, "\(path)")
                files.formUnion(found.map { String($0.output.1) })
            }
            #expect(files.count == 4, "\(files)")
            var bytes = 0
            for file in files {
                let reply = try await browser.get(file)
                #expect(reply.status == .ok && reply.headers[.cacheControl]?.contains("immutable") == true, "\(file)")
                if file.contains(".js") { #expect(reply.body.readableBytes < 60_000, "\(file)") }
                bytes += reply.body.readableBytes
            }
            #expect(bytes < 60_000, "all four have \(bytes) bytes")
        }
    }
}
