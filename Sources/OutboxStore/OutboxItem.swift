import Model
import SystemPackage

/// One item of the outbox, identified by its file's name and place: a test, unless its kind differs.
public struct OutboxItem: Hashable, Sendable {
    public var id: TestID
    public var kind: OutboxKind
    public var status: TestStatus

    public init(id: TestID, kind: OutboxKind = .test, status: TestStatus) {
        self.id = id
        self.kind = kind
        self.status = status
    }

    public var path: FilePath { OutboxLayout.path(id, kind, status) }
}

/// All items in the outbox.
package struct OutboxScan: Sendable {
    /// Each item once, with its greatest advancement; a copy in `conflict/` beside another status is listed too.
    package var items: [OutboxItem] = []
    /// Items found in several folders, the most advanced first.
    package var duplicates: [TestID: [TestStatus]] = [:]
    /// The kinds of items that are not tests.
    var kinds: [TestID: OutboxKind] = [:]
    /// Receipts by their folders.
    package var receipts: [OutboxItem] = []
    /// The changes in `conflict` that have the server's version beside them.
    package var theirs: Set<TestID> = []
    /// Files that do not belong there: a wrong name, a folder, a link. They stop nothing.
    package var strangers: [Stranger] = []

    package struct Stranger: Hashable, Sendable {
        package var path: FilePath
        package var reason: String

        init(_ status: TestStatus, _ name: String, _ reason: String) {
            path = OutboxLayout.folder(status).appending(name: name)
            self.reason = reason
        }
    }

    /// The tests among the items.
    package var tests: [OutboxItem] { items.filter { $0.kind == .test } }

    /// The number of items that are still to be sent.
    package var waitingCount: Int { items.count { $0.status.isWaiting } }

    /// The kind of the item with this id.
    package func kind(of id: TestID) -> OutboxKind { kinds[id] ?? .test }

    package func items(_ status: TestStatus) -> [OutboxItem] { items.filter { $0.status == status } }
}

/// A test with the content of its file.
public struct StoredTest: Hashable, Sendable {
    public var record: TestRecord
    public var status: TestStatus
    /// The unchanged bytes of the file, which are sent.
    public var bytes: [UInt8]
    /// The file's modification time; in `done` the earliest time to send it.
    public var modified: Timestamp

    public var digest: Digest { Digest(sha256Of: bytes) }
}

/// A change with the content of its file.
public struct StoredChange: Hashable, Sendable {
    package var change: OutgoingChange
    public var item: OutboxItem
    /// The file's bytes as they are.
    public var bytes: [UInt8]
    /// The file's modification time; in `done` the earliest time to send it.
    public var modified: Timestamp
}
