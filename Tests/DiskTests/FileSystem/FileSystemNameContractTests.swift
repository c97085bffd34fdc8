import Disk
import Model
import Simulation
import SystemPackage
import Testing

/// The part of the contract about names: folders, moves, times, locks and room.
@Suite("Every file system keeps the contract of names", .serialized)
struct FileSystemNameContractTests {
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
}
