import Model
import Synchronization

/// What is put into an object. It can be read more than once: a request that failed is repeated.
package struct ObjectContent: Sendable {
    package let sizeBytes: Int64
    package let digest: Digest
    /// All of it, when it is in memory.
    package let bytes: [UInt8]?
    /// At most `count` bytes from an offset on, and at least one before the end.
    package let read: @Sendable (_ offset: Int64, _ count: Int) async throws -> [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        sizeBytes = Int64(bytes.count)
        digest = Digest(sha256Of: bytes)
        read = { offset, count in Array(bytes[Int(offset)..<min(bytes.count, Int(offset) + count)]) }
    }

    /// Content that is too long for memory.
    ///
    /// - Parameter digest: SHA-256 of all of it. Other bytes never become an object.
    package init(
        sizeBytes: Int64, digest: Digest,
        read: @escaping @Sendable (_ offset: Int64, _ count: Int) async throws -> [UInt8]
    ) {
        bytes = nil
        self.sizeBytes = sizeBytes
        self.digest = digest
        self.read = read
    }
}

/// The bytes of an object, or of a part of it, read piece by piece as they are needed. For one reader.
package struct ObjectBody: Sendable {
    /// The size of the whole object.
    package let sizeBytes: Int64
    package let modified: Timestamp
    /// The offsets that are read.
    package let range: Range<Int64>
    private let more: @Sendable () async throws(ObjectStoreError) -> [UInt8]?

    /// - Parameter next: the next piece, which is not empty; `nil` at the end.
    package init(
        sizeBytes: Int64, modified: Timestamp, range: Range<Int64>,
        next: @escaping @Sendable () async throws(ObjectStoreError) -> [UInt8]?
    ) {
        self.sizeBytes = sizeBytes
        self.modified = modified
        self.range = range
        more = next
    }

    /// The next piece, which is not empty; `nil` at the end.
    package func next() async throws(ObjectStoreError) -> [UInt8]? { try await more() }

    /// All that is left to read.
    package func bytes() async throws(ObjectStoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        while let piece = try await more() { bytes += piece }
        return bytes
    }

    /// The part of an object that a range means.
    package static func part(_ range: Range<Int64>?, of sizeBytes: Int64) -> Range<Int64> {
        (range ?? 0..<sizeBytes).clamped(to: 0..<sizeBytes)
    }
}
