import Foundation

/// A screen in memory (Xvfb) for a browser that cannot do without one.
final class VirtualDisplay {
    private let process: ChildProcess
    /// As the environment names it: `:3`.
    let name: String

    init(folder: String) throws {
        process = try ChildProcess(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1400x24", "-nolisten", "tcp"],
            environment: Command.environment(home: folder), folder: folder, isWatched: true)
        name = ":" + (try HostProcess.firstLine(of: process))
    }

    deinit { process.send(SIGTERM) }
}
