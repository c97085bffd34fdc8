import Disk
import Simulation
import SystemPackage
import Testing

@Suite("Temporary files are swept when their writers are gone, and only then")
struct TemporaryFileTests {
    @Test("files of a living writer are spared, files of a dead one removed", arguments: DiskKind.allCases)
    func livingAndDead(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("tmp")
            try ground.put("tmp/dead.tmp", "left over")
            let living = try ground.files.makeTemporaryFile(in: "tmp")
            try ground.files.writeAll(living.file, bytes("at work"))
            #expect(try ground.files.removeAbandonedTemporaryFiles(in: "tmp") == 1)
            #expect(try ground.names("tmp") == [living.path.lastComponent?.string])
            try ground.files.close(living.file)
            #expect(try ground.files.removeAbandonedTemporaryFiles(in: "tmp") == 1)
            #expect(try ground.names("tmp") == [])
        }
    }

    @Test("a killed writer's file is removed by the next sweep")
    func killedWriter() throws {
        let disk = SimulatedDisk()
        try disk.makeFolders("tmp")
        let (writer, sweeper) = (disk.process(), disk.process())
        _ = try writer.makeTemporaryFile(in: "tmp")
        #expect(try sweeper.removeAbandonedTemporaryFiles(in: "tmp") == 0)
        writer.kill()
        #expect(try sweeper.removeAbandonedTemporaryFiles(in: "tmp") == 1)
    }

    @Test("folders, links and pipes in the folder of temporary files are left alone", arguments: DiskKind.allCases)
    func otherKinds(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("precious", "kept")
            try ground.files.makeFolder("tmp")
            try ground.files.makeFolder("tmp/folder")
            try ground.makeSymbolicLink("tmp/link", to: "../precious")
            try ground.makePipe("tmp/pipe")
            #expect(try ground.files.removeAbandonedTemporaryFiles(in: "tmp") == 0)
            #expect(try ground.names("tmp") == ["folder", "link", "pipe"])
            #expect(try ground.text("precious") == "kept")
        }
    }

    @Test("a missing folder is an error that names it", arguments: DiskKind.allCases)
    func missingFolder(_ kind: DiskKind) throws {
        try kind.run { ground in
            #expect(reason { try ground.files.makeTemporaryFile(in: "tmp") } == .noSuchFileOrDirectory)
            #expect(reason { try ground.files.removeAbandonedTemporaryFiles(in: "tmp") } == .noSuchFileOrDirectory)
        }
    }

    @Test(
        "a sweep survives every fault, leaks no descriptor and never removes a living writer's file",
        arguments: AtomicWriteTests.faults)
    func sweepUnderFaults(_ fault: Fault) throws {
        for number in 1... {
            let disk = SimulatedDisk()
            try disk.put("tmp/dead1.tmp", "x")
            try disk.put("tmp/dead2.tmp", "x")
            let (writer, sweeper) = (disk.process(), disk.process())
            let living = try writer.makeTemporaryFile(in: "tmp")
            let start = disk.operationCount
            disk.plan(fault, at: start + number)
            let failure = reason { try sweeper.removeAbandonedTemporaryFiles(in: "tmp") }
            disk.clearPlan()
            #expect(failure != .interrupted)
            #expect(disk.contents(living.path) != nil)
            if sweeper.isAlive {
                #expect(sweeper.openFileCount == 0, "call \(number)")
                #expect(try sweeper.removeAbandonedTemporaryFiles(in: "tmp") <= 2)
                #expect(disk.filePaths == [living.path.string])
            }
            if disk.firedFaults.isEmpty {
                #expect(failure == nil)
                break
            }
        }
    }

    @Test(
        "making a temporary file under every fault leaks neither a descriptor nor a file that is in use",
        arguments: AtomicWriteTests.faults)
    func makingUnderFaults(_ fault: Fault) throws {
        for number in 1... {
            let disk = SimulatedDisk()
            try disk.makeFolders("tmp")
            let files = disk.process()
            disk.plan(fault, at: number)
            let made = try? files.makeTemporaryFile(in: "tmp")
            disk.clearPlan()
            if files.isAlive {
                #expect(files.openFileCount == (made == nil ? 0 : 1), "call \(number)")
                #expect(try disk.process().removeAbandonedTemporaryFiles(in: "tmp") <= 1)
                #expect(disk.filePaths == [made?.path.string].compactMap { $0 })
            }
            if disk.firedFaults.isEmpty { break }
        }
    }
}
