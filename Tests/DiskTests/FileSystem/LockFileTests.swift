import Disk
import Simulation
import SystemPackage
import Testing

@Suite("A lock has one holder and dies with it")
struct LockFileTests {
    @Test("one holds it, another learns so, and it is free when released", arguments: DiskKind.allCases)
    func oneHolder(_ kind: DiskKind) throws {
        try kind.run { ground in
            var holder = try LockFile.acquire("lock", in: ground.files, wait: false)
            #expect(holder != nil)
            #expect(try LockFile.acquire("lock", in: ground.files, wait: false) == nil)
            holder = nil
            holder = try LockFile.acquire("lock", in: ground.files, wait: false)
            #expect(holder != nil)
            holder = nil
            #expect(try ground.names("") == ["lock"])
        }
    }

    @Test(
        "who died in the middle of something leaves a mark, who came to its end does not", arguments: DiskKind.allCases)
    func mark(_ kind: DiskKind) throws {
        try kind.run { ground in
            for isEnded in [false, true, false] {
                let holder = try #require(try LockFile.acquire("lock", in: ground.files, wait: false))
                try holder.setMark(2)
                if isEnded { try holder.setMark(0) }
                holder.release()
                let next = try #require(try LockFile.acquire("lock", in: ground.files, wait: false))
                #expect(try next.mark() == (isEnded ? 0 : 2))
                next.release()
            }
        }
    }

    @Test("a killed holder's lock is free at once")
    func killedHolder() throws {
        let disk = SimulatedDisk()
        let (one, two) = (disk.process(), disk.process())
        let held = try LockFile.acquire("lock", in: one, wait: false)
        #expect(try LockFile.acquire("lock", in: two, wait: false) == nil)
        one.kill()
        let next = try LockFile.acquire("lock", in: two, wait: false)
        #expect(next != nil)
        withExtendedLifetime((held, next)) {}
    }

    @Test("one who waits gets it next")
    func waiting() throws {
        let disk = SimulatedDisk()
        let (one, two) = (disk.process(), disk.process())
        var held = try LockFile.acquire("lock", in: one, wait: true)
        let next = OutcomeOfThread { try LockFile.acquire("lock", in: two, wait: true) }
        #expect(held != nil)
        held = nil
        #expect(try next.wait() != nil)
    }

    @Test("under every fault it is held or not, and no descriptor leaks", arguments: AtomicWriteTests.faults)
    func faults(_ fault: Fault) throws {
        for number in 1... {
            let disk = SimulatedDisk()
            let files = disk.process()
            disk.plan(fault, at: number)
            var lock: LockFile?
            do throws(FileError) {
                lock = try LockFile.acquire("lock", in: files, wait: false)
            } catch {
                #expect(error.code != .interrupted)
            }
            if files.isAlive { #expect(files.openFileCount == (lock == nil ? 0 : 1), "call \(number)") }
            lock = nil
            if disk.firedFaults.isEmpty { break }
        }
    }

    @Test("a link in the place of the lock is refused", arguments: DiskKind.allCases)
    func link(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("precious", "kept")
            try ground.makeSymbolicLink("lock", to: "precious")
            #expect(
                reason { try LockFile.acquire("lock", in: ground.files, wait: false) } == .tooManySymbolicLinkLevels)
        }
    }
}
