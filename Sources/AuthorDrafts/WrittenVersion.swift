import Model

/// A version of a questionnaire that was published here, or the one that there is now.
package struct WrittenVersion: Hashable, Sendable {
    /// Its name in addresses.
    package let name: String
    package let bytes: [UInt8]
    /// When it was published here; `nil` for one that came from elsewhere.
    package let writtenAt: Timestamp?
    package let isCurrent: Bool

    package init(name: String, bytes: [UInt8], writtenAt: Timestamp?, isCurrent: Bool) {
        self.name = name
        self.bytes = bytes
        self.writtenAt = writtenAt
        self.isCurrent = isCurrent
    }
}
