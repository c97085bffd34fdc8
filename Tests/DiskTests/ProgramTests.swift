import Disk
import Foundation
import SystemPackage
import Testing

@Suite("Programs that are run")
struct ProgramTests {
    @Test("how a program ended is told; one that takes too long is ended with all that it started")
    func ends() throws {
        func run(_ script: String, milliseconds: Int32 = 60_000) throws -> Program.End {
            try Program("/bin/sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin"], input: [0x41])
                .end(within: milliseconds)
        }
        #expect(try run("exit 0") == .code(0))
        #expect(try run("exit 7") == .code(7))
        #expect(try run("kill -9 $$") == .signal(9))
        #expect(try run("test \"$(cat)\" = A") == .code(0))
        #expect(try run("sleep 1000 & sleep 1000", milliseconds: 50) == .overtime)
        #expect(throws: FileError.self) { try Program("/no/such/program", environment: [:]) }
    }

    @Test("a change in a watched folder is told, and a folder that is not there yet is no failure")
    func changes() async throws {
        let root = FilePath("/var/tmp/quire-changes-\(UInt64.random(in: 0 ... .max))")
        try POSIXFileSystem.makeRoot(root)
        defer { try? FileManager.default.removeItem(atPath: root.string) }
        let files = try POSIXFileSystem(root: root)
        try files.makeFolder("here")
        let changes = try FolderChanges(["here", "later"], in: files.root)
        var stream = changes.stream.makeAsyncIterator()
        try files.writeUnsynced([1], to: "here/a", temporaryFolder: "here")
        #expect(await stream.next() != nil)
    }
}
