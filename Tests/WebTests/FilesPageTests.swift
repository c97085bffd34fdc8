import HTTPServing
import HTTPTypes
import HummingbirdTesting
import Model
import NIOCore
import OutboxStore
import Quire
import ServedApplication
import Simulation
import Testing

@testable import Web

@Suite("Files that are attached on the page, without a script")
struct FilesPageTests {
    private static let boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"

    /// A part of a form; a file where it has a file name.
    private static func part(_ name: String, _ content: [UInt8], file: String? = nil, type: String? = nil) -> [UInt8] {
        var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\""
        if let file { head += "; filename=\"\(file)\"" }
        if let type { head += "\r\nContent-Type: \(type)" }
        return Array((head + "\r\n\r\n").utf8) + content + Array("\r\n".utf8)
    }

    private static let end = Array("--\(boundary)--\r\n".utf8)

    private func send(
        _ browser: Browser, _ uri: String, _ body: [UInt8], _ more: HTTPFields = [:],
        type: String = "multipart/form-data; boundary=\(boundary)"
    ) async throws -> TestResponse {
        var fields: HTTPFields = [.cookie: browser.cookie, .acceptLanguage: browser.language, .contentType: type]
        for field in more { fields[field.name] = field.value }
        return try await browser.client.executeRequest(
            uri: uri, method: .post, headers: fields, body: ByteBuffer(bytes: body))
    }

    /// As a browser sends the page's form.
    private func attach(
        _ browser: Browser, _ uri: String, _ name: String, _ content: [UInt8], type: String? = nil,
        _ more: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await send(
            browser, uri,
            Self.part("token", Array(browser.token.utf8)) + Self.part("file", content, file: name, type: type)
                + Self.end, more)
    }

    private func attachments(_ fixture: PageFixture, _ id: TestID) throws -> [Model.Attachment] {
        guard let item = try fixture.store.outbox.find(id) else { return [] }
        return try fixture.store.outbox.read(item).record.attachments
    }

    /// What lies in a folder of the outbox.
    private func files(_ fixture: PageFixture, _ folder: String) -> [String] {
        fixture.disk.dump().map(\.path).filter { $0.hasPrefix("outbox/\(folder)/") }
    }

    @Test("a file of a type that is not asked for is not attached, and the page says why, in the person's language")
    func types() async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish(
            "photos",
            """
            {"id": "photos", "title": "Photos", "questions": [
              {"id": "q1", "text": "Your map?", "kind": "file", "accept": "image/*,.pdf"}]}
            """)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve(.memory, isOnline: false) { browser, _ in
            let test = try await browser.post("/q/photos/begin").location
            let id = try #require(TestID(test.dropFirst(3)))
            let refused = try await attach(browser, "\(test)/files/1", "notes.txt", Array("notes".utf8))
            #expect(refused.status == .unprocessableContent)
            #expect(
                String(buffer: refused.body).contains(
                    "“notes.txt” is not attached: files of these types are asked for: image/*, .pdf."))
            #expect(try attachments(fixture, id).isEmpty)
            _ = try await attach(browser, "\(test)/files/1", "MAP.PDF", Array("map".utf8))
            #expect(try attachments(fixture, id).map(\.name) == ["MAP.PDF"])
        }
    }

    @Test("attached, listed, opened, taken away; shown in the review and the result", arguments: Way.allCases)
    func whole(_ way: Way) async throws {
        let fixture = try await PageFixture()
        let png =
            Array("\u{89}PNG\r\n\r\n--\(Self.boundary.dropLast())\r\n".utf8) + (0..<70_000).map { UInt8($0 % 251) }
        try await fixture.serve(way, isOnline: false) { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            let id = try #require(TestID(test.dropFirst(3)))
            // What was answered is saved on the way there.
            let page = try await browser.post(
                test, [("shown", "2"), ("was.2", "-"), ("a.2", "Because"), ("at", "2"), ("go", "files-2")]
            ).location
            #expect(page == "\(test)/files/3")
            let empty = try await browser.get(page).text
            #expect(empty.contains("No files are attached") && empty.contains("multipart/form-data"))
            #expect(try await attach(browser, page, "Небо 1.png", png, type: "image/png").location == page)
            #expect(try await attach(browser, page, "notes.pdf", [1, 2, 3]).location == page)
            let known = try attachments(fixture, id)
            #expect(known.map(\.name) == ["Небо 1.png", "notes.pdf"] && known.allSatisfy { $0.questionId == "q3" })
            #expect(known[0].digest == Digest(sha256Of: png) && known[0].mediaType == "image/png")
            let listed = try await browser.get(page).text
            #expect(listed.contains("Небо 1.png") && listed.contains("70 kB") && listed.contains("goes with the test"))
            let draft = try await browser.get("\(test)?n=3").text
            #expect(draft.contains("Because") && draft.contains("notes.pdf") && draft.contains("Add or remove"))

            let picture = try await browser.get("\(test)/file/\(known[0].id)")
            #expect(picture.status == .ok && Array(picture.body.readableBytesView) == png)
            #expect(
                picture.headers[.contentType] == "image/png" && picture.header("X-Content-Type-Options") == "nosniff")
            #expect(picture.header("Content-Security-Policy")?.contains("sandbox") == true)
            let part = try await browser.get("\(test)/file/\(known[0].id)", [.range: "bytes=1-3"])
            #expect(part.status == .partialContent && Array(part.body.readableBytesView) == Array(png[1...3]))
            let document = try await browser.get("\(test)/file/\(known[1].id)")
            #expect(document.headers[.contentType] == "application/octet-stream")
            #expect(document.header("Content-Disposition") == "attachment; filename*=UTF-8''notes.pdf")
            #expect(try await browser.get("\(test)/file/\(TestID.random())").status == .notFound)
            // Without the cookie it is not visible.
            var stranger = browser
            stranger.cookie = ""
            #expect(try await stranger.get("\(test)/file/\(known[0].id)").status == .unauthorized)

            for _ in 0..<2 {
                let gone = try await browser.post("\(test)/detach", [("file", "\(known[1].id)"), ("n", "3")])
                #expect(gone.location == page)
            }
            #expect(try attachments(fixture, id).map(\.name) == ["Небо 1.png"])
            #expect(try await browser.get(test + "/review").text.contains("Небо 1.png"))
            // While its bytes are missing, that is reported, and it is not finished.
            let place = OutboxLayout.mediaPath(known[0].digest)
            let kept = try #require(fixture.disk.contents(place))
            try fixture.disk.remove(place)
            #expect(try await browser.post(test + "/finish").location == test + "/review")
            let review = try await browser.get(test + "/review").text
            #expect(review.contains("Not on this device any more: “Небо 1.png”") && review.contains("\(test)?n=3"))
            try fixture.disk.put(place, kept)
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0"), ("go", "review")])
            _ = try await browser.post(test + "/finish")
            let result = try await browser.get(test).text
            #expect(result.contains("Небо 1.png") && result.contains("Saved locally"))
            // Finished, nothing is attached any more.
            #expect(try await attach(browser, page, "late.png", png).location == test)
            #expect(try await browser.get(page).location == test)
            #expect(
                try await browser.post("\(test)/detach", [("file", "\(known[0].id)"), ("n", "3")]).location == test)
            #expect(try attachments(fixture, id).count == 1 && files(fixture, "tmp").isEmpty)
        }
    }

    @Test(
        "whatever a file is called, it gets a name that leads nowhere and shows nothing but itself",
        arguments: [
            ("../../etc/passwd", "passwd"), ("C:\\fakepath\\photo.jpg", "photo.jpg"), ("..", "file"),
            ("a%0D%0ASet-Cookie: x%22.png", "aSet-Cookie: x\".png"), ("<script>alert(1)</script>.png", "script>.png"),
            ("\u{202E}gnp.exe", "gnp.exe"), (String(repeating: "я", count: 400) + ".jpeg", nil), ("/", "file"),
            ("%", "%"), ("'\"><img src=x onerror=alert(1)>", "'"),
        ] as [(String, String?)])
    func names(_ given: String, _ expected: String?) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(isOnline: false) { browser, _ in
            let id = try await fixture.draft()
            let page = "/t/\(id)/files/1"
            #expect(try await attach(browser, page, given, [1, 2, 3]).status == .seeOther)
            let attachment = try #require(try attachments(fixture, id).first)
            if let expected { #expect(attachment.name == expected) }
            #expect(Model.Attachment.fault(inName: attachment.name) == nil)
            let shown = try await browser.get(page)
            #expect(shown.status == .ok && !shown.text.contains("<img src=x") && !shown.text.contains("script>."))
            let opened = try await browser.get("/t/\(id)/file/\(attachment.id)")
            #expect(opened.status == .ok && opened.header("Set-Cookie") == nil)
            #expect(opened.header("Content-Disposition")?.utf8.allSatisfy { (0x20..<0x7F).contains($0) } == true)
        }
    }

    @Test("what is no form of this page attaches nothing and leaves nothing behind", arguments: Way.allCases)
    func refused(_ way: Way) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(way, isOnline: false) { browser, opened in
            let id = try await fixture.draft()
            let page = "/t/\(id)/files/1"
            let token = Self.part("token", Array(browser.token.utf8))
            let file = Self.part("file", Array("x".utf8), file: "a.png")
            let long = Array("--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"".utf8)
            let wrong: [([UInt8], HTTPResponse.Status)] = [
                (file + token + Self.end, .forbidden), (file + Self.end, .forbidden), (Self.end, .forbidden),
                (Self.part("token", Array("0".utf8)) + file + Self.end, .forbidden),
                (Self.part("token", [UInt8](repeating: 0x30, count: 100_000)) + file + Self.end, .forbidden),
                (token + Self.end, .badRequest), (token + Self.part("file", [], file: "") + Self.end, .badRequest),
                (token + file, .badRequest), (token + file.dropLast(3), .badRequest),
                (token + long + [UInt8](repeating: 0x61, count: 20_000), .badRequest),
                (token + Array("--\(Self.boundary)\r\n\r\nx\r\n".utf8) + Self.end, .badRequest),
                (token + Array("--\(Self.boundary)xx".utf8) + file, .badRequest),
                (Array("nothing of the kind".utf8), .badRequest), ([], .badRequest),
            ]
            for (body, status) in wrong {
                let reply = try await send(browser, page, body)
                #expect(reply.status == status, "\(String(decoding: body.prefix(300), as: UTF8.self)): \(reply.status)")
            }
            for type in [
                "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a b\"",
                "multipart/form-data; boundary=\(String(repeating: "x", count: 71))",
            ] {
                #expect(try await send(browser, page, token + file + Self.end, type: type).status == .badRequest)
            }
            // Where no files belong, such a form is none; and one of another page is refused unread.
            #expect(try await send(browser, "/t/\(id)", token + file + Self.end).status == .unsupportedMediaType)
            #expect(
                try await attach(browser, page, "a.png", [1], [.origin: "http://127.0.0.1:1"]).status == .forbidden)
            #expect(try await attach(browser, page, "a.png", [1], [.secFetchSite: "same-site"]).status == .forbidden)
            var stranger = browser
            stranger.cookie = ""
            #expect(try await attach(stranger, page, "a.png", [1]).status == .unauthorized)
            #expect(try await attach(browser, "/t/\(id)/files/9", "a.png", [1]).status == .notFound)
            #expect(try await attach(browser, "/t/\(TestID.random())/files/1", "a.png", [1]).status == .notFound)
            #expect(try attachments(fixture, id).isEmpty)
            #expect(files(fixture, "tmp").isEmpty && files(fixture, "media").isEmpty)
            // The script hears it as data.
            let told = try await send(browser, page, token + file, [.accept: "application/json"])
            #expect(told.status == .badRequest && told.text.contains("\"problem\""))
        }
    }

    @Test("a disk without room for it says so, and what was there stays")
    func full() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(isOnline: false) { browser, _ in
            let id = try await fixture.draft()
            let page = "/t/\(id)/files/1"
            let reply = try await attach(browser, page, "film.mp4", [UInt8](repeating: 7, count: 9 << 20))
            #expect(reply.status.code == 507 && reply.text.contains("The disk is full"))
            #expect(try attachments(fixture, id).isEmpty && files(fixture, "tmp").isEmpty)
            #expect(try await attach(browser, page, "a.png", [1]).status == .seeOther)
        }
    }

    /// What is read of a form that comes in pieces, its content joined; `nil` where it is refused.
    private static func read(_ body: [UInt8], inPiecesOf size: Int) throws -> [MultipartReader.Event]? {
        var reader = try #require(
            MultipartReader(contentType: "multipart/form-data; charset=x; boundary=\"\(boundary)\""))
        var events: [MultipartReader.Event] = []
        do throws(MultipartReader.Fault) {
            for start in stride(from: 0, to: body.count, by: size) {
                for event in try reader.read(Array(body[start..<min(start + size, body.count)])) {
                    if case .bytes(let more) = event, case .bytes(let known)? = events.last {
                        events[events.count - 1] = .bytes(known + more)
                    } else {
                        events.append(event)
                    }
                }
            }
            try reader.finish()
            return events
        } catch {
            return nil
        }
    }

    @Test("a form that was tampered with is refused or read, the same wherever it is cut, and gives no more than came")
    func tampered() throws {
        var chance = SeededGenerator(seed: 11)
        let good =
            Self.part("token", Array("t".utf8)) + Self.part("file", Array("\r\n--x".utf8), file: "a;b.png", type: "a/b")
            + Self.end
        let pieces = ["\r\n", "--", "\r\n--\(Self.boundary)", "\"", "\\", ";", "filename=", "\r\n\r\n", "\u{0}", "%0A"]
        var readable = 0
        for _ in 0..<3000 {
            var body = good
            for _ in 0..<Int.random(in: 1...3, using: &chance) {
                let place = Int.random(in: 0..<body.count, using: &chance)
                switch Int.random(in: 0..<3, using: &chance) {
                case 0: body[place] = UInt8.random(in: 0...255, using: &chance)
                case 1: body.removeSubrange(place..<min(body.count, place + Int.random(in: 1...40, using: &chance)))
                default: body.insert(contentsOf: Array((pieces.randomElement(using: &chance) ?? "").utf8), at: place)
                }
                if body.isEmpty { body = good }
            }
            let whole = try Self.read(body, inPiecesOf: body.count)
            let size = Int.random(in: 1...60, using: &chance)
            #expect(try Self.read(body, inPiecesOf: size) == whole, "\(size): \(String(decoding: body, as: UTF8.self))")
            guard let whole else { continue }
            readable += 1
            let content = whole.reduce(0) { count, event in
                if case .bytes(let bytes) = event { count + bytes.count } else { count }
            }
            #expect(content <= body.count)
        }
        // Both kinds were met.
        #expect(readable > 100 && readable < 2900)
    }

    @Test("a form is read the same wherever it is cut")
    func pieces() throws {
        let body =
            Array("preamble\r\n".utf8) + Self.part("token", Array("t".utf8))
            + Self.part("file", Array("\r\n--\r\n-\(Self.boundary)\r\n".utf8), file: "a\\\"b;c.png", type: "image/png")
            + Self.part("file", [], file: "empty") + Self.end + Array("epilogue".utf8)
        let whole = try Self.read(body, inPiecesOf: body.count)
        #expect(
            whole == [
                .part(name: "token", fileName: nil, type: nil), .bytes(Array("t".utf8)), .endOfPart,
                .part(name: "file", fileName: "a\"b;c.png", type: "image/png"),
                .bytes(Array("\r\n--\r\n-\(Self.boundary)\r\n".utf8)), .endOfPart,
                .part(name: "file", fileName: "empty", type: nil), .endOfPart,
            ])
        for size in 1..<90 { #expect(try Self.read(body, inPiecesOf: size) == whole, "in pieces of \(size)") }
    }
}
