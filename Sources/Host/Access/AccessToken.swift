import Disk
import Model
import SystemPackage
import WireFormat

/// The token that a client has to show (RFC 6750), kept as its digest only.
package struct AccessToken: Hashable, Sendable {
    private let digest: Digest
    /// Identifies the owner of favourites.
    let person: String

    /// - Returns: `nil` for a text that an Authorization field cannot carry.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        digest = Digest(sha256Of: text.utf8)
        person = Self.person("Bearer " + text)
    }

    /// - Parameter authorization: the field as it came; the same token gives the same person.
    static func person(_ authorization: String) -> String {
        String(Digest(sha256Of: authorization.utf8).hex.prefix(16))
    }

    /// Reads the first line of a file that its owner alone can read. Blocks on the disk.
    ///
    /// - Throws: `HostError.unusableToken`.
    package init(readingFrom file: FilePath) throws(HostError) {
        let bytes: [UInt8]
        let status: FileStatus
        do throws(FileError) {
            guard let named = try NamedFile(file) else { throw FileError("read", file, .isDirectory) }
            (bytes, status) = try named.read(maximumBytes: 64 << 10)
        } catch {
            throw .unusableToken(file, reason: error.description)
        }
        guard status.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]) else {
            throw .unusableToken(file, reason: "others than its owner can read it; run chmod 600 \(file)")
        }
        let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        guard let token = AccessToken(line.trimmed) else {
            throw .unusableToken(
                file, reason: "its first line must be a word of printable ASCII characters; write one there")
        }
        self = token
    }

    /// Shows that a log-in with this secret was made with this token, and to no one what either of them is.
    func proof(for secret: String) -> Digest { Digest(sha256Of: "\(secret) \(digest.hex)".utf8) }

    /// Whether an Authorization field shows this token. It takes as long for a wrong one as for the right one.
    func isShown(in authorization: String?) -> Bool {
        guard let text = BearerKey.text(in: authorization) else { return false }
        return BearerKey.areEqual(Digest(sha256Of: text.utf8), digest)
    }
}
