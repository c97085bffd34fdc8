import Disk
import Model
import SwiftProtobuf
import SystemPackage

/// Writes the index of texts anew, piece by piece: a first pull of ten thousand documents does not hold their texts in
/// memory. Without a text to add nothing is written.
///
/// What fails here is told to nobody: the texts that the index lacks are read from the documents by the next search.
final class TextSnapshotWriter {
    private let fileSystem: any FileSystem
    private var temporary: TemporaryFile?
    private var isFailed = false
    private var hash = DigestBuilder()
    private var offset = Int64(CatalogIndex.headerBytes)
    private var pending: [UInt8] = []
    private var added: Set<Digest> = []

    private static let pieceBytes = 1 << 20

    init(_ fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    deinit { discard() }

    func add(_ digest: Digest, _ text: String) {
        guard !isFailed, added.insert(digest).inserted else { return }
        attempt {
            if temporary == nil {
                try fileSystem.makeFolderIfMissing(CacheLayout.index)
                // What a killed one left: this folder has no sweep of its own.
                try fileSystem.removeAbandonedTemporaryFiles(in: CacheLayout.index, isShared: true)
                temporary = try fileSystem.makeTemporaryFile(in: CacheLayout.index)
            }
            try append(digest, text)
        }
    }

    /// Ends the index with the texts of `records` that it had, and puts it in its place.
    func finish(keepingTextsOf records: [CatalogRecord]) {
        guard let temporary, !isFailed else { return }
        attempt {
            try flush()
            let (ownHash, ownEnd) = (hash, offset)
            let kept = Set(records.lazy.map(\.digest)).subtracting(added)
            let reader = TextSnapshotReader(fileSystem, of: records)
            var failure: (any Error)?
            let isWhole = reader.read { digest, text in
                guard failure == nil, kept.contains(digest) else { return }
                do { try append(digest, String(decoding: text, as: UTF8.self)) } catch { failure = error }
            }
            if let failure { throw failure }
            if !isWhole {
                // What a damaged index says does not count.
                (hash, offset) = (ownHash, ownEnd)
                pending.removeAll()
                try fileSystem.continuing { () throws(FileError) in
                    try fileSystem.resize(temporary.file, to: ownEnd)
                }
            }
            try flush()
            try fileSystem.writeAll(temporary.file, CatalogIndex.header(of: hash.copyFinished()))
            // Closed after the rename: the lock keeps a sweep away as long as the name is a temporary one.
            try fileSystem.move(temporary.path, to: CacheLayout.texts, replacing: true)
            self.temporary = nil
            fileSystem.closeQuietly(temporary.file)
        }
    }

    /// A repeated field may come in any number of pieces: the messages of one document each, in a row, are that of all.
    private func append(_ digest: Digest, _ text: String) throws {
        var document = Quire_Catalog_V1_DocumentText()
        document.digest = .init(digest.bytes)
        document.foldedText = text
        var snapshot = Quire_Catalog_V1_TextSnapshot()
        snapshot.documents = [document]
        let bytes: [UInt8] = try snapshot.serializedBytes()
        pending += bytes
        if pending.count >= Self.pieceBytes { try flush() }
    }

    private func flush() throws {
        guard let temporary, !pending.isEmpty else { return }
        try fileSystem.writeAll(temporary.file, pending, at: offset)
        hash.update(pending)
        offset += Int64(pending.count)
        pending.removeAll(keepingCapacity: true)
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            isFailed = true
            discard()
        }
    }

    private func discard() {
        guard let temporary else { return }
        self.temporary = nil
        fileSystem.closeQuietly(temporary.file)
        do throws(FileError) { try fileSystem.removeIfPresent(temporary.path) } catch {
            // The next writer removes it.
        }
    }
}
