import Disk
import Dispatch
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
    func contents(
        ofEach names: [String], maximumBytes: Int64
    ) throws(FileError) -> [(bytes: [UInt8], modified: Timestamp)?] {
        try wait("") { store throws(ObjectStoreError) in
            let objects = try names.map { (text) throws(ObjectStoreError) in try Self.name(text) }
            return try await Self.contents(objects, store, Int(maximumBytes))
        }
    }

    private static func contents(
        _ names: [ObjectName], _ store: any ObjectStore, _ maximumBytes: Int
    ) async throws(ObjectStoreError) -> [(bytes: [UInt8], modified: Timestamp)?] {
        typealias Found = Result<(bytes: [UInt8], modified: Timestamp)?, ObjectStoreError>
        let found = await withTaskGroup(of: (place: Int, result: Found).self) { group in
            var found = [Found](repeating: .success(nil), count: names.count)
            var next = 0
            while next < min(requestsAtOnce, names.count) {
                let place = next
                group.addTask { (place, await content(names[place], store, maximumBytes)) }
                next += 1
            }
            while let (place, result) = await group.next() {
                found[place] = result
                guard next < names.count else { continue }
                let following = next
                group.addTask { (following, await content(names[following], store, maximumBytes)) }
                next += 1
            }
            return found
        }
        var contents: [(bytes: [UInt8], modified: Timestamp)?] = []
        for result in found { contents.append(try result.get()) }
        return contents
    }

    private static func content(
        _ name: ObjectName, _ store: any ObjectStore, _ maximumBytes: Int
    ) async -> Result<(bytes: [UInt8], modified: Timestamp)?, ObjectStoreError> {
        do throws(ObjectStoreError) {
            return .success(try await store.content(of: name, maximumBytes: maximumBytes))
        } catch {
            return error.kind == .tooLong ? .success(([], .epoch)) : .failure(error)
        }
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
        let gathered = try OpenContent(draft.path, in: scratch)
        let content = ObjectContent(sizeBytes: offset, digest: digest) { offset, count in
            try await offload(on: Self.disk) { try gathered.piece(at: offset, maximumBytes: Int64(count)) }
        }
        _ = try wait(path) { store throws(ObjectStoreError) in
            try await store.putIfAbsent(Self.name(path.string), content)
        }
        return true
    }

    /// Has a thread of its own: those of the global queue may all wait for a store.
    private static let disk = DispatchQueue(label: "quire.host.join")
}
