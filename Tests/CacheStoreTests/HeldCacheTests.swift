import CacheStore
import Disk
import Foundation
import Glibc
import Simulation
import SystemPackage
import Testing

/// A cache keeps the folders that it writes to open between two documents. Moving or replacing one meanwhile is noticed
/// anyway.
struct HeldCacheTests {
    private func withRealCache(_ body: (FilePath, POSIXFileSystem, Cache) throws -> Void) throws {
        var template = Array((FileManager.default.temporaryDirectory.path + "/quire-cache-XXXXXX").utf8CString)
        let root = FilePath(String(cString: try #require(mkdtemp(&template))))
        defer { try? FileManager.default.removeItem(atPath: root.string) }
        let files = try POSIXFileSystem(root: root)
        let clock = ManualClock()
        let cache = Cache(
            fileSystem: files, quarantine: Quarantine(fileSystem: files, folder: "quarantine", clock: clock),
            clock: clock, quotaBytes: 10_000_000, bootIdentity: "boot-1")
        try cache.makeFolders()
        try body(root, files, cache)
    }

    private let writtenFolders: [FilePath] = ["cache/blobs", "cache/entries", "cache/tmp"]

    @Test("what comes after a folder was replaced lies in the new one, and is counted")
    func replaced() throws {
        for folder in writtenFolders {
            try withRealCache { _, files, cache in
                try cache.store(try arrival("a"))
                try files.rename(folder, to: "away", replacing: false)
                try files.makeFolder(folder)
                try cache.store(try arrival("b"))
                #expect(try cache.bytes(url("b")) == questionnaire("b"), "\(folder)")
                if folder == "cache/entries" {
                    #expect(try files.list("away").count == 1 && files.list(folder).count == 1)
                }
                #expect(try cache.space.briefStatistics().bytes == cache.space.statistics().bytes, "\(folder)")
            }
        }
    }

    @Test("the whole cache may be removed between two documents")
    func removed() throws {
        try withRealCache { root, _, cache in
            try cache.store(try arrival("a"))
            try FileManager.default.removeItem(atPath: root.appending("cache").string)
            try cache.store(try arrival("b"))
            #expect(try cache.bytes(url("a")) == nil)
            #expect(try cache.bytes(url("b")) == questionnaire("b"))
            #expect(try cache.space.briefStatistics().bytes == cache.space.statistics().bytes)
        }
    }

    @Test("a link in the place of a folder is refused, and nothing is written through it")
    func linked() throws {
        for folder in writtenFolders + ["cache"] {
            try withRealCache { root, files, cache in
                try cache.store(try arrival("a"))
                try files.rename(folder, to: "away", replacing: false)
                try files.makeFolder("outside")
                #expect(symlink(root.appending("outside").string, root.pushing(folder).string) == 0)
                #expect(throws: FileError.self, "\(folder)") { try cache.store(try arrival("b")) }
                // A link to the very folder that is held is one, too.
                #expect(unlink(root.pushing(folder).string) == 0)
                #expect(symlink(root.appending("away").string, root.pushing(folder).string) == 0)
                #expect(throws: FileError.self, "\(folder)") { try cache.store(try arrival("c")) }
                #expect(try files.list("outside").allSatisfy { $0.name == "lock" }, "\(folder)")
            }
        }
    }
}
