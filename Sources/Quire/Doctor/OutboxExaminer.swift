import CacheStore
import Disk
import Model
import OutboxStore
import SystemPackage

/// Examines the tests, their receipts, and the outbox's own files.
struct OutboxExaminer: Examiner {
    let examination: Examination

    func examine() {
        check(OutboxLayout.root) {
            for entry in try store.outbox.survey.strangers() {
                reportStranger(OutboxLayout.root.appending(name: entry.name), .stranger(.outbox))
            }
        }
        check(OutboxLayout.root) {
            let scan = try store.outbox.scan()
            for stranger in scan.strangers where !isNamed(stranger.path) { reportStranger(stranger) }
            for item in scan.items where !isNamed(item.path) {
                check(item.path) { if item.kind == .test { try checkTest(item) } else { try checkChange(item) } }
            }
            for (id, statuses) in scan.duplicates.sorted(by: { $0.key < $1.key }) {
                try checkDuplicate(id, scan.kind(of: id), statuses)
            }
            // Repairs may have left receipts without their tests.
            let left = isRepairing ? try store.outbox.scan() : scan
            for receipt in left.receipts {
                check(OutboxLayout.receiptPath(receipt.id, receipt.status)) { try checkReceiptFile(receipt, left) }
            }
        }
        check(OutboxLayout.media) { try checkMedia() }
        check(OutboxLayout.temporary) { try checkTemporary() }
        check(OutboxLayout.sequence) { try checkSequence() }
        check(OutboxLayout.reserve) { try checkReserve() }
    }

    private func reportStranger(_ stranger: OutboxScan.Stranger) {
        let kind = (try? fileSystem.status(at: stranger.path))??.kind ?? .regular
        switch kind {
        case .symbolicLink, .other: reportForQuarantine(stranger.path, .notAFile(kind))
        case .folder: reportStranger(stranger.path, .notAFile(kind))
        case .regular: reportStranger(stranger.path, .misnamed(.test))
        }
    }

    // MARK: One test

    private func checkTest(_ item: OutboxItem) throws {
        let stored: StoredTest
        do {
            stored = try store.outbox.read(item)
        } catch OutboxError.notFound {
            return
        } catch OutboxError.unreadable(let path, let reason) {
            return reportUnreadable(item, path, reason)
        }
        switch item.status {
        case .empty, .inProgress: try checkDraft(stored, item)
        case .done: try checkWaiting(stored, item)
        case .sent, .checking, .rated: try checkDelivered(stored, item)
        case .sending, .conflict, .rejected: break
        }
    }

    /// A questionnaire or a favourite on its way to the server.
    private func checkChange(_ item: OutboxItem) throws {
        do {
            let stored = try store.outbox.readChange(item)
            if case .media(let media) = stored.change { try checkBytes(of: media, item) }
            guard item.status.isDelivered, try store.outbox.receipt(item)?.digest == nil,
                try fileSystem.status(at: item.path) != nil
            else { return }
            report(item.path, .missingReceipt(item.kind))
        } catch OutboxError.notFound {
            return
        } catch OutboxError.unreadable(let path, let reason) {
            reportUnreadable(item, path, reason)
        }
    }

    /// A file that cannot be read may be intact: it stays where it is.
    private func reportUnreadable(_ item: OutboxItem, _ path: String, _ reason: String) {
        let fault = accessFault(item.path)
        report(
            fault == nil ? FilePath(path) : item.path,
            fault.map(Finding.What.inaccessible) ?? .unreadable(.item(item.kind), reason: reason)
        ) {
            try self.quarantineUnreadable(item)
        }
    }

    private func checkBytes(of media: MediaChange, _ item: OutboxItem) throws {
        guard !item.status.isDelivered, try store.testAttachments.isLost(media.digest),
            try fileSystem.status(at: item.path) != nil
        else { return }
        let file = store.path.pushing(OutboxLayout.mediaPath(media.digest))
        report(item.path, .lostMedium(name: media.name, file: file))
    }

    private func checkMedia() throws {
        for entry in try store.outbox.survey.mediaStrangers() {
            reportStranger(OutboxLayout.media.appending(name: entry.name), .misnamed(.attachment))
        }
        for path in try store.outbox.survey.damagedMedia() { report(path, .changedMedium) }
    }

    /// Checks it again under the lock: a person may be editing or moving it.
    private func quarantineUnreadable(_ item: OutboxItem) throws -> Bool {
        try store.outbox.queue.exclusively { _ in
            try self.restoreAccess(item.path)
            do {
                if item.kind == .test {
                    _ = try self.store.outbox.read(item)
                } else {
                    _ = try self.store.outbox.readChange(item)
                }
                return true
            } catch OutboxError.unreadable(_, let reason) {
                return try self.quarantine(item.path, reason: reason)
            } catch OutboxError.notFound {
                return true
            }
        } ?? false
    }

    private func checkDraft(_ stored: StoredTest, _ item: OutboxItem) throws {
        for file in try store.testAttachments.lost(of: stored.record) where try fileSystem.status(at: item.path) != nil
        {
            report(item.path, .lostAttachment(file, item.id))
        }
        let questionnaire = stored.record.questionnaire
        guard try !store.cache.isPresent(digest: questionnaire.digest) else { return }
        // Documents made or changed here are in the outbox.
        if (try? store.questionnaire(of: stored.record)) != nil { return }
        guard try fileSystem.status(at: item.path) != nil else { return }
        report(item.path, .lostVersion(questionnaire: questionnaire.id, item.id))
    }

    private func checkWaiting(_ stored: StoredTest, _ item: OutboxItem) throws {
        // A damaged receipt is named by itself.
        if let tried = (try? store.outbox.receipt(item))?.digest, tried != stored.digest {
            report(item.path, .changedAfterSending(item.id))
        }
    }

    private func checkDelivered(_ stored: StoredTest, _ item: OutboxItem) throws {
        let receipt: Receipt?
        do {
            receipt = try store.outbox.receipt(item)
        } catch let error as OutboxError {
            return report(item.path, .receiptFault(error))
        }
        // Moved on since it was listed: its receipt went before it.
        guard try fileSystem.status(at: item.path) != nil else { return }
        guard let receipt, let digest = receipt.digest else {
            return report(item.path, .missingReceipt(.test))
        }
        if digest != stored.digest { report(item.path, .notAcknowledged(acknowledged: digest)) }
    }

    // MARK: Duplicates and receipts

    private func checkDuplicate(_ id: TestID, _ kind: OutboxKind, _ statuses: [TestStatus]) throws {
        // For changes, the next sync settles duplicates, and nothing reads two of them.
        guard kind == .test, let first = statuses.first, try !isConflict(id, statuses),
            try statuses.dropFirst().contains(where: { try store.outbox.survey.isTwice(id, first, $0) })
        else { return }
        report(OutboxLayout.testPath(id, first), .duplicate(statuses)) { try self.recover() }
    }

    /// Two versions of one test, one of them in `conflict`: valid until the person decides.
    private func isConflict(_ id: TestID, _ statuses: [TestStatus]) throws -> Bool {
        guard statuses.count == 2, statuses.contains(.conflict) else { return false }
        let versions = statuses.map { try? store.outbox.read(OutboxItem(id: id, status: $0)).digest }
        return versions[0] != versions[1]
    }

    /// Recovers as the sweeper does before it sends: `false` during a sweep.
    private func recover() throws -> Bool {
        guard let lock = try store.outbox.queue.acquireSweepLock() else { return false }
        defer { lock.release() }
        try store.outbox.queue.recover(lock)
        return true
    }

    private func checkReceiptFile(_ receipt: OutboxItem, _ scan: OutboxScan) throws {
        let path = OutboxLayout.receiptPath(receipt.id, receipt.status)
        if let fault = try store.outbox.survey.receiptFault(receipt), !isNamed(receipt.path) {
            report(path, .unreadable(.receipt, reason: fault)) {
                try self.store.outbox.queue.exclusively { _ in
                    try self.restoreAccess(path)
                    guard let fault = try self.store.outbox.survey.receiptFault(receipt) else { return true }
                    return try self.quarantine(path, reason: fault)
                } ?? false
            }
        }
        guard !scan.items.contains(where: { $0.id == receipt.id }), try store.outbox.find(receipt.id) == nil,
            try fileSystem.status(at: path) != nil
        else { return }
        report(path, .receiptWithoutTest) {
            try self.store.outbox.queue.exclusively { _ in
                if try self.store.outbox.find(receipt.id) != nil { return true }
                return try self.quarantine(path, .receiptWithoutTest)
            } ?? false
        }
    }

    // MARK: The outbox's own files

    private func checkTemporary() throws {
        guard try fileSystem.status(at: OutboxLayout.temporary)?.kind == .folder else { return }
        for entry in try fileSystem.list(OutboxLayout.temporary) where !fileSystem.isTemporaryName(entry.name) {
            reportStranger(OutboxLayout.temporary.appending(name: entry.name), .notTemporary)
        }
    }

    private func checkSequence() throws {
        guard let reason = try store.outbox.sequence.fault() else { return }
        report(OutboxLayout.sequence, .unreadableSequence(reason: reason)) {
            try self.store.outbox.sequence.forget()
            return true
        }
    }

    private func checkReserve() throws {
        guard try fileSystem.status(at: OutboxLayout.root)?.kind == .folder, try !store.outbox.survey.hasReserve(),
            try store.outbox.survey.hasPlentyOfRoom(), try fileSystem.volume().kind == .local
        else { return }
        report(OutboxLayout.reserve, .noReserve) { try self.store.outbox.survey.renewReserve() }
    }
}
