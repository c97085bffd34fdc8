import Disk
import Model
import Synchronization
import SystemPackage

/// Stored content, read piece by piece: for content too long for memory.
///
/// Content that this process has not checked yet is compared with its digest during the read: the last piece is held
/// back until the digest is confirmed. So damaged content ends early, and is never mistaken for complete.
package final class ContentReader: Sendable {
    /// The bytes of one read.
    static let pieceBytes = 128 << 10

    package let name: CacheLayout.BlobName
    private let cache: Cache
    private let file: BlobFile
    private let stamp: FileStamp
    private let state: Mutex<State>

    private struct State {
        var unpacker: GzipReader?
        /// In the file.
        var offset: Int64 = 0
        /// In the content.
        var position: Int64
        var end: Int64
        var held: [UInt8]?
        /// `nil` if the content need not be compared with its digest.
        var digest: DigestBuilder?
        var isOver = false
    }

    init(
        cache: Cache, name: CacheLayout.BlobName, file: BlobFile, stamp: FileStamp, range: Range<Int64>,
        isVerifying: Bool
    ) throws {
        self.cache = cache
        self.name = name
        self.file = file
        self.stamp = stamp
        var state = State(position: range.lowerBound, end: range.upperBound)
        if name.isCompressed {
            state.unpacker = try GzipReader()
            state.position = 0
        } else {
            state.offset = range.lowerBound
        }
        if isVerifying { state.digest = DigestBuilder() }
        skipped = name.isCompressed ? range.lowerBound : 0
        self.state = Mutex(state)
    }

    /// The bytes before the range, in content that must be decompressed from its start.
    private let skipped: Int64

    /// The next piece; `nil` at the end. For one caller; blocks on the disk.
    ///
    /// - Throws: `ContentFault` if the content does not match its name: the pieces so far must not be used as complete.
    package func next() throws -> [UInt8]? {
        try state.withLock { state in
            do {
                return try next(&state)
            } catch {
                state.isOver = true
                throw error
            }
        }
    }

    private func next(_ state: inout State) throws -> [UInt8]? {
        while !state.isOver {
            guard let piece = try piece(&state) else {
                state.isOver = true
                if let digest = state.digest {
                    guard digest.copyFinished() == name.digest else { throw ContentFault(name.fileName) }
                    cache.verified.note(name, stamp)
                } else if state.position < state.end {
                    throw ContentFault(name.fileName)
                }
                defer { state.held = nil }
                return state.held
            }
            guard state.digest != nil else { return piece }
            state.digest?.update(piece)
            defer { state.held = piece }
            if let held = state.held { return held }
        }
        return nil
    }

    private func piece(_ state: inout State) throws -> [UInt8]? {
        // Complete content is compared up to the end of the file, whatever its stated length is.
        let isOpen = state.digest != nil
        guard let unpacker = state.unpacker else {
            let count = isOpen ? Self.pieceBytes : Int(min(Int64(Self.pieceBytes), state.end - state.position))
            guard count > 0 else { return nil }
            let bytes = try file.read(at: state.offset, count: count)
            state.offset += Int64(bytes.count)
            state.position += Int64(bytes.count)
            return bytes.isEmpty ? nil : bytes
        }
        while isOpen || state.position < state.end {
            let next = try unpacker.next(maximumBytes: Self.pieceBytes) {
                let packed = try file.read(at: state.offset, count: Self.pieceBytes)
                state.offset += Int64(packed.count)
                return packed
            }
            guard var bytes = next else { return nil }
            let begin = state.position
            state.position += Int64(bytes.count)
            if isOpen { return bytes }
            if state.position > state.end { bytes.removeLast(Int(state.position - state.end)) }
            if begin < skipped { bytes.removeFirst(Int(min(Int64(bytes.count), skipped - begin))) }
            if !bytes.isEmpty { return bytes }
        }
        return nil
    }
}

/// Stored content that does not match its name.
package struct ContentFault: DescribedError, Hashable {
    package let fileName: String

    init(_ fileName: String) { self.fileName = fileName }

    package var description: String { "\(fileName) is damaged: its content does not match its name" }
}

/// A file that is closed with its last reference.
final class BlobFile: Sendable {
    private let file: OpenFile
    private let fileSystem: any FileSystem

    init(_ file: OpenFile, _ fileSystem: any FileSystem) {
        self.file = file
        self.fileSystem = fileSystem
    }

    deinit { fileSystem.closeQuietly(file) }

    func status() throws(FileError) -> FileStatus {
        try fileSystem.continuing { () throws(FileError) in try fileSystem.status(file) }
    }

    func read(at offset: Int64, count: Int) throws(FileError) -> [UInt8] {
        try fileSystem.readPiece(file, at: offset, count: count)
    }
}

/// Blobs that this process has compared with their digest, or has written: trusted while their file is unchanged.
final class VerifiedBlobs: Sendable {
    private static let most = 10_000
    private let stamps = Mutex<[CacheLayout.BlobName: FileStamp]>([:])

    func note(_ name: CacheLayout.BlobName, _ stamp: FileStamp) {
        stamps.withLock { stamps in
            if stamps.count >= Self.most { stamps.removeAll(keepingCapacity: true) }
            stamps[name] = stamp
        }
    }

    func forget(_ name: CacheLayout.BlobName) { stamps.withLock { _ = $0.removeValue(forKey: name) } }

    func contains(_ name: CacheLayout.BlobName, _ stamp: FileStamp) -> Bool {
        stamps.withLock { $0[name] == stamp }
    }
}
