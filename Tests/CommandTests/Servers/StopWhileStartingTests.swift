import Foundation
import Testing

/// A service manager may stop a server at any moment of its start.
@Suite("Servers that are stopped while they start")
struct StopWhileStartingTests {
    /// A busy machine is stood in for by strace, which makes each change of a signal's handling take 50 ms. The signal is
    /// sent as soon as the program handles it.
    @Test(
        "SIGTERM during the start ends a server in order", .enabled(if: Command.isInstalled("strace")),
        arguments: [
            ["host", "--data"], ["serve", "--store"], ["hub", "--upstream", "http://127.0.0.1:9", "--store"],
        ])
    func stop(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let environment = Command.environment(home: folder.path)
        if arguments[0] == "serve" {
            _ = try Device(folder.path).done("init", "--remote", "http://127.0.0.1:9")
        }
        let trace = folder.path + "/trace"
        let child = try ChildProcess(
            [
                "strace", "-f", "-qq", "-o", trace, "-e", "trace=rt_sigaction", "-e",
                "inject=rt_sigaction:delay_exit=50000", Command.binary,
            ] + arguments + [folder.path + "/store", "--listen", "127.0.0.1:0"], environment: environment,
            folder: folder.path)
        let process = try wait(for: "the program to handle SIGTERM") { () -> pid_t? in
            let lines = ((try? Files.text(trace)) ?? "").split(separator: "\n")
            let line = lines.first { $0.contains("rt_sigaction(SIGTERM, {sa_handler=0x") }
            return line?.split(separator: " ").first.flatMap { pid_t($0) }
        }
        kill(process, SIGTERM)
        let outcome = try child.end()
        #expect(outcome.exitCode == 0, "\(outcome)")
    }
}
