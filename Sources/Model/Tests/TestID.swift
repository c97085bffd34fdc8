/// The identity of a test: a random UUID (RFC 9562, version 4) made on the device, in lowercase.
///
/// It is the same on every machine and on the server, for ever: retries are recognised by it.
public struct TestID: Hashable, Sendable {
    private var high: UInt64
    private var low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the canonical form `8-4-4-4-12`, either case; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let utf8 = text.utf8
        guard
            let id = utf8.withContiguousStorageIfAvailable({ TestID(digits: $0) })
                ?? Array(utf8).withUnsafeBufferPointer({ TestID(digits: $0) })
        else { return nil }
        self = id
    }

    /// Not generic: called from another module, a loop over `some StringProtocol` asks a witness for each byte. Each scan of
    /// an outbox reads the names of all files, and that was a twentieth of what a sync of thousands of tests does.
    private init?(digits: UnsafeBufferPointer<UInt8>) {
        guard digits.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for place in 0..<36 {
            let byte = digits[place]
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x61...0x66: digit = byte - 0x61 + 10
            case 0x41...0x46: digit = byte - 0x41 + 10
            default: return nil
            }
            if place < 18 {
                halves.0 = halves.0 << 4 | UInt64(digit)
            } else {
                halves.1 = halves.1 << 4 | UInt64(digit)
            }
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// `nil` unless there are exactly 16 bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// 16 bytes, in the order of the digits.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) } }
    }

    /// A new identity.
    package static func random(using generator: inout some RandomNumberGenerator) -> TestID {
        let high: UInt64 = generator.next()
        let low: UInt64 = generator.next()
        // Version 4 and the variant of RFC 9562, sections 4.1 and 5.4.
        return TestID(high: high & ~0xF000 | 0x4000, low: low & ~(0b11 << 62) | 0b10 << 62)
    }

    public static func random() -> TestID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }
}

extension TestID: CustomStringConvertible, Comparable {
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            var place = 0
            for half in [high, low] {
                for shift in stride(from: 60, through: 0, by: -4) {
                    if place == 8 || place == 13 || place == 18 || place == 23 {
                        buffer[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    let digit = UInt8(truncatingIfNeeded: half >> UInt64(shift)) & 0xF
                    buffer[place] = digit < 10 ? 0x30 + digit : 0x61 + digit - 10
                    place += 1
                }
            }
            return 36
        }
    }

    /// The order of the written forms.
    public static func < (left: TestID, right: TestID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension TestID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = TestID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text.prefix(80))” is not a UUID")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
