import Foundation
import Testing

@Suite("Questionnaires that are checked before they are published")
struct CheckTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ json: String) throws -> String {
        let path = "\(folder.path)/\(name).json"
        try Files.write(json, to: path)
        return path
    }

    @Test("a fault ends with 65 and its place, a warning does not, and a right document has none")
    func check() throws {
        let device = Device(folder.path)
        try device.done("init", "--remote", "http://127.0.0.1:1")
        let good = try file(
            "good", #"{"id": "a", "title": "A", "questions": [{"id": "q", "text": "?", "kind": "boolean"}]}"#)
        let fine = try device.quire("check", good)
        #expect(fine.exitCode == 0 && fine.output.contains("No faults."))
        let circle = try file(
            "circle",
            #"{"id": "a", "title": "A", "questions": [{"id": "q", "text": "?", "condition": {"question": "q", "is": 1}}]}"#
        )
        let refused = try device.quire("check", circle)
        #expect(refused.exitCode == 65 && refused.output.contains("questions[0].condition: the conditions of “q”"))
        #expect(try device.quire("new", "--from", circle).exitCode == 65)
        let warning = try file(
            "warning",
            #"{"id": "a", "title": "A", "questions": [{"id": "q", "text": "?", "constraint": {"minCount": 1}}]}"#)
        let warned = try device.quire("check", warning)
        #expect(warned.exitCode == 0 && warned.output.contains("warning: questions[0].constraint.minCount"))
        let lines = try device.quire("check", "--json", circle)
        #expect(lines.exitCode == 65)
        #expect(try lines.json()["findings"].elements.first?["place"].text == "questions[0].condition")
    }
}
