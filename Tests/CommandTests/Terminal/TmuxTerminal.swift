import Foundation
import Testing

/// A terminal with a program in it.
final class TmuxTerminal {
    private let folder: String
    private let socket: String

    /// - Parameter name: distinguishes its tmux from others of the test.
    init(_ folder: String, _ name: String) {
        self.folder = folder
        socket = folder + "/" + name
    }

    deinit { _ = try? tmux("kill-server") }

    @discardableResult
    func tmux(_ arguments: String...) throws -> String {
        let child = try ChildProcess(
            ["tmux", "-f", "/dev/null", "-S", socket] + arguments,
            environment: Command.environment(home: folder, ["TERM": "xterm-256color"]), folder: folder)
        let outcome = try child.end()
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return outcome.output
    }

    /// Starts a command; what it left on the screen stays there after its end.
    func start(_ device: Device, _ arguments: String) throws {
        try run("exec env QUIRE_STORE=\(device.store) \(Command.binary) \(arguments)")
    }

    /// Runs a line of the shell.
    func run(_ line: String, columns: Int = 90, rows: Int = 30) throws {
        try tmux("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", line, ";", "set", "remain-on-exit", "on")
    }

    var screen: String { get throws { try tmux("capture-pane", "-p") } }

    /// The screen with the escape sequences of its colours.
    var coloredScreen: String { get throws { try tmux("capture-pane", "-e", "-p") } }

    func type(_ keys: String...) throws {
        for key in keys { try tmux("send-keys", key) }
    }

    func see(_ words: String) throws {
        var last = ""
        do {
            try wait(for: "“\(words)” on the screen") {
                last = try screen
                // Words may be on two lines: where a sentence is broken depends on the path in it.
                let line = last.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                return last.contains(words) || line.contains(words) ? true : nil
            }
        } catch {
            throw Unexpected("\(error)\n\(last)")
        }
    }

    var process: pid_t {
        get throws {
            let text = try tmux("display-message", "-p", "#{pane_pid}")
            return try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
    }

    func waitForEnd() throws {
        try wait(for: "the end of the program") {
            try tmux("display-message", "-p", "#{pane_dead}").hasPrefix("1") ? true : nil
        }
    }
}
