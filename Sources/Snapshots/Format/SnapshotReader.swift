import Disk
import Model
import OutboxStore
import SystemPackage

/// Reads the files of a snapshot sequentially, comparing each with its digest. Damaged ones are skipped and listed at
/// the end.
final class SnapshotReader {
    struct File {
        var path: String
        var modified: Timestamp
        var sizeBytes: Int64
        var digest: Digest
        var content: Content
        /// An intact record before it names it.
        var isAnnounced = true
    }

    enum Content {
        case bytes([UInt8])
        /// Longer than a piece: in a temporary file that is removed when nothing refers to it any more.
        case spool(SnapshotSpool)
        /// It was compared with its digest and not kept.
        case checked
    }

    let name: String
    private var blocks: SnapshotBlockReader
    /// Makes the file for longer content; `nil` where it is only checked.
    var makeSpool: (() throws -> SnapshotSpool)?
    private var pending: SnapshotRecord?
    private var next: File?
    /// Of all records before the end.
    private var digest = DigestBuilder()
    /// Of the files' lines, for version 1.
    private var lineDigest = DigestBuilder()

    private(set) var header: SnapshotHeader?
    private var announced: Set<String> = []
    private var damagedBytes: Int64 = 0
    private var end: SnapshotRecord.End?
    private var files = 0
    private var contentBytes: Int64 = 0
    /// Paths of files that are as in the snapshot that this one continues.
    private(set) var unchanged: [String] = []
    /// Files of the snapshot that this one continues which are changed or gone here.
    private(set) var outdated: [String: Digest] = [:]
    /// Earlier versions of tests.
    private(set) var earlierTests: [TestID: Set<Digest>] = [:]
    private(set) var lost: [String] = []
    /// The memory that the noted paths take, about.
    private var noted = 0

    /// Some hundred thousand files with names of usual length.
    var mostNotedBytes = 128 << 20
    private static let bytesOfAName = 64

    /// - Throws: `SnapshotFault` for a file that is no snapshot, or one of a later version; `FileError`.
    init(_ content: OpenContent, name: String) throws {
        self.name = name
        blocks = try SnapshotBlockReader(content)
        pending = try readRecord()
        guard pending != nil else {
            throw SnapshotFault(name, "it is not a snapshot of Quire, or nothing of it is intact")
        }
        if case .header(let header) = pending {
            guard header.version <= SnapshotHeader.currentVersion else {
                throw SnapshotFault(
                    name,
                    "it has version \(header.version), and this program reads up to "
                        + "\(SnapshotHeader.currentVersion): use a newer Quire")
            }
            self.header = header
            pending = nil
        }
    }

    /// The next file without taking it.
    func peek() throws -> File? {
        if next == nil { next = try readFile() }
        return next
    }

    /// The next intact file; `nil` at the end.
    func take() throws -> File? {
        defer { next = nil }
        return try peek()
    }

    /// The first file if it has that path, is short and intact; otherwise `nil`, and `take` returns the first one that is.
    func takeFirst(_ path: String) throws -> File? {
        while let record = try readRecord() {
            if case .file(let file) = record {
                pending = record
                guard file.path == path, let content = file.content, Digest(sha256Of: content) == file.digest else {
                    return nil
                }
                return try take()
            }
            if case .piece = record { return nil }
            try note(record)
        }
        return nil
    }

    /// The identity of the snapshot; the same in a copy of it.
    var identity: String? { blocks.identity.map { String($0, radix: 16) } }

    /// Files that records so far announce and that have not come.
    var announcedPaths: Set<String> { announced }

    /// The result; complete once `take` has returned `nil`.
    var summary: SnapshotSummary {
        let known = (header?.version ?? SnapshotHeader.currentVersion) == 1 ? lineDigest : digest
        return SnapshotSummary(
            header: header, files: files, contentBytes: contentBytes, unchanged: unchanged.count,
            lost: (lost + announced).sorted(), damagedBytes: damagedBytes,
            digest: end.flatMap { end in
                end.digest == known.copyFinished() && end.files == files ? end.digest : nil
            }, isCut: end == nil)
    }

    // MARK: Records

    private func readRecord() throws -> SnapshotRecord? {
        if let record = pending {
            pending = nil
            return record
        }
        while let event = try blocks.next() {
            switch event {
            case .record(let record, let bytes):
                if case .end = record { return record }
                bytes.withUnsafeBytes { digest.update($0) }
                return record
            case .damage(let range): damagedBytes += range.upperBound - range.lowerBound
            }
        }
        return nil
    }

    private func readFile() throws -> File? {
        while let record = try readRecord() {
            guard case .file(let file) = record else {
                try note(record)
                continue
            }
            let isAnnounced = announced.remove(file.path) != nil
            // What becomes of it may be listed, whether it is intact or not.
            if !isAnnounced { try count([file.path]) }
            guard let content = try content(of: file) else {
                lost.append(file.path)
                continue
            }
            if header?.version == 1 { Array(file.digestLine.utf8).withUnsafeBytes { lineDigest.update($0) } }
            files += 1
            contentBytes += file.sizeBytes
            return File(
                path: file.path, modified: file.modified, sizeBytes: file.sizeBytes, digest: file.digest,
                content: content, isAnnounced: isAnnounced)
        }
        return nil
    }

    /// Notes what a record says of files.
    private func note(_ record: SnapshotRecord) throws {
        switch record {
        case .manifest(let paths):
            try count(paths)
            announced.formUnion(paths)
        case .unchanged(let paths):
            try count(paths)
            unchanged += paths
            announced.subtract(paths)
        case .former(let files):
            try count(files.map(\.path))
            for file in files {
                outdated[file.path] = file.digest
                if let item = OutboxLayout.item(ofFile: FilePath(file.path)), item.kind == .test {
                    earlierTests[item.id, default: []].insert(file.digest)
                }
            }
        case .absent(let paths):
            announced.subtract(paths)
        case .end(let end):
            self.end = end
            announced.subtract(end.absent ?? [])
        // A piece without its file's own record, which is damaged.
        case .header, .piece, .file, .unknown: break
        }
    }

    /// Counts names that are kept in memory, here or in the report: a hostile snapshot must not have too many. Each name of an
    /// intact snapshot is counted once, so one that is only damaged is not refused for it.
    ///
    /// - Throws: `SnapshotFault`.
    func count(_ names: [String]) throws {
        noted += names.reduce(0) { $0 + $1.utf8.count + Self.bytesOfAName }
        guard noted <= mostNotedBytes else {
            throw SnapshotFault(name, "it names more files than a snapshot has: it was not made by Quire")
        }
    }

    /// `nil` where it is not what the record says.
    private func content(of file: SnapshotRecord.File) throws -> Content? {
        if let content = file.content {
            return Int64(content.count) == file.sizeBytes && Digest(sha256Of: content) == file.digest
                ? .bytes(content) : nil
        }
        let spool = try makeSpool?()
        var builder = DigestBuilder()
        var offset: Int64 = 0
        while offset < file.sizeBytes, let record = try readRecord() {
            if case .unknown = record { continue }
            guard case .piece(let piece) = record, piece.path == file.path, piece.offset == offset,
                Int64(piece.content.count) <= file.sizeBytes - offset, !piece.content.isEmpty
            else {
                pending = record
                return nil
            }
            piece.content.withUnsafeBytes { builder.update($0) }
            try spool?.append(piece.content)
            offset += Int64(piece.content.count)
        }
        guard offset == file.sizeBytes, builder.finish() == file.digest else { return nil }
        return spool.map { .spool($0) } ?? .checked
    }
}

/// The content of a snapshot, and its damaged parts.
package struct SnapshotSummary: Sendable, Hashable {
    /// `nil` where it is damaged.
    package var header: SnapshotHeader?
    package var files: Int
    /// The decompressed size of the files.
    package var contentBytes: Int64
    /// Files of a snapshot with `since` that are in the one before.
    package var unchanged: Int
    /// Paths of files that cannot be restored.
    package var lost: [String]
    package var damagedBytes: Int64
    /// The final digest; `nil` where the snapshot is not intact.
    package var digest: Digest?
    /// Its end is missing.
    package var isCut: Bool

    package var isIntact: Bool { digest != nil && header != nil && damagedBytes == 0 && lost.isEmpty }
}

/// Longer content between a snapshot and its place, in a temporary file.
final class SnapshotSpool {
    private let fileSystem: any FileSystem
    private let file: TemporaryFile
    private(set) var sizeBytes: Int64 = 0

    init(in fileSystem: any FileSystem, folder: FilePath) throws {
        self.fileSystem = fileSystem
        file = try fileSystem.makeTemporaryFile(in: folder)
    }

    deinit {
        // The lock is released with the file, so another sweep removes it if this fails.
        do throws(FileError) { try fileSystem.removeIfPresent(file.path) } catch {}
        fileSystem.closeQuietly(file.file)
    }

    func append(_ bytes: [UInt8]) throws(FileError) {
        try fileSystem.writeAll(file.file, bytes, at: sizeBytes)
        sizeBytes += Int64(bytes.count)
    }

    /// Makes it empty again.
    func clear() throws(FileError) {
        try fileSystem.resize(file.file, to: 0)
        sizeBytes = 0
    }

    /// At most `maximumBytes` from `offset` on; nothing at the end.
    func piece(at offset: Int64, maximumBytes: Int = SnapshotWriter.pieceBytes) throws(FileError) -> [UInt8] {
        try fileSystem.readPiece(file.file, at: offset, count: Int(min(Int64(maximumBytes), sizeBytes - offset)))
    }
}
