import Foundation
import HTTPTypes
import Model
import Sync
import Testing

/// The table that hubs and the app for phones are tested with too.
@Suite("Which replies are a stranger's: the same on a device, in a hub and in the app")
struct StrangerVectorTests {
    private struct Vectors: Decodable {
        struct Reply: Decodable {
            var name: String
            var status: Int
            var fields: [String: String]
            var body: String
            var isStranger: Bool
            var isStrangerByHead: Bool
        }
        var replies: [Reply]
    }

    @Test("each reply of the table, by all of it and by its head")
    func table() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appending(path: "Vectors/strangers.json")
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        #expect(vectors.replies.count > 80)
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        for reply in vectors.replies {
            var fields = HTTPFields()
            for (name, value) in reply.fields { fields[try #require(HTTPField.Name(name))] = value }
            let received = RemoteReply(
                status: reply.status, fields: fields, body: Array(reply.body.utf8), requestTime: now, responseTime: now)
            #expect(received.isFromStranger == reply.isStranger, "\(reply.name)")
            let byHead = StrangerRule.applies(status: reply.status, fields: fields, marks: .unread)
            #expect(byHead == reply.isStrangerByHead, "\(reply.name)")
            // The head alone never accuses a reply that is the server's.
            #expect(reply.isStranger || !byHead, "\(reply.name)")
        }
    }
}
