import Disk
import Model
import SystemPackage

/// The versions of undelivered tests that are known to come before what is here: those that were here when they left in a
/// snapshot or arrived, and the earlier ones that a snapshot named.
///
/// One of them that arrives again is no other version. A number in the test could not prove that, because a restored copy
/// of the store counts on from the same number. The file is not relied upon: without it an older copy counts as another
/// version, and both are kept.
struct FormerVersions {
    /// A longer list is no list of ours; its oldest lines are forgotten before.
    private static let maximumBytes: Int64 = 16 << 20
    private static let mostLines = 60_000

    private(set) var digests: [TestID: Set<Digest>] = [:]
    /// Lines as `sha256sum` prints them.
    private var lines: [FileDigest] = []
    private var known: Set<FileDigest> = []
    private var isChanged = false

    init(_ bytes: [UInt8] = []) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if let file = FileDigest(line: String(line)) { append(file) }
        }
    }

    mutating func note(_ item: OutboxItem, _ digest: Digest) {
        if append(FileDigest(path: item.path.string, digest: digest)) { isChanged = true }
    }

    func contains(_ id: TestID, _ digest: Digest) -> Bool { digests[id]?.contains(digest) == true }

    func contains(_ item: OutboxItem, _ digest: Digest) -> Bool {
        known.contains(FileDigest(path: item.path.string, digest: digest))
    }

    @discardableResult
    private mutating func append(_ line: FileDigest) -> Bool {
        guard let item = OutboxLayout.item(ofFile: FilePath(line.path)), known.insert(line).inserted else {
            return false
        }
        digests[item.id, default: []].insert(line.digest)
        lines.append(line)
        return true
    }

    /// The list without tests that are gone; `nil` where nothing was noted.
    func changed(keeping ids: Set<TestID>) -> [UInt8]? {
        guard isChanged else { return nil }
        let kept = lines.filter { line in OutboxLayout.id(ofFile: FilePath(line.path)).map(ids.contains) ?? false }
        return Array(kept.suffix(Self.mostLines).map { $0.line + "\n" }.joined().utf8)
    }

    static func read(_ fileSystem: any FileSystem) -> FormerVersions {
        let file = try? fileSystem.readFileIfPresent(OutboxLayout.formerVersions, maximumBytes: maximumBytes)
        return FormerVersions(file?.bytes ?? [])
    }

    /// Writes the list if something was noted; without room for it an older copy counts as another version.
    func write(keeping ids: Set<TestID>, to fileSystem: any FileSystem) {
        guard let bytes = changed(keeping: ids) else { return }
        do throws(FileError) {
            try fileSystem.makeFolderIfMissing(OutboxLayout.formerVersions.folder)
            try fileSystem.writeUnsynced(
                bytes, to: OutboxLayout.formerVersions, temporaryFolder: OutboxLayout.temporary)
        } catch {}
    }
}

extension Outbox {
    /// The versions of each test that are known to come before what is here.
    package func formerVersions() -> [TestID: Set<Digest>] { FormerVersions.read(fileSystem).digests }

    /// Whether a version can be known as a former one: a server cannot have it.
    static func canBeFormer(_ item: OutboxItem, _ receipt: Receipt?) -> Bool {
        guard item.kind == .test, item.status.isDraft || item.status == .done else { return false }
        return receipt?.delivery?.mayHaveArrived != true && receipt?.keptAt == nil
    }
}
