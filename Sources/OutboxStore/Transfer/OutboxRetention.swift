import Disk
import Model
import SystemPackage

/// How long delivered tests stay.
package struct OutboxRetention: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }
    var quarantine: Quarantine { outbox.quarantine }

    /// Where forgotten tests go.
    package enum ForgottenPlace: Sendable {
        case quarantine
        /// They are removed for good.
        case nowhere
    }

    /// Why a delivered test stays.
    package enum ForgetRefusal: String, Sendable, Encodable {
        /// Its receipt is missing, damaged, or of other bytes: nothing proves that the server has it.
        case unproven
        /// A person still looks at it.
        case checking
        /// Something else refers to it: a correction, or another version of it, that is not delivered.
        case needed
        /// One of its files is not delivered.
        case undeliveredFiles = "undelivered-files"
    }

    package struct ForgetReport: Sendable {
        package var forgotten: [TestID] = []
        package var kept: [TestID: ForgetRefusal] = [:]
    }

    /// Removes the tests that were delivered, and rated where that was later, before a moment: their files, attachments and
    /// receipts. Killed in between, it is completed by the next call.
    ///
    /// - Parameter isDryRun: nothing is removed.
    /// - Throws: `OutboxError.sweeperIsRunning`.
    package func forget(
        deliveredBefore moment: Timestamp, to place: ForgottenPlace, isDryRun: Bool = false
    ) throws -> ForgetReport {
        let report = try outbox.queue.exclusively { lock in
            var report = ForgetReport()
            let scan = try outbox.scan()
            let attachments = try attachmentsByTest()
            let needed = try neededTests(scan)
            for item in scan.tests where item.status.isDelivered {
                guard let time = try provenTime(item) else {
                    report.kept[item.id] = .unproven
                    continue
                }
                guard time < moment else { continue }
                let files = attachments[item.id] ?? []
                if item.status == .checking {
                    report.kept[item.id] = .checking
                } else if needed.contains(item.id) || scan.duplicates[item.id] != nil {
                    report.kept[item.id] = .needed
                } else if try !files.allSatisfy({
                    try $0.status.isDelivered && outbox.receipt($0)?.status?.isDelivered == true
                }) {
                    report.kept[item.id] = .undeliveredFiles
                } else {
                    report.forgotten.append(item.id)
                    if isDryRun { continue }
                    // The test after its attachments and before its receipt: whatever is left says what it is.
                    for file in files { try forget(file, to: place) }
                    try forget(item, to: place)
                }
            }
            if isDryRun { return report }
            try forgetReceipts(scan, deliveredBefore: moment, to: place)
            try outbox.attachments.tidy(lock)
            return report
        }
        guard let report else { throw OutboxError.sweeperIsRunning }
        return report
    }

    private func attachmentsByTest() throws -> [TestID: [OutboxItem]] {
        var found: [TestID: [OutboxItem]] = [:]
        for stored in try outbox.changes(.media) {
            if case .media(let media) = stored.change, case .test(let test) = media.owner {
                found[test, default: []].append(stored.item)
            }
        }
        return found
    }

    /// Tests that others which are not delivered refer to. Where one of those cannot be read, it may refer to any.
    private func neededTests(_ scan: OutboxScan) throws -> Set<TestID> {
        var needed: Set<TestID> = []
        for item in scan.tests where !item.status.isDelivered {
            guard let record = try? outbox.read(item).record else { return Set(scan.tests.map(\.id)) }
            needed.formUnion([record.parent, record.orderOf, item.id].compactMap(\.self))
        }
        return needed
    }

    /// When the server had an item, and had rated it; `nil` unless its receipt proves that the server has these bytes.
    private func provenTime(_ item: OutboxItem) throws -> Timestamp? {
        guard let receipt = try? outbox.receipt(item), receipt.test == item.id, receipt.status?.isDelivered == true,
            let received = receipt.receivedAt, let digest = receipt.digest,
            digest == Digest(sha256Of: try outbox.bytes(of: item))
        else { return nil }
        return max(received, receipt.evaluation?.ratedAt ?? received)
    }

    private func forget(_ item: OutboxItem, to place: ForgottenPlace) throws {
        let receipt = OutboxLayout.receiptPath(item.id, item.status)
        for path in [item.path, receipt] { try forget(path, to: place) }
    }

    private func forget(_ path: FilePath, to place: ForgottenPlace) throws {
        switch place {
        case .quarantine: try quarantine.take(path, reason: "delivered, and forgotten by its owner")
        case .nowhere:
            try fileSystem.removeIfPresent(path)
            try fileSystem.makeDurable(folder: path.folder)
        }
    }

    /// Receipts whose tests an earlier call took before it was killed.
    private func forgetReceipts(
        _ scan: OutboxScan, deliveredBefore moment: Timestamp, to place: ForgottenPlace
    ) throws {
        let known = Set(scan.items.map(\.id))
        for item in scan.receipts where item.status.isDelivered && !known.contains(item.id) {
            guard let receipt = try? outbox.receipt(item), receipt.action == nil, let received = receipt.receivedAt,
                max(received, receipt.evaluation?.ratedAt ?? received) < moment
            else { continue }
            try forget(OutboxLayout.receiptPath(item.id, item.status), to: place)
        }
    }
}

extension Outbox {
    /// How long delivered tests stay.
    package var retention: OutboxRetention { OutboxRetention(outbox: self) }
}
