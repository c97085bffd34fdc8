import Disk
import Model
import SystemPackage

/// The exchange in an object store: the folder's names are the objects' names.
///
/// Objects are never replaced, so what changes is kept in numbered versions, of which the greatest counts:
/// `receipts/<uuid>.receipt.json/0000000002`. These are receipts, refusals, the list and the questionnaires. A version goes when
/// another is made, if it was replaced more than an hour before the last one. All else is an object of its own.
package struct ExchangeBucket: ExchangeFiles {
    /// The format that this program reads and writes.
    package static let format = 1

    private let store: any ObjectStore

    private struct Marker: Codable { var format: Int }

    private var place: String { store.place }

    /// Opens a bucket that has its marker.
    ///
    /// - Throws: `FileError`, `DocumentFault` if it is no exchange or has a newer format.
    package init(_ store: any ObjectStore) throws {
        self.store = store
        guard let (bytes, _) = try read(ExchangeLayout.marker, maximumBytes: 4096) else {
            throw DocumentFault(
                field: nil,
                reason:
                    "\(store.place) has no \(ExchangeLayout.marker): collect it on the host, or name it as the remote "
                    + "once more")
        }
        let marker: Marker
        do throws(DocumentFault) {
            marker = try DocumentCoding.decode(Marker.self, from: bytes)
        } catch {
            throw DocumentFault(field: nil, reason: "\(store.place)/\(ExchangeLayout.marker): \(error)")
        }
        guard marker.format <= Self.format else {
            throw DocumentFault(
                field: nil,
                reason:
                    "\(store.place) has format \(marker.format) and this program knows \(Self.format): use a newer quire"
            )
        }
    }

    /// Opens it, and adds the marker where it is missing: after the store has proved that it lets exactly one writer make an
    /// object.
    ///
    /// - Throws: as above.
    package init(making store: any ObjectStore) throws {
        let unmarked = ExchangeBucket(unchecked: store)
        if try !unmarked.isThere(ExchangeLayout.marker) {
            try unmarked.refuseOtherUse()
            try unmarked.prove()
            // Another program may be doing the same.
            let marker = try DocumentCoding.encode(Marker(format: Self.format))
            try unmarked.write(marker, to: ExchangeLayout.marker, replacing: true)
        }
        try self.init(store)
    }

    private init(unchecked store: any ObjectStore) { self.store = store }

    private func refuseOtherUse() throws {
        for path in ExchangeLayout.folders + [ExchangeLayout.list] {
            let found = try wait(path) { store throws(ObjectStoreError) in
                try await store.list(prefix: path.string, after: nil, limit: 1)
            }
            guard let name = found.first?.name else { continue }
            throw DocumentFault(
                field: nil,
                reason:
                    "\(store.place) is no place for exchange (it has no \(ExchangeLayout.marker)), and has a “\(name)” of "
                    + "its own: name another prefix")
        }
    }

    /// Lets the store prove that it keeps its contract.
    package func prove() throws(FileError) {
        try wait("") { store throws(ObjectStoreError) in try await Self.prove(store) }
    }

    private static func prove(_ store: some ObjectStore) async throws(ObjectStoreError) {
        try await StoreProof.run(on: store)
    }

    // MARK: - Names

    /// Whether it is kept in versions: what a host writes again.
    static func isNumbered(_ path: FilePath) -> Bool {
        let folder = path.folder
        return path == ExchangeLayout.list || folder == ExchangeLayout.receipts
            || folder == ExchangeLayout.questionnaires
                && ExchangeLayout.isDocument(fileName: path.name ?? "")
    }

    /// All documents are shorter; they are read as one, since a version may go meanwhile.
    static let longestNumberedBytes: Int64 = 64 << 20
    /// After it was replaced: longer than a writer is held up, as a rule, between looking for the last version and making the next.
    private static let secondsAVersionStays: Double = 3600

    /// The versions of a file, the oldest first.
    private static func versions(
        _ path: FilePath, _ store: any ObjectStore
    ) async throws(ObjectStoreError) -> [ObjectStatus] {
        var versions: [ObjectStatus] = []
        try await eachObject(store, path.string + "/") { if $0.name.versionNumber != nil { versions.append($0) } }
        return versions
    }

    private static func eachObject(
        _ store: some ObjectStore, _ prefix: String, _ body: (ObjectStatus) -> Void
    ) async throws(ObjectStoreError) {
        try await store.eachObject(prefix: prefix) { (status) async throws(ObjectStoreError) in body(status) }
    }

    // MARK: - Files

    package func makeFolder(_ path: FilePath) {}

    package func isThere(_ path: FilePath) throws(FileError) -> Bool {
        try wait(path) { store throws(ObjectStoreError) in
            guard Self.isNumbered(path) else { return try await store.head(ObjectName(checking: path.string)) != nil }
            return try await !Self.versions(path, store).isEmpty
        }
    }

    package func names(in folder: FilePath) throws(FileError) -> [String] {
        try wait(folder) { store throws(ObjectStoreError) in
            let prefix = folder.string + "/"
            var names: [String] = []
            try await Self.eachObject(store, prefix) { object in
                let rest = object.name.text.dropFirst(prefix.count).split(separator: "/")
                guard let first = rest.first.map(String.init), names.last != first else { return }
                let isNumbered = Self.isNumbered(folder.appending(name: first))
                if rest.count == (isNumbered ? 2 : 1) { names.append(first) }
            }
            return names
        }
    }

    package func read(
        _ path: FilePath, maximumBytes: Int64
    ) throws(FileError) -> (bytes: [UInt8], modified: Timestamp)? {
        try wait(path) { store throws(ObjectStoreError) in
            guard let body = try await Self.body(path, store) else { return nil }
            guard body.sizeBytes <= maximumBytes else {
                throw ObjectStoreError(
                    .tooLong, "\(store.place)/\(path) is longer than \(maximumBytes) bytes and was refused")
            }
            return (try await body.bytes(), body.modified)
        }
    }

    /// The current object of a file.
    private static func body(
        _ path: FilePath, _ store: any ObjectStore
    ) async throws(ObjectStoreError) -> ObjectBody? {
        guard isNumbered(path) else { return try await store.get(ObjectName(checking: path.string), range: nil) }
        // A version that goes between the two calls has a successor.
        for _ in 0..<5 {
            guard let last = try await versions(path, store).last else { return nil }
            if let body = try await store.get(last.name, range: nil) { return body }
        }
        throw ObjectStoreError(.interrupted, "\(store.place)/\(path) changes too fast to be read")
    }

    package func readOwn(
        _ path: FilePath, maximumBytes: Int64
    ) throws(FileError) -> (bytes: [UInt8], modified: Timestamp)? {
        do throws(FileError) {
            return try read(path, maximumBytes: maximumBytes)
        } catch {
            if error.code == .fileTooLarge { return nil }
            throw error
        }
    }

    package func open(_ path: FilePath) throws(FileError) -> OpenContent? {
        let store = store
        let body = try wait(path) { store throws(ObjectStoreError) in try await Self.body(path, store) }
        guard let body else { return nil }
        guard !Self.isNumbered(path) else {
            guard body.sizeBytes <= Self.longestNumberedBytes else {
                throw FileError(
                    ObjectStoreError(
                        .tooLong,
                        "\(place)/\(path) is longer than \(Self.longestNumberedBytes) bytes and was refused"),
                    store, path)
            }
            let bytes = try wait(path) { _ throws(ObjectStoreError) in try await body.bytes() }
            return OpenContent(sizeBytes: body.sizeBytes, modified: body.modified) {
                (offset, count) throws(FileError) in
                Array(bytes.dropFirst(Int(offset)).prefix(count))
            }
        }
        return OpenContent(body, of: path, in: store)
    }

    package func write(_ bytes: [UInt8], to path: FilePath, replacing: Bool) throws(FileError) {
        let isDone = try wait(path) { store throws(ObjectStoreError) in
            if Self.isNumbered(path) { return try await Self.add(bytes, to: path, store) }
            return try await Self.put(ObjectContent(bytes), to: path, replacing: replacing, store)
        }
        if !isDone { throw FileError("write", FilePath(place).pushing(path), .fileExists) }
    }

    package func write(_ content: ObjectContent, to path: FilePath) async throws {
        do throws(ObjectStoreError) {
            _ = try await Self.put(content, to: path, replacing: true, store)
        } catch {
            if error.kind == .otherContent { throw error }
            throw FileError(error, store, path)
        }
    }

    package func copy(
        _ content: OpenContent, sizeBytes: Int64, digest: Digest, to path: FilePath
    ) throws(FileError) -> Bool {
        let long = ObjectContent(sizeBytes: sizeBytes, digest: digest) { offset, count in
            try await offload { try content.piece(at: offset, maximumBytes: Int64(count)) }
        }
        return try wait(path) { store throws(ObjectStoreError) in
            do throws(ObjectStoreError) {
                return try await Self.put(long, to: path, replacing: true, store)
            } catch {
                if error.kind == .otherContent { return false }
                throw error
            }
        }
    }

    /// Makes an object of a file that is written once. Another one in its place, which a foreign program left, goes.
    ///
    /// - Returns: false if another one is there that stays.
    private static func put(
        _ content: ObjectContent, to path: FilePath, replacing: Bool, _ store: any ObjectStore
    ) async throws(ObjectStoreError) -> Bool {
        let name = try ObjectName(checking: path.string)
        for _ in 0..<3 {
            if try await store.putIfAbsent(name, content) == .created { return true }
            if try await holds(content, name, store) { return true }
            guard replacing else { return false }
            try await store.delete(name)
        }
        throw ObjectStoreError(.interrupted, "\(store.place)/\(path) is written by others at the same time")
    }

    private static func holds(
        _ content: ObjectContent, _ name: ObjectName, _ store: any ObjectStore
    ) async throws(ObjectStoreError) -> Bool {
        guard let body = try await store.get(name, range: nil), body.sizeBytes == content.sizeBytes else {
            return false
        }
        var builder = DigestBuilder()
        while let piece = try await body.next() { piece.withUnsafeBytes { builder.update($0) } }
        return builder.finish() == content.digest
    }

    /// Adds a version, then removes those that were replaced long ago.
    ///
    /// A number must not be free again while a writer may still be about to take it: it would succeed, and nothing would be
    /// seen of what it wrote, below the greatest number.
    private static func add(
        _ bytes: [UInt8], to path: FilePath, _ store: any ObjectStore
    ) async throws(ObjectStoreError) -> Bool {
        let content = ObjectContent(bytes)
        for _ in 0..<20 {
            let former = try await versions(path, store)
            let next = try ObjectName(version: (former.last?.name.versionNumber ?? 0) + 1, of: path)
            // Another host may have taken the number.
            guard try await store.putIfAbsent(next, content) == .created else { continue }
            for version in outdated(former) { try await store.delete(version) }
            return true
        }
        throw ObjectStoreError(.interrupted, "\(store.place)/\(path) is written by too many others at the same time")
    }

    /// Those whose successor was made so long before the last one that no writer is held up since, by the store's clock.
    private static func outdated(_ versions: [ObjectStatus]) -> [ObjectName] {
        guard let last = versions.last else { return [] }
        return zip(versions, versions.dropFirst())
            .filter { $1.modified.adding(seconds: secondsAVersionStays) < last.modified }.map(\.0.name)
    }

    package func remove(_ path: FilePath) throws(FileError) {
        try wait(path) { store throws(ObjectStoreError) in
            guard Self.isNumbered(path) else { return try await store.delete(ObjectName(checking: path.string)) }
            for version in try await Self.versions(path, store) { try await store.delete(version.name) }
        }
    }

    package func confirm(_ path: FilePath) {}

    package func removeAbandonedFiles() -> Int { 0 }

    // MARK: - Parts

    private func wait<Success: Sendable>(
        _ path: FilePath, _ work: @escaping @Sendable (any ObjectStore) async throws(ObjectStoreError) -> Success
    ) throws(FileError) -> Success {
        try BlockingCall.wait(store, path, work)
    }
}
