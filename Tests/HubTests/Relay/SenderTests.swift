import Foundation
import Model
import OutboxStore
import Quire
import Testing

@testable import Hub

@Suite("Whose a test is that waits at the hub")
struct SenderTests {
    private let upstream: ProvingOrigin
    private let id = TestID.random()

    init() throws { upstream = try ProvingOrigin(["k_ada": "ada", "k_boris": "boris", "k_hub": ""]) }

    private func body(naming person: String? = "boris") -> String {
        let named = person.map { #""person": {"id": "\#($0)", "name": "\#($0)"}, "# } ?? ""
        return """
            {"id": "\(id)", "questionnaire": {"id": "q", "title": "Q", "digest": "\(Digest(sha256Of: []))"}, \(named)
             "dateStarted": "2026-11-21T04:51:00.000Z", "dateFinished": "2026-11-21T04:52:00.000Z", "deviceId": "d",
             "sequence": 1, "answers": [{"questionId": "q1", "answer": "yes"}]}
            """
    }

    private func put(_ hub: HubFixture, _ key: String?, naming person: String? = "boris") throws -> Int {
        let body = body(naming: person)
        let login = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return try hub.exchange(
            "PUT /v1/tests/\(id) HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n\(login)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        ).status
    }

    private func waitForDelivery(_ hub: HubFixture) throws {
        try wait(for: "the delivery") { try hub.store.outbox.counts()[.sent] == 1 ? true : nil }
    }

    @Test("a key that the hub has never seen stays with its test while the server is away, and proves its person later")
    func unseen() async throws {
        try await HubFixture.run(upstream.url, token: "k_hub") { hub in
            upstream.stop()
            #expect(try put(hub, "k_boris") == 202)
            let arrival = hub.folder.appending("hub/arrivals/\(id).arrival.json").string
            #expect(try String(contentsOfFile: arrival, encoding: .utf8).contains("k_boris"))
            // What is read stays closed to it.
            #expect(try hub.get("/v1/people", "Authorization: Bearer k_boris").status == 401)
            try upstream.start()
            try waitForDelivery(hub)
            #expect(upstream.isProven(id) == true)
        }
    }

    @Test(
        "so does one that the server has no time to be asked about",
        arguments: ["429 Too Many Requests", "503 Service Unavailable"])
    func busy(_ status: String) async throws {
        upstream.refuseQuestions(status)
        try await HubFixture.run(upstream.url, token: "k_hub") { hub in
            #expect(try put(hub, "k_boris") < 300)
            try waitForDelivery(hub)
            #expect(upstream.isProven(id) == true)
        }
    }

    @Test("a key that the server does not accept is dropped, and its test goes with the hub's")
    func refused() async throws {
        try await HubFixture.run(upstream.url, token: "k_hub") { hub in
            upstream.stop()
            #expect(try put(hub, "k_wrong") == 202)
            try upstream.start()
            try waitForDelivery(hub)
            #expect(upstream.shown.last == "k_hub" && upstream.isProven(id) == false)
        }
    }

    @Test(
        "the same bytes from another sender do not take the place of the first key",
        arguments: [nil, "k_hub"] as [String?], [nil, "k_wrong", "k_ada"] as [String?])
    func later(_ token: String?, _ second: String?) async throws {
        try await HubFixture.run(upstream.url, token: token) { hub in
            upstream.stop()
            #expect(try put(hub, "k_boris") == 202)
            #expect(try put(hub, second) == 202)
            try upstream.start()
            try waitForDelivery(hub)
            #expect(upstream.isProven(id) == true && upstream.owners(of: id) == ["boris"])
        }
    }

    @Test(
        "the right key proves the test also where others were shown before it",
        arguments: [nil, "k_hub"] as [String?],
        [[nil], ["k_wrong"], ["k_ada"], ["k_wrong", nil, "k_ada"]] as [[String?]])
    func earlier(_ token: String?, _ others: [String?]) async throws {
        try await HubFixture.run(upstream.url, token: token) { hub in
            upstream.stop()
            for key in others + ["k_boris"] { #expect(try put(hub, key) == 202) }
            try upstream.start()
            try waitForDelivery(hub)
            #expect(upstream.isProven(id) == true && upstream.owners(of: id)?.contains("boris") == true)
        }
    }

    @Test("a test that names no person belongs to the first accepted key")
    func unnamed() async throws {
        try await HubFixture.run(upstream.url) { hub in
            upstream.stop()
            for key in ["k_wrong", "k_boris", "k_ada"] { #expect(try put(hub, key, naming: nil) == 202) }
            try upstream.start()
            try waitForDelivery(hub)
            #expect(upstream.owners(of: id) == ["boris"])
        }
    }

    @Test("a bounded number of keys is kept, the first one always, and a known one gets in")
    func bounded() {
        var origin = SubmissionOrigin(keptAt: .epoch, authorization: "Bearer first")
        for number in 0..<100 { _ = origin.add("Bearer junk_\(number)") { _ in false } }
        #expect(origin.keys.count == SubmissionOrigin.mostKeys && origin.keys.first == "Bearer first")
        let isKnown = { (key: String) in key.hasPrefix("Bearer right") }
        for number in 0..<7 {
            let isNew = origin.add("Bearer right_\(number)", isKnown: isKnown)
            #expect(isNew)
        }
        for number in 0..<100 { _ = origin.add("Bearer more_\(number)", isKnown: isKnown) }
        #expect(origin.keys == ["Bearer first"] + (0..<7).map { "Bearer right_\($0)" })
        origin.drop("Bearer first")
        #expect(origin.keys.count == 7 && origin.authorization == "Bearer right_0")
    }

    @Test("one key is kept once, however it was written")
    func once() {
        var origin = SubmissionOrigin(keptAt: .epoch, authorization: "Bearer ABCD-2345-EFGH-6789")
        let isNew = origin.add("bearer  abcd2345efgh6789") { _ in false }
        #expect(!isNew && origin.keys.count == 1)
    }

    @Test("an arrival of an earlier hub is read, and one with a single key is written as before")
    func format() throws {
        let former = #"{"authorization":"Bearer mine","keptAt":"2026-11-21T04:51:00.000Z"}"#
        let origin = try DocumentCoding.decode(SubmissionOrigin.self, from: Array(former.utf8))
        #expect(origin.keys == ["Bearer mine"])
        let written = String(decoding: try DocumentCoding.encode(origin), as: UTF8.self)
        #expect(written.contains("others") == false && written.contains("isUnderWay") == false)
        let bare = try DocumentCoding.decode(
            SubmissionOrigin.self, from: Array(#"{"keptAt":"2026-11-21T04:51:00.000Z"}"#.utf8))
        #expect(bare.keys.isEmpty)
    }
}
