import Disk
import Model

/// The lock of a person's changes.
extension Outbox {
    /// The direction in which an edit moves tests: to a more advanced status, or back.
    enum Direction: Int64 {
        case forward = 1
        case backward = 2
    }

    /// Runs an edit that adds something to the outbox, which may not have been used yet.
    func adding<Result>(_ body: () throws -> Result) throws -> Result {
        // If the lock file exists, the folders were made durably; one that is missing since then is made when needed.
        if try fileSystem.status(at: OutboxLayout.editLock) == nil { try makeFolders() } else { restoreReserve() }
        return try editing { try body() }
    }

    func editing<Result>(_ direction: Direction = .forward, _ body: () throws -> Result) throws -> Result {
        // The first edit creates the file, for which a full disk may have no room.
        let lock = try makingRoom { _ throws(FileError) in
            try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: true)
        }
        guard let lock else { throw OutboxError.sweeperIsRunning }
        return try withExtendedLifetime(lock) {
            // An earlier call may have moved a test and failed, or crashed, at the sync: it is made durable before
            // anyone relies on it.
            let unfinished = try lock.mark()
            if unfinished > 0 { try makeMovesDurable(Direction(rawValue: unfinished) ?? .forward) }
            try lock.setMark(direction.rawValue)
            let result = try body()
            // After a failure here the next edit only syncs more than needed.
            do throws(FileError) { try lock.setMark(0) } catch {}
            return result
        }
    }

    /// Makes moves durable that a crashed edit did not flush, before another flush of the source folder could lose
    /// them.
    func makeUnfinishedEditDurable() throws {
        guard let mark = try fileSystem.status(at: OutboxLayout.editLock)?.sizeBytes, mark > 0 else { return }
        try makeMovesDurable(Direction(rawValue: mark) ?? .forward)
    }

    /// Syncs all folders, each target before its source.
    private func makeMovesDurable(_ direction: Direction) throws {
        try quarantine.makeDurable()
        let forward = TestStatus.allCases.sorted { $0.advancement > $1.advancement }
        for status in direction == .forward ? forward : forward.reversed() {
            try fileSystem.makeDurable(folder: OutboxLayout.folder(status))
        }
    }
}
