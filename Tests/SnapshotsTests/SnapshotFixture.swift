import Disk
import FoundationEssentials
import Model
import OutboxStore
import Quire
import Simulation
import Snapshots
import Sync
import SystemPackage
import Testing

/// A real store in a temporary folder that has a draft with a picture, a finished test, a delivered one and a mark.
final class SnapshotFixture {
    static let pictureURL = FaultyRemote.origin + "/media/map.png"
    static let picture = [UInt8]((0..<90_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    let folder: FilePath
    let remote: FaultyRemote
    let clock = ManualClock()
    let store: QuireStore
    let draft, finished, delivered: TestID

    /// - Parameter attachedBytes: the length of the file that is attached to the draft: bytes that do not compress.
    init(attachedBytes: Int = 300_000) async throws {
        let folder = FilePath("/var/tmp").appending("quire-snapshots-\(UUID().uuidString)")
        self.folder = folder
        try POSIXFileSystem.makeRoot(folder)
        remote = FaultyRemote(clock: clock)
        store = try QuireStore.create(
            at: folder.appending("store"), settings: StoreSettings(remote: FaultyRemote.origin, deviceId: "tablet"),
            clock: clock)
        for name in ["capitals", "rivers", "lakes"] {
            remote.publish(url: Self.pictureURL, bytes: Self.picture)
            remote.publish(
                name,
                """
                {"id": "\(name)", "title": "\(name)", "questions": [
                  {"id": "q1", "text": "Which is the greatest? Größe: ß, 大", "options": ["A", "B"],
                   "media": [{"type": "image", "path": "/media/map.png"}]},
                  {"id": "q2", "text": "Why?\\n\\tSay it.", "kind": "text"}]}
                """)
        }
        let store = store
        let remote = remote
        _ = try await store.puller(remote).pull()
        func take(_ name: String, isFinished: Bool) async throws -> TestID {
            let opened = try await store.open(id: name, remote: remote, isOffline: true)
            return try store.take(
                opened, answers: ["q1": .one("A"), "q2": .one("  because\n\tso")], isFinished: isFinished
            ).record.id
        }
        delivered = try await take("rivers", isFinished: true)
        _ = try await store.sweeper(remote).sweep()
        draft = try await take("capitals", isFinished: false)
        finished = try await take("lakes", isFinished: true)
        var noise = SeededGenerator(seed: 28)
        var pieces = [(0..<attachedBytes).map { _ in UInt8(truncatingIfNeeded: noise.next()) }]
        let spooled = try store.outbox.media.spool(named: "photo.jpg") { pieces.popLast() ?? [] }
        _ = try store.testAttachments.attach(spooled, to: draft, questionId: "q2", name: "photo.jpg", mediaType: nil)
        try store.marks.set(.favorite, id: "lakes")
    }

    /// Which file of the outbox is where, as a snapshot names it.
    func path(_ id: TestID, in store: QuireStore) throws -> String? { try store.outbox.find(id)?.path.string }

    /// The server replaces the questionnaire of the draft and its picture, and this device pulls them.
    func publishNewVersion() async throws {
        remote.publish(url: Self.pictureURL, bytes: [9, 9, 9], cacheControl: "no-cache")
        remote.publish(
            "capitals",
            """
            {"id": "capitals", "title": "New", "questions": [{"id": "q1", "text": "?", "kind": "text",
              "media": [{"type": "image", "path": "/media/map.png"}]}]}
            """)
        clock.advance(by: .seconds(3600))
        _ = try await store.puller(remote).pull()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.string) }

    func file(_ name: String) -> FilePath { folder.appending(name) }

    func bytes(_ path: FilePath) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path.string))) }

    func write(_ bytes: [UInt8], to path: FilePath) throws { try Data(bytes).write(to: URL(filePath: path.string)) }

    @discardableResult
    func save(_ name: String, _ options: StoreSnapshot.Options = .init()) throws -> StoreSnapshot.SaveReport {
        try StoreSnapshot.save(store, to: file(name), options)
    }

    @discardableResult
    func restore(_ snapshot: String, to name: String) throws -> (store: QuireStore, report: StoreSnapshot.RestoreReport)
    {
        let report = try StoreSnapshot.restore(file(snapshot), to: file(name), clock: clock)
        return (try QuireStore.open(at: file(name), clock: clock), report)
    }

    /// The files below a folder of a store, by path, without what each device has of its own.
    func tree(_ store: QuireStore, _ folder: String) throws -> [String: [UInt8]] {
        let root = store.path.appending(folder).string
        var files: [String: [UInt8]] = [:]
        for path in FileManager.default.subpaths(atPath: root) ?? [] {
            let url = URL(filePath: root + "/" + path)
            var isFolder = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder else { continue }
            files[path] = Array(try Data(contentsOf: url))
        }
        return files
    }

    /// Paths of the outbox that two stores have differently: a failure that shows complete files would be long.
    func differences(_ one: QuireStore, _ other: QuireStore) throws -> [String] {
        let (one, other) = (try tests(one), try tests(other))
        return Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }.sorted()
    }

    func tests(_ store: QuireStore) throws -> [String: [UInt8]] {
        try tree(store, "outbox").filter {
            $0.key.hasSuffix(".json") && $0.key.contains("/") || $0.key.hasPrefix("media/")
        }
    }
}
