import Disk
import Model
import SystemPackage

/// Names of what is written down about the contact with the remote, built here and nowhere else.
enum JournalLayout {
    static let root: FilePath = "log"
    static let events: FilePath = "log/events.jsonl"
    static let formerEvents: FilePath = "log/events.1.jsonl"
    static let contact: FilePath = "log/contact.json"
}

/// One thing that happened.
public struct JournalEvent: Sendable, Codable, Hashable {
    public var at: Timestamp
    /// `finished`, `sent`, `rated`, `rejected`, `conflict`, `retry`, `pulled`, `edited`, …
    public var event: String
    public var test: TestID?
    public var questionnaire: String?
    public var title: String?
    public var detail: String?

    public init(
        at: Timestamp, event: String, test: TestID? = nil, questionnaire: String? = nil, title: String? = nil,
        detail: String? = nil
    ) {
        self.at = at
        self.event = event
        self.test = test
        self.questionnaire = questionnaire
        self.title = title
        self.detail = detail
    }
}

/// The last contact with the remote.
public struct Contact: Sendable, Codable, Hashable {
    public var at: Timestamp
    public var isReachable: Bool
    public var reason: String?
    /// The server's clock minus ours, in seconds, when the server told its time.
    public var skewSeconds: Double?
    /// When a sync was last completed.
    public var lastSync: Timestamp?
    /// When the list of questionnaires was last seen.
    public var lastPull: Timestamp?
}

/// What happened, one JSON object a line, and the last contact. It is told, not relied upon: nothing here is synced,
/// and no state is derived from it.
public struct Journal: Sendable {
    /// At this length the file becomes `events.1.jsonl` and a new one is begun.
    public static let rotationBytes: Int64 = 4 << 20

    private let fileSystem: any FileSystem
    private let clock: any StoreClock

    public init(fileSystem: any FileSystem, clock: any StoreClock) {
        self.fileSystem = fileSystem
        self.clock = clock
    }

    /// Appends events. A full disk or a damaged log stops nobody.
    public func record(_ events: [JournalEvent]) {
        guard !events.isEmpty else { return }
        do {
            try append(events)
        } catch {
            // The log tells what happened; it must never be the reason why something does not happen.
        }
    }

    public func record(
        _ event: String, test: TestID? = nil, questionnaire: String? = nil, title: String? = nil, detail: String? = nil
    ) {
        record([
            JournalEvent(
                at: clock.now, event: event, test: test, questionnaire: questionnaire, title: title, detail: detail)
        ])
    }

    private func append(_ events: [JournalEvent]) throws {
        try fileSystem.makeFolderIfMissing(JournalLayout.root)
        let file = try fileSystem.continuing { () throws(FileError) in
            try fileSystem.open(JournalLayout.events, .update)
        }
        defer { fileSystem.closeQuietly(file) }
        _ = try fileSystem.lock(file, wait: true)
        let end = try fileSystem.status(file).sizeBytes
        try fileSystem.writeAll(file, try events.flatMap { try DocumentCoding.encodeLine($0) }, at: end)
        if end > Journal.rotationBytes {
            try fileSystem.move(JournalLayout.events, to: JournalLayout.formerEvents, replacing: true)
        }
    }

    /// The events so far, the oldest first; lines that are not events are passed over.
    public func events() throws -> [JournalEvent] {
        var events: [JournalEvent] = []
        for path in [JournalLayout.formerEvents, JournalLayout.events] {
            guard try fileSystem.status(at: path) != nil else { continue }
            let (bytes, _) = try fileSystem.readFile(path, maximumBytes: Journal.rotationBytes * 2)
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                if let event = try? DocumentCoding.decode(JournalEvent.self, from: Array(line)) { events.append(event) }
            }
        }
        return events
    }

    /// The last contact; `nil` when there was none.
    public func contact() -> Contact? {
        guard let (bytes, _) = try? fileSystem.readFile(JournalLayout.contact, maximumBytes: 1 << 16) else {
            return nil
        }
        return try? DocumentCoding.decode(Contact.self, from: bytes)
    }

    /// Notes a contact: what is `nil` here stays as it was.
    public func note(_ contact: Contact) {
        var merged = contact
        let former = self.contact()
        merged.lastSync = contact.lastSync ?? former?.lastSync
        merged.lastPull = contact.lastPull ?? former?.lastPull
        merged.skewSeconds = contact.skewSeconds ?? former?.skewSeconds
        do {
            try fileSystem.makeFolderIfMissing(JournalLayout.root)
            try fileSystem.removeAbandonedTemporaryFiles(in: JournalLayout.root)
            try fileSystem.writeUnsynced(
                try DocumentCoding.encode(merged), to: JournalLayout.contact, temporaryFolder: JournalLayout.root)
        } catch {
            // As for events: it is told, not relied upon.
        }
    }
}
