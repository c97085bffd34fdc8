import Model
import SystemPackage

/// One test of the outbox, as its file's name and place tell it.
public struct OutboxItem: Hashable, Sendable {
    public var id: TestID
    public var status: TestStatus

    public init(id: TestID, status: TestStatus) {
        self.id = id
        self.status = status
    }

    public var path: FilePath { OutboxLayout.testPath(id, status) }
}

/// Everything that lies in the outbox.
public struct OutboxScan: Sendable {
    /// Each test once, by the greatest advancement; a copy in `conflict/` beside another state is listed too.
    public var items: [OutboxItem] = []
    /// Tests that lie in several folders.
    public var duplicates: [TestID: [TestStatus]] = [:]
    /// Receipts by the folder that they lie in.
    public var receipts: [OutboxItem] = []
    /// Files that do not belong there: a wrong name, a folder, a link. They stop nothing.
    public var strangers: [Stranger] = []

    public struct Stranger: Hashable, Sendable {
        public var path: FilePath
        public var reason: String

        init(_ status: TestStatus, _ name: String, _ reason: String) {
            path = OutboxLayout.folder(status).appending(name)
            self.reason = reason
        }
    }

    public func items(_ status: TestStatus) -> [OutboxItem] { items.filter { $0.status == status } }
}

/// A test with what its file holds.
public struct StoredTest: Hashable, Sendable {
    public var record: TestRecord
    public var status: TestStatus
    /// The file's bytes as they are: what is sent.
    public var bytes: [UInt8]
    /// The file's modification time; in `done` the moment before which it is not to be sent.
    public var modified: Timestamp

    public var digest: Digest { Digest(sha256Of: bytes) }
}
