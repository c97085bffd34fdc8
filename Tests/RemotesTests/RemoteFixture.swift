import Disk
import Foundation
import HTTPTypes
import InMemory
import Logging
import Model
import ObjectStores
import Remotes
import Sync
import Synchronization
import SystemPackage

@testable import Host

/// A kind of remote: HTTP, a folder and a bucket with a real host behind them, and the one that plays a host. Each host has its data
/// in a folder, or in a bucket of its own.
enum RemoteKind: CaseIterable, Sendable {
    case http, folder, bucket, inMemory
    case httpOfShared, folderOfShared, bucketOfShared

    /// Whether a host collects it, rather than answering at once.
    var isCollected: Bool { ![.http, .httpOfShared, .inMemory].contains(self) }

    /// Whether hosts keep their data in a bucket.
    var isShared: Bool { [.httpOfShared, .folderOfShared, .bucketOfShared].contains(self) }
}

/// A remote and its host on real files in a temporary folder.
final class RemoteFixture: Sendable {
    let kind: RemoteKind
    let remote: any Remote
    let root: FilePath
    /// What is in the bucket.
    let objects = MemoryObjectStore()
    private let isAway = Switch()
    private let configuration: HostConfiguration
    private let server: Task<Void, any Error>?
    private static let silence = Logger(label: "quire.tests") { _ in SwiftLogNoOpLogHandler() }

    /// Runs the body on a ground of its own.
    static func with(_ kind: RemoteKind, _ body: (RemoteFixture) async throws -> Void) async throws {
        let ground = try await RemoteFixture(kind)
        do {
            try await body(ground)
        } catch {
            await ground.end()
            throw error
        }
        await ground.end()
    }

    private init(_ kind: RemoteKind) async throws {
        self.kind = kind
        root = FilePath("/var/tmp/quire-remotes-\(TestID.random())")
        for folder in ["", "stick", "questionnaires/media"] {
            try FileManager.default.createDirectory(
                atPath: root.appending(folder).string, withIntermediateDirectories: true)
        }
        var configuration = HostConfiguration(
            data: root.appending("data"), questionnaires: root.appending("questionnaires"),
            listen: HostAndPort(host: "127.0.0.1", port: 0))
        if kind.isShared { configuration.bucket = MemoryObjectStore() }
        self.configuration = configuration
        switch kind {
        case .folder, .folderOfShared:
            let base = "file://\(root.appending("stick"))"
            try RemoteAddress.prepare(base, store: root.appending("store"))
            remote = try FolderRemote(base: base, clock: SystemClock())
            server = nil
        case .bucket, .bucketOfShared:
            let (objects, isAway) = (objects, isAway)
            _ = try await offload { try ExchangeBucket(making: objects) }
            remote = FolderRemote(
                base: "s3+https://s3.example.org/bucket", place: "the bucket", clock: SystemClock(),
                opening: {
                    if isAway.load() { throw RemoteFailure(.unreachable, "cannot connect") }
                    return try ExchangeBucket(objects)
                },
                reachability: { isAway.load() ? .away("nothing listens") : .certain })
            server = nil
        case .inMemory:
            remote = ScriptedRemote(clock: SystemClock())
            server = nil
        case .http, .httpOfShared:
            let host = ReferenceHost(configuration, logger: Self.silence)
            let (ports, found) = AsyncStream.makeStream(of: Int.self)
            server = Task { try await host.run { found.yield($0) } }
            var port = 0
            for await number in ports {
                port = number
                break
            }
            remote = try HTTPRemote(base: "http://127.0.0.1:\(port)", token: nil, clock: SystemClock())
        }
    }

    private func end() async {
        await remote.shutdown()
        server?.cancel()
        _ = await server?.result
        try? FileManager.default.removeItem(atPath: root.string)
    }

    func publish(_ name: String, _ text: String) throws {
        if let remote = remote as? ScriptedRemote {
            if name.hasPrefix("media/") {
                remote.publish(media: Array(text.utf8), at: name, mediaType: "image/png")
            } else {
                try remote.publish(json: Array(text.utf8))
            }
            return
        }
        try Data(text.utf8).write(to: URL(filePath: root.appending("questionnaires").appending(name).string))
    }

    /// The host's work: automatic over HTTP, and for a folder when it is collected.
    @discardableResult
    func collect() async throws -> FolderCollection.Report? {
        guard kind.isCollected else { return nil }
        let (kind, root, objects, configuration) = (kind, root, objects, configuration)
        return try await offload {
            let archive = try ReferenceHost.makeArchive(configuration, logger: Self.silence)
            return kind == .folder || kind == .folderOfShared
                ? try FolderCollection(root.appending("stick"), archive: archive).collect()
                : try FolderCollection(try ExchangeBucket(making: objects), archive: archive).collect()
        }
    }

    /// The remote is gone from one moment to the next.
    func takeAway() async throws {
        switch kind {
        case .folder, .folderOfShared: try FileManager.default.removeItem(atPath: root.appending("stick").string)
        case .http, .httpOfShared:
            server?.cancel()
            _ = await server?.result
        case .bucket, .bucketOfShared: isAway.set()
        case .inMemory: (remote as? ScriptedRemote)?.set(.offline)
        }
    }

    /// A finished test.
    static func test(
        _ id: TestID = .random(), answer: String = "yes"
    ) throws -> (id: TestID, bytes: [UInt8], digest: Digest) {
        let record = TestRecord(
            id: id, questionnaire: .init(id: "open", title: "Open", digest: Digest(sha256Of: [1])),
            dateStarted: .epoch, deviceId: "device", sequence: 1)
        var finished = record
        finished.answers = [Answer(questionId: "q1", value: .one(answer))]
        finished.dateFinished = .epoch
        let bytes = try DocumentCoding.encode(finished)
        return (id, bytes, Digest(sha256Of: bytes))
    }

    /// The tests that a question for receipts names.
    func receipts(_ ids: [TestID]) async throws -> (delivered: Set<TestID>, kept: Set<TestID>) {
        struct Answer: Decodable {
            var receipts: [Receipt]
            var kept: [KeptReceipt]?
        }
        let reply = try await remote.receipts(of: ids)
        let answer = try DocumentCoding.decode(Answer.self, from: reply.body)
        return (Set(answer.receipts.map(\.test)), Set((answer.kept ?? []).map(\.test)))
    }
}

/// Something that is turned on once.
final class Switch: Sendable {
    private let isOn = Mutex(false)

    func load() -> Bool { isOn.withLock { $0 } }
    func set() { isOn.withLock { $0 = true } }
}
