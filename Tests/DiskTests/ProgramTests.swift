import Disk
import Foundation
import Testing

@Suite("Programs that are run")
struct ProgramTests {
    @Test("how a program ended is reported; one that takes too long is ended with all that it started")
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

    @Test("an editor stays in our process group, which has the terminal; other programs have their own")
    func groups() throws {
        let environment = ["PATH": "/usr/bin:/bin"]
        // The fifth field of a process's `stat` is its group (proc_pid_stat(5)).
        let script = "read -r pid name state parent group rest </proc/self/stat; test $group = \(getpgrp())"
        #expect(try Program(atTerminal: "/bin/sh", ["-c", script], environment: environment).end() == .code(0))
        #expect(try Program("/bin/sh", ["-c", script], environment: environment).end() == .code(1))
        #expect(throws: FileError.self) { try Program(atTerminal: "/no/such/program", [], environment: [:]) }
    }
}
