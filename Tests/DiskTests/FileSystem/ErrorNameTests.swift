import Disk
import Simulation
import SystemPackage
import Testing

@Suite("The errors of files name them, and say what can be done")
struct ErrorNameTests {
    private static let content = bytes("the new content")

    private enum Way: CaseIterable { case whole, several, streamed, unsynced }

    private func write(_ way: Way, _ files: SimulatedFileSystem) throws {
        switch way {
        case .whole: try files.writeDurably(Self.content, to: "store/a", temporaryFolder: "tmp")
        case .several:
            _ = try files.stage([StagedFile(Self.content, to: "store/a")], temporaryFolder: "tmp")
            try files.makeDurable(folder: "store")
        case .streamed: try files.writeDurably(to: "store/a", temporaryFolder: "tmp") { try $0(Self.content) }
        case .unsynced: try files.writeUnsynced(Self.content, to: "store/a", temporaryFolder: "tmp")
        }
    }

    @Test("whatever fails while a file is written, the error does not name the temporary file")
    func temporaryName() throws {
        for way in Way.allCases {
            for number in 1... {
                let disk = SimulatedDisk()
                try disk.makeFolders("tmp")
                try disk.makeFolders("store")
                let files = disk.process()
                disk.plan(.error(.permissionDenied), at: number)
                do {
                    try write(way, files)
                } catch let error as FileError {
                    #expect(error.code == .permissionDenied)
                    #expect(error.path.name?.hasSuffix(".tmp") == false, "\(way), call \(number): \(error)")
                }
                if disk.firedFaults.isEmpty { break }
            }
        }
    }

    @Test("a full disk is said of the file that is to be written")
    func fullDisk() throws {
        for way in Way.allCases {
            let disk = SimulatedDisk()
            try disk.makeFolders("tmp")
            try disk.makeFolders("store")
            disk.capacityBytes = disk.usedBytes
            let files = disk.process()
            let error = #expect(throws: FileError.self) { try write(way, files) }
            #expect(error?.isFull == true && error?.path == FilePath("store/a").placed(in: files.root), "\(way)")
            #expect(error?.description.hasPrefix("cannot write ") == true, "\(way)")
        }
    }

    @Test("what is no file is named as what it is", arguments: DiskKind.allCases)
    func notAFile(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("folder")
            try ground.makePipe("pipe")
            for (path, words) in [("folder", "it is a folder, and not a file"), ("pipe", "it is a pipe")] {
                let error = #expect(throws: FileError.self) {
                    try ground.files.readFile(FilePath(path), maximumBytes: 100)
                }
                #expect(error?.code == .invalidArgument && error?.description.contains(words) == true)
            }
        }
    }

    @Test("a denied permission is said without a guess whose file it is")
    func denied() {
        for code in [Errno.permissionDenied, .notPermitted] {
            #expect(FileError("read", "/etc/shadow", code).description == "cannot read /etc/shadow: permission denied")
        }
    }
}
