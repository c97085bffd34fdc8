import Foundation

/// How hard the machine is tried: a sample of everything with the other tests, the whole by `make torture`.
enum Torture {
    static let isWhole = setting("QUIRE_TORTURE") == "whole"

    /// Rounds of kill -9.
    static let rounds = setting("ROUNDS").flatMap { Int($0) } ?? (isWhole ? 1000 : 12)

    /// Weeks of two devices.
    static let weeks = setting("WEEKS").flatMap { Int($0) } ?? (isWhole ? 200 : 2)

    /// What is chosen by chance follows from it; the moments at which processes meet do not.
    static let seed =
        setting("SEED").flatMap { UInt64($0) } ?? (isWhole ? UInt64.random(in: 1...999_999) : 1)

    /// Reports what was tried, so that a sceptic can count it.
    static func report(_ line: String) { print("torture: \(line)") }

    private static func setting(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
