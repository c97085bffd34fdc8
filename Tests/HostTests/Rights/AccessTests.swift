import Disk
import Foundation
import HTTPTypes
import HummingbirdTesting
import Model
import ServedApplication
import Testing

@testable import Host

@Suite("Who may ask, and what")
struct AccessTests {
    @Test("the service is distinguishable from a captive portal, without a token", arguments: Way.allCases)
    func service(_ way: Way) async throws {
        let fixture = try HostFixture()
        try await fixture.serve(way, token: AccessToken("secret")) { client in
            for path in ["/v1/", "/v1"] {
                let response = try await client.get(path)
                #expect(response.status == .ok)
                #expect(response.text == "{\"service\":\"quire\",\"version\":1}\n")
                #expect(response.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("with a token set, nothing else is revealed without it", arguments: Way.allCases)
    func token(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a"))
        let test = try TestFile()
        try await fixture.serve(way, token: AccessToken("se-cret")) { client in
            let paths = ["/v1/questionnaires", "/v1/questionnaires/a", "/v1/tests", "/v1/tests/\(test.id)", "/x"]
            let wrong: [HTTPFields] = [
                [:], [.authorization: "Bearer"], [.authorization: "Bearer "], [.authorization: "Bearer se-cre"],
                [.authorization: "Bearer se-crets"], [.authorization: "Basic se-cret"], [.authorization: "se-cret"],
            ]
            for path in paths {
                for fields in wrong {
                    let response = try await client.get(path, fields)
                    #expect(response.status == .unauthorized, "\(path) \(fields)")
                    #expect(response.headers[.wwwAuthenticate]?.hasPrefix("Bearer realm=") == true)
                    _ = try response.problem()
                }
            }
            #expect(try await client.deliver(test).status == .unauthorized)
            for right in ["Bearer se-cret", "bearer  se-cret"] {
                #expect(try await client.get("/v1/questionnaires", [.authorization: right]).status == .ok)
            }
            #expect(try await client.deliver(test, [.authorization: "Bearer se-cret"]).status == .created)
        }
    }

    @Test("a token file is read by its first line, and refused where others can read it")
    func tokenFile() throws {
        let fixture = try HostFixture()
        let path = fixture.root.appending("token")
        func write(_ text: String, _ mode: Int) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path.string))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.string)
        }
        try write("  secret \r\nsecond line\n", 0o600)
        let token = try AccessToken(readingFrom: path)
        #expect(token == AccessToken("secret"))
        #expect(token.isShown(in: "Bearer secret"))
        for mode in [0o640, 0o604, 0o660, 0o666, 0o620, 0o611] {
            try write("secret\n", mode)
            let error = #expect(throws: HostError.self) { try AccessToken(readingFrom: path) }
            #expect(error?.description.contains("chmod 600") == true, "\(String(mode, radix: 8))")
        }
        for text in ["", "\nsecret\n", "two words\n", "пароль\n"] {
            try write(text, 0o600)
            #expect(throws: HostError.self) { try AccessToken(readingFrom: path) }
        }
        #expect(throws: HostError.self) { try AccessToken(readingFrom: fixture.root.appending("absent")) }
        #expect(throws: HostError.self) { try AccessToken(readingFrom: fixture.root) }
    }

    @Test("a rejected method is answered with the allowed ones", arguments: Way.allCases)
    func methods(_ way: Way) async throws {
        let fixture = try HostFixture()
        try await fixture.serve(way) { client in
            let cases: [(String, HTTPRequest.Method, String)] = [
                ("/v1/", .post, "GET, HEAD"), ("/v1/questionnaires", .put, "GET, HEAD"),
                ("/v1/questionnaires/a", .post, "GET, HEAD, PUT, DELETE"),
                ("/v1/questionnaires/media/a.png", .put, "GET, HEAD"),
                ("/v1/tests", .post, "GET, HEAD"), ("/v1/tests/\(TestID.random())", .delete, "GET, HEAD, PUT"),
            ]
            for (path, method, allow) in cases {
                let response = try await client.execute(uri: path, method: method)
                #expect(response.status == .methodNotAllowed)
                #expect(response.headers[.allow] == allow)
                _ = try response.problem()
            }
        }
    }

    @Test("a problem is not kept by caches, and HEAD has no body of one either", arguments: Way.allCases)
    func problems(_ way: Way) async throws {
        let fixture = try HostFixture()
        try await fixture.serve(way) { client in
            let response = try await client.get("/v1/questionnaires/absent")
            #expect(response.status == .notFound)
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(try response.problem().type == "urn:quire:problem:not-found")
            let head = try await client.head("/v1/questionnaires/absent")
            #expect(head.status == .notFound)
            #expect(head.bytes.isEmpty)
        }
    }

    @Test("a favourite that comes in a folder belongs to the owner of the host's token")
    func favoriteInFolder() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", questionnaireJSON(id: "colours"))
        let token = try #require(AccessToken("secret"))
        let stick = fixture.root.appending("stick")
        let change = FavoriteChange(
            id: .random(), questionnaire: "colours", title: "Colours", favorite: true, dateChanged: fixture.clock.now,
            deviceId: "device", sequence: 1)
        try fixture.makeFolder(stick)
        _ = try ExchangeFolder(making: stick)
        try Data(DocumentCoding.encode(change)).write(
            to: URL(filePath: stick.pushing(ExchangeLayout.favoriteChange(change.id)).string))
        let archive = try ReferenceHost.makeArchive(
            fixture.configuration(token: token), clock: fixture.clock, logger: HostFixture.silence)
        let report = try FolderCollection(stick, archive: archive, token: token).collect()
        #expect(report.changes == [change.id])
        try await fixture.serve(token: token) { client in
            let reply = try await client.get("/v1/favorites", [.authorization: "Bearer secret"])
            #expect(reply.text.contains("\"colours\""))
        }
    }
}
