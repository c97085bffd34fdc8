import Disk
import Model
import SystemPackage

/// The queue as a watching program sees it, from names and times alone: no file is opened.
extension OutboxQueue {
    package struct Agenda: Sendable, Equatable {
        /// The items to send, with the earliest time for each.
        package var waiting: [TestID: Timestamp] = [:]
        /// Delivered, and not rated yet.
        package var unrated = 0
    }

    package func agenda() throws -> Agenda {
        var agenda = Agenda()
        for item in try outbox.scan().items {
            if item.status.isWaiting {
                // Moving to another folder right now, it is no longer waiting.
                guard let status = try fileSystem.status(at: item.path) else { continue }
                agenda.waiting[item.id] = item.status == .sending ? .epoch : status.modified
            } else if item.kind == .test, item.status.awaitsRating {
                agenda.unrated += 1
            }
        }
        return agenda
    }
}
