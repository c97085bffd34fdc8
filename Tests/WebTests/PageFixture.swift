import Disk
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Model
import NIOCore
import Quire
import ServedApplication
import Simulation
import Testing

@testable import Web

/// A page over a store on a simulated disk, with a host in memory.
final class PageFixture: Sendable {
    let disk = SimulatedDisk(capacityBytes: 8 << 20)
    let remote: FaultyRemote
    let store: QuireStore

    init(pulls: Bool = true) async throws {
        remote = FaultyRemote(clock: disk.clock)
        store = try QuireStore.create(
            disk.process(), settings: StoreSettings(remote: FaultyRemote.origin, deviceId: "tablet"), clock: disk.clock,
            bootIdentity: "boot-1")
        remote.publish(
            "capitals",
            """
            {"id": "capitals", "title": "Capitals", "description": "Of Europe", "questions": [
              {"id": "q1", "text": "What is the capital of France?", "options": ["Paris", "Rome"], "required": true},
              {"id": "q2", "text": "Which are islands?", "kind": "choices", "options": ["Malta", "Spain", "Cyprus"]},
              {"id": "q3", "text": "Why?", "kind": "text"},
              {"id": "q4", "text": "How many?", "kind": "number"}]}
            """)
        if pulls { _ = try await store.puller(remote).pull() }
    }

    struct Served: Sendable {
        var opened: PageServer.Opened
        var browser: Browser
    }

    /// Runs the page, and the body with an authenticated browser.
    func serve(
        _ way: Way = .memory, isOnline: Bool = true, language: String = "en", isAutomatic: Bool = true,
        _ body: @Sendable (Browser, PageServer.Opened) async throws -> Void
    ) async throws {
        remote.setPresence(isOnline ? .likely : .away("no network"))
        let (disk, remote) = (self.disk, self.remote)
        let opening = StoreContext.Opening(
            open: {
                let store = try QuireStore.open(disk.process(), clock: disk.clock, bootIdentity: "boot-1")
                return StoreContext(store: store, remote: store.settings.remote == nil ? nil : remote)
            },
            faultOfRemote: { $0.hasPrefix("https://") ? nil : "“\($0)” is not an address of a server" })
        let server = PageServer(
            PageConfiguration(listen: HostAndPort(host: "127.0.0.1", port: 0), isAutomatic: isAutomatic),
            opening: opening,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let opened = try server.open()
        opened.authenticator.setPort(80)
        try await server.application(opened.responder).serve(way) { client in
            guard case .accepted(let session) = opened.authenticator.exchange(opened.authenticator.code) else {
                Issue.record("the code is not taken")
                return
            }
            let browser = Browser(
                client: client, cookie: "\(opened.authenticator.cookieName)=\(session.cookie)",
                token: session.formToken,
                language: language)
            try await body(browser, opened)
        }
    }

    /// A draft of the questionnaire.
    func draft() async throws -> TestID {
        try store.begin(try await store.open(id: "capitals", remote: remote, isOffline: true)).record.id
    }
}

/// A browser without a script.
struct Browser: Sendable {
    let client: any TestClientProtocol
    var cookie: String
    var token: String
    var language: String

    func get(_ uri: String, _ more: HTTPFields = [:]) async throws -> TestResponse {
        var fields: HTTPFields = [.cookie: cookie, .acceptLanguage: language]
        for field in more { fields[field.name] = field.value }
        return try await client.executeRequest(uri: uri, method: .get, headers: fields, body: nil)
    }

    /// Sends a form as the page's own forms are sent.
    func post(
        _ uri: String, _ form: [(String, String)] = [], _ more: HTTPFields = [:], withToken: Bool = true
    ) async throws -> TestResponse {
        let pairs = (withToken ? [("token", token)] : []) + form
        let body = pairs.map { name, value in "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))" }
            .joined(separator: "&")
        var fields: HTTPFields = [
            .cookie: cookie, .acceptLanguage: language, .contentType: "application/x-www-form-urlencoded",
        ]
        for field in more { fields[field.name] = field.value }
        return try await client.executeRequest(
            uri: uri, method: .post, headers: fields, body: ByteBuffer(string: body))
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
    var location: String { headers[.location] ?? "" }
}
