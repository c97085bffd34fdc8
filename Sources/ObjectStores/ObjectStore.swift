import Model

/// The seam to a store of immutable objects: a folder, a bucket of S3, memory.
///
/// Every implementation is tested against this contract:
/// - **Names.** An object is named by an `ObjectName`. No name is at the same time the folder of another (`a` and `a/b`): that
///   is the caller's to keep, and a store may refuse it.
/// - **Create-only.** `putIfAbsent` makes an object or leaves the existing one as it is. Of any number of calls for one name, from
///   any number of processes, exactly one is answered `.created`, as long as it is not deleted. Calls with the
///   same bytes may both be answered `.created` when a reply was lost: put something of its own into the content of each writer
///   that has to know whether it won. There is no way to replace an
///   object: what changes is kept as numbered versions. After a lost reply the caller repeats the call; when it is
///   answered `.exists`, it reads the object and compares: its own bytes are its own success.
/// - **Atomic.** A reader finds all bytes of an object or no object. Nothing of a failed put is ever visible.
/// - **Durable.** What was answered `.created` or `.exists`, or deleted, survives the loss of power.
/// - **Consistent.** Whatever starts after an answer sees its effect: `get`, `head` and `list` included.
/// - **Lists** are in the order of the names' bytes, after a name, and bounded. An object that exists for the whole duration of
///   several calls is listed exactly once.
/// - **Sizes** up to `maximumObjectBytes`. No call keeps more than a few pieces in memory, whatever the size.
/// - **Errors are values** of `ObjectStoreError`. A missing object is not an error: `get` and `head` answer `nil`, and
///   `delete` succeeds. An error says whether the call may have taken effect.
package protocol ObjectStore: Sendable {
    /// Where the objects are, for people: a path or a URL, without secrets.
    var place: String { get }

    /// Makes an object, unless there is one of this name.
    func putIfAbsent(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> PutOutcome

    /// Reads an object, or a part of it.
    ///
    /// - Parameter range: offsets in the object; what lies beyond its end is left out, so the part may be empty.
    /// - Returns: `nil` for a missing object.
    func get(_ name: ObjectName, range: Range<Int64>?) async throws(ObjectStoreError) -> ObjectBody?

    /// The status of an object; `nil` for a missing one.
    func head(_ name: ObjectName) async throws(ObjectStoreError) -> ObjectStatus?

    /// The objects whose names start with a prefix, in the order of their bytes.
    ///
    /// - Parameters:
    ///   - after: only names greater than this one.
    ///   - limit: the most objects returned, at least 1. Fewer are the end.
    func list(
        prefix: String, after: ObjectName?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectStatus]

    /// Removes an object, if there is one.
    func delete(_ name: ObjectName) async throws(ObjectStoreError)
}

/// The answer to a put.
package enum PutOutcome: Hashable, Sendable {
    /// The object is there, durably, and this call made it.
    case created
    /// There was one of this name, of whichever bytes; it is unchanged.
    case exists
}

package struct ObjectStatus: Hashable, Sendable {
    package var name: ObjectName
    package var sizeBytes: Int64
    /// When it was made, by the store's clock, to the second.
    package var modified: Timestamp

    package init(name: ObjectName, sizeBytes: Int64, modified: Timestamp) {
        self.name = name
        self.sizeBytes = sizeBytes
        self.modified = modified
    }
}

extension ObjectStore {
    /// The size of the pieces in which objects are read and written.
    package static var pieceBytes: Int { 256 << 10 }
    /// The largest object: the limit of one request to S3.
    package static var maximumObjectBytes: Int64 { 5 << 30 }

    package func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await putIfAbsent(name, ObjectContent(bytes))
    }

    /// The bytes of an object; `nil` for a missing one.
    ///
    /// - Throws: `ObjectStoreError` of the kind `.tooLong` for a longer object.
    package func bytes(of name: ObjectName, maximumBytes: Int) async throws(ObjectStoreError) -> [UInt8]? {
        try await content(of: name, maximumBytes: maximumBytes)?.bytes
    }

    /// The same with when it was made, by the store's clock.
    package func content(
        of name: ObjectName, maximumBytes: Int
    ) async throws(ObjectStoreError) -> (bytes: [UInt8], modified: Timestamp)? {
        guard let body = try await get(name, range: nil) else { return nil }
        guard body.sizeBytes <= maximumBytes else {
            throw ObjectStoreError(.tooLong, "\(place)/\(name) is longer than \(maximumBytes) bytes and was refused")
        }
        return (try await body.bytes(), body.modified)
    }

    /// Every object whose name starts with a prefix, page by page; only names greater than `after`.
    package func eachObject(
        prefix: String, after: ObjectName? = nil, _ body: (ObjectStatus) async throws(ObjectStoreError) -> Void
    ) async throws(ObjectStoreError) {
        let limit = 1000
        var last = after
        while true {
            let page = try await list(prefix: prefix, after: last, limit: limit)
            for status in page { try await body(status) }
            guard page.count == limit, let end = page.last else { return }
            last = end.name
        }
    }

    /// Makes an object of these bytes, unless there is one of other bytes: a repetition of a call whose reply was lost counts
    /// as its success.
    ///
    /// - Returns: whether the object has these bytes now.
    package func putOnce(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) -> Bool {
        // An object that is deleted between the two calls is made again; one that comes and goes for ever is not waited for.
        for _ in 0..<3 {
            if case .created = try await putIfAbsent(name, bytes) { return true }
            guard let found = try await head(name) else { continue }
            guard found.sizeBytes == Int64(bytes.count) else { return false }
            guard let stored = try await self.bytes(of: name, maximumBytes: bytes.count) else { continue }
            return stored == bytes
        }
        throw ObjectStoreError(
            .unusable, "\(place)/\(name) is said to be there and cannot be found: the store answers inconsistently")
    }
}
