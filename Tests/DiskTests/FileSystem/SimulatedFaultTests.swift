import Disk
import Simulation
import SystemPackage
import Testing

@Suite("A simulated disk fails on demand")
struct SimulatedFaultTests {
    @Test(
        "a planned failure comes once, at its call, and leaves no effect",
        arguments: [Errno.ioError, .noSpace, .diskQuotaExceeded, .readOnlyFileSystem, .tooManyOpenFiles])
    func failsOnce(_ code: Errno) throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        disk.plan(.error(code), at: 2)
        try files.makeFolder("a")
        #expect(reason { try files.makeFolder("b") } == code)
        #expect(disk.firedFaults == [.error(code)])
        #expect(try files.status(at: "b") == nil)
        try files.makeFolder("b")
    }

    @Test("a failure that lasts hits the calls that it may, until the plan is cleared")
    func lasts() throws {
        for (code, mayRemove, mayRead) in [
            (Errno.noSpace, true, true), (.readOnlyFileSystem, false, true), (.ioError, false, false),
        ] {
            let disk = SimulatedDisk()
            try disk.put("a", "text")
            let files = disk.process()
            disk.plan(.lasting(code), afterNext: 1)
            for name: FilePath in ["b", "c"] { #expect(reason { try files.makeFolder(name) } == code) }
            #expect(reason { try files.open("d", .create) } == code)
            #expect(reason { try files.list("") } == (mayRead ? nil : code))
            #expect(reason { try files.remove("a") } == (mayRemove ? nil : code))
            disk.clearPlan()
            try files.makeFolder("b")
            #expect(disk.firedFaults == [.lasting(code)])
        }
    }

    @Test("a failure after the effect leaves the effect")
    func failsAfterEffect() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        disk.plan(.errorAfterEffect(.ioError), afterNext: 1)
        #expect(reason { try files.makeFolder("a") } == .ioError)
        #expect(reason { try files.makeFolder("a") } == .fileExists)
    }

    @Test("after the power is cut no call of any process has an effect")
    func powerCut() throws {
        let disk = SimulatedDisk()
        let (one, two) = (disk.process(), disk.process())
        disk.plan(.powerCut, at: 2)
        try one.makeFolder("a")
        for files in [one, two, disk.process()] {
            #expect(reason { try files.makeFolder("b") } == .ioError)
            #expect(reason { try files.status(at: "a") } == .ioError)
        }
        #expect(disk.dump().map(\.path) == ["a"])
    }

    @Test("a killed process loses its locks and open files, and what it wrote stays")
    func kill() throws {
        let disk = SimulatedDisk()
        let (one, two) = (disk.process(), disk.process())
        let file = try one.open("a", .create)
        try one.writeAll(file, bytes("text"))
        #expect(try one.lock(file, wait: false))
        let other = try two.open("a", .update)
        #expect(try two.lock(other, wait: false) == false)
        disk.plan(.killed, afterNext: 1)
        #expect(reason { try one.sync(file) } == .ioError)
        #expect(one.openFileCount == 0)
        #expect(try two.lock(other, wait: false))
        #expect(disk.contents("a") == bytes("text"))
        #expect(reason { try one.status(at: "a") } == .ioError)
        try two.close(other)
        // A kill is no power cut, and makes nothing durable either.
        #expect(disk.allCrashStates(limit: 10).contains { $0.disk.contents("a") == nil })
    }

    @Test("one who waits for a lock wakes when its holder is killed, and fails when the power goes")
    func waitersWake() throws {
        let disk = SimulatedDisk()
        let (one, two) = (disk.process(), disk.process())
        let held = try one.open("a", .update)
        #expect(try one.lock(held, wait: true))
        let file = try two.open("a", .update)
        let first = OutcomeOfThread { try two.lock(file, wait: true) }
        one.kill()
        #expect(try first.wait())
        let three = disk.process()
        let late = try three.open("a", .update)
        let second = OutcomeOfThread { reason { try three.lock(late, wait: true) } }
        disk.cutPower()
        #expect(try second.wait() == .ioError)
    }

    @Test("files of one process are not those of another, and a closed file is none")
    func descriptorsAreChecked() throws {
        let disk = SimulatedDisk()
        let (one, two) = (disk.process(), disk.process())
        let file = try one.open("a", .create)
        #expect(reason { try two.writeAll(file, bytes("x")) } == .badFileDescriptor)
        #expect(one.openFileCount == 1)
        try one.close(file)
        #expect(reason { try one.close(file) } == .badFileDescriptor)
        #expect(reason { try one.sync(file) } == .badFileDescriptor)
        #expect(one.openFileCount == 0)
    }

    @Test("a short write takes half, and the bytes that it took are there")
    func shortWrite() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        let file = try files.open("a", .create)
        disk.plan(.shortWrite, afterNext: 1)
        let count = try bytes("12345678").withUnsafeBytes { try files.write(file, $0, at: 0) }
        #expect(count == 4)
        #expect(disk.contents("a") == bytes("1234"))
        disk.plan(.shortWrite, afterNext: 1)
        #expect(try bytes("x").withUnsafeBytes { try files.write(file, $0, at: 0) } == 1)
        try files.close(file)
    }

    @Test("a full disk takes what fits and then nothing; room is made by removing, not while the file is open")
    func capacity() throws {
        let disk = SimulatedDisk(capacityBytes: 4 * 4096)
        let files = disk.process()
        // The root takes one block.
        #expect(try files.freeBytes() == 3 * 4096)
        let file = try files.open("a", .create)
        let big = [UInt8](repeating: 1, count: 20_000)
        #expect(try big.withUnsafeBytes { try files.write(file, $0, at: 100) } == 3 * 4096 - 100)
        #expect(reason { try files.writeAll(file, big, at: 3 * 4096) } == .noSpace)
        #expect(reason { try files.makeFolder("folder") } == .noSpace)
        #expect(reason { try files.allocate(file, sizeBytes: 20_000) } == .noSpace)
        try files.writeAll(file, bytes("over"), at: 0)
        try files.resize(file, to: 1 << 20)
        try files.remove("a")
        #expect(try files.freeBytes() == 0)
        try files.close(file)
        #expect(try files.freeBytes() == 3 * 4096)
        disk.capacityBytes = 2 * 4096
        #expect(try files.freeBytes() == 4096)
    }

    @Test("a disk that is mounted read-only is read and not changed")
    func readOnly() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        try disk.put("folder/a", "text")
        let file = try files.open("folder/a", .update)
        disk.isReadOnly = true
        #expect(reason { try files.writeAll(file, bytes("x")) } == .readOnlyFileSystem)
        #expect(reason { try files.open("b", .create) } == .readOnlyFileSystem)
        #expect(reason { try files.open("folder/a", .update) } == .readOnlyFileSystem)
        #expect(reason { try files.rename("folder/a", to: "b", replacing: true) } == .readOnlyFileSystem)
        #expect(reason { try files.remove("folder/a") } == .readOnlyFileSystem)
        #expect(reason { try files.setModified("folder/a", nanoseconds: 0) } == .readOnlyFileSystem)
        #expect(try files.readFile("folder/a", maximumBytes: 10).bytes == bytes("text"))
        try files.close(file)
    }

    @Test("after a failed sync the bytes are lost to later ones, as on Linux")
    func failedSync() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        let file = try files.open("a", .create)
        try files.syncFolder("")
        try files.writeAll(file, bytes("text"))
        disk.plan(.error(.ioError), afterNext: 1)
        #expect(reason { try files.sync(file) } == .ioError)
        try files.sync(file)
        #expect(disk.allCrashStates(limit: 10).contains { $0.disk.contents("a") == [] })
        try files.close(file)
    }

    @Test("an interrupted sync may be made again")
    func interruptedSync() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        let file = try files.open("a", .create)
        try files.writeAll(file, bytes("text"))
        try files.syncFolder("")
        disk.plan(.error(.interrupted), afterNext: 1)
        #expect(reason { try files.sync(file) } == .interrupted)
        try files.sync(file)
        try files.close(file)
        #expect(disk.allCrashStates(limit: 10).allSatisfy { $0.disk.contents("a") == bytes("text") })
    }

    @Test("a failed close gives the descriptor back")
    func failedClose() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        let file = try files.open("a", .create)
        disk.plan(.error(.ioError), afterNext: 1)
        #expect(reason { try files.close(file) } == .ioError)
        #expect(files.openFileCount == 0)
        let again = try files.open("a", .update)
        disk.plan(.error(.interrupted), afterNext: 1)
        try files.close(again)
        #expect(files.openFileCount == 0)
    }

    @Test("a sync that is taken out reports success and makes nothing durable", arguments: SyncCall.allCases)
    func mutation(_ call: SyncCall) throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        disk.ignore(call, occurrence: 2)
        for name in ["a", "b", "c"] {
            let file = try files.open(FilePath(name), .create)
            try files.writeAll(file, bytes("text"))
            try files.sync(file)
            try files.close(file)
            try files.syncFolder("")
        }
        #expect(disk.firedMutations == 1)
        #expect(disk.count(of: call) == 3)
        // The third sync of the folder makes up for the second; nothing does so for a file.
        let weak = disk.allCrashStates(limit: 100).filter { $0.disk.contents("b") != bytes("text") }
        #expect(weak.isEmpty == (call == .syncFolder))
        #expect(disk.allCrashStates(limit: 100).allSatisfy { $0.disk.contents("a") == bytes("text") })
    }

    @Test("the log lists the calls in words")
    func log() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        try files.makeFolder("tmp")
        let file = try files.open("tmp/t1", .create)
        _ = try files.lock(file, wait: false)
        try files.writeAll(file, bytes("x"))
        try files.sync(file)
        try files.close(file)
        try files.rename("tmp/t1", to: "a", replacing: true)
        try files.syncFolder("")
        try files.syncFolder("tmp")
        _ = try files.freeBytes()
        #expect(
            disk.operationLog == [
                "makeFolder tmp", "create tmp/t1", "lock tmp/t1", "write tmp/t1", "sync tmp/t1", "close tmp/t1",
                "rename tmp/t1 to a", "syncFolder", "syncFolder tmp", "freeBytes",
            ])
        #expect(disk.operations.map(\.number) == Array(1...10))
        disk.clearLog()
        _ = try disk.process().status(at: "a")
        #expect(disk.operations.map(\.process) == [2])
        #expect(disk.operationCount == 11)
    }

    @Test("processes on many threads share one disk")
    func manyThreads() throws {
        let disk = SimulatedDisk()
        try disk.makeFolders("tmp")
        let work = (0..<8).map { number in
            OutcomeOfThread {
                let files = disk.process()
                for round in 0..<50 {
                    let name = FilePath("\(number)-\(round)")
                    try files.writeDurably(bytes(name.string), to: name, temporaryFolder: "tmp")
                }
                return files.openFileCount
            }
        }
        for outcome in work { #expect(try outcome.wait() == 0) }
        #expect(disk.filePaths.count == 400)
        #expect(
            disk.allCrashStates(limit: 20).allSatisfy { $0.disk.filePaths.filter { !$0.hasPrefix("tmp") }.count == 400 }
        )
    }
}
