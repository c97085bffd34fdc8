import Disk
import Simulation

/// Something that is done with files. It is broken off at every call, and the promises must hold whatever is left.
package struct Trial: Sendable, CustomStringConvertible {
    package enum Area: String, Sendable, CaseIterable {
        case outbox, cache, store, host, objects
    }

    package let area: Area
    package let name: String
    /// Whether each of its syncs is needed: then taking one out must break a promise.
    package let isDurable: Bool
    /// Whether it moves tests from folder to folder: then the order of the two syncs must matter.
    package let moves: Bool
    /// Whether it is made of others, which are tried on their own too.
    package private(set) var isLong = false
    let needless: NeedlessSyncs
    /// Makes a disk of its own with what was there before.
    let prepare: @Sendable (RenameDurability) async throws -> Attempt

    init(
        _ area: Area, _ name: String, isDurable: Bool = false, moves: Bool = false,
        needless: NeedlessSyncs = .none,
        prepare: @escaping @Sendable (RenameDurability) async throws -> Attempt
    ) {
        self.area = area
        self.name = name
        self.isDurable = isDurable
        self.moves = moves
        self.needless = needless
        self.prepare = prepare
    }

    package var description: String { "\(area.rawValue): \(name)" }

    func long() -> Trial {
        var trial = self
        trial.isLong = true
        return trial
    }

    /// How many calls it makes when nothing goes wrong.
    package func countCalls() async throws -> Int {
        let attempt = try await prepare(.atomic)
        let before = attempt.disk.operationCount
        do { try await attempt.act(attempt.disk.process()) } catch {
            // A refusal is an end too.
        }
        return attempt.disk.operationCount - before
    }

    package static var all: [Trial] {
        OutboxTrials.all + ChangeTrials.all + MediaTrials.all + CacheTrials.all + StoreTrials.all + HostTrials.all
            + WriteTrials.all + HostMediaTrials.all + DraftTrials.all + CommentTrials.all + SnapshotTrials.all
            + ObjectTrials.all
    }
}

/// One run of a trial.
struct Attempt: Sendable {
    let disk: SimulatedDisk
    /// The operation that is interrupted; its replies are recorded for `check`.
    let act: @Sendable (any FileSystem) async throws -> Void
    /// Does it again after a failure.
    let again: @Sendable (any FileSystem) async throws -> Void
    /// Opens what is left on a disk as after a restart, and names the promises that are broken.
    let check: @Sendable (SimulatedDisk) async -> [String]

    init(
        disk: SimulatedDisk, act: @escaping @Sendable (any FileSystem) async throws -> Void,
        again: (@Sendable (any FileSystem) async throws -> Void)? = nil,
        check: @escaping @Sendable (SimulatedDisk) async -> [String]
    ) {
        self.disk = disk
        self.act = act
        self.again = again ?? act
        self.check = check
    }
}

/// The syncs that a trial could do without, each with a reason.
package struct NeedlessSyncs: Sendable {
    /// By the path and the number of the call among those of its kind.
    let contains: @Sendable (_ path: String, _ number: Int) -> Bool

    init(_ contains: @escaping @Sendable (_ path: String, _ number: Int) -> Bool) { self.contains = contains }

    static let none = NeedlessSyncs { _, _ in false }
}
