import Disk
import Foundation
import SystemPackage
import Testing

@Suite("Changes in folders are reported", .timeLimit(.minutes(30)))
struct FolderChangesTests {
    private let root: FilePath
    private let files: POSIXFileSystem

    init() throws {
        root = FilePath("/var/tmp/quire-changes-\(UInt64.random(in: 0 ... .max))/root")
        try POSIXFileSystem.makeRoot(root)
        files = try POSIXFileSystem(root: root)
    }

    private func remove() {
        try? FileManager.default.removeItem(atPath: root.removingLastComponent().string)
    }

    /// A file that is made whole in its folder.
    private func put(_ path: FilePath) throws {
        try files.writeUnsynced([1], to: path, temporaryFolder: path.removingLastComponent())
    }

    @Test("in a folder that is there, in one that comes later, and in the one that takes its place")
    func comeAndGo() async throws {
        defer { remove() }
        try files.makeFolder("here")
        let changes = try FolderChanges(["here", "later/below"], in: files)
        var stream = changes.stream.makeAsyncIterator()
        try put("here/a")
        #expect(await stream.next() != nil)
        try files.makeFolder("later")
        #expect(await stream.next() != nil)
        try changes.renew()
        try files.makeFolder("later/below")
        #expect(await stream.next() != nil)
        try changes.renew()
        try put("later/below/a")
        #expect(await stream.next() != nil)
        try files.rename("later", to: "former", replacing: false)
        #expect(await stream.next() != nil)
        try files.makeFolder("later")
        try files.makeFolder("later/below")
        #expect(await stream.next() != nil)
        try changes.renew()
        try put("later/below/a")
        #expect(await stream.next() != nil)
    }

    @Test("in the folders of a shelf, whichever there are")
    func shelves() async throws {
        defer { remove() }
        for folder in ["shelf", "shelf/a"] { try files.makeFolder(FilePath(folder)) }
        let changes = try FolderChanges([], andBelow: ["shelf"], in: files)
        var stream = changes.stream.makeAsyncIterator()
        try put("shelf/a/file")
        #expect(await stream.next() != nil)
        try files.makeFolder("shelf/b")
        #expect(await stream.next() != nil)
        try changes.renew()
        try put("shelf/b/file")
        #expect(await stream.next() != nil)
    }

    @Test("and that the root is gone, which ends all changes")
    func rootRemoved() async throws {
        defer { remove() }
        let changes = try FolderChanges(["here"], in: files)
        var stream = changes.stream.makeAsyncIterator()
        #expect(!changes.isRootRemoved)
        try FileManager.default.removeItem(atPath: root.string)
        while !changes.isRootRemoved { #expect(await stream.next() != nil) }
        // A later watcher learns that, too.
        #expect(try FolderChanges(["here"], in: files).isRootRemoved)
    }

    @Test("a failure to watch names the limit of the system")
    func limits() {
        #expect(
            FileError("watch", root, .tooManyOpenFiles).description.contains("fs.inotify.max_user_instances"))
        let full = FileError("watch", root, .noSpace)
        #expect(full.description.contains("fs.inotify.max_user_watches") && !full.isFull)
        #expect(FileError("write", root, .noSpace).isFull)
    }
}
