import CLinux
import Glibc
import SystemPackage

/// A child process, in a process group of its own, or in ours at the terminal.
package struct Program: Sendable {
    package let identifier: Int32

    /// How a program ended.
    package enum End: Hashable, Sendable {
        case code(Int32)
        case signal(Int32)
        /// It and its group were killed after the time limit.
        case overtime
    }

    /// Starts a program. It inherits none of our open files.
    ///
    /// - Parameters:
    ///   - path: the path of the file; no search path is used.
    ///   - arguments: the arguments after its own name.
    ///   - environment: the complete environment.
    ///   - input: the content of its standard input.
    ///   - showsOutput: whether it shares our output; otherwise its output is discarded.
    /// - Throws: `FileError`.
    package init(
        _ path: FilePath, _ arguments: [String] = [], environment: [String: String], folder: FilePath? = nil,
        input: [UInt8] = [], showsOutput: Bool = false
    ) throws(FileError) {
        try self.init(
            path, arguments, environment: environment, folder: folder, input: input,
            output: showsOutput ? STDOUT_FILENO : -1, hasOwnGroup: true)
    }

    /// Starts an interactive program: it stays in our process group, so that it owns the terminal, and uses our
    /// standard streams.
    ///
    /// - Parameter input: an open descriptor that it reads in the place of our standard input.
    /// - Throws: `FileError`.
    package init(
        atTerminal path: FilePath, _ arguments: [String], environment: [String: String], input: Int32? = nil
    ) throws(FileError) {
        try self.init(
            path, arguments, environment: environment, folder: nil, input: nil, stdin: input ?? STDIN_FILENO,
            output: STDOUT_FILENO, hasOwnGroup: false)
    }

    /// - Parameter input: `nil` for the open descriptor `stdin`, which stays open.
    private init(
        _ path: FilePath, _ arguments: [String], environment: [String: String], folder: FilePath?, input: [UInt8]?,
        stdin: Int32 = -1, output: Int32, hasOwnGroup: Bool
    ) throws(FileError) {
        var stdin = stdin
        if let input, !input.isEmpty {
            stdin = input.withUnsafeBytes { quire_memory_file($0.baseAddress, $0.count) }
            if stdin < 0 { throw FileError("run", path, .current) }
        }
        defer { if input != nil, stdin > STDIN_FILENO { _ = Glibc.close(stdin) } }
        var words: [UnsafeMutablePointer<CChar>?] = ([path.string] + arguments).map { strdup($0) } + [nil]
        let settings = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var variables: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        identifier = quire_spawn(
            path.string, &words, &variables, folder?.string, stdin, output, hasOwnGroup ? 1 : 0)
        if identifier < 0 { throw FileError("run", path, .current) }
    }

    /// Waits for its end without a limit.
    package func end() -> End {
        var status: Int32 = 0
        _ = quire_wait(identifier, -1, &status)
        return Self.end(status)
    }

    /// Waits for its end, and kills it and its group after the limit.
    package func end(within milliseconds: Int32) -> End {
        var status: Int32 = 0
        if quire_wait(identifier, milliseconds, &status) == 0 {
            _ = kill(-identifier, SIGKILL)
            _ = quire_wait(identifier, -1, &status)
            return .overtime
        }
        return Self.end(status)
    }

    /// How it ended; `nil` while it runs.
    package func endIfOver() -> End? {
        var status: Int32 = 0
        return quire_wait(identifier, 0, &status) == 1 ? Self.end(status) : nil
    }

    /// Asks it and its group to terminate.
    package func terminate() { _ = kill(-identifier, SIGTERM) }

    private static func end(_ status: Int32) -> End {
        status & 0x7F == 0 ? .code(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }

    /// The path of this program's own file.
    package static var own: FilePath {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return count > 0 ? FilePath(String(decoding: buffer[..<count], as: UTF8.self)) : "/proc/self/exe"
    }

    /// Finds a program by name on a search path.
    package static func find(_ name: String, in path: String) -> FilePath? {
        for folder in path.split(separator: ":") where folder.hasPrefix("/") {
            let candidate = "\(folder)/\(name)"
            if access(candidate, X_OK) == 0 { return FilePath(candidate) }
        }
        return nil
    }

    /// The user of this process.
    package static var user: UInt32 { geteuid() }
}
