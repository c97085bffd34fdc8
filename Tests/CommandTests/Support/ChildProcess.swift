import Foundation
import Synchronization

/// How a program ended, and what it said.
struct Outcome: CustomStringConvertible {
    var arguments: [String]
    /// The exit code; 128 and the signal's number where a signal ended it.
    var exitCode: Int32
    var output: String
    var errors: String

    func json() throws -> JSON { try JSON(parsing: output) }

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Complained in one line, as `quire: what happened: what to do`.
    var isOneSentence: Bool {
        errors.hasPrefix("quire: ") && errors.hasSuffix("\n") && errors.count { $0.isNewline } == 1
    }

    var description: String {
        let command = arguments.map { $0.prefix(80) }.joined(separator: " ")
        return "\(command): exit \(exitCode)\n\(output.prefix(2000))\(errors.prefix(2000))"
    }
}

/// A program that runs beside the test.
final class ChildProcess {
    let identifier: pid_t
    /// Reads what the program prints, where it was started for that; else -1.
    let outputDescriptor: Int32
    private let arguments: [String]
    private let outputPath: String
    private let errorsPath: String
    private var status: Int32?

    /// Descriptors that are open for a moment without close-on-exec must not be inherited by another test's child.
    private static let spawning = Mutex(())
    private static let counter = Mutex(0)

    /// - Parameters:
    ///   - folder: takes what the program prints.
    ///   - isWatched: the program's output goes into a pipe, to be read while it runs.
    init(
        _ arguments: [String], environment: [String: String], folder: String, input: String? = nil,
        isWatched: Bool = false
    ) throws {
        let number = Self.counter.withLock { counter in
            counter += 1
            return counter
        }
        let stem = "\(folder)/.child-\(number)"
        outputPath = stem + ".out"
        errorsPath = stem + ".err"
        self.arguments = arguments
        var inputPath = "/dev/null"
        if let input {
            inputPath = stem + ".in"
            try Files.write(input, to: inputPath)
        }
        let paths = (input: inputPath, output: outputPath, errors: errorsPath)
        (identifier, outputDescriptor) = try Self.spawning.withLock { _ in
            try Self.spawn(arguments, environment, paths, isWatched: isWatched)
        }
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String],
        _ paths: (input: String, output: String, errors: String), isWatched: Bool
    ) throws -> (pid_t, Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A program begins with the signals as a shell gives them, whatever the test runner did to its own.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var ends: [Int32] = [-1, -1]
        posix_spawn_file_actions_addopen(&actions, 0, paths.input, O_RDONLY, 0)
        if isWatched {
            guard pipe(&ends) == 0 else { throw Unexpected("no pipe") }
            _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
            _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, paths.output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        posix_spawn_file_actions_addopen(&actions, 2, paths.errors, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)

        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var identifier = pid_t()
        let result = posix_spawnp(&identifier, arguments[0], &actions, &attributes, &words, &variables)
        if isWatched { close(ends[1]) }
        guard result == 0 else {
            if isWatched { close(ends[0]) }
            throw Unexpected("cannot start \(arguments[0]): \(String(cString: strerror(result)))")
        }
        return (identifier, ends[0])
    }

    deinit {
        if status == nil {
            kill(identifier, SIGKILL)
            _ = waitpid(identifier, nil, 0)
        }
        if outputDescriptor >= 0 { close(outputDescriptor) }
    }

    /// Whether the program still runs.
    var isRunning: Bool {
        if status != nil { return false }
        var found: Int32 = 0
        if waitpid(identifier, &found, WNOHANG) == 0 { return true }
        status = found
        return false
    }

    func send(_ signal: Int32) { if isRunning { kill(identifier, signal) } }

    /// What the program said on standard error so far.
    var errorsSoFar: String { (try? Files.text(errorsPath)) ?? "" }

    /// Waits until the program has ended; the bound is for one that hangs.
    func end(seconds: Double = patienceSeconds) throws -> Outcome {
        let limit = Date().addingTimeInterval(seconds)
        while isRunning {
            if Date() > limit {
                kill(identifier, SIGKILL)
                throw Unexpected("\(arguments.joined(separator: " ").prefix(300)) hangs\n\(errorsSoFar)")
            }
            usleep(500)
        }
        let status = status ?? 0
        let signal = status & 0x7F
        return Outcome(
            arguments: arguments, exitCode: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
            output: outputDescriptor >= 0 ? "" : (try? Files.text(outputPath)) ?? "", errors: errorsSoFar)
    }
}
