import Disk
import Host
import Simulation
import SystemPackage

enum HostTrials {
    /// - Parameters:
    ///   - prepare: what was done before, durably.
    ///   - meanwhile: an operation that was started and not finished; it is as durable as its process left it.
    private static func host(
        _ name: String, isDurable: Bool = true, isMade: Bool = true, needless: NeedlessSyncs = .none,
        prepare: @escaping @Sendable (HostWorld, TestArchive) throws -> Void = { _, _ in },
        meanwhile: @escaping @Sendable (HostWorld) throws -> Void = { _ in },
        act: @escaping @Sendable (HostWorld, TestArchive) throws -> Void
    ) -> Trial {
        Trial(.host, name, isDurable: isDurable, needless: needless) { renames in
            let world = HostWorld(renames: renames)
            let archive = world.archive()
            if isMade { try archive.makeFolders() }
            try prepare(world, archive)
            world.disk.settle()
            world.disk.clock.advance(by: .seconds(60))
            try meanwhile(world)
            return Attempt(
                disk: world.disk, act: { try act(world, world.archive($0)) },
                check: { world.after($0).brokenPromises() })
        }
    }

    static let all: [Trial] = [
        host("the first test of a new host", isMade: false) { world, archive in
            try archive.makeFolders()
            try world.deliver(archive, HostWorld.submission(1))
        },
        host("a test that is rated at once") { world, _ in
            try world.publish()
        } act: { world, archive in
            try world.deliver(archive, HostWorld.submission(1))
        },
        host("the same test again, whose first delivery was killed before its receipt") { world, archive in
            try world.deliver(archive, HostWorld.submission(2))
        } meanwhile: { world in
            try killed(world, atSyncOf: "tests")
        } act: { world, archive in
            try world.deliver(archive, HostWorld.submission(1))
        },
        // The test was durable before its receipt was written.
        host(
            "the same test again, whose first delivery was killed at the end",
            needless: NeedlessSyncs { path, _ in path == "tests" }
        ) { world, archive in
            try world.deliver(archive, HostWorld.submission(2))
        } meanwhile: { world in
            try killed(world, atSyncOf: "receipts")
        } act: { world, archive in
            try world.deliver(archive, HostWorld.submission(1))
        },
        // Refused without a write.
        host("another test under the same id", isDurable: false) { world, archive in
            try world.deliver(archive, HostWorld.submission(1))
        } act: { world, archive in
            try world.deliver(archive, HostWorld.submission(1, answer: "Green"))
        },
        // The folder for former receipts is new, and durable with the last of the three. What was before the first rating is not
        // looked at, but what was before a mark is, in the next one.
        host(
            "a teacher's rating",
            needless: NeedlessSyncs { path, number in path == "receipts" ? number == 1 : path.hasPrefix("receipts/") }
        ) { world, archive in
            try world.deliver(archive, HostWorld.submission(1))
        } act: { world, archive in
            try world.rate(archive, 1, score: 7)
        },
        // The folder for former receipts is there.
        host(
            "a mark for one answer, after another one",
            needless: NeedlessSyncs { path, number in path == "receipts" && number == 1 }
        ) { world, archive in
            try world.publishExam(right: "Right")
            try world.deliverExam(archive, 1)
            try world.mark(archive, 1, points: 0.5)
        } act: { world, archive in
            try world.mark(archive, 1, points: 1)
        },
        // All three are acknowledged together, and what changes in one folder becomes durable in its order: the last of the
        // nine syncs is enough for the receipts' folder.
        host(
            "rating everything again by a corrected key, beside marks",
            needless: NeedlessSyncs { path, number in path == "receipts" && number < 9 }
        ) { world, archive in
            try world.publishExam(right: "Wrong")
            for number in 1...3 { try world.deliverExam(archive, number) }
            try world.mark(archive, 1, points: 0.5)
            try world.mark(archive, 2, points: 1)
            try world.publishExam(right: "Right")
        } act: { world, archive in
            try world.rateAgain(archive)
        },
        // The receipts made by a start are not reported yet: the next start makes them again.
        host("starting after a crash that prevented a receipt", isDurable: false) { world, archive in
            try world.deliver(archive, HostWorld.submission(1))
            world.ledger.forgetReceipt(try HostWorld.submission(1).id)
            try world.disk.remove(FilePath("receipts/\(HostWorld.submission(1).id).receipt.json"))
        } act: { world, archive in
            try archive.makeFolders()
            try archive.recover()
            try world.deliver(archive, HostWorld.submission(2))
        },
    ]

    private static func killed(_ world: HostWorld, atSyncOf folder: FilePath) throws {
        let files = world.disk.process()
        let hooked = HookedFileSystem(
            files,
            onSyncFolder: { base, path in
                if path == folder { files.kill() }
                try base.syncFolder(path)
            })
        do { try world.deliver(world.archive(hooked), HostWorld.submission(1)) } catch {
            // Killed.
        }
    }
}
