import Foundation
import Model
import OutboxStore
import Synchronization
import Testing

@testable import Hub

/// An origin that publishes questionnaires and takes changes as docs/protocol.md, section 9, says, on the wire.
private final class QuestionnaireOrigin: Sendable {
    struct State {
        var documents: [String: String] = [:]
        var receipts: [String: String] = [:]
        /// Requests that would change something.
        var writes: [RawMessage] = []
        /// Requests for tests.
        var reads: [RawMessage] = []
        var refusesTokens: Set<String> = []
    }

    let state = Mutex(State())
    let origin: RawOrigin

    init(_ documents: [String: String]) throws {
        let box = Box()
        origin = try RawOrigin { request, socket in try box.answer(request, socket) }
        state.withLock { $0.documents = documents }
        box.set(self)
    }

    private final class Box: Sendable {
        private struct Weak { weak var origin: QuestionnaireOrigin? }
        private let held = Mutex(Weak())
        func set(_ origin: QuestionnaireOrigin) { held.withLock { $0.origin = origin } }
        func answer(_ request: RawMessage, _ socket: RawSocket) throws {
            try held.withLock { $0.origin }?.answer(request, socket)
        }
    }

    static func tag(_ document: String) -> String { "\"\(Digest(sha256Of: Array(document.utf8)).hex)\"" }

    private func answer(_ request: RawMessage, _ socket: RawSocket) throws {
        func reply(_ status: String, _ body: String, _ fields: String...) throws {
            let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
            try socket.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }
        let path = request.target.prefix { $0 != "?" }
        let id = String(path.split(separator: "/").last ?? "")
        if request.method == "PUT" || request.method == "DELETE" {
            let (status, body, fields) = state.withLock { change(id, path.hasPrefix("/v1/favorites/"), request, &$0) }
            return try reply(status, body, fields)
        }
        if path.hasPrefix("/v1/tests"), !request.target.contains("ids=") {
            state.withLock { $0.reads.append(request) }
            return try reply("401 Unauthorized", "", "WWW-Authenticate: Bearer", "Cache-Control: no-store")
        }
        if request.target.contains("?ids=") {
            let ids = request.target.split(separator: "=").last?.split(separator: ",").map(String.init) ?? []
            let known = state.withLock { state in ids.compactMap { state.receipts[$0] } }
            return try reply("200 OK", "{\"receipts\":[\(known.joined(separator: ","))]}", "Cache-Control: no-store")
        }
        if path == "/v1/questionnaires" {
            let ids = state.withLock { $0.documents.keys.sorted() }
            return try reply("200 OK", "\(ids)", "Cache-Control: max-age=600")
        }
        guard let document = state.withLock({ $0.documents[id] }) else {
            let problem = #"{"type":"urn:quire:problem:not-found","title":"t","detail":"d"}"#
            return try reply("404 Not Found", problem, "Content-Type: application/problem+json")
        }
        try reply("200 OK", document, "Cache-Control: max-age=600", "ETag: \(Self.tag(document))")
    }

    private func change(
        _ id: String, _ isFavorite: Bool, _ request: RawMessage, _ state: inout State
    ) -> (String, String, String) {
        state.writes.append(request)
        if let token = request["authorization"], state.refusesTokens.contains(token) {
            return ("401 Unauthorized", "", "WWW-Authenticate: Bearer")
        }
        let change = request["quire-change"] ?? ""
        if let known = state.receipts[change] { return ("200 OK", known, "Cache-Control: no-store") }
        var action = request.method == "PUT" ? "favorite" : "unfavorite"
        if !isFavorite {
            let current = state.documents[id]
            let isBased =
                request["if-none-match"] == "*" ? current == nil : request["if-match"] == current.map(Self.tag)
            guard isBased else {
                let tag = current.map(Self.tag) ?? ""
                let escaped = tag.replacing("\"", with: "\\\"")
                return (
                    "412 Precondition Failed",
                    #"{"type":"urn:quire:problem:version-mismatch","title":"t","detail":"d","current":{"id":"\#(id)","etag":"\#(escaped)"}}"#,
                    "Content-Type: application/problem+json\r\nETag: \(tag)"
                )
            }
            action = request.method == "DELETE" ? "delete" : current == nil ? "create" : "edit"
            state.documents[id] = request.method == "DELETE" ? nil : request.text
        }
        let digest = Digest(sha256Of: Array(request.text.utf8))
        let receipt =
            #"{"change":"\#(change)","action":"\#(action)","status":"sent","digest":"\#(digest)","receivedAt":"2026-11-22T04:00:00.000Z","published":{"id":"\#(id)"}}"#
        state.receipts[change] = receipt
        return ("201 Created", receipt, "Cache-Control: no-store")
    }

    var writes: [RawMessage] { state.withLock { $0.writes } }
    var reads: [RawMessage] { state.withLock { $0.reads } }
    func document(_ id: String) -> String? { state.withLock { $0.documents[id] } }
}

@Suite("Changes and favourites that pass through the hub")
struct ChangeRelayTests {
    private let upstream: QuestionnaireOrigin
    private static let first = #"{"id":"a","title":"First","questions":[]}"#

    init() throws { upstream = try QuestionnaireOrigin(["a": Self.first]) }

    private var base: String { "http://127.0.0.1:\(upstream.origin.port)" }

    private static func document(_ title: String, id: String = "a") -> String {
        #"{"id":"\#(id)","title":"\#(title)","questions":[]}"#
    }

    private static func request(
        _ method: String, _ path: String, _ change: TestID, _ body: String = "", _ fields: String...
    ) -> String {
        (["\(method) \(path) HTTP/1.1", "Host: hub", "Quire-Change: \(change)", "Content-Length: \(body.utf8.count)"]
            + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static func edit(
        _ change: TestID, _ title: String, on base: String = ChangeRelayTests.first, _ more: String = "X-None: 1"
    ) -> String {
        request(
            "PUT", "/v1/questionnaires/a", change, document(title), "If-Match: \(QuestionnaireOrigin.tag(base))",
            "Content-Type: application/json", more)
    }

    private static func writes(_ hub: HubFixture, _ kind: String, _ name: String) throws -> Int {
        let value = try DocumentCoding.decode(JSONValue.self, from: try hub.get("/_hub/status").body)
        guard case .object(let members) = value, case .object(let writes) = members[kind],
            case .integer(let number) = writes[name]
        else { throw Unexpected("the status has other members") }
        return Int(number)
    }

    @Test("with the upstream there the device gets its true answer, and stored responses are renewed (RFC 9111 4.4)")
    func there() async throws {
        try await HubFixture.run(base) { hub in
            #expect(try hub.get("/v1/questionnaires").text == #"["a"]"#)
            #expect(try hub.get("/v1/questionnaires/a").text == Self.first)
            let change = TestID.random()
            let edited = try hub.exchange(Self.edit(change, "Second"))
            #expect(edited.status == 201 && edited.text == upstream.state.withLock { $0.receipts["\(change)"] })
            // The very next request, though the stored one would be fresh for ten minutes.
            #expect(try hub.get("/v1/questionnaires/a").text == Self.document("Second"))
            let again = try hub.exchange(Self.edit(change, "Second"))
            #expect(again.status == 200 && again.text.contains("\"published\""))
            #expect(try hub.exchange(Self.edit(change, "Third")).status == 409)
            #expect(upstream.writes.count == 1 && upstream.writes[0].text == Self.document("Second"))

            let id = TestID.random()
            let created = Self.request(
                "PUT", "/v1/questionnaires/\(id)", .random(), Self.document("New", id: "\(id)"), "If-None-Match: *")
            #expect(try hub.exchange(created).status == 201)
            #expect(try hub.get("/v1/questionnaires").text.contains("\(id)"))

            let stale = try hub.exchange(Self.edit(.random(), "Late"))
            #expect(stale.status == 412 && stale["etag"] == QuestionnaireOrigin.tag(Self.document("Second")))
            #expect(stale.text.contains("version-mismatch"))
            // Its device has heard of it: the hub need not keep it.
            try wait(for: "the hub to let go") { try Self.writes(hub, "questionnaires", "conflicts") == 0 ? true : nil }

            let deletion = Self.request(
                "DELETE", "/v1/questionnaires/a", .random(), "",
                "If-Match: \(QuestionnaireOrigin.tag(Self.document("Second")))")
            #expect(try hub.exchange(deletion).status == 201)
            #expect(try hub.get("/v1/questionnaires/a").status == 404)
            #expect(try hub.exchange(Self.request("PUT", "/v1/favorites/a", .random())).status == 201)
            // Counted when the reply is on its way already.
            try wait(for: "the deliveries to be counted") {
                try Self.writes(hub, "questionnaires", "delivered") == 3
                    && Self.writes(hub, "favorites", "delivered") == 1 ? true : nil
            }
        }
    }

    @Test("with the upstream away a change is kept, said so, and carried out once and in order when it is back")
    func away() async throws {
        try await HubFixture.run(base) { hub in
            _ = try hub.get("/v1/questionnaires/a")
            upstream.origin.stop()
            let id = TestID.random()
            // White space around a document belongs to it: the digest is that of what the device sent.
            let body = " " + Self.document("New", id: "\(id)") + "\n"
            let ids = (0..<4).map { _ in TestID.random() }
            let requests = [
                Self.request("PUT", "/v1/questionnaires/\(id)", ids[0], body, "If-None-Match: *"),
                Self.edit(ids[1], "Second"), Self.request("PUT", "/v1/favorites/a", ids[2]),
                Self.request("DELETE", "/v1/favorites/a", ids[3]),
            ]
            for (change, request) in zip(ids, requests) {
                let answer = try hub.exchange(request)
                #expect(answer.status == 202, "\(answer.text)")
                let kept = try DocumentCoding.decode(KeptReceipt.self, from: answer.body)
                #expect(kept.test == change && kept.action != nil)
                #expect(try hub.exchange(request).body == answer.body)
            }
            let first = try DocumentCoding.decode(KeptReceipt.self, from: try hub.exchange(requests[0]).body)
            #expect(first.action == .create && first.digest == Digest(sha256Of: Array(body.utf8)))
            // Other content under the same id is another change.
            #expect(try hub.exchange(Self.edit(ids[1], "Third")).status == 409)
            let list = try hub.get("/v1/receipts?ids=\(ids.map(\.description).joined(separator: ","))")
            #expect(list.status == 200 && list.text.components(separatedBy: "keptAt").count == 5)
            try wait(for: "what waits to be counted") {
                try Self.writes(hub, "questionnaires", "waiting") == 2
                    && Self.writes(hub, "favorites", "waiting") == 2
                    && hub.get("/_hub/metrics").text.contains("quire_hub_questionnaires_waiting 2\n") ? true : nil
            }
            // What the others of the room have is theirs still.
            #expect(try hub.get("/v1/questionnaires/a").text == Self.first)

            try upstream.origin.start()
            try wait(for: "the delivery") {
                try Self.writes(hub, "questionnaires", "delivered") == 2
                    && Self.writes(hub, "favorites", "delivered") == 2 ? true : nil
            }
            let favorites = upstream.writes.filter { $0.target.hasPrefix("/v1/favorites") }
            #expect(favorites.map(\.method) == ["PUT", "DELETE"])
            #expect(upstream.writes.count == 4 && upstream.document("\(id)") == body)
            #expect(try hub.get("/v1/questionnaires/a").text == Self.document("Second"))
            upstream.origin.stop()
            // Away again: the hub has the receipts itself, and the new version, too.
            let own = try hub.get("/v1/tests?ids=\(ids.map(\.description).joined(separator: ","))")
            #expect(own.text.components(separatedBy: "receivedAt").count == 5)
            #expect(try hub.exchange(requests[1]).status == 200)
            #expect(try hub.get("/v1/questionnaires/a").text == Self.document("Second"))
        }
    }

    @Test("of two devices' edits on one version the first one counts; the other one hears 412, though there is no way")
    func conflict() async throws {
        try await HubFixture.run(base) { hub in
            _ = try hub.get("/v1/questionnaires/a")
            upstream.origin.stop()
            let (mine, theirs) = (TestID.random(), TestID.random())
            #expect(try hub.exchange(Self.edit(theirs, "Theirs")).status == 202)
            #expect(try hub.exchange(Self.edit(mine, "Mine")).status == 202)
            try upstream.origin.start()
            try wait(for: "both to be tried") {
                try Self.writes(hub, "questionnaires", "conflicts") == 1
                    && Self.writes(hub, "questionnaires", "delivered") == 1 ? true : nil
            }
            // It is no longer kept, so its device sends it again.
            let list = try hub.get("/v1/tests?ids=\(mine),\(theirs)").text
            #expect(list.contains("\(theirs)") && !list.contains("\(mine)"))
            // The version that won is here before the way is gone again.
            try wait(for: "the new version") {
                try hub.get("/v1/questionnaires/a").text == Self.document("Theirs") ? true : nil
            }
            upstream.origin.stop()
            let refused = try hub.exchange(Self.edit(mine, "Mine"))
            #expect(refused.status == 412, "\(refused.text)")
            #expect(refused["etag"] == QuestionnaireOrigin.tag(Self.document("Theirs")))
            #expect(refused["content-type"] == "application/problem+json" && refused.text.contains("current"))
            let current = try hub.get("/v1/questionnaires/a")
            #expect(current.text == Self.document("Theirs") && current["etag"] == refused["etag"])
            try wait(for: "the hub to let go") { try Self.writes(hub, "questionnaires", "conflicts") == 0 ? true : nil }

            // The person decides: a new change, on the new base.
            let settled = TestID.random()
            #expect(try hub.exchange(Self.edit(settled, "Mine", on: Self.document("Theirs"))).status == 202)
            try upstream.origin.start()
            try wait(for: "the delivery") { upstream.document("a") == Self.document("Mine") ? true : nil }
        }
    }

    @Test("each change goes with its own device's token, and a rejected one blocks no other")
    func tokens() async throws {
        try await HubFixture.run(base) { hub in
            upstream.origin.stop()
            upstream.state.withLock { $0.refusesTokens = ["Bearer wrong"] }
            let (wrong, right) = (TestID.random(), TestID.random())
            let bad = Self.edit(wrong, "Wrong", "Authorization: Bearer wrong")
            #expect(try hub.exchange(bad).status == 202)
            #expect(try hub.exchange(Self.edit(right, "Right", "Authorization: Bearer right")).status == 202)
            #expect(try hub.get("/_hub/status").text.contains("Bearer") == false)
            try upstream.origin.start()
            try wait(for: "the right one") { upstream.document("a") == Self.document("Right") ? true : nil }
            #expect(upstream.writes.map { $0["authorization"] } == ["Bearer wrong", "Bearer right"])
            // Its device hears what the upstream says to it.
            #expect(try hub.exchange(bad).status == 401)
        }
    }

    @Test("a hub lends its token to no change, no list of tests and no file, whether the upstream is there or not")
    func tokenOfHub() async throws {
        try await HubFixture.run(base, token: "hub-token") { hub in
            let tests = "/v1/tests/\(TestID.random())/media"
            for path in ["/v1/tests", tests, "\(tests)/\(TestID.random())"] { _ = try hub.get(path) }
            _ = try hub.get("/v1/tests?status=sent", "Authorization: Bearer mine")
            #expect(upstream.reads.map { $0["authorization"] } == [nil, nil, nil, "Bearer mine"])

            let refused = try hub.exchange(Self.edit(.random(), "Mine"))
            #expect(refused.status == 403 && refused.text.contains("urn:quire:problem:not-allowed"), "\(refused.text)")
            #expect(try hub.exchange(Self.edit(.random(), "Second", "Authorization: Bearer staff")).status == 201)
            #expect(try hub.exchange(Self.request("PUT", "/v1/favorites/a", .random())).status == 201)
            #expect(upstream.writes.map { $0["authorization"] } == ["Bearer staff", "Bearer hub-token"])

            upstream.origin.stop()
            let second = Self.document("Second")
            #expect(try hub.exchange(Self.edit(.random(), "Mine", on: second)).status == 403)
            #expect(try Self.writes(hub, "questionnaires", "waiting") == 0)
            // What a device shows itself cannot be judged here: it is kept, and goes with that alone.
            let kept = Self.edit(.random(), "Third", on: second, "Authorization: Bearer staff")
            #expect(try hub.exchange(kept).status == 202)
            upstream.state.withLock { $0.refusesTokens = ["Bearer staff"] }
            try upstream.origin.start()
            try wait(for: "the refusal") { try Self.writes(hub, "questionnaires", "waiting") == 0 ? true : nil }
            #expect(upstream.writes.last?["authorization"] == "Bearer staff" && upstream.document("a") == second)
        }
    }

    @Test("a change that could not be forwarded later is the upstream's to judge, and refused while it is away")
    func passedOn() async throws {
        try await HubFixture.run(base) { hub in
            let noBase = Self.request("PUT", "/v1/questionnaires/a", .random(), Self.document("x"))
            #expect(try hub.exchange(noBase).status == 412)
            let broken = Self.request("PUT", "/v1/questionnaires/a", .random(), "{", "If-Match: \"x\"")
            let answer = try hub.exchange(broken)
            #expect(answer.status == 422 && answer.text.contains("urn:quire:problem:invalid-questionnaire"))
            upstream.origin.stop()
            #expect(try hub.exchange(noBase).status == 504)
            #expect(try hub.store.outbox.scan().items.isEmpty)
        }
    }
}
