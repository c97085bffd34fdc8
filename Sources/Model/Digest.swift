import Crypto

/// The SHA-256 of some bytes: the name of a blob, the identity of a frozen test.
public struct Digest: Hashable, Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// `nil` unless there are exactly 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// The digest of `content`.
    public init(sha256Of content: some Sequence<UInt8>) {
        var hash = SHA256()
        let done: Void? = content.withContiguousStorageIfAvailable {
            hash.update(bufferPointer: UnsafeRawBufferPointer($0))
        }
        if done == nil {
            Array(content).withUnsafeBytes { hash.update(bufferPointer: $0) }
        }
        bytes = Array(hash.finalize())
    }

    /// 64 lowercase hexadecimal digits.
    public var hex: String { Hexadecimal.encode(bytes) }

    /// Reads 64 hexadecimal digits, either case.
    public init?(hex: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }
}

extension Digest: CustomStringConvertible, Codable {
    public var description: String { "sha256:" + hex }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.hasPrefix("sha256:"), let value = Digest(hex: text.dropFirst(7)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text.prefix(80))” is not a digest like sha256:3fa9…")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A digest of bytes that come in pieces.
public struct DigestBuilder: Sendable {
    private var hash = SHA256()

    public init() {}

    public mutating func update(_ piece: UnsafeRawBufferPointer) { hash.update(bufferPointer: piece) }

    public consuming func finish() -> Digest {
        // Proof: SHA-256 has 32 bytes, which is all that Digest asks for.
        // swift-format-ignore: NeverForceUnwrap
        Digest(bytes: Array(hash.finalize()))!
    }
}

/// Lowercase hexadecimal, through a table.
public enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var index = 0
            for byte in bytes {
                buffer[index] = digits[Int(byte >> 4)]
                buffer[index + 1] = digits[Int(byte & 15)]
                index += 2
            }
            return index
        }
    }

    /// `nil` for an odd number of digits or anything that is not one.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        case 0x41...0x46: digit - 0x41 + 10
        default: nil
        }
    }
}
