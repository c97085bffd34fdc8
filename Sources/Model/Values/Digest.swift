import Crypto

/// The SHA-256 of some bytes: the name of a blob, the identity of a frozen test.
public struct Digest: Hashable, Sendable {
    // Eight bytes in each, in memory order: a list has a digest for each of its lines, and none of them allocates.
    private let first, second, third, fourth: UInt64

    /// - Parameter bytes: exactly 32.
    private init(whole bytes: UnsafeRawBufferPointer) {
        first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        third = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        fourth = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    }

    /// `nil` unless there are exactly 32 bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 32 else { return nil }
        self.init(whole: bytes)
    }

    /// `nil` unless there are exactly 32 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard let digest = Array(bytes).withUnsafeBytes({ Digest(bytes: $0) }) else { return nil }
        self = digest
    }

    fileprivate init(_ digest: SHA256.Digest) { self = digest.withUnsafeBytes { Digest(whole: $0) } }

    /// The digest of `content`.
    public init(sha256Of content: some Sequence<UInt8>) {
        var hash = SHA256()
        let done: Void? = content.withContiguousStorageIfAvailable {
            hash.update(bufferPointer: UnsafeRawBufferPointer($0))
        }
        if done == nil {
            Array(content).withUnsafeBytes { hash.update(bufferPointer: $0) }
        }
        self.init(hash.finalize())
    }

    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: (first, second, third, fourth), body)
    }

    /// 32 bytes.
    public var bytes: [UInt8] { withBytes { Array($0) } }

    /// The first byte, by which files are spread over folders.
    package var firstByte: UInt8 { withBytes { $0[0] } }

    /// 64 lowercase hexadecimal digits.
    public var hex: String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            withBytes { Hexadecimal.write($0, to: buffer) }
            return 64
        }
    }

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

/// Computes the digest of bytes that arrive in pieces.
package struct DigestBuilder: Sendable {
    private var hash = SHA256()

    package init() {}

    package mutating func update(_ piece: UnsafeRawBufferPointer) { hash.update(bufferPointer: piece) }

    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    package consuming func finish() -> Digest { Digest(hash.finalize()) }

    /// The digest up to here; more pieces may follow.
    package func copyFinished() -> Digest {
        let copy = self
        return copy.finish()
    }
}

/// Lowercase hexadecimal.
package enum Hexadecimal {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            bytes.withUnsafeBytes { write($0, to: buffer) }
            return bytes.count * 2
        }
    }

    /// - Parameter buffer: has room for two digits a byte.
    fileprivate static func write(_ bytes: UnsafeRawBufferPointer, to buffer: UnsafeMutableBufferPointer<UInt8>) {
        for (index, byte) in bytes.enumerated() {
            buffer[2 * index] = digit(byte >> 4)
            buffer[2 * index + 1] = digit(byte & 15)
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// `nil` for an odd number of digits and for any other character.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
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
