import Model

/// One member of a tar archive (POSIX.1-2017 pax, “ustar Interchange Format”).
package struct TarMember: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case file
        case folder
        /// A member that is not a plain file or folder, in words: a link, a device, a pipe, a sparse file.
        case other(String)
    }

    /// As in the archive, without a trailing slash.
    package var name: String
    package var kind: Kind
    package var sizeBytes: Int64
    package var modified: Timestamp

    package init(name: String, kind: Kind, sizeBytes: Int64 = 0, modified: Timestamp = .epoch) {
        self.name = name
        self.kind = kind
        self.sizeBytes = sizeBytes
        self.modified = modified
    }
}

/// Why bytes are not a usable tar archive, and which member is at fault.
package struct TarFault: DescribedError, Hashable, Sendable {
    /// `nil` if the fault is not in one member.
    package let member: String?
    package let reason: String

    package init(_ member: String?, _ reason: String) {
        self.member = member
        self.reason = reason
    }

    package var description: String {
        guard let member else { return "the archive cannot be used: " + reason }
        return "the archive's member “\(member.prefix(200))” cannot be used: \(reason)"
    }
}

/// Writes tar archives: plain ustar with only the caller's data, so equal members give equal bytes.
package enum TarFormat {
    package static let blockBytes = 512
    /// Two blocks of zeros end an archive.
    package static let end = [UInt8](repeating: 0, count: 2 * blockBytes)
    /// The maximum of a field of eleven octal digits.
    package static let greatestSizeBytes: Int64 = 0o777_7777_7777

    /// The header of a file or folder whose content follows, padded to complete blocks.
    ///
    /// The owner is number 0 without a name, and the mode allows only the owner to read and write.
    ///
    /// - Precondition: the name is ASCII of at most 99 bytes, and the size fits.
    package static func header(_ member: TarMember) -> [UInt8] {
        let isFolder = member.kind == .folder
        let name = Array(member.name.utf8) + (isFolder ? [UInt8(ascii: "/")] : [])
        precondition(name.count < 100 && name.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a name that ustar holds")
        precondition((0...greatestSizeBytes).contains(member.sizeBytes), "a size that ustar holds")
        var block = [UInt8](repeating: 0, count: blockBytes)
        func put(_ bytes: some Sequence<UInt8>, at place: Int) {
            for (offset, byte) in bytes.enumerated() { block[place + offset] = byte }
        }
        func putNumber(_ number: Int64, at place: Int, digits: Int) {
            let text = String(max(0, number), radix: 8)
            put(String(repeating: "0", count: max(0, digits - text.count)).utf8, at: place)
            put(text.utf8.suffix(digits), at: place + max(0, digits - text.utf8.count))
        }
        put(name, at: 0)
        putNumber(isFolder ? 0o700 : 0o600, at: 100, digits: 7)
        putNumber(0, at: 108, digits: 7)
        putNumber(0, at: 116, digits: 7)
        putNumber(member.sizeBytes, at: 124, digits: 11)
        putNumber(min(member.modified.millisecondsSinceEpoch / 1000, greatestSizeBytes), at: 136, digits: 11)
        put(Array("        ".utf8), at: 148)
        block[156] = UInt8(ascii: isFolder ? "5" : "0")
        put(Array("ustar".utf8) + [0] + Array("00".utf8), at: 257)
        let sum = block.reduce(0) { $0 + Int64($1) }
        putNumber(sum, at: 148, digits: 6)
        block[154] = 0
        return block
    }

    /// The padding after content of this length.
    package static func padding(after sizeBytes: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: (blockBytes - sizeBytes % blockBytes) % blockBytes)
    }
}
