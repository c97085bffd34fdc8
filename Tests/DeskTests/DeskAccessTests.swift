import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Model
import NIOCore
import Synchronization
import Testing
import WireFormat

@testable import Desk
@testable import Host

/// What is logged as an error.
private final class RecordedErrors: Sendable {
    private let lines = Mutex<[String]>([])

    var texts: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(errors: self) } }

    private struct Handler: LogHandler {
        let errors: RecordedErrors
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .error

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { errors.lines.withLock { $0.append(event.message.description) } }
    }
}

@Suite("Who may use the desk")
struct DeskAccessTests {
    @Test(
        "a form that is cut short is refused as that, and says nothing of the host's files",
        arguments: ["application/x-www-form-urlencoded", "multipart/form-data; boundary=b"], [true, false])
    func cutShort(_ type: String, _ isReported: Bool) async throws {
        struct Broken: Error {}
        let fixture = try DeskFixture()
        defer { withExtendedLifetime(fixture) {} }
        let services = try await fixture.withServices { $0 }
        let errors = RecordedErrors()
        let pages = DeskPages.pages(services, logger: errors.logger)
        // A connection that breaks is an error, or looks like the end of the content.
        let content = AsyncThrowingStream<ByteBuffer, any Error> { pieces in
            pieces.yield(ByteBuffer(string: "token=a"))
            pieces.finish(throwing: isReported ? Broken() : nil)
        }
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "localhost", path: "/desk/language",
            headerFields: [.contentType: type, .contentLength: "100"])
        let response = await pages.respond(
            Request(head: head, body: RequestBody(asyncSequence: content)), "127.0.0.1")
        #expect(response.status == .badRequest && errors.texts.isEmpty, "\(errors.texts)")
    }

    @Test(
        "with keys the desk asks for one, sets a strict cookie, and nothing of a test is shown before",
        arguments: DeskPlace.allCases)
    func login(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let id = try await fixture.deliver(person: "Ada Secret", ["q1": "Paris", "essay": "So."])
        let key = try await fixture.key(.teacher, label: "Ms Lovelace")
        try await fixture.serve { client in
            let stranger = DeskBrowser(client)
            for path in ["/desk/", "/desk/q/exam", "/desk/q/exam/results.csv", "/desk/t/\(id)"] {
                let reply = try await stranger.get(path)
                #expect(reply.status == .unauthorized && reply.text.contains("name=\"key\""), "\(path)")
                #expect(!reply.text.contains("Ada Secret") && !reply.text.contains("Экзамен"), "\(path)")
            }
            let wrong = try await stranger.post("/desk/login", ["key": "quire_00000000_no"])
            #expect(wrong.status == .forbidden && wrong.headers[.setCookie] == nil)
            let entered = try await stranger.post("/desk/login", ["key": " \(key.text) "])
            let cookie = try #require(entered.headers[.setCookie])
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/desk"))
            #expect(!cookie.contains(key.text))
            let browser = try await DeskBrowser(client, key: key.text)
            let home = try await browser.get("/desk/")
            #expect(home.status == .ok && home.text.contains("Ms Lovelace") && home.text.contains("/desk/q/exam"))
            #expect(home.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
            #expect(home.headers[.cacheControl] == "no-store")
        }
    }

    @Test("a taker's key opens nothing, and an author's key questionnaires alone", arguments: DeskPlace.allCases)
    func roles(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let id = try await fixture.deliver(person: "Ada Secret", ["q1": "Paris"])
        let (taker, author) = (try await fixture.key(.taker), try await fixture.key(.author))
        try await fixture.serve { client in
            let refused = try await DeskBrowser(client).post("/desk/login", ["key": taker.text])
            #expect(refused.status == .forbidden && refused.headers[.setCookie] == nil)
            // Nor does it as a Bearer token.
            let bearer = try await DeskBrowser(client).get("/desk/", [.authorization: "Bearer \(taker.text)"])
            #expect(bearer.status == .unauthorized)
            let browser = try await DeskBrowser(client, key: author.text)
            #expect(try await browser.page("/desk/").contains("Экзамен"))
            for path in ["/desk/q/exam", "/desk/q/exam/results.csv", "/desk/t/\(id)", "/desk/q/exam/marking"] {
                let reply = try await browser.get(path)
                #expect(reply.status == .forbidden && !reply.text.contains("Ada Secret"), "\(path)")
            }
        }
    }

    @Test("a key that is revoked, and a log-out, end a session at once; so does the time")
    func end() async throws {
        let fixture = try DeskFixture()
        let (first, second) = (try await fixture.key(.teacher), try await fixture.key(.admin))
        try await fixture.serve { client in
            let revoked = try await DeskBrowser(client, key: first.text)
            let browser = try await DeskBrowser(client, key: second.text)
            try await fixture.revoke(first.id)
            #expect(try await revoked.get("/desk/").status == .unauthorized)
            let token = try DeskBrowser.form("/desk/logout", in: try await browser.page("/desk/"))
            #expect(try await browser.post("/desk/logout", token).status == .seeOther)
            #expect(try await browser.get("/desk/").status == .unauthorized)
            let later = try await DeskBrowser(client, key: second.text)
            #expect(try await later.get("/desk/").status == .ok)
            fixture.clock.advance(by: .seconds(DeskSessions.seconds + 1))
            #expect(try await later.get("/desk/").status == .unauthorized)
        }
    }

    @Test("what an open host's token opened is closed with the host's first key")
    func firstKey() async throws {
        let fixture = try DeskFixture()
        let id = try await fixture.deliver(person: "Ada Secret", ["q1": "Paris"])
        try await fixture.serve(openToken: "takers") { client in
            let browser = try await DeskBrowser(client, key: "takers")
            #expect(try await browser.page("/desk/t/\(id)").contains("Ada Secret"))
            _ = try await fixture.key(.admin)
            let reply = try await browser.get("/desk/t/\(id)")
            #expect(reply.status == .unauthorized && !reply.text.contains("Ada Secret"))
        }
    }

    @Test("without keys the desk is open on this machine, and on no other")
    func open() async throws {
        let fixture = try DeskFixture()
        try await fixture.serve { client in
            let reply = try await DeskBrowser(client).get("/desk/")
            #expect(reply.status == .ok)
        }
        try await fixture.serve(isLoopback: false) { client in
            let reply = try await DeskBrowser(client).get("/desk/")
            #expect(reply.status == .unauthorized)
        }
    }

    @Test(
        "a form of a foreign page, and one without the session's token, changes nothing", arguments: DeskPlace.allCases)
    func foreign(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let id = try await fixture.deliver(person: "Ada", ["essay": "So."])
        let key = try await fixture.key(.teacher)
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key.text)
            let action = "/desk/t/\(id)/marks/essay"
            var form = try DeskBrowser.form(action, in: try await browser.page("/desk/t/\(id)"))
            form["points"] = "2"
            for fields: HTTPFields in [
                [.origin: "http://evil.example"], [.origin: "null"],
                [HTTPField.Name("Sec-Fetch-Site") ?? .accept: "cross-site"],
            ] {
                #expect(try await browser.post(action, form, fields).status == .forbidden, "\(fields)")
            }
            var other = form
            other["token"] = "0"
            #expect(try await browser.post(action, other).status == .forbidden)
            #expect(try await fixture.history(of: id).isEmpty)
            #expect(try await browser.post(action, form).status == .seeOther)
            #expect(try await fixture.history(of: id).count == 1)
        }
    }

    @Test("sessions are bounded: the oldest one ends")
    func bounded() async throws {
        let sessions = DeskSessions(shared: nil)
        let identity = HostIdentity(role: .teacher, key: nil, name: nil)
        let start = Timestamp(millisecondsSinceEpoch: 0)
        var secrets: [String] = []
        for place in 0...DeskSessions.most {
            let now = start.adding(seconds: Double(place))
            secrets.append(try await sessions.start(identity, name: "\(place)", showing: "key", now: now))
        }
        let now = start.adding(seconds: 600)
        #expect(try await sessions.session(secrets[0], now: now) == nil)
        #expect(try await sessions.session(secrets[1], now: now)?.name == "1")
        #expect(try await sessions.session(secrets[DeskSessions.most], now: now) != nil)
        #expect(try await sessions.session("", now: now) == nil)
    }
}
