import Disk
import Foundation
import HTTPCaching
import HTTPTypes
import HummingbirdTesting
import Model
import ServedApplication
import Testing

@testable import Host

private let oneQuestion = #"[{"id": "q1", "text": "?", "kind": "text"}]"#

@Suite("Questionnaires are published as their files say")
struct QuestionnaireTests {
    @Test("all bytes but the key's arrive, with their digest and validators", arguments: Way.allCases)
    func document(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let response = try await fixture.serve(way) { try await $0.get("/v1/questionnaires/colours") }
        #expect(response.status == .ok)
        #expect(response.text == coloursPublished)
        let digest = Digest(sha256Of: coloursPublished.utf8)
        #expect(response.headers[.eTag] == "\"\(digest.hex)\"")
        #expect(response.headers.contentDigest == DigestField.format(digest))
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.headers[.cacheControl] == "max-age=60")
        #expect(response.headers[.vary] == "Accept-Encoding")
        #expect(response.headers[.lastModified] == "Fri, 20 Nov 2026 04:51:00 GMT")
        #expect(response.headers[.contentEncoding] == nil)
    }

    @Test(
        "the key never leaves, however its name is written",
        arguments: [
            #"{"id": "a", "title": "A", "answer\u004bey": {"q1": "SECRET"}, "questions": \#(oneQuestion)}"#,
            #"{"id": "a", "title": "A", "questions": \#(oneQuestion), "multi\u0041nswerKey" : {"q1": ["SECRET"]}}"#,
            "{\"id\": \"a\", \"title\": \"A\", \"questions\": [], \"answer\u{212A}ey\": {\"q1\": \"SECRET\"}}",
        ])
    func key(_ text: String) async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", text)
        try await fixture.serve { client in
            let response = try await client.get("/v1/questionnaires/a")
            #expect(response.status == .ok)
            #expect(!response.text.contains("SECRET"))
            #expect(!response.text.lowercased().contains("swer"))
            _ = try JSONText(checking: response.bytes)
            let compressed = try await client.get("/v1/questionnaires/a", [.acceptEncoding: "gzip"])
            let bytes =
                compressed.headers[.contentEncoding] == "gzip"
                ? try Gzip.decompress(compressed.bytes, maximumBytes: 10_000) : compressed.bytes
            #expect(bytes == response.bytes)
            for path in ["/v1/questionnaires", "/v1/questionnaires/a.json", "/v1/questionnaires/media/a.json"] {
                #expect(try await !client.get(path).text.contains("SECRET"))
            }
        }
    }

    @Test(
        "a file in which a name stands twice is not published: two readers could read two things",
        arguments: [
            #"{"answerKey": {"q1": "SECRET"}, "id": "a", "title": "A", "answerKey": {"q1": "SECRET"}, "questions": [{"id": "q1", "text": "?", "kind": "text"}]}"#,
            #"{"id": "a", "title": "A", "questions": [], "\u0061nswerKey": {}, "answerKey": {"q1": "SECRET"}}"#,
        ])
    func twice(_ text: String) async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", text)
        try await fixture.serve { client in
            let response = try await client.get("/v1/questionnaires/a")
            #expect(response.status == .notFound)
            #expect(!response.text.contains("SECRET"))
        }
    }

    @Test("gzip is another representation with its own ETag and the digest of what is sent", arguments: Way.allCases)
    func gzip(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.serve(way) { client in
            let plain = try await client.get("/v1/questionnaires/colours")
            for _ in 0..<2 {
                let response = try await client.get("/v1/questionnaires/colours", [.acceptEncoding: "br, gzip;q=0.8"])
                #expect(response.headers[.contentEncoding] == "gzip")
                #expect(response.headers[.vary] == "Accept-Encoding")
                #expect(try Gzip.decompress(response.bytes, maximumBytes: 10_000) == plain.bytes)
                #expect(response.headers.contentDigest == DigestField.format(Digest(sha256Of: response.bytes)))
                let tag = try #require(plain.headers[.eTag])
                #expect(response.headers[.eTag] == tag.dropLast() + "-gzip\"")
            }
            let refused = try await client.get("/v1/questionnaires/colours", [.acceptEncoding: "gzip;q=0, *"])
            #expect(refused.headers[.contentEncoding] == nil)
        }
    }

    @Test("who wants another version hears 412, also of a HEAD, and before anything of a copy is looked at")
    func preconditions() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.serve { client in
            let path = "/v1/questionnaires/colours"
            let tag = try #require(try await client.get(path).headers[.eTag])
            for fields: HTTPFields in [
                [.ifMatch: "\"x\""], [.ifMatch: "\"x\"", .ifNoneMatch: tag],
                [.ifUnmodifiedSince: "Sun, 01 Nov 2026 00:00:00 GMT"],
            ] {
                let refused = try await client.get(path, fields)
                #expect(refused.status == .preconditionFailed && refused.headers[.eTag] == tag, "\(fields)")
                #expect(try refused.problem().type == "urn:quire:problem:precondition-failed")
                let head = try await client.head(path, fields)
                #expect(head.status == .preconditionFailed && head.bytes.isEmpty)
            }
            #expect(try await client.get(path, [.ifMatch: tag]).status == .ok)
            #expect(try await client.get(path, [.ifMatch: tag, .ifNoneMatch: tag]).status == .notModified)
            #expect(try await client.get("/v1/questionnaires", [.ifMatch: "\"x\""]).status == .preconditionFailed)
        }
    }

    @Test("who has it hears 304 and no body, by an ETag of what it takes or by date", arguments: Way.allCases)
    func notModified(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.serve(way) { client in
            let path = "/v1/questionnaires/colours"
            let tag = try #require(try await client.get(path).headers[.eTag])
            let gzipTag = String(tag.dropLast() + "-gzip\"")
            let conditions: [(HTTPFields, String)] = [
                ([.ifNoneMatch: tag], tag),
                ([.ifNoneMatch: "\"x\", W/\(tag)"], tag), ([.ifNoneMatch: tag, .acceptEncoding: "gzip"], tag),
                ([.ifNoneMatch: gzipTag, .acceptEncoding: "gzip"], gzipTag), ([.ifNoneMatch: "*"], tag),
                ([.ifModifiedSince: "Fri, 20 Nov 2026 04:51:00 GMT"], tag),
                ([.ifModifiedSince: "Sat, 21 Nov 2026 00:00:00 GMT"], tag),
            ]
            for (fields, expected) in conditions {
                let response = try await client.get(path, fields)
                #expect(response.status == .notModified, "\(fields)")
                #expect(response.bytes.isEmpty)
                #expect(response.headers[.eTag] == expected)
                #expect(response.headers[.cacheControl] == "max-age=60")
                #expect(response.headers[.vary] == "Accept-Encoding")
                #expect(response.headers[.contentLength] == nil)
                #expect(response.headers[.contentType] == nil)
            }
            let others: [HTTPFields] = [
                [.ifNoneMatch: "\"x\""], [.ifNoneMatch: ""],
                // What is gzipped is of no use to a client that takes none.
                [.ifNoneMatch: gzipTag], [.ifNoneMatch: gzipTag, .acceptEncoding: "gzip;q=0"],
                [.ifModifiedSince: "Thu, 19 Nov 2026 00:00:00 GMT"],
                [.ifModifiedSince: "yesterday"],
                // The date does not count beside an ETag (RFC 9110 section 13.1.3).
                [.ifNoneMatch: "\"x\"", .ifModifiedSince: "Sat, 21 Nov 2026 00:00:00 GMT"],
            ]
            for fields in others { #expect(try await client.get(path, fields).status == .ok, "\(fields)") }
        }
    }

    @Test("HEAD has the fields of GET and no content", arguments: Way.allCases)
    func head(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.serve(way) { client in
            for path in ["/v1/questionnaires/colours", "/v1/questionnaires", "/v1/tests", "/v1/"] {
                let (full, head) = (try await client.get(path), try await client.head(path))
                #expect(head.status == .ok)
                #expect(head.bytes.isEmpty)
                #expect(head.headers[.contentLength] == String(full.bytes.count))
                #expect(head.fieldsWithoutDate == full.fieldsWithoutDate)
            }
        }
    }

    @Test("an edited, a new and a removed file are seen at once, even within one tick of the file's clock")
    func edits() async throws {
        let fixture = try HostFixture()
        try await fixture.serve { client in
            fixture.clock.setWallTime(SystemClock().now)
            for number in 0..<20 {
                let text = questionnaireJSON(id: "a", title: "Title \(number % 10)")
                try fixture.publish("a.json", text, isFresh: true)
                #expect(try await client.get("/v1/questionnaires/a").text == text)
                let list: ListDocument = try await client.get("/v1/questionnaires").decoded()
                #expect(list.questionnaires.map(\.title) == ["Title \(number % 10)"])
            }
            try fixture.publish("b.json", questionnaireJSON(id: "b"), isFresh: true)
            #expect(try await client.get("/v1/questionnaires/b").status == .ok)
            try fixture.remove(fixture.questionnaires.appending("a.json"))
            #expect(try await client.get("/v1/questionnaires/a").status == .notFound)
            try fixture.publish("b.json", questionnaireJSON(id: "c"), isFresh: true)
            #expect(try await client.get("/v1/questionnaires/b").status == .notFound)
            #expect(try await client.get("/v1/questionnaires/c").status == .ok)
        }
    }

    @Test("what was read within one tick of an edit is read again, however much later the next look is")
    func secondEditOfATick() async throws {
        let fixture = try HostFixture()
        let tick = fixture.clock.now.adding(seconds: -1)
        try await fixture.serve { client in
            for title in ["One", "Two"] {
                let text = questionnaireJSON(id: "a", title: title)
                try fixture.publish("a.json", text)
                try fixture.setTime(of: fixture.questionnaires.appending("a.json"), to: tick)
                let list: ListDocument = try await client.get("/v1/questionnaires").decoded()
                #expect(list.questionnaires.map(\.title) == [title])
                #expect(try await client.get("/v1/questionnaires/a").text == text)
                fixture.clock.advance(by: .seconds(3600))
            }
        }
    }

    @Test("a changed key rates the next test, though what is published is the same")
    func keyEdit() async throws {
        let fixture = try HostFixture()
        let (before, after) = (#", "answerKey": {"q1": "a"}"#, #", "answerKey": {"q1": "b"}"#)
        try fixture.publish("a.json", questionnaireJSON(id: "a", members: before))
        let answers = [Answer(questionId: "q1", value: .one("b"))]
        try await fixture.serve { client in
            let response = try await client.get("/v1/questionnaires/a")
            let (tag, version) = (response.headers[.eTag], response.text)
            func test() throws -> TestFile { try TestFile(questionnaire: "a", version: version, answers: answers) }
            let first: Receipt = try await client.deliver(try test()).decoded()
            #expect(first.evaluation?.score == 0)
            try fixture.publish("a.json", questionnaireJSON(id: "a", members: after), isFresh: true)
            let second: Receipt = try await client.deliver(try test()).decoded()
            #expect(second.evaluation?.score == 1)
            #expect(try await client.get("/v1/questionnaires/a").headers[.eTag] == tag)
        }
    }

    @Test("the folder may be replaced as a whole")
    func replacedFolder() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a"))
        try await fixture.serve { client in
            #expect(try await client.get("/v1/questionnaires/a").status == .ok)
            let aside = fixture.root.appending("old")
            try FileManager.default.moveItem(atPath: fixture.questionnaires.string, toPath: aside.string)
            #expect(try await client.get("/v1/questionnaires").status == .internalServerError)
            try fixture.makeFolder(fixture.questionnaires)
            try fixture.publish("b.json", questionnaireJSON(id: "b"))
            #expect(try await client.get("/v1/questionnaires/a").status == .notFound)
            #expect(try await client.get("/v1/questionnaires/b").status == .ok)
        }
    }

    @Test("any text is an id: it is looked up, never made into a path", arguments: Way.allCases)
    func ids(_ way: Way) async throws {
        let ids = [
            "Вопросы о ёжике", "a/b", "../secret", "a b", "a%2Fb", "?x=1#y", "..%2f..", "e\u{301}", "\u{E9}", "a.json",
            "media", "C:\\x", "+", "~",
        ]
        let fixture = try HostFixture()
        try Data("SECRET".utf8).write(to: URL(fileURLWithPath: fixture.root.appending("secret").string))
        for (number, id) in ids.enumerated() {
            try fixture.publish("\(number).json", questionnaireJSON(id: id, title: "Number \(number)"))
        }
        try await fixture.serve(way) { client in
            let list: ListDocument = try await client.get("/v1/questionnaires").decoded()
            #expect(list.questionnaires.count == ids.count)
            for item in list.questionnaires {
                let response = try await client.get("/v1/\(item.url)")
                #expect(response.status == .ok, "\(item.url)")
                #expect(response.text.contains("\"\(item.title)\""), "\(item.url)")
                #expect(response.headers[.eTag] == item.etag)
                #expect(item.digest == "\(Digest(sha256Of: response.bytes))")
                #expect(item.sizeBytes == response.bytes.count)
            }
        }
    }

    @Test(
        "a hostile path finds nothing",
        arguments: [
            "/v1/questionnaires/..%2fsecret", "/v1/questionnaires/%2e%2e/secret",
            "/v1/questionnaires/media/..%2f..%2fsecret",
            "/v1/questionnaires/../../secret", "/v1/questionnaires/media/%2fetc%2fpasswd",
            "/v1/questionnaires//etc/passwd",
            "/v1/questionnaires/a.json%00", "/v1/questionnaires/%ff", "/v1/questionnaires/%zz", "/v1/questionnaires/%",
            "/v1/questionnaires/", "/v1//questionnaires", "/v2/questionnaires", "/", "", "/v1/questionnaires/0.json",
            "/v1/tests/../questionnaires/0.json", "/V1/questionnaires",
        ])
    func hostile(_ path: String) async throws {
        let fixture = try HostFixture()
        try Data("SECRET".utf8).write(to: URL(fileURLWithPath: fixture.root.appending("secret").string))
        try fixture.publish("0.json", questionnaireJSON(id: "a", members: #", "answerKey": {"q1": "SECRET"}"#))
        let response = try await fixture.serve { try await $0.get(path) }
        #expect([.notFound, .badRequest].contains(response.status))
        #expect(!response.text.contains("SECRET"))
        _ = try response.problem()
    }

    @Test("broken files, links and folders are left out, and the others are published")
    func broken() async throws {
        let fixture = try HostFixture()
        try fixture.publish("good.json", questionnaireJSON(id: "good"))
        try fixture.publish("half.json", #"{"id": "half""#)
        try fixture.publish("array.json", "[]")
        try fixture.publish("empty.json", "")
        try fixture.publish("key.json", questionnaireJSON(id: "key", members: #", "answerKey": ["a"]"#))
        try fixture.publish(".hidden.json", questionnaireJSON(id: "hidden"))
        try fixture.publish("note.txt", "x")
        try fixture.makeFolder(fixture.questionnaires.appending("folder.json"))
        try Data(questionnaireJSON(id: "outside").utf8)
            .write(to: URL(fileURLWithPath: fixture.root.appending("outside.json").string))
        try FileManager.default.createSymbolicLink(
            atPath: fixture.questionnaires.appending("link.json").string, withDestinationPath: "../outside.json")
        let list: ListDocument = try await fixture.serve { try await $0.get("/v1/questionnaires").decoded() }
        #expect(list.questionnaires.map(\.id) == ["good"])
    }

    @Test("of two files with one id the first by name counts")
    func duplicates() async throws {
        let fixture = try HostFixture()
        try fixture.publish("b.json", questionnaireJSON(id: "a", title: "second"))
        try fixture.publish("a.json", questionnaireJSON(id: "a", title: "first"))
        try await fixture.serve { client in
            #expect(try await client.get("/v1/questionnaires/a").text.contains("first"))
            try fixture.remove(fixture.questionnaires.appending("a.json"))
            #expect(try await client.get("/v1/questionnaires/a").text.contains("second"))
        }
    }

    @Test("the Cache-Control that was asked for is sent", arguments: ["no-store", "private, max-age=0"])
    func cacheControl(_ value: String) async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a"))
        try await fixture.serve(cacheControl: value) { client in
            for path in ["/v1/questionnaires", "/v1/questionnaires/a"] {
                let response = try await client.get(path)
                #expect(response.headers[.cacheControl] == value)
            }
        }
    }
}

extension TestResponse {
    fileprivate var fieldsWithoutDate: HTTPFields {
        var fields = headers
        fields[.date] = nil
        return fields
    }
}
