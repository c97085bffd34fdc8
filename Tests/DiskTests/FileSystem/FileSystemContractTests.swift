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

    // MARK: - Folders

    @Test("a folder is made once, private, where its parent is", arguments: DiskKind.allCases)
    func makeFolder(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("a")
            try ground.files.makeFolder("a/b")
            #expect(try ground.files.status(at: "a")?.permissions == .ownerReadWriteExecute)
            try ground.put("file", "")
            #expect(reason { try ground.files.makeFolder("a") } == .fileExists)
            #expect(reason { try ground.files.makeFolder("file") } == .fileExists)
            #expect(reason { try ground.files.makeFolder("c/d") } == .noSuchFileOrDirectory)
            #expect(reason { try ground.files.makeFolder("file/d") } == .notDirectory)
            #expect(reason { try ground.files.makeFolder("") } == .noSuchFileOrDirectory)
            try ground.files.makeFolderIfMissing("a")
            try ground.files.makeFolderIfMissing("c")
            #expect(try ground.files.status(at: "c")?.kind == .folder)
        }
    }

    @Test("a folder is removed when it is empty", arguments: DiskKind.allCases)
    func removeFolder(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("a")
            try ground.put("a/file", "")
            #expect(reason { try ground.files.removeFolder("a") } == .directoryNotEmpty)
            #expect(reason { try ground.files.removeFolder("a/file") } == .notDirectory)
            #expect(reason { try ground.files.removeFolder("b") } == .noSuchFileOrDirectory)
            try ground.files.remove("a/file")
            try ground.files.removeFolder("a")
            #expect(try ground.names("") == [])
        }
    }

    @Test("a file is removed, a link itself and not its target, a folder not at all", arguments: DiskKind.allCases)
    func remove(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("file", "kept")
            try ground.files.makeFolder("folder")
            try ground.makeSymbolicLink("link", to: "file")
            try ground.files.remove("link")
            #expect(try ground.text("file") == "kept")
            #expect(reason { try ground.files.remove("folder") } == .isDirectory)
            try ground.files.remove("file")
            #expect(reason { try ground.files.remove("file") } == .noSuchFileOrDirectory)
            try ground.files.removeIfPresent("file")
            #expect(try ground.names("") == ["folder"])
        }
    }

    @Test("an open file outlives its name", arguments: DiskKind.allCases)
    func openFileOutlivesName(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("a", "still here")
            let file = try ground.files.open("a", .update)
            try ground.files.remove("a")
            #expect(try read(ground, file, count: 20, at: 0) == bytes("still here"))
            #expect(try ground.files.status(file).links == 0)
            try ground.files.sync(file)
            try ground.files.close(file)
        }
    }

    // MARK: - Rename

    @Test("a move keeps the file: its bytes, inode, time and open descriptors", arguments: DiskKind.allCases)
    func rename(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("from")
            try ground.files.makeFolder("to")
            try ground.put("from/a", "text")
            try ground.files.setModified("from/a", nanoseconds: 1_234_567_890)
            let before = try ground.files.status(at: "from/a")
            let file = try ground.files.open("from/a", .update)
            try ground.files.rename("from/a", to: "to/b", replacing: false)
            #expect(try ground.files.status(at: "to/b") == before)
            #expect(try ground.files.status(file) == before)
            #expect(try ground.names("from") == [])
            try ground.files.writeAll(file, bytes("T"))
            #expect(try ground.text("to/b") == "Text")
            try ground.files.close(file)
        }
    }

    @Test("a move replaces a file only when it may", arguments: DiskKind.allCases)
    func renameReplacing(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("a", "new")
            try ground.put("b", "old")
            #expect(reason { try ground.files.rename("a", to: "b", replacing: false) } == .fileExists)
            #expect(reason { try ground.files.rename("a", to: "a", replacing: false) } == .fileExists)
            #expect(try ground.text("a") == "new")
            #expect(try ground.text("b") == "old")
            try ground.files.rename("a", to: "a", replacing: true)
            try ground.files.rename("a", to: "b", replacing: true)
            #expect(try ground.names("") == ["b"])
            #expect(try ground.text("b") == "new")
        }
    }

    @Test("a move says why it cannot be", arguments: DiskKind.allCases)
    func renameRefused(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("file", "x")
            try ground.files.makeFolder("folder")
            try ground.files.makeFolder("full")
            try ground.put("full/file", "x")
            func rename(_ source: FilePath, _ target: FilePath) -> Errno? {
                reason { try ground.files.rename(source, to: target, replacing: true) }
            }
            #expect(rename("missing", "file") == .noSuchFileOrDirectory)
            #expect(rename("file", "missing/file") == .noSuchFileOrDirectory)
            #expect(rename("file", "folder") == .isDirectory)
            #expect(rename("folder", "file") == .notDirectory)
            #expect(rename("folder", "full") == .directoryNotEmpty)
            #expect(rename("full", "full/inner") == .invalidArgument)
            #expect(rename("file/a", "b") == .notDirectory)
            #expect(rename("full", "folder") == nil)
            #expect(try ground.text("folder/file") == "x")
        }
    }

    @Test("a move of a link moves the link", arguments: DiskKind.allCases)
    func renameLink(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("file", "kept")
            try ground.makeSymbolicLink("link", to: "file")
            try ground.put("other", "x")
            try ground.files.rename("link", to: "moved", replacing: false)
            #expect(try ground.files.status(at: "moved")?.kind == .symbolicLink)
            try ground.files.rename("other", to: "moved", replacing: true)
            #expect(try ground.files.status(at: "moved")?.kind == .regular)
            #expect(try ground.text("file") == "kept")
        }
    }

    @Test("a move between two names of one file does nothing, as POSIX demands", arguments: DiskKind.allCases)
    func renameTwins(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("a", "x")
            try ground.makeHardLink("b", to: "a")
            #expect(try ground.files.status(at: "a")?.links == 2)
            #expect(try ground.files.status(at: "a")?.inode == ground.files.status(at: "b")?.inode)
            try ground.files.rename("a", to: "b", replacing: true)
            #expect(try ground.names("") == ["a", "b"])
            #expect(reason { try ground.files.rename("a", to: "b", replacing: false) } == .fileExists)
            try ground.files.remove("a")
            #expect(try ground.files.status(at: "b")?.links == 1)
        }
    }

    // MARK: - Times and permissions

    @Test("a time is kept to the nanosecond, before 1970 too, and set on a link itself", arguments: DiskKind.allCases)
    func setModified(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("a", "x")
            try ground.makeSymbolicLink("link", to: "a")
            for nanoseconds: Int64 in [0, 1, 1_790_000_000_123_456_789, -1, -1_000_000_001] {
                try ground.files.setModified("a", nanoseconds: nanoseconds)
                #expect(try ground.files.status(at: "a")?.modifiedNanoseconds == nanoseconds)
            }
            try ground.files.setModified("link", nanoseconds: 77)
            #expect(try ground.files.status(at: "link")?.modifiedNanoseconds == 77)
            #expect(try ground.files.status(at: "a")?.modifiedNanoseconds == -1_000_000_001)
            #expect(reason { try ground.files.setModified("b", nanoseconds: 0) } == .noSuchFileOrDirectory)
        }
    }

    @Test("permissions are set, and never through a link", arguments: DiskKind.allCases)
    func setPermissions(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("a", "x")
            try ground.makeSymbolicLink("link", to: "a")
            try ground.files.setPermissions("a", [.ownerRead])
            #expect(try ground.files.status(at: "a")?.permissions == .ownerRead)
            #expect(reason { try ground.files.setPermissions("link", [.otherReadWrite]) } != nil)
            #expect(try ground.files.status(at: "a")?.permissions == .ownerRead)
            try ground.files.setPermissions("", [.ownerReadWriteExecute])
            #expect(try ground.files.status(at: "")?.permissions == .ownerReadWriteExecute)
            #expect(reason { try ground.files.setPermissions("b", []) } == .noSuchFileOrDirectory)
        }
    }

    // MARK: - Sync, locks, space

    @Test("a folder is synced, a file or a link in its place is not", arguments: DiskKind.allCases)
    func syncFolder(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("folder")
            try ground.put("file", "")
            try ground.makeSymbolicLink("link", to: "folder")
            try ground.files.syncFolder("folder")
            try ground.files.syncFolder("")
            #expect(reason { try ground.files.syncFolder("missing") } == .noSuchFileOrDirectory)
            #expect(reason { try ground.files.syncFolder("file") } == .notDirectory)
            #expect(reason { try ground.files.syncFolder("link") } == .notDirectory)
        }
    }

    @Test("a lock belongs to one open file of an inode, and is free after its close", arguments: DiskKind.allCases)
    func lock(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.put("a", "")
            try ground.put("b", "")
            let first = try ground.files.open("a", .update)
            let second = try ground.files.open("a", .read)
            let other = try ground.files.open("b", .update)
            #expect(try ground.files.lock(first, wait: false))
            #expect(try ground.files.lock(first, wait: false))
            #expect(try ground.files.lock(second, wait: false) == false)
            #expect(try ground.files.lock(other, wait: false))
            try ground.files.rename("a", to: "c", replacing: false)
            #expect(try ground.files.lock(second, wait: false) == false)
            try ground.files.close(first)
            #expect(try ground.files.lock(second, wait: false))
            try ground.files.close(second)
            try ground.files.close(other)
        }
    }

    @Test("a waiter gets the lock when its holder closes", arguments: DiskKind.allCases)
    func waitForLock(_ kind: DiskKind) async throws {
        try kind.run { ground in
            let files = ground.files
            let holder = try files.open("a", .update)
            #expect(try files.lock(holder, wait: true))
            let waiter = try files.open("a", .update)
            let outcome = OutcomeOfThread { try files.lock(waiter, wait: true) }
            try files.close(holder)
            #expect(try outcome.wait())
            try files.close(waiter)
        }
    }

    @Test("free space is reported", arguments: DiskKind.allCases)
    func freeBytes(_ kind: DiskKind) throws {
        try kind.run { ground in
            let free = try ground.files.freeBytes()
            #expect(free > 0)
        }
    }

    @Test("the volume reports its place, its user and its room", arguments: DiskKind.allCases)
    func volume(_ kind: DiskKind) throws {
        try kind.run { ground in
            let volume = try ground.files.volume()
            try ground.put("a", "mine")
            #expect(try ground.files.status(at: "a")?.owner == volume.user)
            #expect(volume.place.isAbsolute && !volume.typeName.isEmpty)
            #expect(volume.freeBytes > 0 && volume.freeFiles ?? 1 > 0)
            #expect(!volume.keepsLocksToItself && volume.syncingProgram == nil)
        }
    }

    @Test("a failure names the file by its full path", arguments: DiskKind.allCases)
    func failuresNameTheFile(_ kind: DiskKind) throws {
        try kind.run { ground in
            let full = ground.files.root.appending("missing")
            do throws(FileError) {
                _ = try ground.files.open("missing", .read)
                Issue.record("it was opened")
            } catch {
                #expect(error.path == full)
                #expect(error.description.contains(full.string))
                #expect(error.isMissing)
            }
            let file = try ground.files.open("a", .create)
            do throws(FileError) {
                try ground.files.resize(file, to: -1)
                Issue.record("it was resized")
            } catch {
                #expect(error.path.lastComponent == "a")
            }
            try ground.files.close(file)
        }
    }

    private func read(_ ground: DiskFixture, _ file: OpenFile, count: Int, at offset: Int64) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0xAA, count: count)
        let got = try buffer.withUnsafeMutableBytes { try ground.files.read(file, into: $0, at: offset) }
        #expect(buffer[got...].allSatisfy { $0 == 0xAA }, "bytes beyond the count were touched")
        return Array(buffer[..<got])
    }
}
