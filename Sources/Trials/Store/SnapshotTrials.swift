import Disk
import Host
import Model
import OutboxStore
import Quire
import Simulation
import Snapshots
import Synchronization
import SystemPackage

/// Stores and hosts that are saved in one file, restored and merged.
enum SnapshotTrials {
    static let all: [Trial] = [
        Trial(.store, "saving a snapshot over an older one") { renames in
            let world = StoreWorld(renames: renames)
            let store = try world.create()
            _ = try await store.puller(world.remote).pull()
            let first = try await world.take(store, isFinished: true)
            _ = try StoreSnapshot.save(store, to: backup(world.disk))
            let second = try await world.take(store, isFinished: false)
            world.disk.settle()
            let isSaved = Note()
            return Attempt(
                disk: world.disk,
                act: { files in
                    let report = try StoreSnapshot.save(try world.open(files), to: .init(backupName, in: files))
                    if report.leftOut.isEmpty { isSaved.note() }
                },
                check: { disk in
                    await broken {
                        disk.clearPlan()
                        var broken = try brokenSnapshot(disk, has: isSaved.isNoted ? [first, second] : [first])
                        let after = world.after(disk)
                        let boot = disk === world.disk ? "boot-1" : "boot-2"
                        _ = try StoreSnapshot.save(try after.open(boot: boot), to: backup(disk))
                        broken += try brokenSnapshot(disk, has: [first, second])
                        return broken + (await after.brokenPromises(boot: boot))
                    }
                })
        },
        restoring("restoring a snapshot into a new store") { _ in nil },
        restoring("merging a snapshot into a store") { disk in
            let store = try QuireStore.create(
                disk.process(), settings: StoreWorld.settings, clock: disk.clock, bootIdentity: "boot-1")
            let reference = QuestionnaireReference(
                id: "other", title: "Other", digest: Digest(sha256Of: Array("other".utf8)))
            return try store.outbox.edits.create(reference, deviceID: "other", as: .done) { _ in }.record.id
        },
        Trial(.host, "restoring a snapshot of a host") { renames in
            let source = HostWorld(renames: renames)
            let archive = source.archive()
            try archive.makeFolders()
            try source.publishExam(right: "Right")
            for number in 1...2 { try source.deliverExam(archive, number) }
            try source.mark(archive, 1, points: 0.5)
            let excluded = FolderSnapshot.Exclusions(
                names: HostConfiguration.transientNames, lock: HostConfiguration.lockFile,
                temporary: HostConfiguration.temporaryFolder, referring: HostConfiguration.referringFolders)
            _ = try FolderSnapshot.save(
                source.disk.process(), excluding: excluded, to: backup(source.disk), clock: source.disk.clock)
            let disk = SimulatedDisk(renames: renames)
            let isRestored = Note()
            return Attempt(
                disk: disk,
                act: { files in
                    let report = try FolderSnapshot.restore(backup(source.disk), excluding: excluded, to: files)
                    if report.summary.isIntact { isRestored.note() }
                },
                check: { left in
                    await broken {
                        left.clearPlan()
                        var broken = isRestored.isNoted ? try missing(source.disk, in: left) : []
                        let report = try FolderSnapshot.restore(
                            backup(source.disk), excluding: excluded, to: left.process())
                        if !report.different.isEmpty { broken.append("\(report.different) are not whole") }
                        return try broken + missing(source.disk, in: left)
                    }
                })
        },
    ]

    /// The files of a host that another disk does not have as they are.
    private static func missing(
        _ source: SimulatedDisk, in disk: SimulatedDisk
    ) throws -> [String] {
        let (files, copies) = (source.process(), disk.process())
        return try source.filePaths.filter { $0.contains("/") && !$0.hasPrefix("tmp/") }.filter { path in
            let file = FilePath(path)
            return try copies.readFileIfPresent(file, maximumBytes: 1 << 20)?.bytes
                != files.readFileIfPresent(file, maximumBytes: 1 << 20)?.bytes
        }.map { "\($0) is missing" }
    }

    private static let backupName: FilePath = "backup.quire"

    private static func backup(_ disk: SimulatedDisk) -> StoreSnapshot.Place { .init(backupName, in: disk.process()) }

    private static func broken(_ check: () async throws -> [String]) async -> [String] {
        do { return try await check() } catch { return ["it cannot be used: \(error)"] }
    }

    private static func brokenSnapshot(_ disk: SimulatedDisk, has tests: [TestID]) throws -> [String] {
        let (summary, files) = try StoreSnapshot.verify(backup(disk))
        var broken = summary.isIntact ? [] : ["the snapshot is damaged: \(summary)"]
        for id in tests where !files.contains(where: { $0.path.contains(id.description) }) {
            broken.append("the test \(id) is not in the snapshot")
        }
        return broken
    }

    /// - Parameter prepare: makes what is there before; returns its test.
    private static func restoring(
        _ name: String, prepare: @escaping @Sendable (SimulatedDisk) throws -> TestID?
    ) -> Trial {
        Trial(.store, name) { renames in
            let source = StoreWorld(renames: renames)
            let saved = try source.create()
            _ = try await saved.puller(source.remote).pull()
            _ = try await source.take(saved, isFinished: true)
            _ = try await saved.sweeper(source.remote).sweep()
            for isFinished in [true, false] { _ = try await source.take(saved, isFinished: isFinished) }
            try source.mark(saved, .favorite, "capitals", true)
            _ = try StoreSnapshot.save(saved, to: backup(source.disk))

            let disk = SimulatedDisk(capacityBytes: 1 << 20, renames: renames)
            let own = try prepare(disk)
            disk.settle()
            let isRestored = Note()
            return Attempt(
                disk: disk,
                act: { files in
                    let report = try StoreSnapshot.restore(backup(source.disk), to: target(files, disk, "boot-1"))
                    if report.summary.isIntact { isRestored.note() }
                },
                check: { left in
                    await broken {
                        left.clearPlan()
                        left.capacityBytes = 1 << 20
                        let boot = left === disk ? "boot-1" : "boot-2"
                        var broken: [String] = []
                        if isRestored.isNoted {
                            broken += try brokenTests(left, boot, saved, own) + brokenVersions(left, boot, saved)
                            broken += try brokenMarks(left, boot)
                        }
                        // Repeated, it completes what was interrupted.
                        let report = try StoreSnapshot.restore(
                            backup(source.disk), to: target(left.process(), left, boot))
                        if !report.tests.conflicts.isEmpty {
                            broken.append("\(report.tests.conflicts) are in conflict")
                        }
                        broken += try brokenTests(left, boot, saved, own)
                        broken += try brokenMarks(left, boot)
                        let store = try QuireStore.open(left.process(), clock: left.clock, bootIdentity: boot)
                        if try await store.open(id: "capitals", remote: nil, isOffline: true).questionnaire.id
                            != "capitals"
                        {
                            broken.append("the questionnaire is missing")
                        }
                        _ = try store.cache.space.trim(toBytes: 64 * 4096)
                        _ = try store.examine(repairing: true)
                        for path in left.filePaths where path.hasSuffix(".tmp") {
                            broken.append("\(path) was left over")
                        }
                        return broken
                    }
                })
        }
    }

    private static func target(_ files: any FileSystem, _ disk: SimulatedDisk, _ boot: String) -> StoreSnapshot.Target {
        StoreSnapshot.Target {
            try QuireStore.open(files, clock: disk.clock, bootIdentity: boot)
        } create: {
            try QuireStore.create(files, settings: $0, clock: disk.clock, bootIdentity: boot)
        }
    }

    private static func brokenMarks(_ disk: SimulatedDisk, _ boot: String) throws -> [String] {
        let store = try QuireStore.open(disk.process(), clock: disk.clock, bootIdentity: boot)
        return try store.marks.ids(.favorite) == ["capitals"] ? [] : ["the mark is missing"]
    }

    /// Every test can show what was asked.
    private static func brokenVersions(
        _ disk: SimulatedDisk, _ boot: String, _ saved: QuireStore
    ) throws -> [String] {
        let store = try QuireStore.open(disk.process(), clock: disk.clock, bootIdentity: boot)
        return try saved.versionsOfTests().filter { try store.cache.content(digest: $0.digest) == nil }
            .map { "the version \($0.digest) of \($0.id) is missing" }
    }

    /// Every test of the saved store and the one that was here before is there once, with its bytes.
    private static func brokenTests(
        _ disk: SimulatedDisk, _ boot: String, _ saved: QuireStore, _ own: TestID?
    ) throws -> [String] {
        let outbox = try QuireStore.open(disk.process(), clock: disk.clock, bootIdentity: boot).outbox
        let items = try outbox.scan().tests
        var broken: [String] = []
        for item in try saved.outbox.scan().tests {
            let found = items.filter { $0.id == item.id }
            if found.map(\.status) != [item.status] { broken.append("\(item.path) is in \(found.map(\.status))") }
            guard let first = found.first else { continue }
            if try outbox.read(first).bytes != saved.outbox.read(item).bytes {
                broken.append("\(item.path) has other bytes")
            }
        }
        if let own, items.count(where: { $0.id == own }) != 1 { broken.append("the test that was here is gone") }
        return broken
    }
}

/// The replies to a person.
private final class Note: Sendable {
    private let value = Mutex(false)
    var isNoted: Bool { value.withLock { $0 } }
    func note() { value.withLock { $0 = true } }
}
