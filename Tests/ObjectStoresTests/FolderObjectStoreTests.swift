import Disk
import Foundation
import Model
import ObjectStores
import Simulation
import Synchronization
import SystemPackage
import Testing

@Suite("Objects in a folder")
struct FolderObjectStoreTests {
    @Test("an object is a plain file, and files that others put there are objects")
    func plainFiles() async throws {
        try await withTemporaryFolder { root in
            let store = FolderObjectStore(try POSIXFileSystem(root: root))
            _ = try await store.putIfAbsent(name("tests/a.json"), bytes("one"))
            #expect(try String(contentsOfFile: root.appending("tests/a.json").string, encoding: .utf8) == "one")
            try bytes("two").withUnsafeBytes {
                try Data($0).write(to: URL(filePath: root.appending("tests/b.json").string))
            }
            #expect(try await store.names() == ["tests/a.json", "tests/b.json"])
            #expect(try await store.putIfAbsent(name("tests/b.json"), bytes("x")) == .exists)
            #expect(try FileManager.default.contentsOfDirectory(atPath: root.appending(".tmp").string) == [])
        }
    }

    @Test("work that waits for a store keeps no thread from the store's own work, however much of it there is")
    func manyWait() async throws {
        try await withTemporaryFolder { root in
            let store = FolderObjectStore(try POSIXFileSystem(root: root))
            try await withThrowingTaskGroup { group in
                for number in 0..<200 {
                    let object = try name("\(number)")
                    group.addTask {
                        try await offload {
                            try BlockingCall.wait { () async throws(ObjectStoreError) in
                                _ = try await store.putIfAbsent(object, [1])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.names().count == 200)
        }
    }

    @Test("no link leads out of the folder")
    func links() async throws {
        try await withTemporaryFolder { root in
            for folder in ["inside", "outside"] {
                try FileManager.default.createDirectory(
                    atPath: root.appending(folder).string, withIntermediateDirectories: true)
            }
            let secret = root.appending("outside").appending("secret").string
            try Data("secret".utf8).write(to: URL(filePath: secret))
            for (link, target) in [("inside/tests", "../outside"), ("inside/a", "../outside/secret")] {
                try FileManager.default.createSymbolicLink(
                    atPath: root.appending(link).string, withDestinationPath: target)
            }
            let store = FolderObjectStore(try POSIXFileSystem(root: root.appending("inside")))
            for object in ["tests/secret", "a"] {
                await #expect(throws: ObjectStoreError.self) { _ = try await store.get(name(object), range: nil) }
            }
            for object in ["tests/new", "a"] {
                await #expect(throws: ObjectStoreError.self) {
                    _ = try await store.putIfAbsent(name(object), bytes("x"))
                }
            }
            #expect(try await store.names() == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: root.appending("outside").string) == ["secret"])
            #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret")
        }
    }

    @Test("temporary files are no objects, and those of killed writers are removed")
    func temporaryFiles() async throws {
        try await withTemporaryFolder { root in
            let files = try POSIXFileSystem(root: root)
            let store = FolderObjectStore(files, temporaryFolder: "tmp")
            _ = try await store.putIfAbsent(name("a"), bytes("x"))
            try files.close(try files.makeTemporaryFile(in: "tmp").file)
            #expect(try await store.names() == ["a"])
            await #expect(throws: ObjectStoreError.self) { _ = try await store.putIfAbsent(name("tmp/a"), bytes("x")) }
            try await store.removeAbandonedFiles()
            #expect(try files.list("tmp") == [])
        }
    }

    @Test("a folder that is removed while the store is open is made again")
    func removedFolder() async throws {
        try await withTemporaryFolder { root in
            let store = FolderObjectStore(try POSIXFileSystem(root: root))
            _ = try await store.putIfAbsent(name("tests/a"), bytes("x"))
            try FileManager.default.removeItem(atPath: root.appending("tests").string)
            try FileManager.default.removeItem(atPath: root.appending(".tmp").string)
            #expect(try await store.putIfAbsent(name("tests/a"), bytes("y")) == .created)
            #expect(try await store.text("tests/a") == "y")
        }
    }

    @Test("a file whose name could not be made durable is closed once: no other file is closed in its place")
    func closedOnce() async throws {
        try await withTemporaryFolder { root in
            let other = Mutex<OpenFile?>(nil)
            let files = HookedFileSystem(
                try POSIXFileSystem(root: root),
                onSyncFolder: { base, path in
                    guard path == "tests", try base.status(at: "tests/a") != nil else {
                        return try base.syncFolder(path)
                    }
                    // It gets the descriptor that has just become free.
                    let opened = try base.open("tests/a", .read)
                    other.withLock { $0 = opened }
                    throw FileError("sync", path, .ioError)
                })
            let content = ObjectContent(sizeBytes: 1, digest: Digest(sha256Of: bytes("x"))) { _, _ in bytes("x") }
            let store = FolderObjectStore(files)
            await #expect(throws: ObjectStoreError.self) { _ = try await store.putIfAbsent(name("tests/a"), content) }
            let seen = other.withLock { $0 }
            let opened = try #require(seen)
            #expect(try files.status(opened).sizeBytes == 1)
            try files.close(opened)
        }
    }
}
