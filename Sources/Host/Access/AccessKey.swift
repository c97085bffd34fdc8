import Model
import WireFormat

/// A key of the host as its file keeps it: its digest, and never the key itself.
package struct AccessKey: Hashable, Sendable, Codable {
    package var id: String
    package var role: AccessRole
    /// SHA-256 of the key.
    package var digest: Digest
    package var created: Timestamp
    /// The person that the key belongs to, for whose tests alone a taker's or an author's key may ask.
    package var person: String?
    /// For the people who manage keys.
    package var label: String?
    package var expires: Timestamp?
    /// `true` for the code on a person's card; its digest is that of `PersonalCode`.
    package var code: Bool?

    package init(
        id: String, role: AccessRole, digest: Digest, created: Timestamp, person: String? = nil, label: String? = nil,
        expires: Timestamp? = nil, code: Bool? = nil
    ) {
        self.id = id
        self.role = role
        self.digest = digest
        self.created = created
        self.person = person
        self.label = label
        self.expires = expires
        self.code = code
    }

    private static let prefix = "quire"
    private static let idBytes = 4
    /// 160 bits: nothing that can be guessed, so a plain digest of it is safe to keep.
    private static let secretBytes = 20

    /// A random key, as it is shown once.
    static func makeText() -> (id: String, text: String) {
        var generator = SystemRandomNumberGenerator()
        func hex(_ count: Int) -> String {
            Hexadecimal.encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        }
        let id = hex(idBytes)
        return (id, "\(prefix)_\(id)_\(hex(secretBytes))")
    }

    /// The id in a key's text; `nil` for a text that has not the form of a key.
    static func id(in text: String) -> String? {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == prefix, isID(parts[1]) else { return nil }
        return String(parts[1])
    }

    static func isID(_ text: some StringProtocol) -> Bool {
        text.utf8.count == idBytes * 2
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
