import Disk
import Model

/// Reads the messages of an open index file piece by piece: of a hundred thousand records, or the texts of ten thousand
/// documents, none is held in memory.
struct IndexReader {
    let fileSystem: any FileSystem
    let file: OpenFile
    /// What stands before the messages; the checksum is of both.
    var preambleBytes = 0
    /// A longer one is none of ours.
    let longestMessage: Int

    private static let pieceBytes = 256 << 10

    /// Hands out the messages of field 1, in the order of the file, before it is known whether the file is whole.
    ///
    /// - Parameters:
    ///   - isVerifying: false where the checksum was compared before.
    ///   - body: tells whether to go on.
    /// - Returns: whether all of it was read and is what its checksum says. Otherwise nothing of it counts.
    func eachMessage(
        isVerifying: Bool = true, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(FileError) -> Bool {
        let header = try fileSystem.readPiece(file, at: 0, count: CatalogIndex.headerBytes + preambleBytes)
        guard header.count == CatalogIndex.headerBytes + preambleBytes,
            let expected = CatalogIndex.digest(inHeader: Array(header.prefix(CatalogIndex.headerBytes)))
        else { return false }
        var hash = DigestBuilder()
        hash.update(Array(header.dropFirst(CatalogIndex.headerBytes)))
        var offset = Int64(header.count)
        // One piece of memory for all of them: what is read into new pages each time takes twice as long.
        var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer { buffer.deallocate() }
        var pendingBytes = 0
        while true {
            let free = UnsafeMutableRawBufferPointer(rebasing: buffer[pendingBytes...])
            let count = try fileSystem.continuing { () throws(FileError) in
                try fileSystem.read(file, into: free, at: offset)
            }
            if count == 0 { break }
            offset += Int64(count)
            if isVerifying { hash.update(UnsafeRawBufferPointer(rebasing: free[..<count])) }
            pendingBytes += count
            guard let consumed = take(UnsafeRawBufferPointer(rebasing: buffer[..<pendingBytes]), body) else {
                return false
            }
            pendingBytes -= consumed
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[consumed..<(consumed + pendingBytes)]))
            if pendingBytes == buffer.count {
                guard buffer.count <= longestMessage else { return false }
                let longer = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
                longer.copyMemory(from: UnsafeRawBufferPointer(buffer))
                buffer.deallocate()
                buffer = longer
            }
        }
        return pendingBytes == 0 && (!isVerifying || hash.copyFinished() == expected)
    }

    /// Hands out the whole messages at the beginning of `bytes`.
    ///
    /// - Returns: how many bytes they have; `nil` where it is no such message, or no more are wanted.
    private func take(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool) -> Int? {
        var scanner = FieldScanner(bytes: bytes)
        while true {
            switch scanner.next(number: 1) {
            case .needsMore: return scanner.place
            case .wrong: return nil
            case .found(let message):
                guard body(UnsafeRawBufferPointer(rebasing: bytes[message])) else { return nil }
            }
        }
    }
}
