import Model

/// Reads a tar archive sequentially in constant memory: ustar, and the longer names, sizes and times of pax and of GNU
/// tar. It opens and makes no file: the caller decides which members are allowed.
package struct TarReader {
    /// Reads at most as many bytes as fit; 0 at the end.
    package typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

    /// Longer extended headers, and more of them in a row, are rejected.
    static let mostExtensionBytes: Int64 = 64 << 10
    static let mostExtensionsInARow = 8
    /// The most bytes after the end of an archive: the rest of a tape's record, in zeros.
    static let mostTrailingBytes = 1 << 20

    private let source: Source
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var start = 0
    private var end = 0
    private var member: TarMember?
    /// Bytes of the member's content that are not read yet.
    private var restBytes: Int64 = 0
    private var paddingBytes: Int64 = 0
    private var hasBegun = false
    private var hasEnded = false

    package init(_ source: @escaping Source) { self.source = source }

    /// The next member; `nil` at the archive's end. Unread content of the previous one is skipped.
    ///
    /// - Throws: `TarFault`, and what the source throws.
    package mutating func next() throws -> TarMember? {
        if hasEnded { return nil }
        try skip(restBytes + paddingBytes)
        (restBytes, paddingBytes) = (0, 0)
        var extensions = Extensions()
        for _ in 0...Self.mostExtensionsInARow {
            guard let header = try readHeader() else {
                try end(after: extensions)
                return nil
            }
            switch header.type {
            case "x", "g", "L", "K":
                let bytes = try extensionContent(header)
                try extensions.read(bytes, type: header.type, member: header.name)
            default:
                let found = try extensions.apply(to: header)
                member = found
                restBytes = found.sizeBytes
                paddingBytes = (512 - found.sizeBytes % 512) % 512
                return found
            }
        }
        throw TarFault(nil, "more than \(Self.mostExtensionsInARow) extended headers follow one another")
    }

    /// The content of the current member.
    ///
    /// - Throws: `TarFault` if it is longer than `maximumBytes` or truncated.
    package mutating func content(maximumBytes: Int) throws -> [UInt8] {
        guard restBytes <= Int64(maximumBytes) else {
            throw TarFault(
                member?.name, "it has \(restBytes) bytes, more than the \(maximumBytes) that such a file may have")
        }
        let bytes = try take(Int(restBytes))
        restBytes = 0
        return bytes
    }

    /// Reads the content of the current member piece by piece, without a limit.
    ///
    /// - Returns: the next piece; empty at the end.
    package mutating func piece(maximumBytes: Int = 256 << 10) throws -> [UInt8] {
        let bytes = try take(Int(min(restBytes, Int64(maximumBytes))))
        restBytes -= Int64(bytes.count)
        return bytes
    }

    // MARK: Blocks

    private mutating func readHeader() throws -> TarHeader? {
        if try available() == 0 {
            throw TarFault(
                hasBegun ? member?.name : nil,
                hasBegun ? "the archive breaks off after it: it was not copied whole" : "it is empty")
        }
        let block = try take(TarFormat.blockBytes)
        if block.allSatisfy({ $0 == 0 }) { return nil }
        defer { hasBegun = true }
        return try TarHeader(block, isFirst: !hasBegun)
    }

    /// After the first block of zeros.
    private mutating func end(after extensions: Extensions) throws {
        guard extensions.isEmpty else { throw TarFault(nil, "it ends after an extended header") }
        hasEnded = true
        var count = 0
        while try available() > 0 {
            guard buffer[start..<end].allSatisfy({ $0 == 0 }) else {
                throw TarFault(nil, "something follows its end: was it joined from several? give them one by one")
            }
            count += end - start
            start = end
            if count > Self.mostTrailingBytes { throw TarFault(nil, "more than a record of zeros follows its end") }
        }
    }

    private mutating func extensionContent(_ header: TarHeader) throws -> [UInt8] {
        guard header.sizeBytes <= Self.mostExtensionBytes else {
            throw TarFault(header.name, "its extended header has \(header.sizeBytes) bytes")
        }
        let bytes = try take(Int(header.sizeBytes))
        try skip((512 - header.sizeBytes % 512) % 512)
        return bytes
    }

    // MARK: Bytes

    /// The number of buffered bytes; reads some if there are none. 0 at the end.
    private mutating func available() throws -> Int {
        if start == end {
            start = 0
            end = try buffer.withUnsafeMutableBytes { try source($0) }
        }
        return end - start
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(count, buffer.count))
        while bytes.count < count {
            guard try available() > 0 else { throw broken }
            let piece = min(count - bytes.count, end - start)
            bytes += buffer[start..<start + piece]
            start += piece
        }
        return bytes
    }

    private mutating func skip(_ count: Int64) throws {
        var rest = count
        while rest > 0 {
            guard try available() > 0 else { throw broken }
            let piece = Int(min(rest, Int64(end - start)))
            rest -= Int64(piece)
            start += piece
        }
    }

    private var broken: TarFault {
        member.map { TarFault($0.name, "the archive breaks off in it: it was not copied whole") }
            ?? TarFault(nil, "it is no tar archive, or its first block was cut off")
    }
}

/// The values of extended headers for the member that follows them.
private struct Extensions {
    var name: String?
    var sizeBytes: Int64?
    var modified: Timestamp?
    private var isThere = false

    var isEmpty: Bool { !isThere }

    mutating func read(_ bytes: [UInt8], type: Character, member: String) throws {
        isThere = true
        switch type {
        // A link's target is irrelevant: links are not followed.
        case "K": break
        case "L": name = try text(bytes.prefix { $0 != 0 }, member)
        default: try readRecords(bytes, isGlobal: type == "g", member)
        }
    }

    /// Records `<length> <keyword>=<value>
    /// `; the length includes itself.
    private mutating func readRecords(_ bytes: [UInt8], isGlobal: Bool, _ member: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard let length = Int(String(decoding: digits, as: UTF8.self)), digits.count < 7,
                length > digits.count + 2, length <= rest.count, rest[rest.startIndex + digits.count] == 0x20,
                rest[rest.startIndex + length - 1] == UInt8(ascii: "\n")
            else { throw TarFault(member, "its extended header cannot be read") }
            let record = rest[(rest.startIndex + digits.count + 1)..<(rest.startIndex + length - 1)]
            rest = rest.dropFirst(length)
            guard let equals = record.firstIndex(of: UInt8(ascii: "=")) else {
                throw TarFault(member, "its extended header cannot be read")
            }
            let keyword = String(decoding: record[..<equals], as: UTF8.self)
            let value = record[(equals + 1)...]
            // One name, size or time for all members makes no sense.
            if isGlobal, ["path", "size", "mtime"].contains(keyword) {
                throw TarFault(member, "it sets “\(keyword)” for all that follows")
            }
            if keyword.hasPrefix("GNU.sparse") { throw TarFault(member, "it is a sparse file") }
            switch keyword {
            case "path": name = try text(value, member)
            case "size":
                guard let size = Int64(String(decoding: value, as: UTF8.self)), size >= 0 else {
                    throw TarFault(member, "its size is no number")
                }
                sizeBytes = size
            case "mtime":
                guard let seconds = Double(String(decoding: value, as: UTF8.self)), abs(seconds) < 1e12 else {
                    throw TarFault(member, "its time is no number")
                }
                modified = Timestamp(millisecondsSinceEpoch: Int64((seconds * 1000).rounded(.down)))
            default: break
            }
        }
    }

    private func text(_ bytes: some Collection<UInt8>, _ member: String) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty, !text.utf8.contains(0) else {
            throw TarFault(member, "its name is not UTF-8")
        }
        return text
    }

    func apply(to header: TarHeader) throws -> TarMember {
        var name = name ?? header.name
        var isFolder = header.type == "5"
        // The form of a folder's name in archives older than ustar.
        if name.hasSuffix("/"), name.count > 1 {
            if header.type == "0" { isFolder = true }
            while name.hasSuffix("/"), name.count > 1 { name.removeLast() }
        }
        let kind: TarMember.Kind
        switch header.type {
        case "0" where !isFolder, "7": kind = .file
        case "0", "5": kind = .folder
        case "1": kind = .other("a link to another member")
        case "2": kind = .other("a symbolic link")
        case "3", "4": kind = .other("a device")
        case "6": kind = .other("a pipe")
        case "S": kind = .other("a sparse file")
        default: kind = .other("of a kind that is not known")
        }
        return TarMember(
            name: name, kind: kind, sizeBytes: sizeBytes ?? header.sizeBytes, modified: modified ?? header.modified)
    }
}
