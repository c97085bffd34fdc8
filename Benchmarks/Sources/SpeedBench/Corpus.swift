import Foundation

/// A corpus that `CorpusMaker` made.
struct Corpus {
    struct Document {
        var id: String
        var hex: String
        var expires: Int64
        var lastUsed: Int64
        var title: String
        var folded: String
        var bytes: [UInt8]
    }

    var documents: [Document] = []

    init(_ folder: URL) throws {
        let content = try Data(contentsOf: folder.appending(path: "corpus.bin"))
        let table = try String(contentsOf: folder.appending(path: "corpus.tsv"), encoding: .utf8)
        var offset = 0
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 7, let length = Int(fields[1]), let expires = Int64(fields[3]),
                let lastUsed = Int64(fields[4])
            else { throw BenchError("corpus.tsv has a line that is none of ours: \(line)") }
            documents.append(
                Document(
                    id: String(fields[0]), hex: String(fields[2]), expires: expires, lastUsed: lastUsed,
                    title: String(fields[5]), folded: String(fields[6]),
                    bytes: Array(content[offset..<offset + length])))
            offset += length
        }
    }

    /// The same order each time.
    func shuffled() -> [Document] {
        var random = SeededGenerator(state: 42)
        return documents.shuffled(using: &random)
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
