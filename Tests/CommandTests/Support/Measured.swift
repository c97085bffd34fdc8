import Foundation
import Synchronization
import Testing

/// How a program ended, the most memory that it had, and how long it has computed.
struct Measured {
    var outcome: Outcome
    var peakBytes: Int
    var cpuSeconds: Double

    /// What no input may make the command exceed, whatever it is. A program that is built for debugging has 20 MB more of
    /// its own file in memory than one for use (`make test-release`).
    static let bound = Command.binary.contains("/debug/") ? 84_000_000 : 64_000_000
    /// A program that is built for debugging takes several times as long as one for use, which has a second.
    static let boundSeconds = 5.0

    private static let most = Mutex((bytes: 0, seconds: 0.0))

    /// Reports a new maximum, for the table in docs/reliability.md.
    private func report(_ arguments: [String]) {
        guard Torture.isWhole else { return }
        let words = arguments.joined(separator: " ").prefix(60)
        let (isLargest, isLongest) = Self.most.withLock { most in
            defer { most = (max(most.bytes, peakBytes), max(most.seconds, cpuSeconds)) }
            return (peakBytes > most.bytes, cpuSeconds > most.seconds)
        }
        if isLargest { Torture.report("the most memory: \(peakBytes / 1000) kB, quire \(words)") }
        if isLongest { Torture.report("the most time: \(cpuSeconds) s, quire \(words)") }
    }

    fileprivate init(_ outcome: Outcome, figures: String, arguments: [String]) throws {
        // Before the figures, time(1) may have a line about the exit code.
        let numbers =
            figures.split(separator: "\n").last.map { $0.split(separator: " ").compactMap { Double($0) } } ?? []
        guard numbers.count == 3 else { throw Unexpected("time(1) reported nothing: \(outcome)") }
        self.outcome = outcome
        peakBytes = Int(numbers[0]) * 1024
        cpuSeconds = numbers[1] + numbers[2]
        report(arguments)
    }
}

extension Device {
    /// Runs `quire` under time(1): the kernel's own figure for a child of this process would be at least the size of this
    /// process.
    func measured(_ arguments: [String], input: String? = nil) throws -> Measured {
        let figure = "\(folder)/.peak-\(UUID().uuidString)"
        // A program that does not come to an end is a failure, not a wait.
        let wrapped = ["/usr/bin/time", "-o", figure, "-f", "%M %U %S", Command.binary] + arguments
        let child = try ChildProcess(
            wrapped, environment: Command.environment(home: folder, ["QUIRE_STORE": store]), folder: folder,
            input: input)
        let outcome = try child.end()
        return try Measured(outcome, figures: try Files.text(figure), arguments: arguments)
    }

    /// Runs `quire`, which may refuse and must not crash, take too much memory, or say anything but sentences.
    @discardableResult
    func bounded(
        _ arguments: [String], input: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let measured = try measured(arguments, input: input)
        let outcome = measured.outcome
        #expect([0, 64, 65, 69, 74, 75].contains(outcome.exitCode), "\(outcome)", sourceLocation: sourceLocation)
        #expect(
            measured.peakBytes < Measured.bound, "\(measured.peakBytes / 1000) kB: \(outcome)",
            sourceLocation: sourceLocation)
        #expect(
            measured.cpuSeconds < Measured.boundSeconds, "\(measured.cpuSeconds) s: \(outcome)",
            sourceLocation: sourceLocation)
        let lines = outcome.errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            outcome.errors.isEmpty || lines.last == "" && lines.dropLast().allSatisfy { $0.hasPrefix("quire: ") }
                || outcome.exitCode == 64, "\(outcome)", sourceLocation: sourceLocation)
        let isTame = (outcome.output + outcome.errors).unicodeScalars.allSatisfy {
            $0 == "\n" || $0 == "\t" || !$0.properties.generalCategory.isControl
        }
        #expect(isTame, "control characters: \(outcome)", sourceLocation: sourceLocation)
        if outcome.exitCode != 0 { #expect(!outcome.errors.isEmpty || !outcome.output.isEmpty, "\(arguments)") }
        return outcome
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isControl: Bool { self == .control }
}
