import Foundation
import Model
import OutboxStore
import Synchronization
import Testing

@testable import Hub

/// An origin that takes tests and their attachments as docs/protocol.md, sections 6 and 10, says, on the wire.
private final class AttachmentOrigin: Sendable {
    struct State {
        var uploads: [String: [UInt8]] = [:]
        var digests: [String: Digest] = [:]
        /// Answers to what is appended, in the place of the usual one.
        var refusal: String?
    }

    let state = Mutex(State())
    let origin: RawOrigin

    init() throws {
        let held = Held()
        origin = try RawOrigin { request, socket in try held.answer(request, socket) }
        held.hold(self)
    }

    private final class Held: Sendable {
        private struct Weak { weak var origin: AttachmentOrigin? }
        private let weak = Mutex(Weak())
        func hold(_ origin: AttachmentOrigin) { weak.withLock { $0.origin = origin } }
        func answer(_ request: RawMessage, _ socket: RawSocket) throws {
            try weak.withLock { $0.origin }?.answer(request, socket)
        }
    }

    private func answer(_ request: RawMessage, _ socket: RawSocket) throws {
        func reply(_ status: String, _ body: String = "", _ fields: String...) throws {
            let head = ["HTTP/1.1 \(status)", "Cache-Control: no-store", "Content-Length: \(body.utf8.count)"] + fields
            try socket.send(head.joined(separator: "\r\n") + "\r\n\r\n" + (request.method == "HEAD" ? "" : body))
        }
        let id = String(request.target.split(separator: "/").last ?? "")
        switch (request.method, request.target.contains("/media/")) {
        case ("PUT", true):
            state.withLock { $0.uploads[id, default: []] += [] }
            try reply(
                "201 Created", "", "Location: ../../../uploads/\(id)", "Upload-Offset: 0", "Upload-Complete: ?0")
        case ("PUT", false):
            let digest = Digest(sha256Of: request.body)
            try reply(
                "201 Created",
                #"{"digest":"\#(digest)","receivedAt":"2026-11-21T05:58:50.316Z","status":"sent","test":"\#(id)"}"#)
        case ("PATCH", _):
            if let refusal = state.withLock({ $0.refusal }) { return try socket.send(refusal) }
            let digest = state.withLock { state in
                state.uploads[id, default: []] += request.body
                return Digest(sha256Of: state.uploads[id, default: []])
            }
            try reply(
                "201 Created",
                #"{"action":"attach","change":"\#(id)","digest":"\#(digest)","receivedAt":"2026-11-21T05:58:50.316Z","status":"sent"}"#,
                "Upload-Complete: ?1")
        default: try reply("404 Not Found", "{}")
        }
    }
}

@Suite("Attachments that the hub takes")
struct AttachmentRelayTests {
    private let upstream: AttachmentOrigin
    private let test = TestID.random()
    private let media = TestID.random()
    private let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 37) }

    init() throws { upstream = try AttachmentOrigin() }

    private var base: String { "http://127.0.0.1:\(upstream.origin.port)" }
    private var digest: Digest { Digest(sha256Of: content) }

    private var body: String {
        """
        {"id": "\(test)", "questionnaire": {"id": "q", "title": "Q", "digest": "sha256:\(String(repeating: "0", count: 64))"},
         "dateStarted": "2026-11-21T04:51:00.000Z", "dateFinished": "2026-11-21T04:52:00.000Z", "deviceId": "d",
         "sequence": 1, "answers": [], "attachments": [{"id": "\(media)", "questionId": "q1", "name": "Небо.png",
         "mediaType": "image/png", "sizeBytes": 5000, "digest": "\(digest)"}]}
        """
    }

    private func request(
        _ method: String, _ path: String, _ fields: [String], _ body: [UInt8] = []
    ) -> [UInt8] {
        let head = ["\(method) \(path) HTTP/1.1", "Host: hub", "Content-Length: \(body.count)"] + fields
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    private func ask(
        _ hub: HubFixture, _ method: String, _ path: String, _ fields: String..., body: [UInt8] = []
    ) throws -> RawMessage {
        let socket = try hub.connect()
        try socket.send(request(method, path, fields, body))
        return try #require(try socket.message(hasNoBody: method == "HEAD"))
    }

    private func deliver(_ hub: HubFixture) throws -> RawMessage {
        try ask(hub, "PUT", "/v1/tests/\(test)", "Content-Type: application/json", body: Array(body.utf8))
    }

    private var target: String { "/v1/tests/\(test)/media/\(media)" }
    private var place: String { "/v1/uploads/\(media)" }

    private func append(
        _ hub: HubFixture, _ range: Range<Int>, isComplete: Bool, at offset: Int? = nil, _ bytes: [UInt8]? = nil
    ) throws -> RawMessage {
        try ask(
            hub, "PATCH", place, "Content-Type: application/partial-upload",
            "Upload-Offset: \(offset ?? range.lowerBound)", "Upload-Complete: \(isComplete ? "?1" : "?0")",
            body: bytes ?? Array(content[range]))
    }

    private func files(_ hub: HubFixture, _ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: hub.folder.appending(folder).string)
    }

    @Test("what does not fit to what the test names is refused as by a host, and nothing is kept of it")
    func refused() async throws {
        try await HubFixture.run(base) { hub in
            upstream.origin.stop()
            #expect(try deliver(hub).status == 202)
            let other = try ask(hub, "PUT", "/v1/tests/\(test)/media/\(TestID.random())", "Upload-Complete: ?0")
            #expect(other.status == 422 && other.text.contains("urn:quire:problem:not-attached"))
            let wrong = Data(Digest(sha256Of: []).bytes).base64EncodedString()
            let conflict = try ask(hub, "PUT", target, "Upload-Complete: ?0", "Repr-Digest: sha-256=:\(wrong):")
            #expect(conflict.status == 409 && conflict.text.contains("urn:quire:problem:different-content"))
            #expect(try ask(hub, "PUT", target, "Upload-Complete: ?0", "Upload-Length: 4").status == 400)
            #expect(try ask(hub, "PUT", target, "Upload-Complete: maybe").status == 400)
            let begun = try ask(hub, "PUT", target, "Upload-Complete: ?0", "Upload-Length: 5000")
            #expect(begun.status == 201 && begun["location"] == "../../../uploads/\(media)")
            let typeless = try ask(hub, "PATCH", place, "Upload-Offset: 0", "Upload-Complete: ?1", body: content)
            #expect(typeless.status == 415 && typeless["accept-patch"] == "application/partial-upload")
            let elsewhere = try append(hub, 0..<10, isComplete: false, at: 7)
            #expect(elsewhere.status == 409 && elsewhere.text.contains(#""expected-offset":0"#))
            let long = try append(hub, 0..<5000, isComplete: true, content + [1])
            #expect(long.status == 400 && long.text.contains("inconsistent-upload-length"))
            let damaged = try append(hub, 0..<5000, isComplete: true, content.dropLast() + [1])
            #expect(damaged.status == 400 && damaged.text.contains("urn:quire:problem:digest-mismatch"))
            #expect(try ask(hub, "HEAD", place)["upload-offset"] == "0")
            #expect(try files(hub, "outbox/media").isEmpty)
            #expect(try hub.store.outbox.changes(.media).isEmpty)
            #expect(try ask(hub, "DELETE", place).status == 204)
            #expect(try files(hub, "hub/uploads").isEmpty)
            #expect(try ask(hub, "HEAD", place).status == 404)
        }
    }

    @Test("with the upstream away it is kept and said so, asked again is the same, and goes up once")
    func away() async throws {
        try await HubFixture.run(base) { hub in
            upstream.origin.stop()
            #expect(try deliver(hub).status == 202)
            #expect(try ask(hub, "PUT", target, "Upload-Complete: ?0").status == 201)
            let part = try append(hub, 0..<2000, isComplete: false)
            #expect(part.status == 204 && part["upload-offset"] == "2000" && part["upload-complete"] == "?0")
            // A repeated start is the same upload.
            #expect(try ask(hub, "PUT", target, "Upload-Complete: ?0")["upload-offset"] == "2000")
            // A connection that breaks: what came counts.
            let rest = request(
                "PATCH", place,
                ["Content-Type: application/partial-upload", "Upload-Offset: 2000", "Upload-Complete: ?1"],
                Array(content[2000...]))
            var pause: UInt32 = 1000
            try wait(for: "what came") { () -> Bool? in
                if try ask(hub, "HEAD", place)["upload-offset"] == "4000" { return true }
                // A look ends the upload that is running, perhaps before its bytes are read: the longer it took, the later comes the next.
                try hub.connect().send(Array(rest.dropLast(1000)))
                usleep(pause)
                pause = min(pause * 2, 1_000_000)
                return nil
            }
            let kept = try append(hub, 4000..<5000, isComplete: true)
            #expect(kept.status == 202 && kept["upload-complete"] == "?1", "\(kept)")
            let receipt = try DocumentCoding.decode(KeptReceipt.self, from: kept.body)
            #expect(receipt.test == media && receipt.action == .attach && receipt.digest == digest)
            let again = try ask(hub, "PUT", target, "Upload-Complete: ?0")
            #expect(again.status == 202 && again.body == kept.body && again["upload-complete"] == "?1")
            let stand = try ask(hub, "HEAD", place)
            #expect(stand["upload-complete"] == "?1" && stand["upload-offset"] == "5000")
            let list = try hub.get("/v1/receipts?ids=\(test),\(media)")
            #expect(list.text.components(separatedBy: "keptAt").count == 3, "\(list)")
            #expect(try files(hub, "outbox/media") == [digest.hex] && files(hub, "hub/uploads").isEmpty)

            try upstream.origin.start()
            try wait(for: "the delivery") {
                try hub.store.outbox.changes(.media).first?.item.status == .sent ? true : nil
            }
            #expect(upstream.state.withLock { $0.uploads } == ["\(media)": content])
            try wait(for: "the copy to go") { try files(hub, "outbox/media").isEmpty ? true : nil }
            upstream.origin.stop()
            let own = try ask(hub, "PUT", target, "Upload-Complete: ?0")
            #expect(own.status == 200 && own.text.contains("2026-11-21T05:58:50.316Z"), "\(own)")
        }
    }

    @Test("what the outbox cannot take at its end stays whole, in one copy, and is not asked for a second time")
    func notTaken() async throws {
        try await HubFixture.run(base) { hub in
            upstream.origin.stop()
            #expect(try deliver(hub).status == 202)
            #expect(try ask(hub, "PUT", target, "Upload-Complete: ?0").status == 201)
            let begun = try files(hub, "hub/uploads").sorted()
            // The folder in which the hub would record its sender is missing.
            let arrivals = hub.folder.appending("hub/arrivals").string
            try FileManager.default.moveItem(atPath: arrivals, toPath: arrivals + "-away")
            try Data().write(to: URL(filePath: arrivals))
            #expect(try append(hub, 0..<5000, isComplete: true).status >= 500)
            for _ in 0..<2 {
                #expect(try ask(hub, "HEAD", place)["upload-offset"] == "5000")
                #expect(try append(hub, 5000..<5000, isComplete: true).status >= 500)
                #expect(try files(hub, "hub/uploads").sorted() == begun)
            }
            try FileManager.default.removeItem(atPath: arrivals)
            try FileManager.default.moveItem(atPath: arrivals + "-away", toPath: arrivals)
            let kept = try append(hub, 5000..<5000, isComplete: true)
            #expect(kept.status == 202 && kept["upload-complete"] == "?1", "\(kept)")
            #expect(try files(hub, "outbox/media") == [digest.hex] && files(hub, "hub/uploads").isEmpty)
        }
    }

    private static let (own, others) = ("Authorization: Bearer k_boris", "Authorization: Bearer k_ada")

    private func deliverAsOwn(_ hub: HubFixture) throws -> RawMessage {
        try ask(hub, "PUT", "/v1/tests/\(test)", "Content-Type: application/json", Self.own, body: Array(body.utf8))
    }

    private func append(_ hub: HubFixture, _ login: String) throws -> RawMessage {
        try ask(
            hub, "PATCH", place, "Content-Type: application/partial-upload", "Upload-Offset: 0", "Upload-Complete: ?1",
            login, body: content)
    }

    @Test("the upload of a test that came with a key is that key's alone", arguments: [nil, "k_hub"] as [String?])
    func owned(_ token: String?) async throws {
        try await HubFixture.run(base, token: token) { hub in
            upstream.origin.stop()
            #expect(try deliverAsOwn(hub).status == 202)
            for login in [Self.others, "X-None: 1"] {
                let reply = try ask(hub, "PUT", target, "Upload-Complete: ?0", login)
                #expect(reply.status == 404 && reply.text.contains("urn:quire:problem:test-unknown"), "\(reply)")
            }
            #expect(try ask(hub, "PUT", target, "Upload-Complete: ?0", Self.own).status == 201)
            for login in [Self.others, "X-None: 1"] {
                for method in ["HEAD", "DELETE"] { #expect(try ask(hub, method, place, login).status == 404) }
                #expect(try append(hub, login).status == 404)
            }
            #expect(try ask(hub, "HEAD", place, Self.own)["upload-offset"] == "0")
            #expect(try ask(hub, "DELETE", place, Self.own).status == 204)
            #expect(try files(hub, "hub/arrivals") == ["\(test).arrival.json"])
            #expect(try ask(hub, "PUT", target, "Upload-Complete: ?0", Self.own).status == 201)
            #expect(try append(hub, Self.own).status == 202)
        }
    }

    @Test("an upload stays its sender's when its test has been delivered meanwhile")
    func ownedLater() async throws {
        try await HubFixture.run(base) { hub in
            #expect(try deliverAsOwn(hub).status == 201)
            try wait(for: "the test's key to go") { try files(hub, "hub/arrivals").isEmpty ? true : nil }
            #expect(try ask(hub, "PUT", target, "Upload-Complete: ?0", Self.own).status == 201)
            upstream.origin.stop()
            for login in [Self.others, "X-None: 1"] {
                // The upstream is asked, which is away.
                for method in ["HEAD", "DELETE"] { #expect(try ask(hub, method, place, login).status >= 400) }
                #expect(try append(hub, login).status >= 400)
            }
            #expect(try append(hub, Self.own).status == 202)
        }
    }

    private static let tooLong = #"{"type":"urn:quire:problem:content-too-large","detail":"big"}"#

    @Test("in one piece, with the upstream there: its receipt, or its refusal, and then the hub has nothing of it")
    func there() async throws {
        try await HubFixture.run(base) { hub in
            #expect(try deliver(hub).status == 201)
            upstream.state.withLock {
                $0.refusal =
                    "HTTP/1.1 413 Content Too Large\r\nContent-Type: application/problem+json\r\nContent-Length: \(Self.tooLong.utf8.count)\r\n\r\n\(Self.tooLong)"
            }
            let refused = try ask(hub, "PUT", target, body: content)
            #expect(refused.status == 413 && refused.text == Self.tooLong, "\(refused)")
            try wait(for: "it to go") {
                try hub.store.outbox.changes(.media).isEmpty && files(hub, "outbox/media").isEmpty ? true : nil
            }
            upstream.state.withLock { $0 = AttachmentOrigin.State() }
            let taken = try ask(hub, "PUT", target, body: content)
            #expect(taken.status == 201 && taken["upload-complete"] == "?1", "\(taken)")
            #expect(taken.text.contains("2026-11-21T05:58:50.316Z"))
        }
    }

    @Test("what belongs to a test that the hub does not have is the upstream's matter")
    func unknown() async throws {
        try await HubFixture.run(base) { hub in
            let begun = try ask(hub, "PUT", target, "Upload-Complete: ?0", "Upload-Length: 5000")
            #expect(begun.status == 201)
            #expect(try append(hub, 0..<5000, isComplete: true).status == 201)
            #expect(try files(hub, "hub/uploads").isEmpty && files(hub, "outbox/media").isEmpty)
            #expect(upstream.state.withLock { $0.uploads } == ["\(media)": content])
            upstream.origin.stop()
            #expect(try ask(hub, "PUT", target, "Upload-Complete: ?0").status == 504)
            #expect(try append(hub, 0..<5000, isComplete: true).status == 404)
        }
    }
}
