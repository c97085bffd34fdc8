import Foundation
import Model
import Testing

@Suite("Files that a question takes")
struct AcceptedFilesTests {
    private struct Case: Decodable {
        var accept, name, type: String
        var takes: Bool
    }

    @Test("each case of the vectors is as it says")
    func vectors() throws {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = tests.appending(path: "../Vectors/accepted-files.json")
        let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
        #expect(cases.count > 15)
        for one in cases {
            #expect(
                AcceptedFiles(one.accept).takes(name: one.name, mediaType: one.type) == one.takes,
                "\(one.accept): \(one.name)")
        }
    }

    @Test("what is neither an ending nor a type is ignored, and named")
    func unknown() {
        let accepted = AcceptedFiles("pdf, image/*, ., a/b/c,.txt")
        #expect(accepted.entries == ["image/*", ".txt"] && accepted.unknown == ["pdf", ".", "a/b/c"])
    }
}
