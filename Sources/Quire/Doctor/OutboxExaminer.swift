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
                reportStranger(
                    OutboxLayout.root.appending(entry.name), entry,
                    say("it does not belong into the outbox"))
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
        let name = stranger.path.lastComponent?.string ?? ""
        if kind == .symbolicLink || kind == .other {
            let what = say("it is \(words(kind)), not a file")
            report(.notAFile, stranger.path, what, quarantineAdvice) { try self.quarantine(stranger.path, what) }
            return
        }
        let what =
            kind == .folder
            ? say("it is a folder, not a file")
            : say("its name is not that of a test (UUID.test.json)")
        reportStranger(stranger.path, FolderEntry(name: name, kind: kind), what)
    }

    // MARK: One test

    private func checkTest(_ item: OutboxItem) throws {
        let stored: StoredTest
        do {
            stored = try store.outbox.read(item)
        } catch OutboxError.notFound {
            return
        } catch OutboxError.unreadable(let path, let reason) {
            return reportUnreadable(item, path, say("it is not a test: \(reason)"))
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
            report(
                .receipt, item.path,
                say("it counts as delivered and has no receipt"),
                say("the next sync asks the server for it"))
        } catch OutboxError.notFound {
            return
        } catch OutboxError.unreadable(let path, let reason) {
            reportUnreadable(item, path, say("it is not a \(item.kind.rawValue) on its way: \(reason)"))
        }
    }

    private func reportUnreadable(_ item: OutboxItem, _ path: String, _ what: String) {
        if let fault = accessFault(item.path) { return reportAccess(item, fault) }
        report(.unreadable, FilePath(path), what, say("repair it with an editor, or ") + quarantineAdvice) {
            try self.quarantineUnreadable(item)
        }
    }

    private func checkBytes(of media: MediaChange, _ item: OutboxItem) throws {
        guard !item.status.isDelivered, try store.testAttachments.isLost(media.digest),
            try fileSystem.status(at: item.path) != nil
        else { return }
        let bytes = store.path.pushing(OutboxLayout.mediaPath(media.digest)).string
        report(
            .orphan, item.path,
            say("the bytes of “\(media.name)” are not here"),
            say("put the file back as \(bytes); until then what it belongs to goes without it"))
    }

    private func checkMedia() throws {
        for entry in try store.outbox.survey.mediaStrangers() {
            reportStranger(
                OutboxLayout.media.appending(entry.name), entry,
                say("its name is not the SHA-256 of an attachment"))
        }
        for path in try store.outbox.survey.damagedMedia() {
            report(
                .changed, path,
                say("its bytes are not those of its name"),
                say("restore it from a backup; the server would not take it as it is"))
        }
    }

    /// It may be as good as any: it stays where it is.
    private func reportAccess(_ item: OutboxItem, _ fault: FileError) {
        report(
            .permissions, item.path, say("it cannot be read: \(fault)"),
            say(
                "it is not sent as long as it cannot be read; where its mode is the reason, “quire doctor --repair” gives it back"
            )
        ) {
            try self.quarantineUnreadable(item)
        }
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
                return try self.quarantine(item.path, reason)
            } catch OutboxError.notFound {
                return true
            }
        } ?? false
    }

    private func checkDraft(_ stored: StoredTest, _ item: OutboxItem) throws {
        for file in try store.testAttachments.lost(of: stored.record) where try fileSystem.status(at: item.path) != nil
        {
            let command = "quire attach \(item.id) \(QuestionInstance.typed(file.questionId))"
            report(
                .orphan, item.path,
                say("the bytes of “\(file.name)” (question \(QuestionInstance.written(file.questionId))) are not here"),
                say("attach it again with “\(command) FILE”, or take it away with “\(command) \(file.mark) --remove”"))
        }
        let questionnaire = stored.record.questionnaire
        guard try !store.cache.isPresent(digest: questionnaire.digest) else { return }
        // Documents made or changed here are in the outbox.
        if (try? store.questionnaire(of: stored.record)) != nil { return }
        guard try fileSystem.status(at: item.path) != nil else { return }
        report(
            .orphan, item.path,
            say("the version of “\(questionnaire.id)” that it was started with is not on this device"),
            say(
                "“quire pull” fetches it if the server still has it; “quire finish \(item.id)” sends the answers as they are"
            ))
    }

    private func checkWaiting(_ stored: StoredTest, _ item: OutboxItem) throws {
        // A damaged receipt is named by itself.
        if let tried = (try? store.outbox.receipt(item))?.digest, tried != stored.digest {
            report(
                .changed, item.path,
                say("it was changed after it was first sent, so the server may hold other answers"),
                say("“quire outbox reopen \(item.id)” makes a new revision of it"))
        }
    }

    private func checkDelivered(_ stored: StoredTest, _ item: OutboxItem) throws {
        let askAgain = say(
            "the next sync asks the server for it, and sends the test again where the server has not got it")
        let receipt: Receipt?
        do {
            receipt = try store.outbox.receipt(item)
        } catch let error as OutboxError {
            return report(.receipt, item.path, error.description, askAgain)
        }
        // Moved on since it was listed: its receipt went before it.
        guard try fileSystem.status(at: item.path) != nil else { return }
        guard let receipt, let digest = receipt.digest else {
            return report(
                .receipt, item.path,
                say("it counts as delivered and has no receipt"), askAgain
            )
        }
        if digest != stored.digest {
            report(
                .receipt, item.path,
                say("its bytes are not those that the server acknowledged"),
                say("restore the file from a backup; the server has the version \(digest)"))
        }
    }

    // MARK: Duplicates and receipts

    private func checkDuplicate(_ id: TestID, _ kind: OutboxKind, _ statuses: [TestStatus]) throws {
        // For changes, the next sync settles duplicates, and nothing reads two of them.
        guard kind == .test, let first = statuses.first, try !isConflict(id, statuses),
            try statuses.dropFirst().contains(where: { try store.outbox.survey.isTwice(id, first, $0) })
        else { return }
        let names = statuses.map(\.rawValue).joined(separator: say(" and "))
        report(
            .duplicate, OutboxLayout.testPath(id, first), say("the test lies in \(names)"),
            say("the next sync, or “quire doctor --repair”, settles it by the most advanced status")
        ) {
            try self.recover()
        }
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
            report(
                .unreadable, path, say("it is not a receipt: \(fault)"),
                say("repair it with an editor, or ") + quarantineAdvice
            ) {
                try self.store.outbox.queue.exclusively { _ in
                    try self.restoreAccess(path)
                    guard let fault = try self.store.outbox.survey.receiptFault(receipt) else { return true }
                    return try self.quarantine(path, fault)
                } ?? false
            }
        }
        guard !scan.items.contains(where: { $0.id == receipt.id }), try store.outbox.find(receipt.id) == nil,
            try fileSystem.status(at: path) != nil
        else { return }
        let what = say("a receipt without its test")
        report(
            .orphan, path, what,
            say("put the test back beside it, or ") + quarantineAdvice
        ) {
            try self.store.outbox.queue.exclusively { _ in
                if try self.store.outbox.find(receipt.id) != nil { return true }
                return try self.quarantine(path, what)
            } ?? false
        }
    }

    // MARK: The outbox's own files

    private func checkTemporary() throws {
        guard try fileSystem.status(at: OutboxLayout.temporary)?.kind == .folder else { return }
        for entry in try fileSystem.list(OutboxLayout.temporary) where !fileSystem.isTemporaryName(entry.name) {
            reportStranger(
                OutboxLayout.temporary.appending(entry.name), entry,
                say("it is not a file of Quire's"))
        }
    }

    private func checkSequence() throws {
        guard let fault = try store.outbox.sequence.fault() else { return }
        report(
            .derived, OutboxLayout.sequence,
            say("the last number given out cannot be read: \(fault)"),
            repairAdvice
        ) {
            try self.store.outbox.sequence.forget()
            return true
        }
    }

    private func checkReserve() throws {
        guard try fileSystem.status(at: OutboxLayout.root)?.kind == .folder, try !store.outbox.survey.hasReserve(),
            try store.outbox.survey.hasPlentyOfRoom(), try fileSystem.volume().kind == .local
        else { return }
        report(
            .space, OutboxLayout.reserve,
            say("no space is set aside for answers on a full disk"),
            say("run “quire doctor --repair” to set it aside")
        ) {
            try self.store.outbox.survey.renewReserve()
        }
    }
}
