import Disk
import Model
import SystemPackage

/// Names of the files about the contact with the remote, built only here.
enum JournalLayout {
    static let root: FilePath = "log"
    static let events: FilePath = "log/events.jsonl"
    static let formerEvents: FilePath = "log/events.1.jsonl"
    static let contact: FilePath = "log/contact.json"
    static let missing: FilePath = "log/missing.json"
    static let progress: FilePath = "log/progress.json"
}

/// One thing that happened.
package struct JournalEvent: Sendable, Codable, Hashable {
    package var at: Timestamp
    /// `finished`, `sent`, `rated`, `rejected`, `conflict`, `retry`, `pulled`, `edited`, …
    package var event: String
    package var test: TestID?
    /// The change of a questionnaire or a favourite that it happened to.
    package var change: TestID?
    package var questionnaire: String?
    package var title: String?
    package var detail: String?

    package init(
        at: Timestamp, event: String, test: TestID? = nil, change: TestID? = nil, questionnaire: String? = nil,
        title: String? = nil, detail: String? = nil
    ) {
        self.change = change
        self.at = at
        self.event = event
        self.test = test
        self.questionnaire = questionnaire
        self.title = title
        self.detail = detail
    }
}

/// The last contact with the remote.
package struct Contact: Sendable, Codable, Hashable {
    package var at: Timestamp
    package var isReachable: Bool
    package var reason: String?
    /// The obstacle to the next attempt, if there is one.
    package var trouble: Trouble?
    /// The server's clock minus ours, in seconds, when the server stated its time.
    package var skewSeconds: Double?
    /// When that was, by our clock.
    package var skewAt: Timestamp?
    /// When a sync was last completed.
    package var lastSync: Timestamp?
    /// When the list of questionnaires was last seen.
    package var lastPull: Timestamp?
    /// When the complete list was last requested: earlier deliveries that are not in the cache are not on the server.
    package var lastListing: Timestamp?
    /// How many questionnaires the last complete list lacked that are kept until a later one confirms their removal.
    package var heldRemovals: Int?

    /// Why a contact was of no use though something answered.
    package enum Trouble: String, Sendable, Codable, Hashable {
        /// The server does not accept the token, or wants one.
        case tokenRefused = "token-refused"
        /// Another page answers in the place of the server.
        case notTheServer = "not-the-server"
    }

    /// A difference of less is of no account.
    static let tolerableSkewSeconds = 120.0
    /// An older comparison says nothing: the clock may have been set since.
    static let longestSkewAge = 86_400.0

    /// The time that the server stated last, and when that was by this machine's clock.
    package var serverTime: (time: Timestamp, moment: Timestamp)? {
        guard let skewSeconds, let moment = skewAt ?? (isReachable ? at : nil) else { return nil }
        return (moment.adding(seconds: skewSeconds), moment)
    }

    /// How far this machine's clock is from the server's, in seconds, where that is much and was seen lately.
    package func clockSkewSeconds(now: Timestamp) -> Double? {
        guard let skewSeconds, abs(skewSeconds) > Self.tolerableSkewSeconds,
            abs(now.seconds(since: skewAt ?? at)) < Self.longestSkewAge
        else { return nil }
        return skewSeconds
    }
}

/// A log of events, one JSON object a line, and the last contact. It informs and is not relied upon: nothing here is
/// synced, and no state is derived from it, except that without it a questionnaire that was made here and deleted
/// elsewhere is shown once more.
package struct Journal: Sendable {
    /// At this length the file becomes `events.1.jsonl` and a new one is started.
    package static let rotationBytes: Int64 = 4 << 20
    /// `{"at":"2026-11-21","event":""}`
    static let shortestLineBytes = 30

    let fileSystem: any FileSystem
    private let clock: any StoreClock
    private var observer: (@Sendable ([JournalEvent]) -> Void)?

    package init(fileSystem: any FileSystem, clock: any StoreClock) {
        self.fileSystem = fileSystem
        self.clock = clock
    }

    /// The same journal, which also notifies the observer of each record.
    package func observed(by observer: @escaping @Sendable ([JournalEvent]) -> Void) -> Journal {
        var observed = self
        observed.observer = observer
        return observed
    }

    /// Appends events. A full disk or a damaged log blocks nothing.
    package func record(_ events: [JournalEvent]) {
        guard !events.isEmpty else { return }
        observer?(events)
        do {
            try append(events)
        } catch {
            // The log reports events; it must never be the reason why one does not happen.
        }
    }

    package func record(
        _ event: String, test: TestID? = nil, change: TestID? = nil, questionnaire: String? = nil,
        title: String? = nil, detail: String? = nil
    ) {
        record([
            JournalEvent(
                at: clock.now, event: event, test: test, change: change, questionnaire: questionnaire, title: title,
                detail: detail)
        ])
    }

    private func append(_ events: [JournalEvent]) throws {
        try fileSystem.makeFolderIfMissing(JournalLayout.root)
        let file = try openLocked()
        defer { fileSystem.closeQuietly(file) }
        let end = try fileSystem.status(file).sizeBytes
        var lines = try events.flatMap { try DocumentCoding.encodeLine($0) }
        // A line that was broken off by a kill or a full disk is not to spoil the next one.
        if end > 0, try !endsWithLine(file, sizeBytes: end) { lines.insert(UInt8(ascii: "\n"), at: 0) }
        try fileSystem.writeAll(file, lines, at: end)
        if end > Journal.rotationBytes {
            try fileSystem.move(JournalLayout.events, to: JournalLayout.formerEvents, replacing: true)
        }
    }

    /// The current file of that name: the wait for the lock may have been a wait for a rotation.
    private func openLocked() throws -> OpenFile {
        while true {
            let file = try fileSystem.continuing { () throws(FileError) in
                try fileSystem.open(JournalLayout.events, .update)
            }
            do throws(FileError) {
                _ = try fileSystem.lock(file, wait: true)
                if try fileSystem.status(at: JournalLayout.events)?.inode == fileSystem.status(file).inode {
                    return file
                }
            } catch {
                fileSystem.closeQuietly(file)
                throw error
            }
            fileSystem.closeQuietly(file)
        }
    }

    private func endsWithLine(_ file: OpenFile, sizeBytes: Int64) throws -> Bool {
        var last: UInt8 = 0
        let count = try withUnsafeMutableBytes(of: &last) { try fileSystem.read(file, into: $0, at: sizeBytes - 1) }
        return count == 1 && last == UInt8(ascii: "\n")
    }

    /// Events from now on, or from the oldest one, across rotations; `next` returns the new ones.
    package func tail(fromBeginning: Bool) throws -> JournalTail {
        try JournalTail(fileSystem: fileSystem, fromBeginning: fromBeginning)
    }

    /// Makes the folder, so that it can be watched.
    package func prepare() throws(FileError) { try fileSystem.makeFolderIfMissing(JournalLayout.root) }

    /// The folder of the files, below the store, for watching.
    package static var folder: FilePath { JournalLayout.root }
    /// Each is recreated where it is missing.
    package static let files: [FilePath] = [JournalLayout.events, JournalLayout.formerEvents, JournalLayout.contact]

    /// The events so far, the oldest first; lines that are not events are passed over.
    package func events() throws -> [JournalEvent] {
        var events: [JournalEvent] = []
        for path in [JournalLayout.formerEvents, JournalLayout.events] {
            guard try fileSystem.status(at: path) != nil else { continue }
            let (bytes, _) = try fileSystem.readFile(path, maximumBytes: Journal.rotationBytes * 2)
            events += Self.events(in: bytes[...])
        }
        return events
    }

    /// The lines that are events.
    static func events(in bytes: ArraySlice<UInt8>) -> [JournalEvent] {
        var events: [JournalEvent] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
            defer { start = end + 1 }
            // Millions of lines that are too short for an event are not worth a look.
            guard end - start >= Journal.shortestLineBytes else { continue }
            guard let event = try? DocumentCoding.decode(JournalEvent.self, from: Array(bytes[start..<end])) else {
                continue
            }
            events.append(event)
        }
        return events
    }

    /// The last contact; `nil` when there was none.
    package func contact() -> Contact? {
        guard let (bytes, _) = try? fileSystem.readFile(JournalLayout.contact, maximumBytes: 1 << 16) else {
            return nil
        }
        return try? DocumentCoding.decode(Contact.self, from: bytes)
    }

    /// Records a contact: `nil` here means unchanged.
    package func note(_ contact: Contact) {
        var merged = contact
        let former = self.contact()
        merged.lastSync = contact.lastSync ?? former?.lastSync
        merged.lastPull = contact.lastPull ?? former?.lastPull
        merged.lastListing = contact.lastListing ?? former?.lastListing
        merged.heldRemovals = contact.heldRemovals ?? former?.heldRemovals
        if contact.skewSeconds == nil { (merged.skewSeconds, merged.skewAt) = (former?.skewSeconds, former?.skewAt) }
        do {
            try fileSystem.makeFolderIfMissing(JournalLayout.root)
            // Files of killed writers: this folder has no sweep of its own.
            try fileSystem.removeAbandonedTemporaryFiles(in: JournalLayout.root, isShared: true)
            try fileSystem.writeUnsynced(
                try DocumentCoding.encode(merged), to: JournalLayout.contact, temporaryFolder: JournalLayout.root)
        } catch {
            // As for events: it informs and is not relied upon.
        }
    }
}
