import ArgumentParser
import Disk
import FoundationEssentials
import Glibc
import Terminal

/// Shows a long list a screen at a time, as git does: `$QUIRE_PAGER`, else `$PAGER`, else `less`. Only at a terminal, and only
/// what does not fit on the screen.
final class Pager {
    private let program: Program
    private let input: Int32
    private var isOpen = true

    /// Starts the person's pager; `nil` where none is wanted, or it cannot be started.
    init?() {
        guard let command = Self.command(environment: ProcessInfo.processInfo.environment) else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { _ = close(ends[0]) }
        // Of our open files the pager inherits its input alone.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var environment = ProcessInfo.processInfo.environment
        // To leave at once what fits, to show colours, and to leave the text on the screen.
        if environment["LESS"] == nil { environment["LESS"] = "FRX" }
        if environment["LV"] == nil { environment["LV"] = "-c" }
        do throws(FileError) {
            program = try Program(atTerminal: "/bin/sh", ["-c", command], environment: environment, input: ends[0])
        } catch {
            _ = close(ends[1])
            return nil
        }
        input = ends[1]
        // It may be left before its end, and its keys are its own.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT, SIG_IGN)
    }

    /// The shell's command; `nil` for an empty one, and for `cat`, which is none.
    static func command(environment: [String: String]) -> String? {
        let chosen = environment["QUIRE_PAGER"] ?? environment["PAGER"]
        let command = chosen ?? Program.find("less", in: environment["PATH"] ?? "/usr/bin:/bin").map { _ in "less" }
        return command.flatMap { ["", "cat"].contains($0) ? nil : $0 }
    }

    /// - Returns: whether it still reads.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while isOpen, !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                isOpen = false
                break
            }
            rest = rest.dropFirst(count)
        }
        return isOpen
    }

    /// Waits until the person has left it.
    func end() {
        _ = close(input)
        _ = program.end()
        signal(SIGINT, SIG_DFL)
    }
}

struct PagerOption: ParsableArguments {
    @Flag(help: "Print everything at once, also what does not fit on the screen.")
    var noPager = false
}
