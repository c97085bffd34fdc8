import Disk
import Model
import SystemPackage

/// Reads the records of a snapshot from front to back, past what is damaged.
struct SnapshotBlockReader {
    enum Event {
        /// A record with the bytes that the final digest is computed of.
        case record(SnapshotRecord, [UInt8])
        /// Bytes of the file that are no intact block.
        case damage(Range<Int64>)
    }

    private static let windowBytes: Int64 = 256 << 10
    /// A file with more is no snapshot with a few damaged headers.
    private static let mostIdentities = 1000

    private let content: OpenContent
    private let sizeBytes: Int64
    private var offset: Int64 = 0
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0
    /// Read on the way past a damaged place.
    private var found: (record: SnapshotRecord, bytes: [UInt8])?

    init(_ content: OpenContent) throws {
        self.content = content
        sizeBytes = try content.status().sizeBytes
    }

    /// The next record, or the damaged place before it; `nil` at the end of the file.
    mutating func next() throws -> Event? {
        if let (record, bytes) = found {
            found = nil
            return .record(record, bytes)
        }
        if offset == sizeBytes { return nil }
        // Right behind an intact block it is one of this snapshot, even where the identity in its header is damaged.
        if let (record, bytes) = try block(isExpected: true) { return .record(record, bytes) }
        let start = offset
        while offset < sizeBytes {
            offset = try nextStart(after: offset)
            guard offset < sizeBytes else { break }
            if let record = try block(isExpected: false) {
                found = record
                return .damage(start..<lastBlockStart)
            }
        }
        return .damage(start..<sizeBytes)
    }

    private var lastBlockStart: Int64 = 0
    /// The identities of the intact blocks: a file's content may contain another snapshot. More than one if the identity in
    /// a header is damaged.
    private var identities: Set<UInt64> = []
    /// That of the first intact block.
    private(set) var identity: UInt64?

    /// The block at `offset`, which moves on behind it; `nil` where there is none that is intact.
    private mutating func block(isExpected: Bool) throws -> (record: SnapshotRecord, bytes: [UInt8])? {
        guard let header = SnapshotBlock.header(try bytes(at: offset, count: SnapshotBlock.headerBytes)[...]),
            isExpected || identities.isEmpty || identities.contains(header.snapshot)
        else { return nil }
        let size = header.sizeBytes
        let block = try bytes(at: offset, count: size)
        guard block.count == size, let record = try? SnapshotBlock.decode(block, header.format) else { return nil }
        if identities.count < Self.mostIdentities { identities.insert(header.snapshot) }
        identity = identity ?? header.snapshot
        lastBlockStart = offset
        offset += Int64(size)
        return record
    }

    /// The first place after `place` where a block may begin; the end of the file where there is none.
    private mutating func nextStart(after place: Int64) throws -> Int64 {
        var start = place + 1
        while start + Int64(SnapshotBlock.headerBytes) <= sizeBytes {
            let bytes = try bytes(at: start, count: Int(min(Self.windowBytes, sizeBytes - start)))
            if bytes.isEmpty { break }
            if let found = SnapshotBlock.firstStart(in: bytes) { return start + Int64(found) }
            start += Int64(max(1, bytes.count - SnapshotBlock.headerBytes + 1))
        }
        return sizeBytes
    }

    /// `count` bytes, or fewer at the end of the file.
    private mutating func bytes(at place: Int64, count: Int) throws -> [UInt8] {
        let end = min(place + Int64(count), sizeBytes)
        if place < windowStart || end > windowStart + Int64(window.count) {
            windowStart = place
            window = []
            let wanted = min(max(end - place, Self.windowBytes), sizeBytes - place)
            while Int64(window.count) < wanted {
                let next = place + Int64(window.count)
                let piece = try content.piece(at: next, maximumBytes: wanted - Int64(window.count))
                if piece.isEmpty { break }
                window += piece
            }
        }
        let first = Int(place - windowStart)
        let last = min(first + Int(end - place), window.count)
        return first < last ? Array(window[first..<last]) : []
    }
}
