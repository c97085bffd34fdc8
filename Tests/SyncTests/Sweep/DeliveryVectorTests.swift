import Foundation
import HTTPTypes
import Model
import Sync
import Testing
import Wording

/// The table that the app for phones is tested with too.
@Suite("What becomes of a test after each reply: the same in Swift and in the app")
struct DeliveryVectorTests {
    struct Vectors: Decodable {
        struct Reply: Decodable {
            var name: String
            var status: Int
            var fields: [String: String]
            var body: String
            var becomes: String
            var ends: Bool
        }
        var test: TestID
        var digest: Digest
        var replies: [Reply]
    }

    static func vectors() throws -> Vectors {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appending(path: "../Vectors/deliveries.json")
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    }

    private let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private func decide(_ reply: Vectors.Reply, _ vectors: Vectors) throws -> DeliveryDecision {
        var fields = HTTPFields()
        for (name, value) in reply.fields { fields[try #require(HTTPField.Name(name))] = value }
        let outcome = RemoteReply(
            status: reply.status, fields: fields, body: Array(reply.body.utf8), requestTime: now, responseTime: now)
        return .decide(
            .init(
                test: vectors.test, digest: vectors.digest, outcome: .success(outcome), history: nil, now: now,
                jitter: 0.5))
    }

    @Test("each reply of the table")
    func table() throws {
        let vectors = try Self.vectors()
        #expect(vectors.replies.count > 60)
        for reply in vectors.replies {
            let (becomes, ends): (String, Bool) =
                switch try decide(reply, vectors) {
                case .acknowledged: ("sent", false)
                case .kept: ("kept", false)
                case .retry(_, _, let pace): ("waits", pace == .stop)
                case .conflict: ("conflict", false)
                case .rejected: ("rejected", false)
                }
            #expect(becomes == reply.becomes && ends == reply.ends, "\(reply.name)")
        }
    }

    @Test(
        "without the protocol's marks no status rejects a test, and the reason says who answered", arguments: 100...599)
    func strangers(_ status: Int) throws {
        let page = Vectors.Reply(
            name: "a page", status: status, fields: ["Content-Type": "text/html"], body: "<h1>No</h1>", becomes: "",
            ends: false)
        guard case .retry(let delivery, let notBefore, _) = try decide(page, try Self.vectors()) else {
            Issue.record("\(status) did more than wait")
            return
        }
        #expect(notBefore > now)
        guard (400..<500).contains(status), ![401, 408, 425, 429].contains(status) else { return }
        #expect(delivery.notTheServer == true)
        #expect(delivery.reason.contains(status == 407 ? "proxy" : "not the Quire server"))
        #expect(delivery.reason(in: .russian).contains(status == 407 ? "прокси" : "не сервер Quire"))
    }
}
