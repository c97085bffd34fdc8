import Disk
import Model
import SwiftProtobuf
import SystemPackage

/// Writes the index of texts anew. Without a text to add nothing is written.
///
/// What fails here is told to nobody: the texts that the index lacks are read from the documents by the next search.
final class TextSnapshotWriter {
    private let fileSystem: any FileSystem
    private var writer: IndexWriter?
    private var isFailed = false
    private var added: Set<Digest> = []

    init(_ fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    func add(_ digest: Digest, _ text: String) {
        guard !isFailed, added.insert(digest).inserted else { return }
        attempt {
            let writer = try self.writer ?? IndexWriter(fileSystem)
            self.writer = writer
            try append(digest, text, to: writer)
        }
    }

    /// Ends the index with the texts of `records` that it had, and puts it in its place.
    func finish(keepingTextsOf records: [CatalogRecord]) {
        guard let writer, !isFailed else { return }
        attempt {
            let own = try writer.position()
            let kept = Set(records.lazy.map(\.digest)).subtracting(added)
            let reader = TextSnapshotReader(fileSystem, of: records)
            var failure: (any Error)?
            let isWhole = reader.read { digest, text in
                guard failure == nil, kept.contains(digest) else { return }
                do {
                    try append(digest, String(decoding: text, as: UTF8.self), to: writer)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            // What a damaged index says does not count.
            if !isWhole { try writer.rewind(to: own) }
            try writer.finish(as: CacheLayout.texts)
            self.writer = nil
        }
    }

    /// A repeated field may come in any number of pieces: the messages of one document each, in a row, are that of all.
    private func append(_ digest: Digest, _ text: String, to writer: IndexWriter) throws {
        var document = Quire_Catalog_V1_DocumentText()
        document.digest = .init(digest.bytes)
        document.foldedText = text
        var snapshot = Quire_Catalog_V1_TextSnapshot()
        snapshot.documents = [document]
        try writer.append(try snapshot.serializedBytes())
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            isFailed = true
            writer = nil
        }
    }
}
