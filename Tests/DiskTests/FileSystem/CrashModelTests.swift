import Disk
import Simulation
import SystemPackage
import Testing

/// What the simulated disk forgets in a crash: the conservative POSIX model, each clause by an exact list of
/// the states that it allows.
@Suite("A simulated disk forgets what was not synced, and nothing else")
struct CrashModelTests {
    // MARK: - One file

    @Test("an unsynced file in a synced folder may be whole, torn, zeros, empty or absent")
    func unsyncedFile() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        let file = try files.open("a", .create)
        try files.writeAll(file, bytes("12345678"))
        try files.close(file)
        let contents = outcomes(disk) { $0.contents("a") }
        #expect(contents.isSuperset(of: [nil, [], bytes("12345678"), bytes("1234"), [UInt8](repeating: 0, count: 8)]))
        try files.syncFolder("")
        #expect(!outcomes(disk) { $0.contents("a") }.contains(nil))
        #expect(outcomes(disk) { $0.contents("a") }.contains([]))
    }

    @Test("a synced file without a synced name is whole or absent")
    func unsyncedName() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        try write(files, "a", "text")
        #expect(outcomes(disk) { $0.contents("a") } == [nil, bytes("text")])
        try files.syncFolder("")
        #expect(outcomes(disk) { $0.contents("a") } == [bytes("text")])
    }

    @Test("the order of the two syncs of a new file does not matter")
    func nameBeforeBytes() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        let file = try files.open("a", .create)
        try files.syncFolder("")
        try files.writeAll(file, bytes("text"))
        try files.sync(file)
        try files.close(file)
        #expect(outcomes(disk) { $0.contents("a") } == [bytes("text")])
    }

    @Test("an overwritten file may be old, new or a mixture until it is synced again")
    func overwritten() throws {
        let disk = SimulatedDisk()
        try disk.put("a", "old!")
        let files = disk.process()
        let file = try files.open("a", .update)
        try files.writeAll(file, bytes("NEW!"))
        let contents = outcomes(disk) { $0.contents("a") }
        #expect(contents.isSuperset(of: [bytes("old!"), bytes("NEW!"), bytes("NE"), bytes("Nld!")]))
        try files.sync(file)
        try files.close(file)
        #expect(outcomes(disk) { $0.contents("a") } == [bytes("NEW!")])
    }

    @Test("a file that was written twice may be left as it was in between")
    func writtenTwice() throws {
        let disk = SimulatedDisk()
        try disk.put("a", "old!")
        let files = disk.process()
        let file = try files.open("a", .update)
        try files.writeAll(file, bytes("one!"))
        try files.writeAll(file, bytes("two!"))
        #expect(outcomes(disk) { $0.contents("a") }.isSuperset(of: [bytes("old!"), bytes("one!"), bytes("two!")]))
        try files.sync(file)
        try files.writeAll(file, bytes("new!"))
        #expect(!outcomes(disk) { $0.contents("a") }.contains(bytes("one!")))
        try files.close(file)
    }

    @Test("a removed file is back unless its folder was synced")
    func removed() throws {
        let disk = SimulatedDisk()
        try disk.put("folder/a", "text")
        let files = disk.process()
        try files.remove("folder/a")
        #expect(outcomes(disk) { $0.contents("folder/a") } == [nil, bytes("text")])
        try files.syncFolder("")
        #expect(outcomes(disk) { $0.contents("folder/a") } == [nil, bytes("text")])
        try files.syncFolder("folder")
        #expect(outcomes(disk) { $0.contents("folder/a") } == [nil])
    }

    @Test("a time that was set is lost unless the file is synced; it goes without its bytes")
    func times() throws {
        let disk = SimulatedDisk()
        try disk.put("a", Array("text".utf8), modifiedNanoseconds: 1)
        let files = disk.process()
        try files.setModified("a", nanoseconds: 2)
        try files.syncFolder("")
        #expect(outcomes(disk) { modified($0, "a") } == [1, 2])
        let file = try files.open("a", .read)
        try files.sync(file)
        try files.close(file)
        #expect(outcomes(disk) { modified($0, "a") } == [2])
    }

    // MARK: - Folders

    @Test("a synced file is lost with a folder whose own name was not synced")
    func unsyncedFolder() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        try files.makeFolder("folder")
        try write(files, "folder/a", "text")
        try files.syncFolder("folder")
        #expect(outcomes(disk) { $0.filePaths } == [[], ["folder/a"]])
        try files.syncFolder("")
        #expect(outcomes(disk) { $0.filePaths } == [["folder/a"]])
    }

    @Test("a removed folder may be back, with or without what was in it")
    func removedFolder() throws {
        let disk = SimulatedDisk()
        try disk.put("folder/a", "text")
        let files = disk.process()
        try files.remove("folder/a")
        try files.removeFolder("folder")
        let dumps = outcomes(disk) { $0.dump().map(\.description) }
        #expect(dumps == [[], ["folder/"], ["folder/", "folder/a (regular, 4 bytes)"]])
        try files.syncFolder("")
        #expect(outcomes(disk) { $0.dump() } == [[]])
    }

    @Test("a moved folder has one name, the old or the new, in any crash")
    func movedFolder() throws {
        let disk = SimulatedDisk()
        try disk.put("from/folder/a", "text")
        try disk.makeFolders("to")
        let files = disk.process()
        try files.rename("from/folder", to: "to/folder", replacing: false)
        try files.rename("to/folder", to: "moved", replacing: false)
        #expect(outcomes(disk) { $0.filePaths } == [["from/folder/a"], ["to/folder/a"], ["moved/a"]])
    }

    // MARK: - Renames

    @Test("a rename within a folder is there or not, never half")
    func renameInFolder() throws {
        let disk = SimulatedDisk()
        try disk.put("a", "text")
        let files = disk.process()
        try files.rename("a", to: "b", replacing: false)
        #expect(outcomes(disk) { $0.filePaths } == [["a"], ["b"]])
        try files.syncFolder("")
        #expect(outcomes(disk) { $0.filePaths } == [["b"]])
    }

    @Test("a rename across folders may leave both names, never neither")
    func renameAcross() throws {
        let disk = try twoFolders()
        try disk.process().rename("from/a", to: "to/a", replacing: false)
        #expect(outcomes(disk) { $0.filePaths } == [["from/a"], ["from/a", "to/a"], ["to/a"]])
    }

    @Test("after a rename and the sync of the target the new name is there for sure, the old one perhaps")
    func renameTargetSynced() throws {
        let disk = try twoFolders()
        let files = disk.process()
        try files.rename("from/a", to: "to/a", replacing: false)
        try files.syncFolder("to")
        #expect(outcomes(disk) { $0.filePaths } == [["from/a", "to/a"], ["to/a"]])
        try files.syncFolder("from")
        #expect(outcomes(disk) { $0.filePaths } == [["to/a"]])
    }

    @Test("after a rename and the sync of the source alone the file is not lost")
    func renameSourceSynced() throws {
        let disk = try twoFolders()
        let files = disk.process()
        try files.rename("from/a", to: "to/a", replacing: false)
        try files.syncFolder("from")
        #expect(outcomes(disk) { $0.filePaths } == [["to/a"]])
    }

    @Test("a disk of the strictest kind loses a file whose source is synced before its target, and no other")
    func renamePerFolder() throws {
        for (first, second, isLost) in [("from", "to", true), ("to", "from", false)] {
            let disk = try twoFolders(renames: .perFolder)
            let files = disk.process()
            try files.rename("from/a", to: "to/a", replacing: false)
            try files.syncFolder(FilePath(first))
            #expect(outcomes(disk) { $0.filePaths }.contains([]) == isLost)
            try files.syncFolder(FilePath(second))
            #expect(outcomes(disk) { $0.filePaths } == [["to/a"]])
        }
    }

    @Test("a file that is moved on and on is never without a name")
    func renameChain() throws {
        let disk = SimulatedDisk()
        try disk.put("1/a", "text")
        for folder in ["2", "3"] { try disk.makeFolders(FilePath(folder)) }
        let files = disk.process()
        try files.rename("1/a", to: "2/a", replacing: false)
        try files.rename("2/a", to: "3/a", replacing: false)
        try files.rename("3/a", to: "1/a", replacing: false)
        try files.rename("1/a", to: "2/b", replacing: false)
        let paths = outcomes(disk) { $0.filePaths }
        #expect(!paths.contains([]))
        #expect(paths.contains(["1/a"]) && paths.contains(["2/b"]))
        try files.syncFolder("2")
        #expect(outcomes(disk) { $0.filePaths.contains("2/b") } == [true])
    }

    @Test("a move into a folder that is not durable does not lose the file")
    func renameIntoNewFolder() throws {
        let disk = SimulatedDisk()
        try disk.put("from/a", "text")
        let files = disk.process()
        try files.makeFolder("new")
        try files.rename("from/a", to: "new/a", replacing: false)
        try files.syncFolder("from")
        #expect(outcomes(disk) { $0.filePaths } == [["new/a"]])
    }

    @Test("a rename that replaces a file keeps the old content or the new")
    func renameReplacing() throws {
        let disk = SimulatedDisk()
        try disk.put("target", "old")
        let files = disk.process()
        try write(files, "t", "new")
        try files.rename("t", to: "target", replacing: true)
        let contents = outcomes(disk) { $0.contents("target") }
        #expect(contents == [bytes("old"), bytes("new")])
        try files.syncFolder("")
        #expect(outcomes(disk) { $0.contents("target") } == [bytes("new")])
    }

    @Test("a rename does not make bytes durable: the file may be empty, torn or complete under its new name")
    func renameUnsynced() throws {
        let disk = SimulatedDisk()
        try disk.put("target", "old")
        let files = disk.process()
        let file = try files.open("t", .create)
        try files.writeAll(file, bytes("12345678"))
        try files.close(file)
        try files.rename("t", to: "target", replacing: true)
        try files.syncFolder("")
        let contents = outcomes(disk) { $0.contents("target") }
        #expect(contents.isSuperset(of: [[], bytes("1234"), bytes("12345678")]))
        #expect(!contents.contains(bytes("old")))
    }

    @Test("two files written in turn under one temporary name keep apart in every crash")
    func reusedName() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        for name in ["first", "second"] {
            try write(files, "t", name)
            try files.rename("t", to: FilePath(name), replacing: false)
        }
        for state in disk.allCrashStates(limit: 500) {
            for name in ["first", "second"] {
                let found = state.disk.contents(FilePath(name))
                #expect(found == nil || found == bytes(name), "\(state)")
            }
        }
        try files.syncFolder("")
        #expect(outcomes(disk) { $0.filePaths } == [["first", "second"]])
    }

    // MARK: - The states themselves

    @Test("states are all different, as many as asked for, and the same for the same seed")
    func statesAreDeterministic() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        for index in 0..<8 {
            let file = try files.open(FilePath("f\(index)"), .create)
            try files.writeAll(file, [UInt8](repeating: UInt8(index), count: 100))
            try files.close(file)
        }
        let states = disk.allCrashStates(limit: 300, seed: 7)
        #expect(states.count == 300)
        #expect(Set(states.map { $0.disk.dump() }).count == 300)
        #expect(states.map { $0.disk.dump() } == disk.allCrashStates(limit: 300, seed: 7).map { $0.disk.dump() })
        #expect(states.first?.disk.filePaths == [])
        #expect(states.dropFirst().first?.disk.dump() == disk.dump())
        var (one, two) = (SeededGenerator(seed: 5), SeededGenerator(seed: 5))
        for _ in 0..<50 {
            #expect(disk.crash(choosing: &one).dump() == disk.crash(choosing: &two).dump())
        }
    }

    @Test("a disk on which everything is synced has one state, and so has a disk after a crash")
    func durableDisk() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        try files.makeFolder("folder")
        try write(files, "folder/a", "text")
        try files.rename("folder/a", to: "b", replacing: false)
        var generator = SeededGenerator(seed: 1)
        let crashed = disk.crash(choosing: &generator)
        #expect(crashed.allCrashStates(limit: 100).map { $0.disk.dump() } == [crashed.dump()])
        disk.settle()
        #expect(disk.allCrashStates(limit: 100).map { $0.disk.dump() } == [disk.dump()])
    }

    @Test("a disk goes on after a crash as any disk does")
    func lifeAfterCrash() throws {
        let disk = try twoFolders()
        try disk.process().rename("from/a", to: "to/a", replacing: false)
        disk.cutPower()
        for state in disk.allCrashStates(limit: 100) {
            let files = state.disk.process()
            if state.disk.filePaths.count == 2 {
                // Both names of one file: a move of one to the other would do nothing.
                #expect(try files.status(at: "to/a")?.links == 2)
                try files.remove("from/a")
            } else if state.disk.contents("from/a") != nil {
                try files.rename("from/a", to: "to/a", replacing: false)
            }
            #expect(state.disk.filePaths == ["to/a"])
            #expect(try files.status(at: "to/a")?.links == 1)
        }
    }

    // MARK: - Helpers

    private func outcomes<Value: Hashable>(_ disk: SimulatedDisk, _ look: (SimulatedDisk) -> Value) -> Set<Value> {
        var generator = SeededGenerator(seed: 11)
        let random = (0..<100).map { _ in look(disk.crash(choosing: &generator)) }
        return Set(disk.allCrashStates(limit: 1000, seed: 3).map { look($0.disk) }).union(random)
    }

    private func modified(_ disk: SimulatedDisk, _ path: String) -> Int64? {
        disk.dump().first { $0.path == path }?.modifiedNanoseconds
    }

    private func twoFolders(renames: RenameDurability = .atomic) throws -> SimulatedDisk {
        let disk = SimulatedDisk(renames: renames)
        try disk.put("from/a", "text")
        try disk.makeFolders("to")
        return disk
    }

    private func write(_ files: SimulatedFileSystem, _ path: FilePath, _ text: String) throws {
        let file = try files.open(path, .create)
        try files.writeAll(file, bytes(text))
        try files.sync(file)
        try files.close(file)
    }
}
