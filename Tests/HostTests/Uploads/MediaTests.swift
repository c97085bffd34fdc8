import Foundation
import HTTPTypes
import HummingbirdTesting
import Model
import ServedApplication
import SystemPackage
import Testing

@testable import Host

@Suite("Media files that a questionnaire names are sent, and no others")
struct MediaTests {
    private let picture = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    private func fixture(paths: [(path: String, type: String?)]) throws -> HostFixture {
        let fixture = try HostFixture()
        let media = paths.map { item in
            "{\"path\": \"\(item.path)\"" + (item.type.map { ", \"type\": \"\($0)\"" } ?? "") + "}"
        }
        try fixture.publish(
            "a.json",
            """
            {"id": "a", "title": "A", "answerKey": {"q1": "SECRET"},
             "questions": [{"id": "q1", "text": "?", "media": [\(media.joined(separator: ","))]}]}
            """)
        try fixture.makeFolder(fixture.questionnaires.appending("media"))
        return fixture
    }

    private func write(_ fixture: HostFixture, _ path: String, _ bytes: [UInt8]) throws {
        let file = fixture.questionnaires.appending(path)
        try fixture.makeFolder(file.removingLastComponent())
        try Data(bytes).write(to: URL(fileURLWithPath: file.string))
    }

    @Test("a picture arrives whole with its type, its digest and no guessing", arguments: Way.allCases)
    func picture(_ way: Way) async throws {
        let fixture = try fixture(paths: [("media/ё ж.png", "image/png")])
        try write(fixture, "media/ё ж.png", picture)
        try await fixture.serve(way) { client in
            let list: ListDocument = try await client.get("/v1/questionnaires").decoded()
            let url = try #require(list.questionnaires.first?.media?.first)
            #expect(url == "questionnaires/media/%D1%91%20%D0%B6.png")
            let response = try await client.get("/v1/\(url)")
            #expect(response.status == .ok)
            #expect(response.bytes == picture)
            #expect(response.headers[.contentType] == "image/png")
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
            #expect(response.headers[.cacheControl] == "max-age=60")
            let digest = Digest(sha256Of: picture)
            #expect(response.headers[.eTag] == "\"\(digest.hex)\"")
            #expect(response.headers.contentDigest == DigestField.format(digest))
            #expect(try await client.get("/v1/\(url)", [.ifNoneMatch: "\"\(digest.hex)\""]).status == .notModified)
            #expect(try await client.get("/v1/\(url)", [.ifMatch: "\"x\""]).status == .preconditionFailed)
            #expect(try await client.get("/v1/\(url)", [.ifMatch: "\"\(digest.hex)\""]).bytes == picture)
            let head = try await client.head("/v1/\(url)")
            #expect(head.bytes.isEmpty)
            #expect(head.headers[.contentLength] == "\(picture.count)")
        }
    }

    @Test("a download goes on where it broke off", arguments: Way.allCases)
    func ranges(_ way: Way) async throws {
        let fixture = try fixture(paths: [("media/a.png", nil)])
        try write(fixture, "media/a.png", picture)
        try await fixture.serve(way) { client in
            let url = "/v1/questionnaires/media/a.png"
            let tag = "\"\(Digest(sha256Of: picture).hex)\""
            let rest = try await client.get(url, [.range: "bytes=300000-", .ifRange: tag])
            #expect(rest.status == .partialContent)
            #expect(rest.headers[.contentRange] == "bytes 300000-599999/600000")
            #expect(rest.bytes == Array(picture[300_000...]))
            let changed = try await client.get(url, [.range: "bytes=300000-", .ifRange: "\"x\""])
            #expect(changed.status == .ok)
            #expect(changed.bytes == picture)
            let beyond = try await client.get(url, [.range: "bytes=600000-"])
            #expect(beyond.status == .rangeNotSatisfiable)
            #expect(beyond.headers[.contentRange] == "bytes */600000")
        }
    }

    @Test(
        "the type comes from the questionnaire, or from the name, and never breaks a field",
        arguments: [
            ("media/a.png", nil as String?, "image/png"), ("media/a.bin", nil, "application/octet-stream"),
            ("media/a.bin", "image/webp", "image/webp"), ("media/a.png", "no type", "image/png"),
            ("media/a.png", "image/png\\r\\nX-Evil: 1", "image/png"), ("a.svg", nil, "image/svg+xml"),
            ("deep/er/a.mp3", nil, "audio/mpeg"),
        ])
    func types(_ path: String, _ type: String?, _ expected: String) async throws {
        let fixture = try fixture(paths: [(path, type)])
        try write(fixture, path, [1, 2, 3])
        let response = try await fixture.serve { try await $0.get("/v1/questionnaires/\(path)") }
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == expected)
        #expect(response.headers[.contentSecurityPolicy]?.contains("sandbox") == true)
    }

    @Test(
        "what no questionnaire names, is not there, or lies elsewhere is not sent",
        arguments: [
            ("media/named.png", "media/other.png"), ("../secret", "..%2fsecret"), ("../secret", "%2e%2e/secret"),
            ("media/../../secret", "media/..%2f..%2fsecret"), ("/etc/passwd", "%2fetc%2fpasswd"), ("a.json", "a.json"),
            ("b.JSON", "b.JSON"), (".hidden", ".hidden"), ("media/link.png", "media/link.png"),
            ("linked/secret.png", "linked/secret.png"), ("media/absent.png", "media/absent.png"), ("media", "media"),
            ("media/", "media/"), ("http://example.org/x.png", "http://example.org/x.png"),
            ("media//x.png", "media//x.png"),
        ])
    func refused(_ named: String, _ asked: String) async throws {
        let fixture = try fixture(paths: [(named, "image/png")])
        try write(fixture, "media/other.png", Array("SECRET".utf8))
        try write(fixture, ".hidden", Array("SECRET".utf8))
        try write(fixture, "b.JSON", Array("SECRET".utf8))
        try Data("SECRET".utf8).write(to: URL(fileURLWithPath: fixture.root.appending("secret").string))
        try fixture.makeFolder(fixture.root.appending("elsewhere"))
        try Data("SECRET".utf8).write(to: URL(fileURLWithPath: fixture.root.appending("elsewhere/secret.png").string))
        for (link, target) in [("media/link.png", "../../secret"), ("linked", "../elsewhere")] {
            try FileManager.default.createSymbolicLink(
                atPath: fixture.questionnaires.appending(link).string, withDestinationPath: target)
        }
        let response = try await fixture.serve { try await $0.get("/v1/questionnaires/\(asked)") }
        #expect(response.status == .notFound)
        #expect(!response.text.contains("SECRET"))
    }

    @Test("the digest of a picture that was read within one tick of an edit is not believed later")
    func secondEditOfATick() async throws {
        let fixture = try fixture(paths: [("media/a.png", nil)])
        let tick = fixture.clock.now.adding(seconds: -1)
        try await fixture.serve { client in
            for content: UInt8 in [1, 2] {
                try write(fixture, "media/a.png", [content])
                try fixture.setTime(of: fixture.questionnaires.appending("media/a.png"), to: tick)
                let response = try await client.get("/v1/questionnaires/media/a.png")
                #expect(response.headers[.eTag] == "\"\(Digest(sha256Of: [content]).hex)\"")
                fixture.clock.advance(by: .seconds(3600))
            }
        }
    }

    @Test("a replaced picture is seen at once, and one that is no longer named is gone")
    func edits() async throws {
        let fixture = try fixture(paths: [("media/a.png", nil)])
        try await fixture.serve { client in
            for number in 0..<5 {
                try write(fixture, "media/a.png", [UInt8(number)])
                #expect(try await client.get("/v1/questionnaires/media/a.png").bytes == [UInt8(number)])
            }
            try fixture.remove(fixture.questionnaires.appending("a.json"))
            #expect(try await client.get("/v1/questionnaires/media/a.png").status == .notFound)
        }
    }

    @Test(
        "a range is read as RFC 9110 says",
        arguments: [
            ("bytes=0-4", RequestedPart.part(0..<5)), ("bytes=5-", .part(5..<10)), ("bytes=-3", .part(7..<10)),
            ("bytes=-30", .part(0..<10)), ("bytes=0-99", .part(0..<10)), ("bytes=10-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=5-4", .whole), ("bytes=0-1,3-4", .whole), ("bytes=", .whole),
            ("bytes=-", .whole), ("lines=0-1", .whole), ("bytes=a-b", .whole),
            ("bytes=0-9223372036854775807", .part(0..<10)),
            ("bytes=99999999999999999999-", .whole),
        ])
    func range(_ field: String, _ expected: RequestedPart) {
        #expect(RequestedPart(field, sizeBytes: 10) == expected)
    }
}
