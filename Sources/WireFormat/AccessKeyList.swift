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

        package init(id: String, role: AccessRole, digest: Digest, expires: Timestamp?) {
            self.id = id
            self.role = role
            self.digest = digest
            self.expires = expires
        }
    }

    /// Whether the host asks for keys.
    package var asksForKeys: Bool
    package var keys: [Item]

    package init(asksForKeys: Bool, keys: [Item]) {
        self.asksForKeys = asksForKeys
        self.keys = keys
    }

    /// The role of a key that is shown in an Authorization field; `nil` for a key that is not in the list.
    package func role(showing authorization: String?, at now: Timestamp) -> AccessRole? {
        guard let key = BearerKey.text(in: authorization) else { return nil }
        let digest = Digest(sha256Of: key.utf8)
        var role: AccessRole?
        // All are compared: the time says nothing of the one that is right.
        for item in keys where BearerKey.areEqual(item.digest, digest) {
            if item.expires.map({ $0 <= now }) != true { role = item.role }
        }
        return role
    }
}
