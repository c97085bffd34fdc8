import Disk
import Model
import SystemPackage

/// Writes the records of a snapshot, in order and in constant memory.
struct SnapshotWriter {
    /// Longer content goes in pieces of this length.
    static let pieceBytes = 256 << 10
    /// So many paths are in one record of the manifest.
    static let pathsInARecord = 500

    private let known: [String: Digest]
    private let blocks: SnapshotBlockWriter
    private var unchanged: [String] = []
    private var superseded: Set<String> = []
    private var absent: [String] = []
    private(set) var files = 0
    private(set) var contentBytes: Int64 = 0

    /// - Parameters:
    ///   - known: digests by path of the snapshot that this one continues; unchanged files are only named.
    ///   - write: takes the bytes of the snapshot, in order.
    init(
        _ header: SnapshotHeader, _ format: SnapshotFormat, known: [String: Digest] = [:],
        to write: @escaping ([UInt8]) throws -> Void
    ) throws {
        self.known = known
        blocks = SnapshotBlockWriter(format, to: write)
        try put(.header(header))
    }

    private func put(_ record: SnapshotRecord) throws { try blocks.put(record) }

    /// Names the files that follow.
    func announce(_ paths: [String]) throws {
        for part in Self.parts(paths) { try put(.manifest(part)) }
    }

    private static func parts<Element>(_ list: [Element]) -> [[Element]] {
        stride(from: 0, to: list.count, by: pathsInARecord).map {
            Array(list[$0..<min($0 + pathsInARecord, list.count)])
        }
    }

    /// Names files of the snapshot that this one continues which are changed or gone. A changed file that is added later
    /// need not be named.
    mutating func supersede(_ files: [FileDigest]) throws {
        superseded.formUnion(files.map(\.path))
        try name(earlier: files)
    }

    /// Names earlier versions of files that follow.
    func name(earlier files: [FileDigest]) throws {
        for part in Self.parts(files) { try put(.former(part)) }
    }

    /// Content in memory.
    ///
    /// - Parameter known: its digest, where the caller has compared the content with it.
    mutating func add(_ path: String, modified: Timestamp, _ content: [UInt8], digest known: Digest? = nil) throws {
        let digest = known ?? Digest(sha256Of: content)
        if try isUnchanged(path, digest) { return }
        var file = SnapshotRecord.File(
            path: path, modified: modified, sizeBytes: Int64(content.count), digest: digest)
        if content.count <= Self.pieceBytes {
            file.content = content
            try put(.file(file))
        } else {
            file.pieces = (content.count + Self.pieceBytes - 1) / Self.pieceBytes
            try put(.file(file))
            for start in stride(from: 0, to: content.count, by: Self.pieceBytes) {
                let piece = Array(content[start..<min(start + Self.pieceBytes, content.count)])
                try put(.piece(.init(path: path, offset: Int64(start), content: piece)))
            }
        }
        note(file)
    }

    /// A file as it is now: one that grows meanwhile with the content of one moment. One that is gone by now is listed as
    /// absent.
    ///
    /// - Parameters:
    ///   - expected: of its content, where its name says so.
    ///   - setAside: takes why it is left out where it has other content.
    /// - Throws: `FileError`; `SnapshotFault` where a long file changes while it is read.
    mutating func addFile(
        _ path: FilePath, in files: any FileSystem, expecting expected: Digest? = nil,
        setAside: (String) -> Void = { _ in }
    ) throws {
        do throws(any Error) {
            let content = try OpenContent(path, in: files)
            let status = try content.status()
            let short = status.sizeBytes <= Self.pieceBytes ? try content.bytes(at: 0, count: status.sizeBytes) : nil
            let digest = try short.map { Digest(sha256Of: $0) } ?? content.digest(ofFirst: status.sizeBytes)
            if let expected, digest != expected {
                setAside("\(path): its content does not match its name")
                return try omit(path.string)
            }
            if try isUnchanged(path.string, digest) { return }
            var file = SnapshotRecord.File(
                path: path.string, modified: status.modified, sizeBytes: status.sizeBytes, digest: digest)
            if let short {
                file.sizeBytes = Int64(short.count)
                file.content = short
                try put(.file(file))
            } else {
                try putPieces(of: file, content)
            }
            note(file)
        } catch let error as FileError where error.isMissing {
            try omit(path.string)
        }
    }

    private func putPieces(of known: SnapshotRecord.File, _ content: OpenContent) throws {
        var file = known
        file.pieces = Int((file.sizeBytes + Int64(Self.pieceBytes) - 1) / Int64(Self.pieceBytes))
        try put(.file(file))
        var builder = DigestBuilder()
        var offset: Int64 = 0
        while offset < file.sizeBytes {
            let piece = try content.bytes(at: offset, count: min(Int64(Self.pieceBytes), file.sizeBytes - offset))
            if piece.isEmpty { break }
            piece.withUnsafeBytes { builder.update($0) }
            try put(.piece(.init(path: file.path, offset: offset, content: piece)))
            offset += Int64(piece.count)
        }
        guard builder.finish() == file.digest else {
            throw SnapshotFault(file.path, "it changed while the snapshot was written: try again")
        }
    }

    /// Names a file that is as in the snapshot that this one continues, or the former version of a changed one.
    private mutating func isUnchanged(_ path: String, _ digest: Digest) throws -> Bool {
        guard let former = known[path] else { return false }
        if former != digest {
            if superseded.insert(path).inserted { try put(.former([FileDigest(path: path, digest: former)])) }
            return false
        }
        unchanged.append(path)
        if unchanged.count == Self.pathsInARecord { try flushUnchanged() }
        return true
    }

    private mutating func note(_ file: SnapshotRecord.File) {
        files += 1
        contentBytes += file.sizeBytes
    }

    /// A file that was announced and is not in the snapshot.
    mutating func omit(_ path: String) throws {
        absent.append(path)
        if absent.count == Self.pathsInARecord { try flushAbsent() }
    }

    /// - Returns: the final digest, by which a later snapshot names this one.
    mutating func finish() throws -> Digest {
        try flushUnchanged()
        try flushAbsent()
        return try blocks.finish { .end(.init(files: files, digest: $0)) }
    }

    private mutating func flushUnchanged() throws {
        if !unchanged.isEmpty { try put(.unchanged(unchanged)) }
        unchanged = []
    }

    /// Writes the names of those that were left out so far.
    mutating func flushAbsent() throws {
        if !absent.isEmpty { try put(.absent(absent)) }
        absent = []
    }
}
