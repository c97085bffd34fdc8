import Model

/// What a host says of the key that a request shows: `GET` of `APIPath.accessSelf`.
package struct AccessSelf: Hashable, Sendable, Codable {
    /// The role that the request has.
    package var role: AccessRole
    /// Whether it is that of the key, and not of everyone.
    package var isOfKey: Bool
    /// The role of those who show no key; `nil` where the host asks for one.
    package var roleWithoutKey: AccessRole?
    /// The key's id; `nil` for the token of a file.
    package var id: String?
    package var person: String?
    package var expires: Timestamp?

    package init(
        role: AccessRole, isOfKey: Bool, roleWithoutKey: AccessRole?, id: String? = nil, person: String? = nil,
        expires: Timestamp? = nil
    ) {
        self.role = role
        self.isOfKey = isOfKey
        self.roleWithoutKey = roleWithoutKey
        self.id = id
        self.person = person
        self.expires = expires
    }
}
