import Model
import Testing

@testable import Host

@Suite("Documents that were read lately")
struct DocumentMemoryTests {
    private static func document(_ number: Int, questions: Int) throws -> (CatalogEntry, PublishedQuestionnaire) {
        let texts = (0..<questions).map { #"{"id": "q\#($0)", "text": "?", "options": ["a", "b"]}"# }
        let json = #"{"id": "d\#(number)", "title": "", "questions": [\#(texts.joined(separator: ","))]}"#
        let published = try PublishedQuestionnaire(json: Array(json.utf8))
        let entry = CatalogEntry(
            fileName: "d\(number).json", stamp: FileStamp(version: number), conclusiveStamp: nil, modified: .epoch,
            published: published)
        return (entry, published)
    }

    @Test("of many, as many are kept as there is memory for what is decoded of them, the latest ones")
    func bound() throws {
        let memory = DocumentMemory()
        let questions = 4000
        let documents = try (0..<4).map { try Self.document($0, questions: questions) }
        for (entry, published) in documents { memory.keep(published, for: entry) }
        let kept = documents.filter { memory.published(for: $0.0) != nil }.map(\.0.id)
        #expect(!kept.isEmpty && kept == documents.suffix(kept.count).map(\.0.id))
        // The questions alone take so much; their texts are short.
        #expect(kept.count * questions * MemoryLayout<Question>.stride <= DocumentMemory.maximumBytes)
    }
}
