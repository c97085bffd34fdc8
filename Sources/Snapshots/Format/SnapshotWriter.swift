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
    private var digest = DigestBuilder()
    private var unchanged: [String] = []
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
        for start in stride(from: 0, to: paths.count, by: Self.pathsInARecord) {
            try put(.manifest(Array(paths[start..<min(start + Self.pathsInARecord, paths.count)])))
        }
    }

    /// Names files of the snapshot that this one continues which a restored file of the same test replaces.
    func supersede(_ files: [FormerFile]) throws {
        for start in stride(from: 0, to: files.count, by: Self.pathsInARecord) {
            try put(.former(Array(files[start..<min(start + Self.pathsInARecord, files.count)])))
        }
    }

    mutating func add(_ path: String, modified: Timestamp, _ content: [UInt8]) throws {
        var rest = content[...]
        try add(path, modified: modified, sizeBytes: Int64(content.count), digest: Digest(sha256Of: content)) { count in
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }

    /// - Parameters:
    ///   - digest: of the content.
    ///   - read: gives the next bytes, at most as many as it is asked for; none at the end.
    /// - Throws: `FileError` and what `read` throws; `SnapshotFault` where the content is not `sizeBytes` long.
    mutating func add(
        _ path: String, modified: Timestamp, sizeBytes: Int64, digest: Digest, reading read: (Int) throws -> [UInt8]
    ) throws {
        if known[path] == digest {
            unchanged.append(path)
            if unchanged.count == Self.pathsInARecord { try flushUnchanged() }
            return
        }
        var file = SnapshotRecord.File(path: path, modified: modified, sizeBytes: sizeBytes, digest: digest)
        if sizeBytes <= Self.pieceBytes {
            let content = try Self.gather(Int(sizeBytes), read)
            guard content.count == sizeBytes else { throw Self.changed(path) }
            file.content = content
            try put(.file(file))
        } else {
            file.pieces = Int((sizeBytes + Int64(Self.pieceBytes) - 1) / Int64(Self.pieceBytes))
            try put(.file(file))
            var offset: Int64 = 0
            while offset < sizeBytes {
                let content = try Self.gather(Int(min(Int64(Self.pieceBytes), sizeBytes - offset)), read)
                guard !content.isEmpty else { throw Self.changed(path) }
                try put(.piece(.init(path: path, offset: offset, content: content)))
                offset += Int64(content.count)
            }
        }
        files += 1
        contentBytes += sizeBytes
        Array(file.digestLine.utf8).withUnsafeBytes { self.digest.update($0) }
    }

    /// A file as it is now; one that is gone by now is listed as absent.
    ///
    /// - Parameters:
    ///   - expected: of its content, where its name says so.
    ///   - setAside: takes why it is left out where it has other content.
    mutating func addFile(
        _ path: FilePath, in files: any FileSystem, expecting expected: Digest? = nil,
        setAside: (String) -> Void = { _ in }
    ) throws {
        do throws(any Error) {
            let content = try OpenContent(path, in: files)
            let status = try content.status()
            let digest = try content.digest()
            if let expected, digest != expected {
                setAside("\(path): its content does not match its name")
                return omit(path.string)
            }
            var offset: Int64 = 0
            try add(path.string, modified: status.modified, sizeBytes: status.sizeBytes, digest: digest) { count in
                let piece = try content.piece(at: offset, maximumBytes: Int64(count))
                offset += Int64(piece.count)
                return piece
            }
        } catch let error as FileError where error.isMissing {
            omit(path.string)
        }
    }

    /// A file that was announced and is no longer there.
    mutating func omit(_ path: String) { absent.append(path) }

    /// - Returns: the final digest, by which a later snapshot names this one.
    mutating func finish() throws -> Digest {
        try flushUnchanged()
        let digest = digest.finish()
        try put(.end(.init(files: files, digest: digest, absent: absent.isEmpty ? nil : absent)))
        try blocks.finish()
        return digest
    }

    private mutating func flushUnchanged() throws {
        if !unchanged.isEmpty { try put(.unchanged(unchanged)) }
        unchanged = []
    }

    private static func gather(_ count: Int, _ read: (Int) throws -> [UInt8]) throws -> [UInt8] {
        var bytes = try read(count)
        while bytes.count < count {
            let more = try read(count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    private static func changed(_ path: String) -> SnapshotFault {
        SnapshotFault(path, "it became shorter while the snapshot was written: try again")
    }
}
