import Disk
import FoundationEssentials
import Model
import SwiftProtobuf

/// A block of a snapshot: one gzip member (RFC 1952) with one record.
///
/// Its header has an extra field (RFC 1952, section 2.3.1.1) with the identifier `QJ` for JSON or `QP` for protobuf, and
/// the length of the member in 4 bytes, little-endian, and the identity of the snapshot in 8 bytes. So `zcat` reads the file
/// as one text, and a reader of a damaged file finds the next block, and no block of a snapshot that is attached to a test.
enum SnapshotBlock {
    /// A longer member, or one that unpacks to more, is damaged.
    static let maximumBytes = 4 << 20
    /// A header with its extra field.
    static let headerBytes = 28
    private static let subfieldBytes: UInt8 = 12

    /// Flags `FEXTRA`; no time, no name. Byte 9 is the operating system, which nothing depends on.
    private static let start: [UInt8] = [0x1F, 0x8B, 8, 4, 0, 0, 0, 0]

    /// - Throws: `SnapshotFault` for a record that a reader would refuse.
    static func encode(_ record: SnapshotRecord, _ format: SnapshotFormat, snapshot: UInt64) throws -> [UInt8] {
        try compress(bytes(of: record, format), format, snapshot: snapshot)
    }

    /// A line of JSON, or a message after its length: what the final digest is computed of.
    static func bytes(of record: SnapshotRecord, _ format: SnapshotFormat) throws -> [UInt8] {
        switch format {
        case .json: try DocumentCoding.encodeLine(record)
        case .protobuf: delimited(try record.message.serializedBytes())
        }
    }

    /// - Throws: `SnapshotFault` for a record that a reader would refuse.
    static func compress(_ bytes: [UInt8], _ format: SnapshotFormat, snapshot: UInt64) throws -> [UInt8] {
        let member = try Gzip.compress(bytes, .quick)
        guard bytes.count <= maximumBytes, member.count + headerBytes - 10 <= maximumBytes else {
            throw SnapshotFault("snapshot", "a record of it would have \(bytes.count) bytes, more than a reader takes")
        }
        let size = UInt32(member.count + headerBytes - 10)
        var block = start
        block.reserveCapacity(Int(size))
        block += member[8..<10]
        block += [Self.subfieldBytes + 4, 0, UInt8(ascii: "Q"), identifier(format), Self.subfieldBytes, 0]
        block += (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
        block += (0..<8).map { UInt8(truncatingIfNeeded: snapshot >> (8 * $0)) }
        block += member[10...]
        return block
    }

    /// The fields of a block's header.
    struct Header {
        var format: SnapshotFormat
        var sizeBytes: Int
        /// The identity of the snapshot.
        var snapshot: UInt64
    }

    /// `nil` where it is no header of a block.
    static func header(_ bytes: ArraySlice<UInt8>) -> Header? {
        guard bytes.count >= headerBytes, bytes.starts(with: start) else { return nil }
        let rest = Array(bytes.dropFirst(10).prefix(18))
        guard rest[0] == subfieldBytes + 4, rest[1] == 0, rest[2] == UInt8(ascii: "Q"), rest[4] == subfieldBytes,
            rest[5] == 0, let format = SnapshotFormat.allCases.first(where: { identifier($0) == rest[3] })
        else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        let size = Int(number(rest[6..<10]))
        guard size > headerBytes, size <= maximumBytes else { return nil }
        return Header(format: format, sizeBytes: size, snapshot: number(rest[10..<18]))
    }

    /// The first place in `bytes` where a block may begin.
    static func firstStart(in bytes: [UInt8]) -> Int? {
        var place = 0
        while place + headerBytes <= bytes.count {
            guard let next = bytes[place...(bytes.count - headerBytes)].firstIndex(of: start[0]) else { return nil }
            if header(bytes[next...]) != nil { return next }
            place = next + 1
        }
        return nil
    }

    /// - Throws: `GzipFault`, `DocumentFault` for a block that is damaged.
    static func decode(_ block: [UInt8], _ format: SnapshotFormat) throws -> (record: SnapshotRecord, bytes: [UInt8]) {
        let bytes = try Gzip.decompress(block, maximumBytes: maximumBytes)
        return (try record(in: bytes, format), bytes)
    }

    private static func record(in bytes: [UInt8], _ format: SnapshotFormat) throws -> SnapshotRecord {
        switch format {
        case .json: return try DocumentCoding.decode(SnapshotRecord.self, from: bytes)
        case .protobuf:
            guard let body = undelimited(bytes), let message = try? SnapshotRecord.Message(serializedBytes: Array(body))
            else {
                throw DocumentFault(field: nil, reason: "it is no message of a snapshot")
            }
            return try SnapshotRecord(message)
        }
    }

    private static func identifier(_ format: SnapshotFormat) -> UInt8 {
        format == .json ? UInt8(ascii: "J") : UInt8(ascii: "P")
    }

    /// The message after its length as a varint.
    private static func delimited(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = message.count
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes + message
    }

    /// `nil` unless the length that comes first is that of the rest.
    private static func undelimited(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var length = 0
        for (place, byte) in bytes.prefix(5).enumerated() {
            length |= Int(byte & 0x7F) << (7 * place)
            guard byte & 0x80 == 0 else { continue }
            let body = bytes.dropFirst(place + 1)
            return body.count == length ? body : nil
        }
        return nil
    }
}
