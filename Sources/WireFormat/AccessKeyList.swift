import Model

/// The valid keys of a host, as `GET` of `APIPath.accessKeys` lists them: a hub checks devices' keys by it while the
/// host is unreachable. It contains no key, only their digests.
package struct AccessKeyList: Hashable, Sendable, Codable {
    package struct Item: Hashable, Sendable, Codable {
        package var id: String
        package var role: AccessRole
        /// SHA-256 of the key.
        package var digest: Digest
        package var expires: Timestamp?
        package var person: String?

        package init(id: String, role: AccessRole, digest: Digest, expires: Timestamp?, person: String? = nil) {
            self.id = id
            self.role = role
            self.digest = digest
            self.expires = expires
            self.person = person
        }

        package func isValid(at now: Timestamp) -> Bool { BearerKey.isValid(until: expires, at: now) }
    }

    /// The role of those who show no key; `nil` where the host asks for one.
    package var roleWithoutKey: AccessRole?
    package var keys: [Item]

    package init(roleWithoutKey: AccessRole?, keys: [Item]) {
        self.roleWithoutKey = roleWithoutKey
        self.keys = keys
    }
}
