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
        let documents = try (0..<6).map { try Self.document($0, questions: 4000) }
        for (entry, published) in documents { memory.keep(published, for: entry) }
        func kept() -> [String] { documents.filter { memory.published(for: $0.0) != nil }.map(\.0.id) }
        // Each takes about 3 MB, most of it the questions; their texts are short.
        #expect(kept() == documents.suffix(kept().count).map(\.0.id) && (2...3).contains(kept().count))
        // What is used again is among the latest.
        let again = documents[documents.count - kept().count]
        memory.keep(gzip: [1, 2, 3], for: again.0)
        memory.keep(documents[0].1, for: documents[0].0)
        #expect(memory.gzip(for: again.0) == [1, 2, 3] && kept().contains("d0"))
    }

    @Test("one that is longer than all of the memory is kept as long as it is the latest")
    func long() throws {
        let memory = DocumentMemory()
        let (entry, published) = try Self.document(1, questions: 14_000)
        memory.keep(published, for: entry)
        memory.keep(gzip: [1, 2, 3], for: entry)
        #expect(memory.published(for: entry)?.digest == published.digest && memory.gzip(for: entry) == [1, 2, 3])
        let other = try Self.document(2, questions: 1)
        memory.keep(other.1, for: other.0)
        #expect(memory.published(for: entry) == nil && memory.published(for: other.0) != nil)
    }
}
