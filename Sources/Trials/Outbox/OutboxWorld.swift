import Disk
import Model
import OutboxStore
import Simulation
import Sync
import Synchronization
import SystemPackage

/// A disk with an outbox, a person, and a host at the other end.
package struct OutboxWorld: Sendable {
    package let disk: SimulatedDisk
    package let remote: FaultyRemote
    let ledger: Ledger
    let identities: Identities

    /// - Parameter capacityBytes: by default too small for the reserve, which only costs time where no disk is full.
    package init(renames: RenameDurability = .atomic, capacityBytes: Int64? = 1 << 20) {
        let clock = ManualClock()
        disk = SimulatedDisk(clock: clock, capacityBytes: capacityBytes, renames: renames)
        remote = FaultyRemote(clock: clock)
        ledger = Ledger()
        identities = Identities()
    }

    init(
        disk: SimulatedDisk, remote: FaultyRemote, ledger: Ledger = Ledger(), identities: Identities = Identities()
    ) {
        self.disk = disk
        self.remote = remote
        self.ledger = ledger
        self.identities = identities
    }

    /// The same world with another disk: what a crash leaves.
    package func after(_ disk: SimulatedDisk) -> OutboxWorld {
        OutboxWorld(disk: disk, remote: remote.copy(), ledger: ledger.copy(), identities: identities)
    }

    /// The outbox as a process sees it; one of its own when `files` is `nil`.
    package func outbox(
        _ files: (any FileSystem)? = nil, boot: String = "boot-1",
        giveWay: @escaping @Sendable () throws -> Void = {}
    ) -> Outbox {
        let files = files ?? disk.process()
        let quarantine = Quarantine(fileSystem: files, folder: "quarantine", clock: disk.clock)
        return Outbox(
            fileSystem: files, quarantine: quarantine, clock: disk.clock, bootIdentity: boot, giveWay: giveWay,
            makeID: { [identities] in identities.next() })
    }

    package func person(_ files: (any FileSystem)? = nil, boot: String = "boot-1") -> Person {
        Person(outbox: outbox(files, boot: boot), ledger: ledger)
    }

    func sweeper(_ files: any FileSystem, boot: String = "boot-1") -> Sweeper {
        Sweeper(
            outbox: outbox(files, boot: boot), remote: remote, clock: disk.clock,
            journal: Journal(fileSystem: files, clock: disk.clock))
    }

    @discardableResult
    package func sweep(_ options: Sweeper.Options = .init(), boot: String = "boot-1") async throws -> Sweeper.Report {
        try await sweeper(disk.process(), boot: boot).sweep(options)
    }

    // MARK: The promises

    /// Opens the store as after a restart, recovers, checks, delivers, and checks again.
    ///
    /// - Returns: the broken promises.
    package func brokenPromises() async -> [String] {
        do { return try await check() } catch { return ["it cannot be used: \(error)"] }
    }

    private func check() async throws -> [String] {
        var broken: [String] = []
        disk.clearPlan()
        let outbox = outbox(boot: "boot-2")
        do {
            broken += brokenAtSight(outbox) + (try brokenPlaces(outbox))
            guard try recover(outbox) else { return broken + ["the sweeper's lock is held by the dead"] }
        } catch {
            return broken + ["recovery failed: \(error)"]
        }
        broken += try brokenAtRest(outbox)
        let isQuiet = try outbox.scan().items.allSatisfy(\.status.isDraft)
        if isQuiet, ledger.changes.withLock({ $0.isEmpty }) { return broken }
        // A day later: whatever was put off is due.
        disk.clock.advance(by: .seconds(86_400))
        let report = try await sweep(boot: "boot-2")
        if let stopped = report.stopped { broken.append("a sweep with a healthy host stopped: \(stopped)") }
        return broken + (try brokenAtRest(outbox)) + (try brokenDelivery(outbox))
    }

    /// The sweep lock is released when this call returns.
    private func recover(_ outbox: Outbox) throws -> Bool {
        guard let lock = try outbox.queue.acquireSweepLock() else { return false }
        try outbox.queue.recover(lock)
        return true
    }

    /// Files that a person put into the outbox by hand: they stop nothing, and stay until doctor moves them.
    static let planted: [FilePath: String] = ["outbox/done/notes.txt": "hello", "outbox/in-progress/x.test.json": "{"]

    /// The promises before any recovery: no reader ever sees a truncated file, and everything in quarantine has its
    /// reason beside it.
    private func brokenAtSight(_ outbox: Outbox) -> [String] {
        let files = disk.dump()
        let reasons = Set(files.filter { $0.bytes.last == UInt8(ascii: "\n") }.map(\.path))
        return files.compactMap { file in
            if file.path.hasPrefix("quarantine/"), file.path.hasSuffix(".json"),
                !reasons.contains(file.path + ".reason.txt")
            {
                return "\(file.path) has no whole reason beside it"
            }
            guard file.kind == .regular, !file.path.hasPrefix("outbox/tmp/") else { return nil }
            do {
                // A file that never was a test may be in quarantine unchanged.
                if file.path.hasSuffix(".test.json"),
                    TestID(file.path.dropLast(".test.json".count).suffix(36)) != nil
                {
                    _ = try DocumentCoding.decode(TestRecord.self, from: file.bytes)
                } else if file.path.hasSuffix(".receipt.json") {
                    _ = try DocumentCoding.decode(Receipt.self, from: file.bytes)
                }
                return nil
            } catch {
                return "\(file.path) is not whole: \(error)"
            }
        }
    }

    /// A move that was acknowledged is complete: a crash leaves the test in that one folder.
    private func brokenPlaces(_ outbox: Outbox) throws -> [String] {
        let scan = try outbox.scan()
        return ledger.all.compactMap { id, promise in
            guard let place = promise.place else { return nil }
            if let places = scan.duplicates[id] { return "\(id) was moved to \(place) and lies in \(places)" }
            if scan.items.contains(OutboxItem(id: id, status: place)) { return nil }
            return "\(id) was moved to \(place) and is not there"
        }
    }

    /// The promises after recovery.
    private func brokenAtRest(_ outbox: Outbox) throws -> [String] {
        var broken = brokenAtSight(outbox)
        let scan = try outbox.scan()
        for (id, places) in scan.duplicates { broken.append("\(id) lies in \(places)") }
        for stranger in scan.strangers where Self.planted[stranger.path] == nil {
            broken.append("\(stranger.path): \(stranger.reason)")
        }
        for item in scan.items(.sending) { broken.append("\(item.id) is still in sending") }
        for path in disk.filePaths
        where path.hasPrefix("outbox/tmp/") || path.hasPrefix("quarantine/") && path.hasSuffix(".tmp") {
            broken.append("\(path) was left over")
        }
        let places = Dictionary(grouping: scan.items, by: \.id)
        for (id, promise) in ledger.all {
            if promise.isReceiptGone,
                scan.receipts.contains(where: { $0.id == id }) || !isQuarantined("\(id).receipt.json")
            {
                broken.append("the receipt of \(id) was discarded and is not in quarantine")
            }
            guard let item = places[id]?.first else {
                if !promise.mayBeGone {
                    broken.append("\(id) is lost")
                } else if !isQuarantined("\(id).test.json") {
                    broken.append("\(id) was discarded and is not in quarantine")
                }
                continue
            }
            if promise.isGone { broken.append("\(id) was discarded and is there again") }
            let stored = try outbox.read(item)
            if !promise.allowed.contains(stored.record.answers) {
                broken.append("\(id) has \(stored.record.answers), which were not saved last")
            }
            guard let frozen = promise.frozen, !promise.mayThaw else { continue }
            if item.status.isDraft { broken.append("\(id) was finished and is in \(item.status)") }
            if stored.bytes != frozen { broken.append("\(id) was finished and has other bytes") }
        }
        broken += try brokenAttachments(outbox)
        for item in scan.items where item.status.isDelivered {
            if try outbox.receipt(item) == nil { broken.append("\(item.id) is in \(item.status) without a receipt") }
        }
        for item in scan.items where item.status == .rejected || item.status == .conflict {
            if try outbox.receipt(item)?.delivery == nil {
                broken.append("\(item.id) is in \(item.status) without a reason")
            }
        }
        for (id, bytes) in remote.tests {
            guard let item = places[id]?.first else {
                // What may be forgotten is in quarantine then, as was looked at above.
                if ledger.all[id]?.mayBeGone != true { broken.append("\(id) is on the host and not here") }
                continue
            }
            if item.status.isDraft { broken.append("\(id) is on the host and a draft here") }
            if item.status == .done, try outbox.receipt(item)?.delivery?.mayHaveArrived != true {
                broken.append("\(id) is on the host, and could be changed here under its id")
            }
            if try outbox.read(item).bytes != bytes { broken.append("\(id) has other bytes on the host") }
        }
        return broken
    }

    private func isQuarantined(_ name: String) -> Bool {
        disk.filePaths.contains { $0.hasPrefix("quarantine/") && $0.hasSuffix(name) }
    }

    /// The promises after a request to a healthy host.
    private func brokenDelivery(_ outbox: Outbox) throws -> [String] {
        var broken: [String] = []
        for item in try outbox.scan().tests where !item.status.isDraft {
            if item.status == .rejected || item.status == .conflict { continue }
            let stored = try outbox.read(item)
            let promise = ledger.all[item.id]
            if promise?.isLostByServer == true, promise?.place != .done, remote.tests[item.id] == nil,
                item.status.isDelivered
            {
                continue
            }
            if remote.tests[item.id] != stored.bytes {
                broken.append("\(item.id) is in \(item.status) and not on the host")
            }
            guard item.status.isDelivered else {
                broken.append("\(item.id) is still in \(item.status)")
                continue
            }
            guard let receipt = try outbox.receipt(item), receipt.digest == stored.digest else {
                broken.append("\(item.id) is in \(item.status) without a receipt for its bytes")
                continue
            }
        }
        broken += try brokenChanges(outbox)
        broken += try undeliveredAttachments(outbox)
        if Set(remote.arrivals).count != remote.arrivals.count { broken.append("a test was stored twice") }
        return broken
    }
}

/// The ids of the tests of a world: as good as random, and the same in each run.
final class Identities: Sendable {
    private let generator = Mutex(SeededGenerator(seed: 7))

    func next() -> TestID { generator.withLock { TestID.random(using: &$0) } }
}
