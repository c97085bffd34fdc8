import Disk
import Model
import Simulation
import SystemPackage
import Testing

/// The contract of `FileSystem`, run against the real disk, the simulated one and the one in memory: what the doc comment
/// of the protocol promises, and the answers of Linux that the rooms above rely on.
@Suite("Every file system keeps the contract", .serialized)
struct FileSystemContractTests {
    // MARK: - Open, read, write

    @Test("a new file is empty, private and has one name", arguments: DiskKind.allCases)
    func newFile(_ kind: DiskKind) throws {
        try kind.run { ground in
            let file = try ground.files.open("a", .create)
            let status = try ground.files.status(file)
            #expect(status.kind == .regular)
            #expect(status.sizeBytes == 0)
            #expect(status.links == 1)
            #expect(status.permissions == .ownerReadWrite)
            #expect(try ground.files.status(at: "a") == status)
            try ground.files.close(file)
        }
    }

    @Test(
        "bytes are read where they were written, zeros fill a gap, and the end reads as nothing",
        arguments: DiskKind.allCases)
    func readAndWrite(_ kind: DiskKind) throws {
        try kind.run { ground in
            let file = try ground.files.open("a", .create)
            try ground.files.writeAll(file, bytes("one"))
            try ground.files.writeAll(file, bytes("two"), at: 5)
            #expect(try read(ground, file, count: 20, at: 0) == bytes("one\0\0two"))
            #expect(try read(ground, file, count: 2, at: 1) == bytes("ne"))
            #expect(try read(ground, file, count: 4, at: 8) == [])
            #expect(try read(ground, file, count: 4, at: 100) == [])
            #expect(try read(ground, file, count: 0, at: 0) == [])
            try ground.files.writeAll(file, bytes("X"), at: 1)
            #expect(try read(ground, file, count: 3, at: 0) == bytes("oXe"))
            #expect(try ground.files.status(file).sizeBytes == 8)
            try ground.files.close(file)
        }
    }

    @Test("many files are flushed and put in their places together", arguments: DiskKind.allCases)
    func manyTogether(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("tmp")
            try ground.put("f3", "kept")
            try ground.put("f4", "old")
            let staged = (0..<20).map {
                StagedFile(
                    bytes("new \($0)"), to: FilePath("f\($0)"), isReplacing: $0 != 3,
                    modified: Timestamp(millisecondsSinceEpoch: Int64($0)))
            }
            #expect(try ground.files.stage(staged, temporaryFolder: "tmp") == ["f3"])
            for (number, file) in staged.enumerated() {
                let (content, status) = try ground.files.readFile(file.target, maximumBytes: 100)
                #expect(content == (number == 3 ? bytes("kept") : file.bytes))
                #expect(number == 3 || status.modifiedNanoseconds == Int64(number) * 1_000_000)
            }
            #expect(try ground.files.list("tmp").isEmpty)
            #expect(try ground.files.stage([], temporaryFolder: "tmp").isEmpty)
        }
    }

    @Test("a new file is refused where something is: a file, a folder, a link to nowhere", arguments: DiskKind.allCases)
    func createExclusively(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("file", "kept")
            try ground.files.makeFolder("folder")
            try ground.makeSymbolicLink("link", to: "nowhere")
            for name in ["file", "folder", "link"] {
                #expect(reason { try ground.files.open(FilePath(name), .create) } == .fileExists)
            }
            #expect(try ground.text("file") == "kept")
            #expect(try ground.files.status(at: "nowhere") == nil)
        }
    }

    @Test("opening to update makes a file or keeps the one that is there", arguments: DiskKind.allCases)
    func update(_ kind: DiskKind) throws {
        try kind.run { ground in
            for text in ["", "kept"] {
                let file = try ground.files.open("a", .update)
                #expect(try read(ground, file, count: 10, at: 0) == bytes(text))
                try ground.files.writeAll(file, bytes("kept"))
                try ground.files.close(file)
            }
            #expect(try ground.files.status(at: "a")?.permissions == .ownerReadWrite)
        }
    }

    @Test("what is not there is not opened", arguments: DiskKind.allCases)
    func openMissing(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("file", "")
            #expect(reason { try ground.files.open("a", .read) } == .noSuchFileOrDirectory)
            #expect(reason { try ground.files.open("", .read) } == .noSuchFileOrDirectory)
            #expect(reason { try ground.files.open("folder/a", .create) } == .noSuchFileOrDirectory)
            #expect(reason { try ground.files.open("folder/a", .update) } == .noSuchFileOrDirectory)
            #expect(reason { try ground.files.open("file/a", .read) } == .notDirectory)
            #expect(reason { try ground.files.open("file/a", .create) } == .notDirectory)
        }
    }

    @Test("a symbolic link is never followed, nor anything made through it", arguments: DiskKind.allCases)
    func linkIsNotOpened(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("file", "secret")
            try ground.makeSymbolicLink("link", to: "file")
            try ground.makeSymbolicLink("dangling", to: "nowhere")
            for mode in [OpenMode.read, .update] {
                #expect(reason { try ground.files.open("link", mode) } == .tooManySymbolicLinkLevels)
                #expect(reason { try ground.files.open("dangling", mode) } == .tooManySymbolicLinkLevels)
            }
            #expect(try ground.files.status(at: "nowhere") == nil)
        }
    }

    @Test(
        "a symbolic link in the place of a folder is refused by every call that opens or changes something",
        arguments: DiskKind.allCases)
    func linkedFolder(_ kind: DiskKind) throws {
        try kind.run { ground in
            let files = ground.files
            try files.makeFolder("elsewhere")
            try files.makeFolder("elsewhere/inner")
            try files.makeFolder("store")
            try ground.put("elsewhere/a", "secret")
            try ground.put("store/b", "ours")
            try ground.makeSymbolicLink("store/folder", to: "../elsewhere")
            for mode in [OpenMode.read, .create, .update] {
                #expect(reason { try files.open("store/folder/a", mode) } == .tooManySymbolicLinkLevels)
                #expect(reason { try files.open("store/folder/inner/x", mode) } == .tooManySymbolicLinkLevels)
            }
            let calls: [() throws -> Void] = [
                { _ = try files.list("store/folder/inner") },
                { try files.makeFolder("store/folder/made") },
                { try files.removeFolder("store/folder/inner") },
                { try files.rename("store/b", to: "store/folder/b", replacing: true) },
                { try files.rename("store/b", to: "store/folder/b", replacing: false) },
                { try files.rename("store/folder/a", to: "store/a", replacing: false) },
                { try files.remove("store/folder/a") },
                { try files.setModified("store/folder/a", nanoseconds: 77) },
                { try files.setPermissions("store/folder/a", [.ownerRead]) },
                { try files.syncFolder("store/folder/inner") },
            ]
            for (number, call) in calls.enumerated() {
                #expect(reason(call) == .tooManySymbolicLinkLevels, "call \(number)")
            }
            #expect(reason { try files.open("store/../elsewhere/a", .read) } == .improperLink)
            #expect(reason { try files.remove("store/../elsewhere/a") } == .improperLink)
            #expect(try ground.names("elsewhere") == ["a", "inner"])
            #expect(try ground.names("store") == ["b", "folder"])
        }
    }

    @Test("an open file that may only be read is not written", arguments: DiskKind.allCases)
    func readOnlyFile(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("a", "kept")
            let file = try ground.files.open("a", .read)
            #expect(reason { try ground.files.writeAll(file, bytes("x")) } == .badFileDescriptor)
            #expect(reason { try ground.files.allocate(file, sizeBytes: 10) } == .badFileDescriptor)
            try ground.files.sync(file)
            try ground.files.close(file)
            #expect(try ground.text("a") == "kept")
        }
    }

    @Test("a negative place is refused", arguments: DiskKind.allCases)
    func negativeOffset(_ kind: DiskKind) throws {
        try kind.run { ground in
            let file = try ground.files.open("a", .create)
            #expect(reason { try ground.files.writeAll(file, bytes("x"), at: -1) } == .invalidArgument)
            #expect(reason { try read(ground, file, count: 1, at: -1) } == .invalidArgument)
            #expect(reason { try ground.files.resize(file, to: -1) } == .invalidArgument)
            #expect(reason { try ground.files.allocate(file, sizeBytes: 0) } == .invalidArgument)
            try ground.files.close(file)
        }
    }

    @Test("a folder and a pipe are opened without a wait, and not read as files", arguments: DiskKind.allCases)
    func otherKinds(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("folder")
            try ground.makePipe("pipe")
            let folder = try ground.files.open("folder", .read)
            #expect(try ground.files.status(folder).kind == .folder)
            #expect(reason { try read(ground, folder, count: 1, at: 0) } == .isDirectory)
            try ground.files.close(folder)
            #expect(reason { try ground.files.open("folder", .update) } == .isDirectory)
            let pipe = try ground.files.open("pipe", .read)
            #expect(try ground.files.status(pipe).kind == .other)
            #expect(reason { try read(ground, pipe, count: 1, at: 0) } == .illegalSeek)
            try ground.files.close(pipe)
        }
    }

    @Test("a file is cut, and extended with zeros that take no space", arguments: DiskKind.allCases)
    func resize(_ kind: DiskKind) throws {
        try kind.run { ground in
            let file = try ground.files.open("a", .create)
            try ground.files.writeAll(file, bytes("abcdef"))
            try ground.files.resize(file, to: 3)
            #expect(try ground.text("a") == "abc")
            try ground.files.resize(file, to: 5)
            #expect(try ground.text("a") == "abc\0\0")
            try ground.files.resize(file, to: 1 << 20)
            let status = try ground.files.status(file)
            #expect(status.sizeBytes == 1 << 20)
            #expect(status.allocatedBytes < 1 << 16)
            #expect(status.chargedBytes == 1 << 20)
            try ground.files.close(file)
        }
    }

    @Test("reserved space is real and takes no byte away", arguments: DiskKind.allCases)
    func allocate(_ kind: DiskKind) throws {
        try kind.run { ground in
            let file = try ground.files.open("a", .create)
            try ground.files.writeAll(file, bytes("abc"))
            try ground.files.allocate(file, sizeBytes: 1 << 20)
            let status = try ground.files.status(file)
            #expect(status.sizeBytes == 1 << 20)
            #expect(status.allocatedBytes >= 1 << 20)
            #expect(try read(ground, file, count: 4, at: 0) == bytes("abc\0"))
            try ground.files.allocate(file, sizeBytes: 1 << 10)
            #expect(try ground.files.status(file).sizeBytes == 1 << 20)
            try ground.files.close(file)
        }
    }

    // MARK: - Status and lists

    @Test("the status has the kind and follows no link; what is not there has none", arguments: DiskKind.allCases)
    func status(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("file", "abc")
            try ground.files.makeFolder("folder")
            try ground.makeSymbolicLink("link", to: "file")
            try ground.makePipe("pipe")
            #expect(try ground.files.status(at: "file")?.kind == .regular)
            #expect(try ground.files.status(at: "file")?.sizeBytes == 3)
            #expect(try ground.files.status(at: "folder")?.kind == .folder)
            #expect(try ground.files.status(at: "link")?.kind == .symbolicLink)
            #expect(try ground.files.status(at: "pipe")?.kind == .other)
            #expect(try ground.files.status(at: "")?.kind == .folder)
            #expect(try ground.files.status(at: "missing") == nil)
            #expect(try ground.files.status(at: "missing/a") == nil)
            #expect(try ground.files.status(at: "file/a") == nil)
        }
    }

    @Test("the statuses of many names are those of each", arguments: DiskKind.allCases)
    func statuses(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("folder")
            try ground.files.makeFolder("folder/deeper")
            try ground.put("folder/file", "abc")
            try ground.put("folder/deeper/file", "abcd")
            try ground.makeSymbolicLink("folder/link", to: "file")
            let names = ["file", "missing", "deeper/file", "link", "file/a", "deeper"]
            let statuses = try ground.files.statuses(of: names, in: "folder")
            for (name, status) in zip(names, statuses) {
                #expect(try status == ground.files.status(at: FilePath("folder").appending(name)), "\(name)")
            }
            #expect(statuses.map { $0?.sizeBytes != nil } == [true, false, true, true, false, true])
            #expect(try ground.files.statuses(of: ["a"], in: "missing") == [nil])
            #expect(try ground.files.statuses(of: ["file"], in: "folder/file") == [nil])
            #expect(try ground.files.statuses(of: ["folder"], in: "")[0]?.kind == .folder)
            #expect(try ground.files.statuses(of: [], in: "folder").isEmpty)
        }
    }

    @Test(
        "many are removed as each is; what is not there is no failure, and none behind a link is reached",
        arguments: DiskKind.allCases)
    func removeMany(_ kind: DiskKind) throws {
        try kind.run { ground in
            for folder: FilePath in ["folder", "folder/deeper", "folder/other", "elsewhere"] {
                try ground.files.makeFolder(folder)
            }
            for file in ["folder/a", "folder/deeper/b", "folder/deeper/c", "folder/other/d", "elsewhere/e"] {
                try ground.put(FilePath(file), "abc")
            }
            try ground.makeSymbolicLink("folder/link", to: "../elsewhere")
            try ground.files.remove(
                ["a", "missing", "deeper/b", "deeper/missing", "nowhere/x", "other/d", "deeper/c"], in: "folder")
            #expect(try ground.files.list("folder/deeper").isEmpty)
            #expect(try ground.files.list("folder/other").isEmpty)
            #expect(try ground.files.status(at: "folder/a") == nil)
            try ground.files.remove(["x"], in: "nowhere")
            try ground.files.remove([], in: "folder")

            #expect(reason { try ground.files.remove(["link/e"], in: "folder") } == .tooManySymbolicLinkLevels)
            #expect(reason { try ground.files.remove(["../elsewhere/e"], in: "folder") } == .improperLink)
            #expect(try ground.files.status(at: "elsewhere/e") != nil)
            // The link itself is a name like another; a folder is none.
            try ground.files.remove(["link"], in: "folder")
            #expect(try ground.files.status(at: "folder/link") == nil)
            let code = reason { try ground.files.remove(["deeper"], in: "folder") }
            #expect(code == reason { try ground.files.remove("folder/deeper") } && code != nil)
            #expect(try ground.files.status(at: "folder/deeper") != nil)
        }
    }

    @Test("a list has every name once with its kind, without . and ..", arguments: DiskKind.allCases)
    func list(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("file", "abc")
            try ground.put(".hidden", "abc")
            try ground.files.makeFolder("folder")
            try ground.makeSymbolicLink("link", to: "folder")
            try ground.makePipe("pipe")
            let expected: Set<FolderEntry> = [
                FolderEntry(name: "file", kind: .regular), FolderEntry(name: ".hidden", kind: .regular),
                FolderEntry(name: "folder", kind: .folder), FolderEntry(name: "link", kind: .symbolicLink),
                FolderEntry(name: "pipe", kind: .other),
            ]
            let entries = try ground.files.list("")
            #expect(entries.count == expected.count)
            #expect(Set(entries) == expected)
            var seen: [FolderEntry] = []
            try ground.files.eachEntry(of: "") { seen.append($0) }
            #expect(seen.count == expected.count && Set(seen) == expected)
            // Who wants no more ends it, and nothing stays open.
            let end = FileError("stop", "", .canceled)
            for _ in 0..<2000 {
                #expect(throws: end) { try ground.files.eachEntry(of: "") { _ throws(FileError) in throw end } }
            }
            #expect(reason { try ground.files.eachEntry(of: "missing") { _ in } } == .noSuchFileOrDirectory)
            #expect(try ground.files.list("folder") == [])
            #expect(reason { try ground.files.list("missing") } == .noSuchFileOrDirectory)
            #expect(reason { try ground.files.list("file") } == .notDirectory)
            #expect(reason { try ground.files.list("link") } == .notDirectory)
        }
    }

    @Test("names are bytes: case and composition make two of them", arguments: DiskKind.allCases)
    func namesAreBytes(_ kind: DiskKind) throws {
        try kind.run { ground in
            let names = ["\u{E9}", "e\u{301}", "a", "A", "Ж*?:", " ", "a\nb", "-rf"]
            for name in names { try ground.put(FilePath(name), name) }
            #expect(try ground.files.list("").count == names.count)
            for name in names { #expect(Array(try ground.text(FilePath(name)).utf8) == Array(name.utf8)) }
        }
    }

    @Test("a name has at most 255 bytes", arguments: DiskKind.allCases)
    func longNames(_ kind: DiskKind) throws {
        try kind.run { ground in
            let longest = String(repeating: "n", count: 255)
            try ground.put(FilePath(longest), "x")
            #expect(try ground.names("") == [longest])
            #expect(reason { try ground.put(FilePath(longest + "n"), "x") } == .fileNameTooLong)
            #expect(reason { try ground.files.status(at: FilePath(longest + "n")) } == .fileNameTooLong)
        }
    }
}

/// The bytes at a place of a file; nothing behind them is touched.
func read(_ ground: DiskFixture, _ file: OpenFile, count: Int, at offset: Int64) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0xAA, count: count)
    let got = try buffer.withUnsafeMutableBytes { try ground.files.read(file, into: $0, at: offset) }
    #expect(buffer[got...].allSatisfy { $0 == 0xAA }, "bytes beyond the count were touched")
    return Array(buffer[..<got])
}
