import Disk
import Foundation
import Glibc
import InMemory
import Simulation
import SystemPackage
import Testing

/// The disks that the contract of `FileSystem` is run against.
enum DiskKind: String, CaseIterable, CustomTestStringConvertible {
    case simulated, real, inMemory

    var testDescription: String { rawValue }

    /// Runs a test on an empty disk and cleans up behind it.
    func run(_ body: (DiskFixture) throws -> Void) throws {
        switch self {
        case .simulated:
            let disk = SimulatedDisk()
            let files = disk.process()
            try body(.simulated(disk, files))
            #expect(files.openFileCount == 0, "files were left open")
        case .inMemory:
            let files = MemoryFileSystem(clock: ManualClock())
            try body(.inMemory(files))
            #expect(files.openFileCount == 0, "files were left open")
        case .real:
            try withTemporaryFolder { root in
                try body(.real(root, try POSIXFileSystem(root: root)))
            }
        }
    }
}

/// An empty disk of one of the kinds, with what tests need beyond the contract.
enum DiskFixture {
    case simulated(SimulatedDisk, SimulatedFileSystem)
    case real(FilePath, POSIXFileSystem)
    case inMemory(MemoryFileSystem)

    var files: any FileSystem {
        switch self {
        case .simulated(_, let files): files
        case .real(_, let files): files
        case .inMemory(let files): files
        }
    }

    func makeSymbolicLink(_ path: FilePath, to target: String) throws {
        switch self {
        case .simulated(let disk, _): try disk.makeSymbolicLink(path, to: target)
        case .inMemory(let files): try files.makeSymbolicLink(path, to: target)
        case .real(let root, _): #expect(symlink(target, root.pushing(path).string) == 0)
        }
    }

    func makeHardLink(_ path: FilePath, to existing: FilePath) throws {
        switch self {
        case .simulated(let disk, _): try disk.makeHardLink(path, to: existing)
        case .inMemory(let files): try files.makeHardLink(path, to: existing)
        case .real(let root, _): #expect(link(root.pushing(existing).string, root.pushing(path).string) == 0)
        }
    }

    func makePipe(_ path: FilePath) throws {
        switch self {
        case .simulated(let disk, _): try disk.makePipe(path)
        case .inMemory(let files): try files.makePipe(path)
        case .real(let root, _): #expect(mkfifo(root.pushing(path).string, 0o600) == 0)
        }
    }

    /// Makes a file through the contract itself.
    func put(_ path: FilePath, _ text: String) throws {
        let file = try files.open(path, .update)
        try files.resize(file, to: 0)
        try files.writeAll(file, Array(text.utf8))
        try files.close(file)
    }

    func text(_ path: FilePath) throws -> String {
        String(decoding: try files.readFile(path, maximumBytes: 1 << 20).bytes, as: UTF8.self)
    }

    func names(_ folder: FilePath) throws -> [String] { try files.list(folder).map(\.name).sorted() }
}

/// A real folder that is gone afterwards.
func withTemporaryFolder<Result>(_ body: (FilePath) throws -> Result) throws -> Result {
    var template = Array((FileManager.default.temporaryDirectory.path + "/quire-disk-XXXXXX").utf8CString)
    let made = try #require(mkdtemp(&template))
    let root = FilePath(String(cString: made))
    defer { try? FileManager.default.removeItem(atPath: root.string) }
    return try body(root)
}

/// The system's reason for which a call failed; `nil` when it did not.
func reason<Result>(_ call: () throws -> Result) -> Errno? {
    do {
        _ = try call()
        return nil
    } catch let error as FileError {
        return error.code
    } catch {
        Issue.record("not a FileError: \(error)")
        return nil
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
