import Disk
import Model
import SystemPackage
import WireFormat

/// The keys of a host, as files that are created and never changed: a key, and beside it that it was revoked.
///
/// It needs no more of its storage than put-if-absent, get and list. All calls block on the disk.
package struct KeyStore: Sendable {
    /// A key with what has become of it.
    package struct Entry: Hashable, Sendable {
        package var key: AccessKey
        package var revoked: Timestamp?

        package func isValid(at now: Timestamp) -> Bool {
            revoked == nil && BearerKey.isValid(until: key.expires, at: now)
        }
    }

    /// All keys, those that are not valid any more included.
    struct Content: Sendable {
        /// Whether there is any key: then the host asks for keys, also when all of them are revoked or damaged.
        var asksForKeys = false
        var entries: [String: Entry] = [:]
        /// The ids of codes, by their digests: a code does not name its id. Of two with one digest, a valid one.
        var codes: [Digest: String] = [:]
        /// Files that cannot be read as keys; they open nothing.
        var faults: [String] = []
    }

    private struct Revocation: Codable {
        var revoked: Timestamp
    }

    let files: any HostFiles
    let clock: any StoreClock

    private static let maximumBytes: Int64 = 64 << 10

    /// The keys of a data folder, which is made where it is missing.
    package init(making data: FilePath, clock: any StoreClock = SystemClock()) throws(FileError) {
        try POSIXFileSystem.makeRoot(data)
        self.init(files: HostFolder(try POSIXFileSystem(root: data)), clock: clock)
    }

    /// The keys of an existing data folder.
    ///
    /// - Throws: `HostError.noData`, `FileError`.
    package init(opening data: FilePath, clock: any StoreClock = SystemClock()) throws {
        do throws(FileError) {
            self.init(files: HostFolder(try POSIXFileSystem(root: data)), clock: clock)
        } catch {
            throw error.isMissing ? HostError.noData(data) : error
        }
    }

    init(files: any HostFiles, clock: any StoreClock) {
        self.files = files
        self.clock = clock
    }

    // MARK: Keys

    /// Makes a key, durably.
    ///
    /// - Returns: the key, and its text, which is nowhere else.
    package func add(
        _ role: AccessRole, person: String? = nil, label: String? = nil, expires: Timestamp? = nil
    ) throws -> (key: AccessKey, text: String) {
        while true {
            let (id, text) = AccessKey.makeText()
            let key = AccessKey(
                id: id, role: role, digest: Digest(sha256Of: text.utf8), created: clock.now, person: person,
                label: label, expires: expires)
            if try put(try DocumentCoding.encode(key), as: HostLayout.key(id)) { return (key, text) }
        }
    }

    /// Makes a taker's key of a person's code, durably.
    package func add(_ code: PersonalCode, of person: String) throws -> AccessKey {
        while true {
            let key = AccessKey(
                id: AccessKey.makeText().id, role: .taker, digest: code.digest, created: clock.now, person: person,
                code: true)
            if try put(try DocumentCoding.encode(key), as: HostLayout.key(key.id)) { return key }
        }
    }

    /// Revokes a key; one that is revoked already stays so.
    ///
    /// - Throws: `HostError.unknownKey`.
    package func revoke(_ id: String) throws {
        guard AccessKey.isID(id), try get(HostLayout.key(id)) != nil else { throw HostError.unknownKey(id) }
        _ = try put(
            try DocumentCoding.encode(Revocation(revoked: clock.now)), as: HostLayout.revocation(ofKey: id))
    }

    /// Whether a host of this data folder asks for keys.
    package static func asksForKeys(_ data: FilePath) throws -> Bool {
        do {
            return try KeyStore(opening: data).read().asksForKeys
        } catch HostError.noData {
            return false
        }
    }

    /// All keys, the oldest first.
    package func all() throws -> (entries: [Entry], faults: [String]) {
        let content = try read()
        return (
            content.entries.values.sorted { ($0.key.created, $0.key.id) < ($1.key.created, $1.key.id) },
            content.faults
        )
    }

    /// - Parameter former: what was read before: where no person edits a key's file, only new ones are read.
    func read(after former: Content? = nil) throws -> Content {
        var content = Content()
        let names = try names()
        let known = files.isShared ? former?.entries ?? [:] : [:]
        let ids = names.compactMap { HostLayout.keyID(ofFile: $0) }
        let new = ids.filter { known[$0] == nil }
        let bytes = try files.bytes(ofEach: new.map(HostLayout.key), maximumBytes: Self.maximumBytes)
        let read = Dictionary(zip(new, bytes), uniquingKeysWith: { $1 })
        for id in ids {
            content.asksForKeys = true
            do {
                guard let key = try known[id]?.key ?? Self.key(id, read[id] ?? nil) else { continue }
                let isRevoked = names.contains(HostLayout.revocation(ofKey: id).name ?? "")
                let revoked = isRevoked ? try known[id]?.revoked ?? self.revoked(id) : nil
                content.entries[id] = Entry(key: key, revoked: revoked)
                if key.code == true, !isRevoked || content.codes[key.digest] == nil { content.codes[key.digest] = id }
            } catch let fault as DocumentFault {
                content.faults.append(
                    "\(files.place(of: HostLayout.key(id))) is no key (\(fault)): it opens nothing; revoke it")
            }
        }
        return content
    }

    private static func key(_ id: String, _ bytes: [UInt8]?) throws(DocumentFault) -> AccessKey? {
        guard let bytes else { return nil }
        let key = try DocumentCoding.decode(AccessKey.self, from: bytes)
        guard key.id == id else { throw DocumentFault(field: "id", reason: "is not the one of its file") }
        return key
    }

    private func revoked(_ id: String) throws -> Timestamp {
        let bytes = try get(HostLayout.revocation(ofKey: id)) ?? []
        // Its presence revokes the key, whatever is in it.
        return (try? DocumentCoding.decode(Revocation.self, from: bytes).revoked) ?? clock.now
    }

    // MARK: Storage

    /// Shows a change of the list of files; `nil` where there is no folder, and where that cannot be seen at once.
    func stamp() throws(FileError) -> FileStamp? { try files.stamp(of: HostLayout.access) }

    private func names() throws(FileError) -> Set<String> { Set(try files.names(in: HostLayout.access)) }

    private func get(_ path: FilePath) throws(FileError) -> [UInt8]? {
        try files.bytes(of: path, maximumBytes: Self.maximumBytes)
    }

    /// - Returns: whether it was not there before.
    private func put(_ bytes: [UInt8], as path: FilePath) throws(FileError) -> Bool {
        try files.putIfAbsent(bytes, as: path)
    }
}
