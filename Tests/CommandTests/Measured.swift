import Foundation
import Testing

/// How a program ended, and the most memory that it had.
struct Measured {
    var outcome: Outcome
    var peakBytes: Int

    /// What no input may make the command exceed, whatever it is.
    static let bound = 64_000_000
}

extension Device {
    /// Runs `quire` under time(1): the kernel's own figure for a child of this process would be at least the size of this
    /// process.
    func measured(_ arguments: [String], input: String? = nil) throws -> Measured {
        let figure = "\(folder)/.peak-\(UUID().uuidString)"
        // A program that does not come to an end is a failure, not a wait.
        let wrapped = ["/usr/bin/time", "-o", figure, "-f", "%M", Command.binary] + arguments
        let child = try ChildProcess(
            wrapped, environment: Command.environment(home: folder, ["QUIRE_STORE": store]), folder: folder,
            input: input)
        let outcome = try child.end(seconds: 60)
        // Before the figure, time(1) may have a line about the exit code.
        guard let kilobytes = try Files.text(figure).split(separator: "\n").last.flatMap({ Int($0) }) else {
            throw Unexpected("time(1) told nothing: \(outcome)")
        }
        return Measured(outcome: outcome, peakBytes: kilobytes * 1024)
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
