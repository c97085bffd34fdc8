import CLinux
import Glibc
import SystemPackage

/// A program of the machine, started in a process group of its own, or at the terminal in ours.
package struct Program: Sendable {
    package let identifier: Int32

    /// How a program ended.
    package enum End: Hashable, Sendable {
        case code(Int32)
        case signal(Int32)
        /// It and its group were killed, since it took too long.
        case overtime
    }

    /// Starts a program. None of our open files is handed on.
    ///
    /// - Parameters:
    ///   - path: of the file itself; no search path is used.
    ///   - arguments: after its own name.
    ///   - environment: all of it.
    ///   - input: what it reads on standard input.
    ///   - showsOutput: whether its output is ours; otherwise what it says goes nowhere.
    /// - Throws: `FileError`.
    package init(
        _ path: FilePath, _ arguments: [String] = [], environment: [String: String], folder: FilePath? = nil,
        input: [UInt8] = [], showsOutput: Bool = false
    ) throws(FileError) {
        try self.init(
            path, arguments, environment: environment, folder: folder, input: input,
            output: showsOutput ? STDOUT_FILENO : -1, hasOwnGroup: true)
    }

    /// Starts a program that a person works with: it stays in our process group, so that the terminal is its own, and has our
    /// standard streams.
    ///
    /// - Throws: `FileError`.
    package init(
        atTerminal path: FilePath, _ arguments: [String], environment: [String: String]
    ) throws(FileError) {
        try self.init(
            path, arguments, environment: environment, folder: nil, input: nil, output: STDOUT_FILENO,
            hasOwnGroup: false)
    }

    /// - Parameter input: our own standard input where it is `nil`.
    private init(
        _ path: FilePath, _ arguments: [String], environment: [String: String], folder: FilePath?, input: [UInt8]?,
        output: Int32, hasOwnGroup: Bool
    ) throws(FileError) {
        var stdin: Int32 = input == nil ? STDIN_FILENO : -1
        if let input, !input.isEmpty {
            stdin = input.withUnsafeBytes { quire_memory_file($0.baseAddress, $0.count) }
            if stdin < 0 { throw FileError("run", path, .current) }
        }
        defer { if stdin > STDIN_FILENO { _ = Glibc.close(stdin) } }
        var words: [UnsafeMutablePointer<CChar>?] = ([path.string] + arguments).map { strdup($0) } + [nil]
        let settings = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var variables: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        identifier = quire_spawn(
            path.string, &words, &variables, folder?.string, stdin, output, hasOwnGroup ? 1 : 0)
        if identifier < 0 { throw FileError("run", path, .current) }
    }

    /// Waits for its end, however long it takes.
    package func end() -> End {
        var status: Int32 = 0
        _ = quire_wait(identifier, -1, &status)
        return Self.end(status)
    }

    /// Waits for its end, and ends it and its group when that takes longer.
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

    /// Asks it and its group to end.
    package func terminate() { _ = kill(-identifier, SIGTERM) }

    private static func end(_ status: Int32) -> End {
        status & 0x7F == 0 ? .code(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }

    /// This program's own file.
    package static var own: FilePath {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return count > 0 ? FilePath(String(decoding: buffer[..<count], as: UTF8.self)) : "/proc/self/exe"
    }

    /// A program of that name on a search path.
    package static func find(_ name: String, in path: String) -> FilePath? {
        for folder in path.split(separator: ":") where folder.hasPrefix("/") {
            let candidate = "\(folder)/\(name)"
            if access(candidate, X_OK) == 0 { return FilePath(candidate) }
        }
        return nil
    }

    /// Who runs this program.
    package static var user: UInt32 { geteuid() }
}
