import Disk
import Model
import ObjectStores
import SystemPackage

/// Files that are too long for memory, and files that are made of pieces.
extension HostBucket {
    /// A file below a folder.
    struct Found: Sendable {
        /// The path below the folder.
        var name: String
        var sizeBytes: Int64
        /// By the store's clock.
        var modified: Timestamp
    }

    /// All files below a folder, in the order of their names.
    func files(below folder: FilePath) throws(FileError) -> [Found] {
        try wait(folder) { store throws(ObjectStoreError) in
            let prefix = folder.string + "/"
            var found: [Found] = []
            try await Self.eachStatus(store, prefix) { status in
                found.append(
                    Found(
                        name: String(status.name.text.dropFirst(prefix.count)), sizeBytes: status.sizeBytes,
                        modified: status.modified))
            }
            return found
        }
    }

    private static func eachStatus(
        _ store: some ObjectStore, _ prefix: String, _ body: (ObjectStatus) -> Void
    ) async throws(ObjectStoreError) {
        try await store.eachObject(prefix: prefix) { (status) async throws(ObjectStoreError) in body(status) }
    }

    /// So many requests are under way at once where many files are read.
    private static let requestsAtOnce = 16

    /// Some objects, each with when it was made, in the order of their names in the list; `nil` for one that is not there, and no
    /// bytes for one that is longer.
    ///
    /// - Parameter togetherBytes: no more are asked for when so many bytes have come. Then only the first objects are returned, at
    ///   least two.
    func contents(
        ofEach names: [String], maximumBytes: Int64, togetherBytes: Int = .max
    ) throws(FileError) -> [(bytes: [UInt8], modified: Timestamp)?] {
        typealias Content = (bytes: [UInt8], modified: Timestamp)
        return try wait("") { store throws(ObjectStoreError) in
            let objects = try names.map { (text) throws(ObjectStoreError) in try Self.name(text) }
            var bytes = 0
            return try await Self.sideBySide(objects) { (found: Content?) in
                bytes += found?.bytes.count ?? 0
                return bytes >= togetherBytes
            } work: { (name) async throws(ObjectStoreError) in
                do throws(ObjectStoreError) {
                    return try await store.content(of: name, maximumBytes: Int(maximumBytes))
                } catch {
                    guard error.kind == .tooLong else { throw error }
                    return ([], .epoch)
                }
            }
        }
    }

    /// The status of each of these objects, in the same order; `nil` for one that does not exist.
    func statuses(ofEach names: [String]) throws(FileError) -> [ObjectStatus?] {
        try wait("") { store throws(ObjectStoreError) in
            let objects = try names.map { (text) throws(ObjectStoreError) in try Self.name(text) }
            return try await Self.sideBySide(objects) { _ in
                false
            } work: { (name) async throws(ObjectStoreError) in
                try await store.head(name)
            }
        }
    }

    /// Asks for something of each of many objects, some at a time.
    ///
    /// - Parameter isEnough: called with each result as it comes; after `true` nothing more is asked for.
    /// - Returns: the results in the order of the names, as far as it was asked for them; an even number, unless of all.
    private static func sideBySide<Found: Sendable>(
        _ names: [ObjectName], isEnough: (Found) -> Bool,
        work: @escaping @Sendable (ObjectName) async throws(ObjectStoreError) -> Found
    ) async throws(ObjectStoreError) -> [Found] {
        typealias Outcome = Result<Found, ObjectStoreError>
        @Sendable func outcome(_ name: ObjectName) async -> Outcome {
            do throws(ObjectStoreError) { return .success(try await work(name)) } catch { return .failure(error) }
        }
        let outcomes = await withTaskGroup(of: (place: Int, outcome: Outcome).self) { group in
            var outcomes: [Outcome?] = []
            var isOver = false
            func ask() {
                let place = outcomes.count
                // A test is followed by its receipt.
                guard place < names.count, !isOver || place % 2 == 1 else { return }
                outcomes.append(nil)
                group.addTask { (place, await outcome(names[place])) }
            }
            for _ in 0..<requestsAtOnce { ask() }
            while let (place, outcome) = await group.next() {
                outcomes[place] = outcome
                switch outcome {
                case .success(let found): if isEnough(found) { isOver = true }
                case .failure: isOver = true
                }
                ask()
            }
            return outcomes
        }
        var found: [Found] = []
        for outcome in outcomes { if let outcome { found.append(try outcome.get()) } }
        return found
    }

    /// A file that is read piece by piece; `nil` where there is none.
    func open(_ path: FilePath) throws(FileError) -> OpenContent? {
        try status(of: path).map { OpenContent($0, in: store) }
    }

    /// Makes one file of others, unless there is one of its name.
    ///
    /// They are gathered in a temporary file: so they are compared before anything is sent, and no request waits for another one.
    ///
    /// - Parameters:
    ///   - parts: in their order; none is longer than `UploadBucket.pieceBytes`.
    ///   - digest: SHA-256 of all of it.
    ///   - scratch: where the temporary file is.
    /// - Returns: `false` where the parts have another digest: then nothing is made.
    func join(
        _ parts: [(path: FilePath, sizeBytes: Int64)], as path: FilePath, digest: Digest, in scratch: any FileSystem
    ) throws -> Bool {
        let draft = try scratch.makeTemporaryFile(in: "")
        defer {
            scratch.closeQuietly(draft.file)
            // It goes with the folder at the latest.
            do throws(FileError) { try scratch.removeIfPresent(draft.path) } catch {}
        }
        var builder = DigestBuilder()
        var offset: Int64 = 0
        for part in parts {
            guard let bytes = try bytes(of: part.path, maximumBytes: Int64(UploadBucket.pieceBytes)),
                Int64(bytes.count) == part.sizeBytes
            else {
                // Another host has joined them, or the upload was cancelled.
                throw FileError("read", place(of: part.path), .noSuchFileOrDirectory)
            }
            bytes.withUnsafeBytes { builder.update($0) }
            try scratch.writeAll(draft.file, bytes, at: offset)
            offset += Int64(bytes.count)
        }
        guard builder.finish() == digest else { return false }
        try put(try OpenContent(draft.path, in: scratch), as: path, sizeBytes: offset, digest: digest)
        return true
    }

    /// Makes a file, unless there is one of its name.
    ///
    /// - Throws: `FileError` where it has other bytes than those of the digest: then nothing is made.
    func put(_ file: OpenContent, as path: FilePath, sizeBytes: Int64, digest: Digest) throws(FileError) {
        let content = ObjectContent(sizeBytes: sizeBytes, digest: digest) { offset, count in
            try await offload { try file.piece(at: offset, maximumBytes: Int64(count)) }
        }
        _ = try wait(path) { store throws(ObjectStoreError) in
            try await store.putIfAbsent(Self.name(path.string), content)
        }
    }
}
