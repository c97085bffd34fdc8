import Disk
import Model
import OutboxStore
import SystemPackage

/// The files of the outbox that come next in a snapshot, as the tar archive that an import takes.
final class OutboxArchive {
    private let reader: SnapshotReader
    private var buffer: [UInt8] = []
    private var taken = 0
    private var file: SnapshotReader.File?
    private var offset: Int64 = 0
    private var hasEnded = false
    /// Paths that no file of an outbox has.
    private(set) var refused: [String] = []
    /// Tests and changes of the snapshot.
    private(set) var ids: Set<TestID> = []
    /// Tests that no intact record names: one that names their receipts may be lost, too.
    private var unannounced: Set<TestID> = []

    init(_ reader: SnapshotReader) { self.reader = reader }

    /// Gives as many bytes of the archive as fit; 0 at its end.
    func read(into space: UnsafeMutableRawBufferPointer) throws -> Int {
        while taken == buffer.count, !hasEnded {
            buffer = try next()
            taken = 0
        }
        let count = min(space.count, buffer.count - taken)
        space.copyBytes(from: buffer[taken..<taken + count])
        taken += count
        return count
    }

    /// What the snapshot says of the tests; complete at the end of the archive.
    var facts: ImportFacts {
        let lost = reader.announcedPaths.union(reader.lost).compactMap { OutboxLayout.idOfReceipt(FilePath($0)) }
        return ImportFacts(
            outdated: reader.outdated, earlier: reader.earlierTests, lostReceipts: unannounced.union(lost),
            keepsReceipts: true)
    }

    private func next() throws -> [UInt8] {
        if let file {
            let piece = try file.content.piece(at: offset)
            offset += Int64(piece.count)
            if !piece.isEmpty { return piece }
            self.file = nil
            return TarFormat.padding(after: Int(file.sizeBytes))
        }
        guard let file = try reader.peek(), OutboxLayout.holds(file.path) else {
            hasEnded = true
            return TarFormat.end
        }
        _ = try reader.take()
        guard file.path.utf8.count < 100, file.path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            file.sizeBytes <= TarFormat.greatestSizeBytes
        else {
            refused.append(file.path)
            return []
        }
        (self.file, offset) = (file, 0)
        if let id = OutboxLayout.id(ofFile: FilePath(file.path)) {
            ids.insert(id)
            if !file.isAnnounced { unannounced.insert(id) }
        }
        return TarFormat.header(
            TarMember(name: file.path, kind: .file, sizeBytes: file.sizeBytes, modified: file.modified))
    }
}
