/// The identity of a test: a random UUID (RFC 9562, version 4) made on the device, written in lowercase.
///
/// It is the same on every machine and on the server, for ever: a retry is recognised by it.
public struct TestID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Reads the canonical form `8-4-4-4-12`, either case; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        var lowered: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            switch (index, byte) {
            case (8, 0x2D), (13, 0x2D), (18, 0x2D), (23, 0x2D): lowered.append(byte)
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, 0x30...0x39), (_, 0x61...0x66): lowered.append(byte)
            case (_, 0x41...0x46): lowered.append(byte + 0x20)
            default: return nil
            }
        }
        description = String(decoding: lowered, as: UTF8.self)
    }

    /// A new identity.
    public static func random(using generator: inout some RandomNumberGenerator) -> TestID {
        var bytes: [UInt8] = []
        for _ in 0..<2 {
            let value: UInt64 = generator.next()
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
        }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Array(Hexadecimal.encode(bytes))
        let parts = [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]]
        // Proof: 16 bytes in hexadecimal, cut 8-4-4-4-12, are the canonical form.
        return TestID(parts.map { String($0) }.joined(separator: "-"))!
    }

    public static func random() -> TestID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
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
