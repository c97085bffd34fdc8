import Foundation
import Model
import Quire
import Synchronization
import SystemPackage
import Testing
import WireFormat

@testable import Hub

/// A host on the wire that refuses tests, if it should, and hears of open ones.
private final class HearingOrigin: Sendable {
    private struct State {
        var heard: [(sender: String, report: ProgressReport)] = []
        var authorizations: [String?] = []
        var stored: [String] = []
        var refusesTests = false
        var hasProgress = true
    }

    let port: Int
    private let origin: RawOrigin
    private let state: Shared

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    init() throws {
        let shared = Shared()
        state = shared
        origin = try RawOrigin { request, socket in
            func reply(_ status: String, _ body: String, _ type: String = "application/json") throws {
                try socket.send(
                    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
            let id = String(request.target.split(separator: "/").last ?? "")
            if request.method == "PUT", request.target.hasPrefix("/v1/progress/") {
                guard shared.state.withLock({ $0.hasProgress }) else {
                    shared.state.withLock { $0.heard.append((id, ProgressReport())) }
                    return try reply(
                        "404 Not Found",
                        #"{"type":"urn:quire:problem:not-found","title":"t","status":404,"detail":"d"}"#,
                        "application/problem+json")
                }
                let report = try DocumentCoding.decode(ProgressReport.self, from: request.body)
                shared.state.withLock { state in
                    state.heard.append((id, report))
                    state.authorizations.append(request["Authorization"])
                }
                return try reply("200 OK", "{\"reported\":\(report.tests.count)}")
            }
            if request.method == "PUT", request.target.hasPrefix("/v1/tests/") {
                if shared.state.withLock({ $0.refusesTests }) {
                    return try reply("503 Service Unavailable", "{}")
                }
                shared.state.withLock { $0.stored.append(id) }
                let digest = Digest(sha256Of: request.body)
                return try reply(
                    "201 Created",
                    #"{"digest":"\#(digest)","receivedAt":"2026-11-21T05:58:50.316Z","status":"sent","test":"\#(id)"}"#)
            }
            if request.target.hasPrefix("/v1/tests?ids=") { return try reply("200 OK", "{\"receipts\":[]}") }
            try reply("200 OK", #"{"service":"quire","version":1}"#)
        }
        port = origin.port
    }

    var heard: [(sender: String, report: ProgressReport)] { state.state.withLock { $0.heard } }
    var last: [OpenTest] { heard.last?.report.tests ?? [] }
    var authorizations: [String?] { state.state.withLock { $0.authorizations } }
    var stored: [String] { state.state.withLock { $0.stored } }
    func refuseTests(_ does: Bool) { state.state.withLock { $0.refusesTests = does } }
    func becomeOlder() { state.state.withLock { $0.hasProgress = false } }
    var base: String { "http://127.0.0.1:\(port)" }
}

@Suite("Open tests that a hub passes on")
struct ProgressRelayTests {
    private static let digest = "\(Digest(sha256Of: []))"

    private static func test(_ id: TestID, person: String) -> String {
        """
        {"id": "\(id)", "questionnaire": {"id": "q", "title": "Q", "digest": "\(digest)"},
         "dateStarted": "2026-11-21T04:51:00.000Z", "dateFinished": "2026-11-21T04:52:00.000Z", "deviceId": "d",
         "sequence": 1, "answers": [{"questionId": "q1", "answer": "yes"}],
         "person": {"id": "\(person)", "name": "\(person)"}}
        """
    }

    private static func report(
        _ tests: (id: TestID, person: String, state: OpenTest.State, hub: String?)...
    ) throws
        -> String
    {
        let open = tests.map { test in
            OpenTest(
                test: test.id, questionnaire: .init(id: "q", digest: Digest(sha256Of: [])),
                person: Person(id: test.person, name: test.person), state: test.state, hub: test.hub, since: .epoch)
        }
        return String(decoding: try DocumentCoding.encode(ProgressReport(open)), as: UTF8.self)
    }

    private static func put(_ path: String, _ body: String) -> String {
        "PUT \(path) HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            + body
    }

    @Test("what devices report goes on in one report under the hub's own id; what was handed in here waits at this hub")
    func merged() async throws {
        let host = try HearingOrigin()
        try await HubFixture.run(host.base, token: "lent") { hub in
            let (ada, boris, cleo) = (TestID.random(), TestID.random(), TestID.random())
            for (sender, body) in [
                ("one", try Self.report((ada, "ada", .started, nil))),
                ("two", try Self.report((boris, "boris", .started, nil))),
                // A hub below this one.
                ("below", try Self.report((cleo, "cleo", .waiting, "room 3"))),
            ] {
                let reply = try hub.exchange(Self.put("/v1/progress/\(sender)", body))
                #expect(reply.status == 200 && reply.text.contains("\"reported\""), "\(reply.text)")
            }
            try wait(for: "the report") { host.last.count == 3 ? true : nil }
            // Those that come within seconds go on as one; a slow machine may need more.
            #expect(host.heard.count <= 3 && host.heard.allSatisfy { $0.sender == "hub" })
            #expect(host.authorizations.allSatisfy { $0 == "Bearer lent" })
            #expect(host.last.first { $0.test == cleo }?.hub == "room 3")
            // It is handed in, and the upstream takes no tests now.
            host.refuseTests(true)
            let kept = try hub.exchange(Self.put("/v1/tests/\(ada)", Self.test(ada, person: "ada")))
            #expect(kept.status == 202)
            try wait(for: "the test that waits") {
                host.last.first { $0.test == ada }?.state == .waiting && host.last.count == 3 ? true : nil
            }
            let waiting = try #require(host.last.first { $0.test == ada })
            #expect(waiting.hub == "hub" && waiting.person.id == "ada" && waiting.questionnaire.id == "q")
            // Its device has not reported anything else since: that does not make it started.
            host.refuseTests(false)
            _ = try hub.exchange(Self.put("/v1/tests/\(ada)", Self.test(ada, person: "ada")))
            try wait(for: "the end of it") { Set(host.last.map(\.test)) == [boris, cleo] ? true : nil }
            #expect(host.stored == [ada.description])
            _ = try hub.exchange(Self.put("/v1/progress/one", try Self.report()))
            _ = try hub.exchange(Self.put("/v1/progress/two", try Self.report()))
            try wait(for: "what is left") { host.last.map(\.test) == [cleo] ? true : nil }
        }
    }

    @Test("a host of an earlier version is asked once, and devices notice nothing of it")
    func older() async throws {
        let host = try HearingOrigin()
        host.becomeOlder()
        try await HubFixture.run(host.base, token: "lent") { hub in
            let (one, two) = (TestID.random(), TestID.random())
            _ = try hub.exchange(Self.put("/v1/progress/one", try Self.report((one, "ada", .started, nil))))
            try wait(for: "the first report") { host.heard.count == 1 ? true : nil }
            _ = try hub.exchange(Self.put("/v1/progress/one", try Self.report((two, "ada", .started, nil))))
            for _ in 0..<3 {
                let id = TestID.random()
                #expect(try hub.exchange(Self.put("/v1/tests/\(id)", Self.test(id, person: "b"))).status == 201)
            }
            #expect(host.heard.count == 1)
        }
    }

    @Test("what cannot be read is refused, and other methods have nothing to do there")
    func refusals() async throws {
        let host = try HearingOrigin()
        try await HubFixture.run(host.base, token: "lent") { hub in
            let reply = try hub.exchange(Self.put("/v1/progress/one", "{\"tests\": 3}"))
            #expect(reply.status == 422 && reply.text.contains("invalid-progress"))
            let long = try hub.exchange(
                Self.put("/v1/progress/\(String(repeating: "a", count: 201))", try Self.report()))
            #expect(long.status == 400)
            #expect(host.heard.isEmpty)
        }
    }

    @Test("a hub that starts again still knows what devices reported")
    func restarted() throws {
        let store = try QuireStore.create(
            at: FilePath("/tmp/quire-hub-test-\(TestID.random())"),
            settings: StoreSettings(remote: "http://127.0.0.1:1", deviceId: "hub"))
        defer { try? FileManager.default.removeItem(atPath: store.path.string) }
        let report = try DocumentCoding.decode(
            ProgressReport.self, from: Array(try Self.report((.random(), "ada", .started, nil)).utf8))
        try store.fileSystem.makeFolderIfMissing(HubLayout.root)
        try store.fileSystem.makeFolderIfMissing(HubLayout.temporary)
        let before = try DeviceReports(store.fileSystem, clock: store.clock)
        try before.put(report, from: "../../one", by: nil)
        let after = try DeviceReports(store.fileSystem, clock: store.clock)
        #expect(after.tests() == before.tests() && after.tests().count == 1)
        try after.put(ProgressReport(), from: "../../one", by: nil)
        #expect(try DeviceReports(store.fileSystem, clock: store.clock).tests().isEmpty)
    }
}
