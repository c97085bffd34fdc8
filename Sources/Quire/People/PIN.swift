import Crypto
import CryptoExtras
import FoundationEssentials
import Model

/// What a person types to use a shared device as themselves: 4 to 12 digits.
package struct PIN: Hashable, Sendable {
    let digits: String

    package static let fewestDigits = 4
    package static let mostDigits = 12

    /// Reads a PIN as people type it: digits of any script, with spaces and hyphens.
    package init?(_ written: some StringProtocol) {
        var digits = ""
        for character in written where character != "-" && !character.isWhitespace {
            guard let value = character.wholeNumberValue, (0...9).contains(value) else { return nil }
            digits += String(value)
        }
        guard (Self.fewestDigits...Self.mostDigits).contains(digits.count) else { return nil }
        self.digits = digits
    }
}

/// A PIN as it is stored: its scrypt hash (RFC 7914), with the salt and the cost.
struct PINHash: Hashable, Sendable, Codable {
    var algorithm = "scrypt"
    /// A power of two.
    var rounds: Int
    var blockSize: Int
    var parallelism: Int
    /// In hexadecimal digits, as the hash.
    var salt: String
    var hash: String

    /// 32 MiB, and a tenth of a second on a small computer.
    static let standardRounds = 1 << 15
    private static let standardBlockSize = 8
    private static let saltBytes = 16
    private static let hashBytes = 32
    /// A file that asks for more is damaged: it takes no memory.
    private static let mostRounds = 1 << 18

    init(_ pin: PIN, rounds: Int = standardRounds) throws {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<Self.saltBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.rounds = rounds
        (blockSize, parallelism) = (Self.standardBlockSize, 1)
        self.salt = Hexadecimal.encode(salt)
        hash = ""
        hash = Hexadecimal.encode(try derive(pin, salt).withUnsafeBytes { Array($0) })
    }

    /// Whether the cost is one that this program pays, and salt and hash are bytes.
    var isUsable: Bool {
        algorithm == "scrypt" && (2...Self.mostRounds).contains(rounds) && rounds.nonzeroBitCount == 1
            && (1...16).contains(blockSize) && (1...4).contains(parallelism)
            && Hexadecimal.decode(salt)?.isEmpty == false
            && Hexadecimal.decode(hash)?.count == Self.hashBytes
    }

    /// Compares in a time that does not depend on the place of the first difference.
    func matches(_ pin: PIN) throws -> Bool {
        guard let salt = Hexadecimal.decode(salt), let hash = Hexadecimal.decode(hash) else { return false }
        return try derive(pin, salt) == SymmetricKey(data: hash)
    }

    private func derive(_ pin: PIN, _ salt: [UInt8]) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: Array(pin.digits.utf8), salt: salt, outputByteCount: Self.hashBytes, rounds: rounds,
            blockSize: blockSize, parallelism: parallelism)
    }
}
