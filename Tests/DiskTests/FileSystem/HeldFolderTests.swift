import Disk
import Glibc
import SystemPackage
import Testing

/// A file system that holds folders open does in them what one without does by their paths.
struct HeldFolderTests {
    @Test("what is done in held folders is seen by everybody", arguments: DiskKind.allCases)
    func same(_ kind: DiskKind) throws {
        try kind.run { ground in
            let files = ground.files
            for folder: FilePath in ["a", "a/tmp", "a/b", "ab"] { try files.makeFolder(folder) }
            let held = try files.holding(["a/b", "a/tmp"])
            try held.makeFolder("a/b/c")
            try held.writeUnsynced(bytes("one"), to: "a/b/c/1", temporaryFolder: "a/tmp")
            try held.writeUnsynced(bytes("two"), to: "a/b/2", temporaryFolder: "a/tmp")
            try held.writeUnsynced(bytes("three"), to: "ab/3", temporaryFolder: "a/tmp")
            for path: FilePath in ["a/b/c/1", "a/b/2", "ab/3", "a/b", "a/tmp", "a", "ab", "a/b/c", "a/b/none", ""] {
                #expect(try held.status(at: path) == files.status(at: path), "\(path)")
            }
            #expect(try held.readFile("a/b/c/1", maximumBytes: 10).bytes == bytes("one"))
            #expect(try Set(held.list("a/b").map(\.name)) == ["c", "2"])
            #expect(try held.list("a/tmp").isEmpty)
            try held.rename("a/b/2", to: "a/b/c/2", replacing: false)
            #expect(try files.readFile("a/b/c/2", maximumBytes: 10).bytes == bytes("two"))
            try held.syncFolder("a/b/c")
            try held.remove("a/b/c/2")
            try held.remove("a/b/c/1")
            try held.removeFolder("a/b/c")
            #expect(try files.list("a/b").isEmpty)
            try held.removeFolder("a/b")
            #expect(try files.status(at: "a/b") == nil)
        }
    }

    @Test("no way leads out of a held folder either", arguments: DiskKind.allCases)
    func beneath(_ kind: DiskKind) throws {
        try kind.run { ground in
            let files = ground.files
            for folder: FilePath in ["a", "a/b", "outside"] { try files.makeFolder(folder) }
            try ground.makeSymbolicLink("a/b/link", to: "../../outside")
            let held = try files.holding(["a/b"])
            for path: FilePath in ["a/b/link/x", "a/b/../x", "a/b/../../outside/x"] {
                #expect(throws: FileError.self) { try held.open(path, .create) }
                #expect(throws: FileError.self) { try held.makeFolder(path) }
            }
            #expect(try files.list("outside").isEmpty)
            let failure = #expect(throws: FileError.self) { try held.open("a/b/link/x", .create) }
            #expect(failure?.code == .tooManySymbolicLinkLevels)
            if kind == .real {
                #expect(failure?.path.string.hasSuffix("a/b/link") == true, "the step that is a link is named")
            }
        }
    }

    @Test("a link or what is not there is not held", arguments: DiskKind.allCases)
    func nothing(_ kind: DiskKind) throws {
        guard kind == .real else { return }
        try kind.run { ground in
            try ground.files.makeFolder("a")
            try ground.put("file", "x")
            try ground.makeSymbolicLink("link", to: "a")
            for path: FilePath in ["link", "none", "file", "link/b"] {
                #expect(throws: FileError.self) { try ground.files.holding(["a", path]) }
            }
        }
    }

    @Test("a folder that is moved away stays the one that is held")
    func movedAway() throws {
        try DiskKind.real.run { ground in
            let files = ground.files
            for folder: FilePath in ["a", "a/b", "a/tmp", "outside"] { try files.makeFolder(folder) }
            let held = try files.holding(["a/b", "a/tmp"])
            try files.rename("a", to: "moved", replacing: false)
            try ground.makeSymbolicLink("a", to: "outside")
            try held.writeUnsynced(bytes("one"), to: "a/b/1", temporaryFolder: "a/tmp")
            #expect(try files.readFile("moved/b/1", maximumBytes: 10).bytes == bytes("one"))
            #expect(try files.list("outside").isEmpty)
        }
    }

    @Test("what is held is let go of with the value, and the root stays")
    func released() throws {
        try DiskKind.real.run { ground in
            try ground.files.makeFolder("a")
            func openFiles() throws -> Int {
                try POSIXFileSystem(root: "/proc/self/fd").list("").count
            }
            let before = try openFiles()
            for _ in 0..<100 {
                let held = try ground.files.holding(["a"])
                let again = try held.holding(["a"])
                #expect(try again.status(at: "a")?.kind == .folder)
            }
            // Other tests have files open, too, but not hundreds more.
            #expect(try openFiles() < before + 90)
            #expect(try ground.files.status(at: "a")?.kind == .folder)
        }
    }
}
