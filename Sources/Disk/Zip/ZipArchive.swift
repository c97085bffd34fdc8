import CZlib
import Model

/// A ZIP archive of files that are stored as they are (PKWARE APPNOTE 6.3.10), written piece by piece.
///
/// Files of people are pictures and sounds, which do not become shorter. Names are UTF-8 (bit 11). Sizes beyond 4 GiB are written as ZIP64.
package struct ZipArchive: Sendable {
    /// One file in it.
    package struct Entry: Hashable, Sendable {
        /// With `/` between folders.
        package var name: String
        package var sizeBytes: Int64
        package var modified: Timestamp

        package init(name: String, sizeBytes: Int64, modified: Timestamp) {
            self.name = name
            self.sizeBytes = sizeBytes
            self.modified = modified
        }
    }

    private struct Written {
        var entry: Entry
        var checksum: UInt32
        var offset: Int64
    }

    private var written: [Written] = []
    private var offset: Int64 = 0

    private static let short = Int64(UInt32.max)
    private static let utf8Names: UInt16 = 1 << 11

    package init() {}

    /// The checksum of a file's bytes, piece by piece.
    package struct Checksum: Hashable, Sendable {
        package private(set) var value: UInt32 = 0

        package init() {}

        package mutating func add(_ bytes: [UInt8]) {
            value = UInt32(truncatingIfNeeded: crc32(UInt(value), bytes, UInt32(bytes.count)))
        }
    }

    /// The bytes before a file's content, which follows them.
    ///
    /// - Parameter checksum: of the content.
    package mutating func begin(_ entry: Entry, checksum: UInt32) -> [UInt8] {
        let isLong = entry.sizeBytes >= Self.short
        var bytes: [UInt8] = []
        bytes.add(UInt32(0x0403_4B50))
        bytes.add(UInt16(isLong ? 45 : 20))
        addCommon(entry, checksum, isLong, to: &bytes)
        let name = Array(entry.name.utf8)
        bytes.add(UInt16(name.count))
        bytes.add(UInt16(isLong ? 20 : 0))
        bytes += name
        if isLong {
            bytes.add(UInt16(1))
            bytes.add(UInt16(16))
            bytes.add(UInt64(entry.sizeBytes))
            bytes.add(UInt64(entry.sizeBytes))
        }
        written.append(Written(entry: entry, checksum: checksum, offset: offset))
        offset += Int64(bytes.count) + entry.sizeBytes
        return bytes
    }

    /// The list of all files, at the end of the archive.
    package func end() -> [UInt8] {
        var bytes: [UInt8] = []
        for file in written {
            let (size, place) = (file.entry.sizeBytes, file.offset)
            var extra: [UInt8] = []
            if size >= Self.short {
                extra.add(UInt64(size))
                extra.add(UInt64(size))
            }
            if place >= Self.short { extra.add(UInt64(place)) }
            let name = Array(file.entry.name.utf8)
            bytes.add(UInt32(0x0201_4B50))
            // Made on Unix: names and modes are as there.
            bytes.add(UInt16(3 << 8 | 45))
            bytes.add(UInt16(extra.isEmpty ? 20 : 45))
            addCommon(file.entry, file.checksum, size >= Self.short, to: &bytes)
            bytes.add(UInt16(name.count))
            bytes.add(UInt16(extra.isEmpty ? 0 : extra.count + 4))
            bytes.add(UInt16(0))
            bytes.add(UInt16(0))
            bytes.add(UInt16(0))
            bytes.add(UInt32(0o100644) << 16)
            bytes.add(UInt32(min(place, Self.short)))
            bytes += name
            if !extra.isEmpty {
                bytes.add(UInt16(1))
                bytes.add(UInt16(extra.count))
                bytes += extra
            }
        }
        let size = Int64(bytes.count)
        if written.count >= Int(UInt16.max) || offset >= Self.short || size >= Self.short {
            addLongEnd(size, to: &bytes)
        }
        bytes.add(UInt32(0x0605_4B50))
        bytes.add(UInt16(0))
        bytes.add(UInt16(0))
        let count = UInt16(min(written.count, Int(UInt16.max)))
        bytes.add(count)
        bytes.add(count)
        bytes.add(UInt32(min(size, Self.short)))
        bytes.add(UInt32(min(offset, Self.short)))
        bytes.add(UInt16(0))
        return bytes
    }

    /// The length of an archive of these files.
    package static func sizeBytes(of entries: [Entry]) -> Int64 {
        var archive = ZipArchive()
        for entry in entries { _ = archive.begin(entry, checksum: 0) }
        return archive.offset + Int64(archive.end().count)
    }

    private func addLongEnd(_ size: Int64, to bytes: inout [UInt8]) {
        bytes.add(UInt32(0x0606_4B50))
        bytes.add(UInt64(44))
        bytes.add(UInt16(3 << 8 | 45))
        bytes.add(UInt16(45))
        bytes.add(UInt32(0))
        bytes.add(UInt32(0))
        bytes.add(UInt64(written.count))
        bytes.add(UInt64(written.count))
        bytes.add(UInt64(size))
        bytes.add(UInt64(offset))
        bytes.add(UInt32(0x0706_4B50))
        bytes.add(UInt32(0))
        bytes.add(UInt64(offset + size))
        bytes.add(UInt32(1))
    }

    private func addCommon(_ entry: Entry, _ checksum: UInt32, _ isLong: Bool, to bytes: inout [UInt8]) {
        bytes.add(Self.utf8Names)
        // Stored.
        bytes.add(UInt16(0))
        let (date, time) = Self.moment(entry.modified)
        bytes.add(time)
        bytes.add(date)
        bytes.add(checksum)
        let size = isLong ? UInt32.max : UInt32(entry.sizeBytes)
        bytes.add(size)
        bytes.add(size)
    }

    /// A time as MS-DOS wrote it, in UTC; before 1980 there was none.
    private static func moment(_ time: Timestamp) -> (date: UInt16, time: UInt16) {
        let parts = time.description.split { !$0.isNumber }.compactMap { UInt16($0) }
        guard parts.count >= 6, parts[0] >= 1980, parts[0] < 2108 else { return (1 << 5 | 1, 0) }
        return (
            (parts[0] - 1980) << 9 | parts[1] << 5 | parts[2], parts[3] << 11 | parts[4] << 5 | parts[5] / 2
        )
    }
}

extension [UInt8] {
    fileprivate mutating func add(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
