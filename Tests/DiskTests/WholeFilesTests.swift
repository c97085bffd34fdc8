import Disk
import Simulation
import SystemPackage
import Testing

@Suite("Whole files are read and written to their end, or not at all")
struct WholeFilesTests {
    @Test("a file is read as it is, up to its bound", arguments: DiskKind.allCases)
    func bounds(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("empty", "")
            try ground.put("a", "12345")
            #expect(try ground.files.readFile("empty", maximumBytes: 0).bytes == [])
            let (content, status) = try ground.files.readFile("a", maximumBytes: 5)
            #expect(content == bytes("12345"))
            #expect(status == (try ground.files.status(at: "a")))
            #expect(reason { try ground.files.readFile("a", maximumBytes: 4) } == .fileTooLarge)
            #expect(try ground.files.readFile("a", maximumBytes: .max).bytes == bytes("12345"))
        }
    }

    @Test("only regular files are read, and nothing waits for a pipe", arguments: DiskKind.allCases)
    func kinds(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("a", "x")
            try ground.files.makeFolder("folder")
            try ground.makePipe("pipe")
            try ground.makeSymbolicLink("link", to: "a")
            func failure(_ path: FilePath) -> Errno? {
                reason { try ground.files.readFile(path, maximumBytes: 10) }
            }
            #expect(failure("folder") == .invalidArgument)
            #expect(failure("pipe") == .invalidArgument)
            #expect(failure("link") == .tooManySymbolicLinkLevels)
            #expect(failure("missing") == .noSuchFileOrDirectory)
        }
    }

    @Test("a file that grows while it is read is read to its new end, and not beyond the bound")
    func growing() throws {
        for (bound, expected) in [(Int64(1000), true), (Int64(20), false)] {
            let disk = SimulatedDisk()
            try disk.put("a", [UInt8](repeating: 1, count: 10))
            let (reader, writer) = (disk.process(), disk.process())
            // open, status, and then the first read.
            disk.interlude(at: 3) {
                let file = try? writer.open("a", .update)
                if let file {
                    try? writer.writeAll(file, [UInt8](repeating: 2, count: 500), at: 10)
                    try? writer.close(file)
                }
            }
            let content = try? reader.readFile("a", maximumBytes: bound).bytes
            #expect(content?.count == (expected ? 510 : nil))
            #expect(reader.openFileCount == 0)
        }
    }

    @Test(
        "a read under every fault gives the whole file or an error, and closes each descriptor once",
        arguments: AtomicWriteTests.faults)
    func readUnderFaults(_ fault: Fault) throws {
        for number in 1... {
            let disk = SimulatedDisk()
            try disk.put("a", "12345")
            let files = disk.process()
            disk.plan(fault, at: number)
            do throws(FileError) {
                #expect(try files.readFile("a", maximumBytes: 10).bytes == bytes("12345"))
            } catch {
                #expect(error.code != .interrupted)
                #expect(fault != .shortWrite)
            }
            if files.isAlive {
                #expect(files.openFileCount == 0)
                // A second close could close another thread's file, whose descriptor has the same number.
                #expect(disk.operations.count { $0.kind == .close } <= disk.operations.count { $0.kind == .open })
            }
            if disk.firedFaults.isEmpty { break }
        }
    }

    @Test("a write goes on after every short write and interrupt")
    func writeAll() throws {
        let content = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let disk = SimulatedDisk()
        let files = disk.process()
        let file = try files.open("a", .create)
        for number in stride(from: 1, to: 20, by: 2) {
            disk.plan(.shortWrite, afterNext: number)
            disk.plan(.error(.interrupted), afterNext: number + 1)
        }
        try files.writeAll(file, content, at: 7)
        try files.close(file)
        #expect(disk.contents("a") == [UInt8](repeating: 0, count: 7) + content)
        #expect(disk.operations.count { $0.kind == .write } > 10)
    }

    @Test("small acts go on after an interrupt, and take what is there or not there for granted")
    func smallActs() throws {
        for number in 1... {
            let disk = SimulatedDisk()
            try disk.put("a", "x")
            let files = disk.process()
            disk.plan(.error(.interrupted), at: number)
            try files.makeFolderIfMissing("folder")
            try files.makeFolderIfMissing("folder")
            try files.move("a", to: "folder/a", replacing: false)
            try files.makeDurable(folder: "folder")
            try files.removeIfPresent("folder/a")
            try files.removeIfPresent("folder/a")
            #expect(disk.dump().map(\.path) == ["folder"])
            if disk.firedFaults.isEmpty { break }
        }
    }

    @Test("small acts report what is wrong")
    func smallActsFail() throws {
        let disk = SimulatedDisk()
        try disk.put("file", "x")
        let files = disk.process()
        #expect(reason { try files.makeFolderIfMissing("no/folder") } == .noSuchFileOrDirectory)
        #expect(reason { try files.removeIfPresent("file/a") } == .notDirectory)
        disk.plan(.error(.ioError), afterNext: 1)
        #expect(reason { try files.removeIfPresent("file") } == .ioError)
        disk.plan(.error(.ioError), afterNext: 1)
        #expect(reason { try files.makeDurable(folder: "") } == .ioError)
    }
}
