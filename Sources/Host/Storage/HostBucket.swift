import Disk
import Model
import ObjectStores
import Synchronization
import SystemPackage

/// The files of any number of hosts in an object store.
///
/// A file that is written once is the object of its name. A file that is replaced is a folder of versions,
/// `people/list.json/0000000002`, of which the greatest counts: a writer takes the number after the one that it has read by
/// creating it. Versions stay, since a writer that was held up could otherwise take a number that is free once more.
///
/// No thread of the cooperative pool may call it: see `BlockingCall`.
package struct HostBucket: HostFiles {
    let store: any ObjectStore
    private let known = KnownVersions()

    package init(_ store: any ObjectStore) { self.store = store }

    package func place(of path: FilePath) -> FilePath { FilePath(store.place).pushing(path) }

    package var isShared: Bool { true }

    // MARK: - Files that are written once

    package func bytes(of path: FilePath, maximumBytes: Int64) throws(FileError) -> [UInt8]? {
        try wait(path) { store throws(ObjectStoreError) in
            try await store.bytes(of: Self.name(path.string), maximumBytes: Int(maximumBytes))
        }
    }

    package func bytes(ofEach paths: [FilePath], maximumBytes: Int64) throws(FileError) -> [[UInt8]?] {
        try contents(ofEach: paths.map(\.string), maximumBytes: maximumBytes).map { $0?.bytes }
    }

    package func names(in folder: FilePath) throws(FileError) -> [String] {
        try wait(folder) { store throws(ObjectStoreError) in
            let prefix = folder.string + "/"
            var names: [String] = []
            try await Self.eachName(store, prefix) { name in
                let rest = name.text.dropFirst(prefix.count)
                if !rest.contains("/") { names.append(String(rest)) }
            }
            return names
        }
    }

    package func putIfAbsent(_ bytes: [UInt8], as path: FilePath) throws(FileError) -> Bool {
        try wait(path) { store throws(ObjectStoreError) in
            try await store.putIfAbsent(Self.name(path.string), bytes) == .created
        }
    }

    package func remove(_ path: FilePath) throws(FileError) {
        try wait(path) { store throws(ObjectStoreError) in try await store.delete(Self.name(path.string)) }
    }

    package func stamp(of folder: FilePath) -> FileStamp? { nil }

    /// The size of a file and when it was made, by the store's clock; `nil` where there is none.
    func status(of path: FilePath) throws(FileError) -> ObjectStatus? {
        try wait(path) { store throws(ObjectStoreError) in try await store.head(Self.name(path.string)) }
    }

    /// The bytes of a file with when it was made; `nil` where there is none.
    func content(of path: FilePath, maximumBytes: Int64) throws(FileError) -> (bytes: [UInt8], modified: Timestamp)? {
        try wait(path) { store throws(ObjectStoreError) in
            try await store.content(of: Self.name(path.string), maximumBytes: Int(maximumBytes))
        }
    }

    // MARK: - Files that are replaced

    package func current(_ path: FilePath, maximumBytes: Int64) throws(FileError) -> FileVersion? {
        let known = known
        return try wait(path) { store throws(ObjectStoreError) in
            // Those before it are of no interest, and stay.
            let last = known.last(of: path)
            var number = last
            let start = try last > 0 ? Self.version(last, of: path) : nil
            try await Self.eachName(store, path.string + "/", after: start) { name in
                if let found = Self.number(name) { number = max(number, found) }
            }
            guard number > 0 else { return nil }
            let name = try Self.version(number, of: path)
            guard let bytes = try await store.bytes(of: name, maximumBytes: Int(maximumBytes)) else {
                throw ObjectStoreError(.unusable, "\(store.place)/\(name) was removed: a host needs it")
            }
            known.note(number, of: path)
            return FileVersion(bytes: bytes, number: number)
        }
    }

    package func confirm(_ path: FilePath) {}

    package func replace(_ path: FilePath, _ bytes: [UInt8], former: FileVersion?) throws(FileError) -> Bool {
        try wait(path) { store throws(ObjectStoreError) in
            // Another writer's same bytes after the same version are as good as one's own, whose reply was lost.
            try await store.putOnce(Self.version((former?.number ?? 0) + 1, of: path), bytes)
        }
    }

    package func locked<Result>(_ lock: FilePath, _ body: () throws -> Result) throws -> Result { try body() }

    /// A version of a file; `nil` where there is none of this number.
    func version(_ number: Int, of path: FilePath, maximumBytes: Int64) throws(FileError) -> [UInt8]? {
        try wait(path) { store throws(ObjectStoreError) in
            try await store.bytes(of: Self.version(number, of: path), maximumBytes: Int(maximumBytes))
        }
    }

    /// The same with when it was made, by the store's clock.
    func versionContent(
        _ number: Int, of path: FilePath, maximumBytes: Int64
    ) throws(FileError) -> (bytes: [UInt8], modified: Timestamp)? {
        try wait(path) { store throws(ObjectStoreError) in
            try await store.content(of: Self.version(number, of: path), maximumBytes: Int(maximumBytes))
        }
    }

    /// The versions of the files in a folder, or of one file, in their order.
    ///
    /// - Parameter after: only versions of this file after this number.
    func eachVersion(
        in folder: FilePath, after number: Int = 0, _ body: (_ path: FilePath, _ number: Int) -> Void
    ) throws(FileError) {
        let names = try wait(folder) { store throws(ObjectStoreError) in
            var names: [ObjectName] = []
            let start = try number > 0 ? Self.version(number, of: folder) : nil
            try await Self.eachName(store, folder.string + "/", after: start) { names.append($0) }
            return names
        }
        for name in names {
            guard let number = Self.number(name) else { continue }
            body(FilePath(name.text).folder, number)
        }
    }

    // MARK: - Names

    static func version(_ number: Int, of path: FilePath) throws(ObjectStoreError) -> ObjectName {
        try ObjectName(version: number, of: path)
    }

    /// The name of a version that there is.
    static func versionName(_ number: Int, of path: FilePath) -> String {
        path.string + "/" + ObjectVersion.written(number)
    }

    static func number(_ version: ObjectName) -> Int? { version.versionNumber }

    static func name(_ text: String) throws(ObjectStoreError) -> ObjectName { try ObjectName(checking: text) }

    private static func eachName(
        _ store: some ObjectStore, _ prefix: String, after: ObjectName? = nil, _ body: (ObjectName) -> Void
    ) async throws(ObjectStoreError) {
        try await store.eachObject(prefix: prefix, after: after) { (status) async throws(ObjectStoreError) in
            body(status.name)
        }
    }

    func wait<Success: Sendable>(
        _ path: FilePath, _ work: @escaping @Sendable (any ObjectStore) async throws(ObjectStoreError) -> Success
    ) throws(FileError) -> Success {
        try BlockingCall.wait(store, path, work)
    }
}

/// The greatest numbers that were seen, of so many files: they only shorten lists.
private final class KnownVersions: Sendable {
    private static let most = 10_000

    private let numbers = Mutex<[FilePath: Int]>([:])

    func last(of path: FilePath) -> Int { numbers.withLock { $0[path] ?? 0 } }

    func note(_ number: Int, of path: FilePath) {
        numbers.withLock { numbers in
            if numbers.count >= Self.most { numbers.removeAll() }
            numbers[path] = max(number, numbers[path] ?? 0)
        }
    }
}
