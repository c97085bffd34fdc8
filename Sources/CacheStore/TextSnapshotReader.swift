import Disk
import Model

/// Reads the index of texts piece by piece: a search through ten thousand documents does not hold their texts in memory.
///
/// The form is that of `TextSnapshot` in catalog.proto, after the header of an index file.
struct TextSnapshotReader {
    private let fileSystem: any FileSystem
    /// A longer file is not read.
    private let maximumBytes: Int64

    /// - Parameter records: whose texts it may have.
    init(_ fileSystem: any FileSystem, of records: [CatalogRecord]) {
        self.fileSystem = fileSystem
        maximumBytes = Self.longestFile(of: records)
    }

    private static let pieceBytes = 1 << 20
    private static let longestMessage = 2 * Questionnaire.maximumBytes + (64 << 10)

    /// What the texts of the records may take: folding makes a text longer only where it is written in few bytes.
    static func longestFile(of records: [CatalogRecord]) -> Int64 {
        let contentBytes = records.reduce(Int64(0)) { sum, record in
            sum + Int64(record.document == nil ? 0 : min(max(0, record.sizeBytes), Questionnaire.maximumBytes))
        }
        return CatalogIndex.leastBytes + 2 * contentBytes
    }

    /// - Parameter body: gets each text, in the order of the file, before it is known whether the file is whole.
    /// - Returns: whether it was: there, of this version, and what its checksum says. Otherwise nothing of it counts.
    func read(_ body: (Digest, UnsafeRawBufferPointer) -> Void) -> Bool {
        do throws(FileError) {
            let file = try fileSystem.continuing { () throws(FileError) in
                try fileSystem.open(CacheLayout.texts, .read)
            }
            defer { fileSystem.closeQuietly(file) }
            let status = try fileSystem.status(file)
            guard status.kind == .regular, status.sizeBytes <= maximumBytes else { return false }
            return try read(file, body)
        } catch {
            // Missing or unreadable: it is made again.
            return false
        }
    }

    private func read(
        _ file: OpenFile, _ body: (Digest, UnsafeRawBufferPointer) -> Void
    ) throws(FileError) -> Bool {
        let header = try fileSystem.readPiece(file, at: 0, count: CatalogIndex.headerBytes)
        guard let expected = CatalogIndex.digest(inHeader: header) else { return false }
        var hash = DigestBuilder()
        var offset = Int64(header.count)
        var pending: [UInt8] = []
        while true {
            let piece = try fileSystem.readPiece(file, at: offset, count: Self.pieceBytes)
            if piece.isEmpty { break }
            offset += Int64(piece.count)
            hash.update(piece)
            pending += piece
            guard let consumed = pending.withUnsafeBytes({ take($0, body) }) else { return false }
            pending.removeFirst(consumed)
            if pending.count > Self.longestMessage { return false }
        }
        return pending.isEmpty && hash.copyFinished() == expected
    }

    /// Hands out the whole messages at the beginning of `bytes`.
    ///
    /// - Returns: how many bytes they have; `nil` where it is no such message.
    private func take(_ bytes: UnsafeRawBufferPointer, _ body: (Digest, UnsafeRawBufferPointer) -> Void) -> Int? {
        var consumed = 0
        while true {
            var scanner = FieldScanner(bytes: bytes, place: consumed)
            switch scanner.next(number: 1) {
            case .needsMore: return consumed
            case .wrong: return nil
            case .found(let message):
                var fields = FieldScanner(bytes: UnsafeRawBufferPointer(rebasing: bytes[message]), place: 0)
                guard case .found(let name) = fields.next(number: 1),
                    let digest = Digest(bytes: UnsafeRawBufferPointer(rebasing: fields.bytes[name]))
                else { return nil }
                // An empty text is not written.
                var text = UnsafeRawBufferPointer(start: nil, count: 0)
                if case .found(let range) = fields.next(number: 2) {
                    text = UnsafeRawBufferPointer(rebasing: fields.bytes[range])
                }
                guard fields.place == fields.bytes.count else { return nil }
                body(digest, text)
                consumed = scanner.place
            }
        }
    }
}
