import Model

/// A header block of an archive with a valid checksum.
struct TarHeader {
    var name: String
    var sizeBytes: Int64
    var modified: Timestamp
    /// The type flag; NUL is `0`.
    var type: Character

    /// - Parameter isFirst: an invalid first header means that the file is not an archive.
    init(_ block: [UInt8], isFirst: Bool) throws(TarFault) {
        let text = block[0..<100].prefix { $0 != 0 }
        let shown = String(decoding: text, as: UTF8.self)
        guard let stored = Self.number(block[148..<156]), stored == Self.checksum(block) else {
            if isFirst { throw TarFault(nil, Self.whatElse(block)) }
            throw TarFault(shown, "the checksum of its header is wrong: the archive is damaged")
        }
        guard var name = String(validating: text, as: UTF8.self), !name.isEmpty else {
            throw TarFault(shown, "its name is empty or not UTF-8")
        }
        if Array(block[257..<263]) == Array("ustar".utf8) + [0] {
            let prefix = block[345..<500].prefix { $0 != 0 }
            if !prefix.isEmpty {
                guard let folder = String(validating: prefix, as: UTF8.self) else {
                    throw TarFault(shown, "its name is not UTF-8")
                }
                name = folder + "/" + name
            }
        }
        guard let size = Self.number(block[124..<136]), size >= 0 else { throw TarFault(name, "its size is no number") }
        guard let seconds = Self.number(block[136..<148]), abs(seconds) < 1 << 40 else {
            throw TarFault(name, "its time is no number")
        }
        self.name = name
        type = block[156] == 0 ? "0" : Character(Unicode.Scalar(block[156]))
        // These have no content, whatever size they state.
        sizeBytes = "123456".contains(type) ? 0 : size
        modified = Timestamp(millisecondsSinceEpoch: seconds * 1000)
    }

    /// The sum of the block's bytes, with its own field as spaces.
    private static func checksum(_ block: [UInt8]) -> Int64 {
        var sum: Int64 = 0
        for (place, byte) in block.enumerated() { sum += (148..<156).contains(place) ? 0x20 : Int64(byte) }
        return sum
    }

    /// Octal digits between spaces and NULs, or with the first bit set a binary number as GNU tar writes it.
    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        guard let first = field.first else { return nil }
        if first & 0x80 != 0 {
            var value: Int64 = first & 0x40 != 0 ? -1 : 0
            for (place, byte) in field.enumerated() {
                let digits = place == 0 ? Int64(byte & 0x3F) : Int64(byte)
                let (shifted, overflows) = value.multipliedReportingOverflow(by: place == 0 ? 64 : 256)
                if overflows { return nil }
                value = shifted | digits
            }
            return value
        }
        let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
        if digits.isEmpty { return 0 }
        var value: Int64 = 0
        for byte in digits {
            guard byte >= 0x30, byte <= 0x37 else { return nil }
            value = value << 3 | Int64(byte - 0x30)
        }
        return value
    }

    /// Guesses the actual format of the file, for the error.
    private static func whatElse(_ block: [UInt8]) -> String {
        let known: [(start: [UInt8], advice: String)] = [
            ([0x1F, 0x8B], "it is packed with gzip: unpack it with “zcat FILE | quire outbox import -”"),
            (
                [0x28, 0xB5, 0x2F, 0xFD],
                "it is packed with zstd: unpack it with “zstdcat FILE | quire outbox import -”"
            ),
            ([0xFD, 0x37, 0x7A, 0x58], "it is packed with xz: unpack it with “xzcat FILE | quire outbox import -”"),
            ([0x42, 0x5A, 0x68], "it is packed with bzip2: unpack it with “bzcat FILE | quire outbox import -”"),
        ]
        return known.first { block.starts(with: $0.start) }?.advice ?? "it is no tar archive"
    }
}
