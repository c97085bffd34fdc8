import Foundation
import Model
import SystemPackage
import Testing

@testable import Disk

@Suite("Names that changed in folders")
struct NameChangesTests {
    private final class DiskFixture {
        let root = FilePath("/tmp/quire-names-\(TestID.random())")
        let files: POSIXFileSystem

        init() throws {
            for folder in ["a", "b"] {
                try FileManager.default.createDirectory(
                    atPath: root.appending(folder).string, withIntermediateDirectories: true)
            }
            files = try POSIXFileSystem(root: root)
        }

        deinit { try? FileManager.default.removeItem(atPath: root.string) }

        func shell(_ script: String) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", script]
            process.currentDirectoryURL = URL(filePath: root.string)
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }

    @Test(
        "whatever another process did to a file is in the next answer",
        arguments: [
            ("echo 1 >a/new", "new"), ("echo 2 >>a/old", "old"), ("touch a/old", "old"), ("rm a/old", "old"),
            ("mv b/x a/new", "new"), ("ln b/x a/new", "new"), ("mv a/old b/", "old"), ("chmod 600 a/old", "old"),
        ])
    func names(_ script: String, _ name: String) throws {
        let ground = try DiskFixture()
        try ground.shell("echo 0 >a/old; echo 0 >b/x")
        let changes = try NameChanges(["a"], in: ground.files)
        #expect(try changes.take() == [:])
        try ground.shell(script)
        #expect(try changes.take() == ["a": [name]])
        #expect(try changes.take() == [:])
    }

    @Test("folders are distinguished")
    func folders() throws {
        let ground = try DiskFixture()
        let changes = try NameChanges(["a", "b"], in: ground.files)
        try ground.shell("echo 1 >a/one; echo 2 >b/two; echo 3 >b/three")
        #expect(try changes.take() == ["a": ["one"], "b": ["two", "three"]])
    }

    @Test("where another folder took the place of one, everything is looked at, and it is followed from then on")
    func replaced() throws {
        let ground = try DiskFixture()
        let changes = try NameChanges(["a"], in: ground.files)
        try ground.shell("mv a former; mkdir a")
        #expect(try changes.take() == nil)
        try ground.shell("echo 1 >a/new; echo 2 >former/other")
        #expect(try changes.take() == ["a": ["new"]])
    }

    @Test("a folder that is missing is looked for until it comes")
    func missing() throws {
        let ground = try DiskFixture()
        try ground.shell("rmdir a")
        let changes = try NameChanges(["a"], in: ground.files)
        #expect(try changes.take() == nil)
        try ground.shell("mkdir a; echo 1 >a/new")
        #expect(try changes.take() == nil)
    }
}
