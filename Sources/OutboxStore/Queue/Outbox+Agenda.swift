import Disk
import Model
import SystemPackage

/// The outbox as a watching program sees it, from names and times alone: no file is opened.
extension Outbox {
    package struct Agenda: Sendable, Equatable {
        /// The items to send, with the earliest time for each.
        package var waiting: [TestID: Timestamp] = [:]
        /// Delivered, and not rated yet.
        package var unrated = 0
    }

    package func agenda() throws -> Agenda {
        var agenda = Agenda()
        for item in try scan().items {
            switch item.status {
            case .done, .sending:
                // Moving to another folder right now, it is no longer waiting.
                guard let status = try fileSystem.status(at: item.path) else { continue }
                agenda.waiting[item.id] = item.status == .sending ? .epoch : status.modified
            case .sent, .checking: agenda.unrated += item.kind == .test ? 1 : 0
            default: break
            }
        }
        return agenda
    }

    /// When a file was written, which in `done` is the earliest time to send it; `nil` if it is gone.
    package func modified(_ item: OutboxItem) throws -> Timestamp? { try fileSystem.status(at: item.path)?.modified }

    /// The rated tests whose receipts were written since a moment, the latest first.
    package func rated(since moment: Timestamp, in scan: OutboxScan) throws -> [OutboxItem] {
        let items = scan.items.filter { $0.status == .rated && $0.kind == .test }
        let names = items.map { OutboxLayout.receiptName($0.id) }
        let times = try fileSystem.statuses(of: names, in: OutboxLayout.folder(.rated)).map { $0?.modified }
        return zip(items, times).filter { ($0.1 ?? .epoch) >= moment }
            .sorted { ($0.1 ?? .epoch) > ($1.1 ?? .epoch) }.map(\.0)
    }

    /// The folders of the tests, for watching them.
    package static var statusFolders: [FilePath] { OutboxLayout.allStatusFolders }
    /// The folder of tests that wait to be sent.
    package static var waitingFolder: FilePath { OutboxLayout.folder(.done) }
}
