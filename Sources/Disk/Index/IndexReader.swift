import Dispatch
import Model
import Synchronization

/// Reads the messages of an open index file piece by piece, without holding a hundred thousand records or the texts of
/// ten thousand documents in memory.
package struct IndexReader {
    package let fileSystem: any FileSystem
    package let file: OpenFile
    private let format: IndexFormat
    /// The bytes before the messages; the checksum covers both.
    private let preambleBytes: Int
    /// A longer message is not ours.
    private let longestMessage: Int

    private static let pieceBytes = 128 << 10

    package init(
        _ format: IndexFormat, _ file: OpenFile, in fileSystem: any FileSystem, preambleBytes: Int = 0,
        longestMessage: Int
    ) {
        self.fileSystem = fileSystem
        self.file = file
        self.format = format
        self.preambleBytes = preambleBytes
        self.longestMessage = longestMessage
    }

    /// Delivers the messages of field 1, in file order, before it is known whether the file is intact.
    ///
    /// - Parameters:
    ///   - isVerifying: false if the checksum was compared before.
    ///   - body: returns whether to continue.
    ///   - meanwhile: other work during the checksum; called after all messages were delivered.
    /// - Returns: whether all of it was read and matches its checksum. Otherwise the messages must be discarded.
    package func eachMessage(
        isVerifying: Bool = true, _ body: (UnsafeRawBufferPointer) -> Bool,
        meanwhile: () throws(FileError) -> Void = {}
    ) throws(FileError) -> Bool {
        let header = try fileSystem.readPiece(file, at: 0, count: format.headerBytes + preambleBytes)
        guard header.count == format.headerBytes + preambleBytes,
            let expected = format.digest(inHeader: Array(header.prefix(format.headerBytes)))
        else { return false }
        let checksum = isVerifying ? LaggingDigest(Array(header.dropFirst(format.headerBytes))) : nil
        var offset = Int64(header.count)
        // The same memory again and again: reading into new pages each time takes twice as long.
        var buffers = [UnsafeMutableRawBufferPointer](
            repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0),
            count: isVerifying ? LaggingDigest.mostPieces + 1 : 2)
        buffers[0] = .allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer {
            checksum?.wait()
            for buffer in buffers { buffer.deallocate() }
        }
        var current = 0
        var pendingBytes = 0
        while true {
            let buffer = buffers[current]
            let free = UnsafeMutableRawBufferPointer(rebasing: buffer[pendingBytes...])
            let count = try fileSystem.continuing { () throws(FileError) in
                try fileSystem.read(file, into: free, at: offset)
            }
            if count == 0 { break }
            offset += Int64(count)
            // When this returns, the next buffer is free again.
            checksum?.add(UnsafeRawBufferPointer(rebasing: free[..<count]))
            pendingBytes += count
            guard let consumed = take(UnsafeRawBufferPointer(rebasing: buffer[..<pendingBytes]), body) else {
                return false
            }
            pendingBytes -= consumed
            let rest = UnsafeRawBufferPointer(rebasing: buffer[consumed..<(consumed + pendingBytes)])
            if pendingBytes == buffer.count, buffer.count > longestMessage { return false }
            let neededBytes = max(Self.pieceBytes, 2 * pendingBytes)
            current = (current + 1) % buffers.count
            if buffers[current].count < neededBytes {
                buffers[current].deallocate()
                buffers[current] = .allocate(byteCount: neededBytes, alignment: 16)
            }
            buffers[current].copyMemory(from: rest)
        }
        try meanwhile()
        return pendingBytes == 0 && (checksum.map { $0.finish() == expected } ?? true)
    }

    /// Delivers the complete messages at the start of `bytes`.
    ///
    /// - Returns: the number of their bytes; `nil` for a malformed message, or if no more are wanted.
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

/// A SHA-256 that another thread computes for some pieces while the next ones are read and parsed.
private final class LaggingDigest: Sendable {
    /// The most pieces in flight.
    static let mostPieces = 7

    private let hash: Mutex<DigestBuilder>
    private let queue = DispatchQueue(label: "checksum")
    private let running = DispatchGroup()
    private let room = DispatchSemaphore(value: mostPieces)

    /// Shorter pieces are done sooner than another thread starts.
    private static let shortest = 32 << 10

    init(_ beginning: [UInt8]) {
        var hash = DigestBuilder()
        hash.update(beginning)
        self.hash = Mutex(hash)
    }

    /// - Parameter piece: must stay valid until the most pieces in flight were added after it, or `wait` returned.
    func add(_ piece: UnsafeRawBufferPointer) {
        if piece.count < Self.shortest {
            wait()
            return hash.withLock { $0.update(piece) }
        }
        room.wait()
        // Proof: no code writes there before the work is done, as the doc comment above requires.
        nonisolated(unsafe) let piece = piece
        queue.async(group: running) {
            self.hash.withLock { $0.update(piece) }
            self.room.signal()
        }
    }

    func wait() { running.wait() }

    func finish() -> Digest {
        wait()
        return hash.withLock { $0.copyFinished() }
    }
}
