import Disk
import Model
import SystemPackage

/// An outbox as one tar archive: written for another machine, and read from one.
package struct OutboxTransfer: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }

    /// Selects the tests to export.
    package struct ExportFilter: Sendable {
        /// Only these states; all when empty.
        package var statuses: Set<TestStatus>
        /// Only tests that were finished, or started if still drafts, at this moment or later.
        package var since: Timestamp?

        package init(statuses: Set<TestStatus> = [], since: Timestamp? = nil) {
            self.statuses = statuses
            self.since = since
        }
    }

    package struct ExportReport: Sendable, Equatable {
        package var tests: [TestID] = []
        /// Of questionnaires and favourites.
        package var changes: [TestID] = []
        /// Files that are not tests or receipts; they are not exported.
        package var unreadable: [String] = []
        package init() {}
    }

    /// Writes the tests and changes with their receipts as a tar archive, sorted, each as of its own moment. Others may
    /// use the outbox meanwhile. The same outbox gives the same bytes.
    ///
    /// A test that is being sent is exported as waiting: the importing machine cannot know the outcome.
    ///
    /// - Parameters:
    ///   - includingMedia: whether the bytes of attachments are written, too.
    ///   - write: receives the archive's bytes, in order.
    ///   - note: gets each test and change as it is written.
    package func export(
        _ filter: ExportFilter = .init(), includingMedia: Bool = true, to write: ([UInt8]) throws -> Void,
        note: (OutboxItem, [UInt8], Receipt?) -> Void = { _, _, _ in }
    ) throws -> ExportReport {
        var report = ExportReport()
        var written: Set<Digest> = []
        for folder in [OutboxLayout.root] + OutboxLayout.statusFolders {
            try write(TarFormat.header(TarMember(name: folder.string, kind: .folder)))
        }
        for item in try outbox.scan().items.sorted(by: {
            ($0.id, $0.status.advancement) < ($1.id, $1.status.advancement)
        }) {
            do {
                guard let (stored, receipt) = try readable(item, &report), filter.includes(stored) else { continue }
                let status = stored.status == .sending ? .done : stored.status
                let modified = stored.modified
                let path = OutboxLayout.path(item.id, item.kind, status)
                try writeMember(path, stored.bytes, modified, to: write)
                if let receipt {
                    let path = OutboxLayout.receiptPath(item.id, status)
                    try writeMember(path, try DocumentCoding.encode(receipt), modified, to: write)
                }
                note(OutboxItem(id: item.id, kind: item.kind, status: status), stored.bytes, receipt)
                if item.kind != .test, status == .conflict, let theirs = try outbox.theirs(item.id) {
                    try writeMember(OutboxLayout.theirsPath(item.id), theirs, modified, to: write)
                }
                for digest in includingMedia ? stored.media : []
                where try outbox.media.hasBytes(digest) && written.insert(digest).inserted {
                    try writeMedia(digest, to: write)
                }
                if item.kind == .test { report.tests.append(item.id) } else { report.changes.append(item.id) }
            } catch let error as OutboxError {
                // One bad file stops nothing; doctor reports it.
                guard case .unreadable = error else { throw error }
                report.unreadable.append(error.description)
            }
        }
        try write(TarFormat.end)
        return report
    }

    /// The exported parts of a test or a change.
    fileprivate struct Carried {
        var status: TestStatus
        var bytes: [UInt8]
        var modified: Timestamp
        /// When it was finished, or started if still a draft.
        var date: Timestamp
        /// Its files that no server is known to have.
        var media: Set<Digest> = []
    }

    private func carried(_ item: OutboxItem) throws -> Carried {
        guard item.kind == .test else {
            let stored = try outbox.readChange(item)
            let isNeeded = item.kind == .media && !item.status.isDelivered
            return Carried(
                status: item.status, bytes: stored.bytes, modified: stored.modified, date: stored.change.dateChanged,
                media: isNeeded ? [stored.change.contentDigest] : [])
        }
        let stored = try outbox.read(item)
        return Carried(
            status: stored.status, bytes: stored.bytes, modified: stored.modified,
            date: stored.record.dateFinished ?? stored.record.dateStarted,
            media: stored.status.isDelivered ? [] : Set(stored.record.attachments.map(\.digest)))
    }

    /// The same as `settled`. A call may fail once and not again, so a file is unreadable only if it is so twice.
    private func readable(_ item: OutboxItem, _ report: inout ExportReport) throws -> (Carried, Receipt?)? {
        do {
            return try settled(item) { try outbox.receipt($0) }
        } catch OutboxError.unreadable {
            var unreadable: String?
            let found = try settled(item) { item throws(any Error) in
                do {
                    return try outbox.receipt(item)
                } catch let error as OutboxError {
                    // The answers are not lost with their receipt. What a server may have stays as it is.
                    unreadable = error.description
                    return item.status.isDelivered ? nil : outbox.interrupted(item)
                }
            }
            if let unreadable { report.unreadable.append(unreadable) }
            return found
        }
    }

    /// A test or a change with its receipt, both from one moment; `nil` if it is gone.
    private func settled(
        _ item: OutboxItem, _ receipt: (OutboxItem) throws -> Receipt?
    ) throws -> (Carried, Receipt?)? {
        try outbox.whereItLies(item) { item in
            let stored = try carried(item)
            return (
                stored,
                try outbox.receipt(readWith: item) { item in
                    item.status == .sending ? outbox.interrupted(item) : try receipt(item)
                }
            )
        }
    }

    private func writeMedia(_ digest: Digest, to write: ([UInt8]) throws -> Void) throws {
        let path = OutboxLayout.mediaPath(digest)
        let content = try OpenContent(path, in: fileSystem)
        let status = try content.status()
        let member = TarMember(
            name: path.string, kind: .file, sizeBytes: status.sizeBytes, modified: status.modified)
        try write(TarFormat.header(member))
        var offset: Int64 = 0
        while offset < status.sizeBytes {
            let piece = try content.piece(at: offset, maximumBytes: status.sizeBytes - offset)
            guard !piece.isEmpty else { throw FileError("read", fileSystem.root.pushing(path), .ioError) }
            try write(piece)
            offset += Int64(piece.count)
        }
        try write(TarFormat.padding(after: Int(status.sizeBytes)))
    }

    private func writeMember(
        _ path: FilePath, _ bytes: [UInt8], _ modified: Timestamp, to write: ([UInt8]) throws -> Void
    ) throws {
        try write(
            TarFormat.header(
                TarMember(name: path.string, kind: .file, sizeBytes: Int64(bytes.count), modified: modified)))
        try write(bytes)
        try write(TarFormat.padding(after: bytes.count))
    }
}

extension OutboxTransfer.ExportFilter {
    fileprivate func includes(_ carried: OutboxTransfer.Carried) -> Bool {
        if !statuses.isEmpty, !statuses.contains(carried.status) { return false }
        return since.map { carried.date >= $0 } ?? true
    }
}

extension Outbox {
    /// The outbox as an archive.
    package var transfer: OutboxTransfer { OutboxTransfer(outbox: self) }
}
