import Foundation
import HTTPServing
import Model
import Testing

@Suite("How media are shown")
struct MediaKindTests {
    private struct Case: Decodable {
        var path: String
        var type: String?
        var kind: String
    }

    @Test("each case of the vectors is as it says")
    func vectors() throws {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = tests.appending(path: "../Vectors/media-kinds.json")
        let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
        #expect(cases.count > 25)
        for one in cases {
            let kind =
                switch MediaKind(MediaType.of(fileName: one.path, stated: one.type)) {
                case .picture: "image"
                case .sound: "audio"
                case .film: "video"
                case .other: ""
                }
            #expect(kind == one.kind, "\(one.path) \(one.type ?? "")")
        }
    }
}
