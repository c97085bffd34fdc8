import Disk
import Model
import Simulation
import Synchronization
import SystemPackage
import Testing

/// Promises 1 and 4 of the design: durable when reported, whole or not there at all. Every fault at every call.
@Suite("A durable write is whole, and durable when it says so")
struct AtomicWriteTests {
    /// One way to write, on a disk that may have an old file already.
    struct Variant: CustomTestStringConvertible {
        var hasOld: Bool
        var replacing: Bool
        var modified: Timestamp?

        var testDescription: String {
            "old file: \(hasOld), replacing: \(replacing), time: \(modified.map(\.description) ?? "none")"
        }

        static let all = [
            Variant(hasOld: false, replacing: true), Variant(hasOld: true, replacing: true),
            Variant(hasOld: false, replacing: false),
            Variant(hasOld: true, replacing: true, modified: Timestamp(millisecondsSinceEpoch: 1234)),
        ]

        func disk() throws -> SimulatedDisk {
            let disk = SimulatedDisk()
            try disk.makeFolders("tmp")
            try disk.makeFolders("store")
            if hasOld { try disk.put("store/a", "old content") }
            return disk
        }

        func write(_ files: SimulatedFileSystem) throws(FileError) {
            try files.writeDurably(
                AtomicWriteTests.newBytes, to: "store/a", temporaryFolder: "tmp", replacing: replacing,
                modified: modified)
        }

        func isLegal(_ content: [UInt8]?) -> Bool {
            content == AtomicWriteTests.newBytes || content == (hasOld ? bytes("old content") : nil)
        }
    }

    static let newBytes = bytes("the new content, which is longer than the old one")

    static let faults: [Fault] =
        [.powerCut, .killed, .shortWrite]
        + [.ioError, .noSpace, .diskQuotaExceeded, .readOnlyFileSystem, .interrupted, .tooManyOpenFiles]
        .map { .error($0) } + [.errorAfterEffect(.ioError)]

    @Test(
        "a reported success is durable, a failure leaves the old file or the new one and never half",
        arguments: Variant.all, faults)
    func everyFault(_ variant: Variant, _ fault: Fault) throws {
        for number in 1... {
            let disk = try variant.disk()
            let files = disk.process()
            disk.plan(fault, at: number)
            var succeeded = false
            do throws(FileError) {
                try variant.write(files)
                succeeded = true
            } catch {
                #expect(error.code != .interrupted, "call \(number) was not made again")
            }
            #expect(variant.isLegal(disk.contents("store/a")))
            for state in disk.allCrashStates(limit: 60, seed: UInt64(number)) {
                let content = state.disk.contents("store/a")
                #expect(variant.isLegal(content), "call \(number): \(state)")
                if succeeded { #expect(content == Self.newBytes, "call \(number): \(state)") }
                try expectCleanable(state.disk)
            }
            if case .shortWrite = fault { #expect(succeeded) }
            if files.isAlive { #expect(files.openFileCount == 0, "call \(number)") }
            if disk.firedFaults.isEmpty {
                #expect(succeeded)
                #expect(number > 6)
                break
            }
        }
    }

    @Test("each sync counts: without any one of them the crash check fails", arguments: SyncCall.allCases)
    func mutations(_ call: SyncCall) throws {
        let variant = Variant(hasOld: true, replacing: true)
        let whole = try variant.disk()
        try variant.write(whole.process())
        #expect(whole.count(of: call) == 1, "a write costs one flush of the file and one of the folder")
        let disk = try variant.disk()
        disk.ignore(call, occurrence: 1)
        try variant.write(disk.process())
        #expect(disk.firedMutations == 1)
        #expect(disk.allCrashStates(limit: 60).contains { $0.disk.contents("store/a") != Self.newBytes })
    }

    @Test("the order is write, sync, rename, sync of the folder")
    func order() throws {
        let disk = try Variant(hasOld: true, replacing: true).disk()
        try Variant(hasOld: true, replacing: true).write(disk.process())
        let kinds = disk.operations.map(\.kind).filter { [.write, .sync, .rename, .syncFolder].contains($0) }
        #expect(kinds == [.write, .sync, .rename, .syncFolder])
        #expect(disk.operationLog.last == "syncFolder store")
    }

    @Test("an existing target stays as it is where it may not be replaced")
    func notReplacing() throws {
        let disk = try Variant(hasOld: true, replacing: false).disk()
        let files = disk.process()
        #expect(reason { try Variant(hasOld: true, replacing: false).write(files) } == .fileExists)
        #expect(disk.filePaths == ["store/a"])
        #expect(disk.contents("store/a") == bytes("old content"))
    }

    @Test("the time that was asked for is durable with the bytes")
    func modifiedTime() throws {
        let variant = Variant(hasOld: true, replacing: true, modified: Timestamp(millisecondsSinceEpoch: -1))
        let disk = try variant.disk()
        try variant.write(disk.process())
        for state in disk.allCrashStates(limit: 60) {
            #expect(try state.disk.process().status(at: "store/a")?.modifiedNanoseconds == -1_000_000)
        }
    }

    @Test("several files share the sync of their folder")
    func stage() throws {
        let disk = try Variant(hasOld: false, replacing: true).disk()
        let files = disk.process()
        for name in ["a", "b", "c"] {
            try files.stage(bytes(name), to: FilePath("store/\(name)"), temporaryFolder: "tmp")
        }
        #expect(disk.count(of: .syncFolder) == 0)
        try files.makeDurable(folder: "store")
        #expect(disk.allCrashStates(limit: 100).allSatisfy { $0.disk.filePaths.contains("store/c") })
    }

    /// Three files at once, one of which is there and stays.
    private static let together = [
        StagedFile(newBytes, to: "store/a"), StagedFile(bytes("b"), to: "store/b", isReplacing: false),
        StagedFile(newBytes, to: "store/c", modified: Timestamp(millisecondsSinceEpoch: 1234)),
    ]

    @Test(
        "several at once are each whole after every fault, durable when it says so, and leave no file open",
        arguments: faults)
    func together(_ fault: Fault) throws {
        for number in 1... {
            let disk = try Variant(hasOld: true, replacing: true).disk()
            try disk.put("store/b", "old b")
            let files = disk.process()
            disk.plan(fault, at: number)
            var isDone = false
            do throws(FileError) {
                #expect(try files.stage(Self.together, temporaryFolder: "tmp") == ["store/b"])
                try files.makeDurable(folder: "store")
                isDone = true
            } catch {
                #expect(error.code != .interrupted, "call \(number) was not made again")
            }
            for state in disk.allCrashStates(limit: 60, seed: UInt64(number)) {
                let (a, c) = (state.disk.contents("store/a"), state.disk.contents("store/c"))
                #expect(a == Self.newBytes || !isDone && a == bytes("old content"), "call \(number): \(state)")
                #expect(c == Self.newBytes || !isDone && c == nil, "call \(number): \(state)")
                #expect(state.disk.contents("store/b") == bytes("old b"))
                try expectCleanable(state.disk)
            }
            if files.isAlive {
                #expect(files.openFileCount == 0, "call \(number)")
            }
            if disk.firedFaults.isEmpty {
                #expect(isDone)
                break
            }
        }
    }

    @Test("each of the flushes of several at once counts", arguments: 1...3)
    func togetherWithout(_ occurrence: Int) throws {
        let disk = try Variant(hasOld: false, replacing: true).disk()
        disk.ignore(.sync, occurrence: occurrence)
        _ = try disk.process().stage(Self.together, temporaryFolder: "tmp")
        try disk.process().makeDurable(folder: "store")
        #expect(disk.firedMutations == 1 && disk.count(of: .sync) == 3 && disk.count(of: .syncFolder) == 1)
        #expect(
            disk.allCrashStates(limit: 200).contains { state in
                Self.together.contains { state.disk.contents($0.target) != $0.bytes }
            })
    }

    @Test("what may be lost is written without a flush, and still never seen half by a reader")
    func unsynced() throws {
        let disk = try Variant(hasOld: true, replacing: true).disk()
        let files = disk.process()
        let reader = disk.process()
        let seen = Mutex<Set<[UInt8]>>([])
        for number in 1...20 {
            disk.interlude(at: number) {
                let content = try? reader.readFile("store/a", maximumBytes: 1000).bytes
                seen.withLock { _ = $0.insert(content ?? []) }
            }
            try files.writeUnsynced(bytes("new \(number)"), to: "store/a", temporaryFolder: "tmp")
        }
        #expect(disk.count(of: .sync) == 0)
        #expect(disk.count(of: .syncFolder) == 0)
        let legal = Set((1...20).map { bytes("new \($0)") } + [bytes("old content")])
        #expect(seen.withLock { $0 }.isSubset(of: legal))
        #expect(disk.contents("store/a") == bytes("new 20"))
    }

    @Test("a write goes through although another process sweeps temporary files at any moment of it")
    func sweepAtAnyMoment() throws {
        for number in 1... {
            let variant = Variant(hasOld: true, replacing: true)
            let disk = try variant.disk()
            let (files, sweeper) = (disk.process(), disk.process())
            disk.interlude(at: number) {
                #expect(throws: Never.self) { try sweeper.removeAbandonedTemporaryFiles(in: "tmp") }
            }
            #expect(throws: Never.self, "before call \(number)") { try variant.write(files) }
            #expect(disk.contents("store/a") == Self.newBytes)
            #expect(try sweeper.list("tmp") == [])
            #expect(files.openFileCount + sweeper.openFileCount == 0)
            if disk.playedInterludes == 0 { break }
        }
    }

    @Test("a read-only sweep names no temporary file that is being written, and makes no writer leave one behind")
    func lookAtAnyMoment() throws {
        for number in 1... {
            let variant = Variant(hasOld: true, replacing: true)
            let disk = try variant.disk()
            let (files, looker) = (disk.process(), disk.process())
            let held = Mutex<OpenFile?>(nil)
            disk.interlude(at: number) {
                #expect(throws: Never.self) {
                    #expect(try looker.abandonedTemporaryFiles(in: "tmp", removing: false) == [])
                    // The look goes on while the writer does.
                    for entry in try looker.list("tmp") {
                        let file = try looker.open(FilePath("tmp").appending(entry.name), .read)
                        if try looker.lock(file, wait: false) {
                            held.withLock { $0 = file }
                        } else {
                            try looker.close(file)
                        }
                    }
                }
            }
            #expect(throws: Never.self, "before call \(number)") { try variant.write(files) }
            if let file = held.withLock({ $0 }) { try looker.close(file) }
            #expect(disk.contents("store/a") == Self.newBytes)
            #expect(try looker.list("tmp") == [], "before call \(number)")
            if disk.playedInterludes == 0 { break }
        }
    }

    @Test("two processes may write one file at any moment of each other; it is one of the two")
    func twoWriters() throws {
        for number in 1... {
            let disk = try Variant(hasOld: false, replacing: true).disk()
            let (one, two) = (disk.process(), disk.process())
            disk.interlude(at: number) {
                #expect(throws: Never.self) {
                    try two.writeDurably(bytes("two"), to: "store/a", temporaryFolder: "tmp")
                }
            }
            try one.writeDurably(bytes("one"), to: "store/a", temporaryFolder: "tmp")
            if disk.playedInterludes == 0 { break }
            let contents = Set(disk.allCrashStates(limit: 100).map { $0.disk.contents("store/a") })
            #expect(contents.isSubset(of: [bytes("one"), bytes("two")]), "before call \(number)")
        }
    }

    @Test("on a full disk a write fails, the old file stays, and no temporary file takes the last room")
    func fullDisk() throws {
        let disk = try Variant(hasOld: true, replacing: true).disk()
        disk.capacityBytes = disk.usedBytes
        let files = disk.process()
        let error = #expect(throws: FileError.self) {
            try files.writeDurably(Self.newBytes, to: "store/a", temporaryFolder: "tmp")
        }
        #expect(error?.isFull == true)
        #expect(disk.filePaths == ["store/a"])
        #expect(disk.contents("store/a") == bytes("old content"))
    }

    /// A later start removes what the crash left in `tmp`.
    private func expectCleanable(_ disk: SimulatedDisk) throws {
        let files = disk.process()
        try files.removeAbandonedTemporaryFiles(in: "tmp")
        #expect(try files.list("tmp") == [])
        #expect(files.openFileCount == 0)
    }
}
