import Foundation
import HTTPTypes
import Testing

@testable import Hub

/// The table that devices and the app for phones are tested with too.
@Suite("Which replies of the upstream are a stranger's, by their heads")
struct StrangerVectorTests {
    private struct Vectors: Decodable {
        struct Reply: Decodable {
            var name: String
            var status: Int
            var fields: [String: String]
            var isStrangerByHead: Bool
        }
        var replies: [Reply]
    }

    @Test("each reply of the table, for a document and for a file")
    func table() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appending(path: "Vectors/strangers.json")
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        #expect(vectors.replies.count > 80)
        for reply in vectors.replies {
            var head = HTTPResponse(status: .init(code: reply.status))
            for (name, value) in reply.fields { head.headerFields[try #require(HTTPField.Name(name))] = value }
            func isStranger(_ path: String, _ method: HTTPRequest.Method = .get) -> Bool {
                let request = HTTPRequest(method: method, scheme: "http", authority: "school", path: path)
                return CachingUpstream.isFromStranger(head, to: request, basePath: "/base")
            }
            let isAboutPart = [412, 416].contains(reply.status)
            for path in ["/base/v1/questionnaires", "/base/v1/questionnaires/a?x=1"] {
                #expect(isStranger(path) == (reply.isStrangerByHead && !isAboutPart), "\(path): \(reply.name)")
            }
            let isPage = (200..<300).contains(reply.status)
            #expect(
                isStranger("/base/v1/questionnaires/a/media/map.html")
                    == (reply.isStrangerByHead && !isAboutPart && !isPage), "\(reply.name)")
            // A request outside the protocol is relayed unchanged.
            #expect(!isStranger("/other/page") && !isStranger("/base/v1/tests/a", .put), "\(reply.name)")
        }
    }
}
