import Disk
import FoundationEssentials
import Model
import Quire
import Simulation
import SystemPackage
import Testing

@testable import Snapshots

@Suite("Snapshots as they are written")
final class SnapshotWriterTests {
    private let folder = FilePath("/var/tmp").appending("quire-snapshots-\(UUID().uuidString)")

    init() throws { try POSIXFileSystem.makeRoot(folder) }

    deinit { try? FileManager.default.removeItem(atPath: folder.string) }

    /// Writes a snapshot with the records that `add` adds.
    private func write(
        _ content: SnapshotHeader.Content = .store, storeFormat: Int? = nil, _ format: SnapshotFormat = .json,
        _ add: (inout SnapshotWriter) throws -> Void
    ) throws -> FilePath {
        var bytes: [UInt8] = []
        let header = SnapshotHeader(
            content: content, storeFormat: storeFormat, createdAt: .epoch, withCache: true, withSecrets: true)
        var writer = try SnapshotWriter(header, format) { bytes += $0 }
        try add(&writer)
        _ = try writer.finish()
        let path = folder.appending("s.quire")
        try Data(bytes).write(to: URL(filePath: path.string))
        return path
    }

    /// The folder, where another program writes to a file before each call.
    private func changing(
        _ name: String, sizeBytes: Int, _ change: @escaping @Sendable (FileDescriptor) throws -> Void
    ) throws -> HookedFileSystem {
        let path = folder.appending(name)
        try Data(repeating: 65, count: sizeBytes).write(to: URL(filePath: path.string))
        let hook: @Sendable () -> Void = {
            do {
                let file = try FileDescriptor.open(path, .readWrite)
                try file.closeAfter { try change(file) }
            } catch {
                Issue.record(error)
            }
        }
        return HookedFileSystem(try POSIXFileSystem(root: folder), beforeEach: hook)
    }

    @Test("a file that grows while it is read is saved as it was at one moment", arguments: [0, 1000, 600_000])
    func growing(_ sizeBytes: Int) throws {
        let files = try changing("events.jsonl", sizeBytes: sizeBytes) { file in
            try file.seek(offset: 0, from: .end)
            try file.writeAll([66])
        }
        let path = try write {
            try $0.announce(["events.jsonl"])
            try $0.addFile("events.jsonl", in: files)
        }
        let summary = try StoreSnapshot.verify(path).summary
        #expect(summary.isIntact && summary.files == 1, "\(summary)")
        #expect(summary.contentBytes >= Int64(sizeBytes))
    }

    @Test("a long file that changes while it is read ends the save with one sentence")
    func changed() throws {
        let files = try changing("a", sizeBytes: 600_000) { file in
            var byte: [UInt8] = [0]
            _ = try byte.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 500_000, into: $0) }
            _ = try file.writeAll(toAbsoluteOffset: 500_000, [byte[0] &+ 1])
        }
        #expect(throws: SnapshotFault.self) { _ = try write { try $0.addFile("a", in: files) } }
    }

    @Test("a snapshot of a store of a later format is refused, and no store is made")
    func laterFormat() throws {
        let path = try write(storeFormat: StoreSettings.currentFormat + 1) {
            try $0.add("store.json", modified: .epoch, Array("{}".utf8))
        }
        #expect(throws: SnapshotFault.self) { try StoreSnapshot.restore(path, to: folder.appending("new")) }
        #expect(!FileManager.default.fileExists(atPath: folder.appending("new").string))
    }

    @Test("settings of a snapshot name no file of this machine")
    func foreignSettings() throws {
        var settings = StoreSettings(remote: "https://example.org", deviceId: "other")
        settings.tokenFile = "/home/ada/.ssh/id_ed25519"
        settings.caFile = "/home/ada/ca.pem"
        let path = try write(storeFormat: 1) {
            try $0.add("store.json", modified: .epoch, try DocumentCoding.encode(settings))
        }
        _ = try StoreSnapshot.restore(path, to: folder.appending("new"))
        let store = try QuireStore.open(at: folder.appending("new"))
        #expect(store.settings.tokenFile == nil && store.settings.caFile == nil)
        #expect(store.settings.remote == "https://example.org" && store.settings.deviceId == "other")
    }
}
