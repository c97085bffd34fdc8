import Disk
import Model
import SystemPackage

/// The end of a draft, and what a person does with a test afterwards.
extension OutboxEdits {
    /// Freezes a draft: its bytes no longer change, and it waits to be sent.
    ///
    /// - Parameter confirm: gets the final record under the lock, and may complete it; an error leaves a draft.
    @discardableResult
    package func finish(
        _ id: TestID, at moment: Timestamp? = nil, confirm: (inout TestRecord) throws -> Void = { _ in }
    ) throws -> StoredTest {
        try outbox.editing {
            guard let item = try outbox.find(id) else { throw OutboxError.notFound(id.description) }
            guard item.status.isDraft else { throw OutboxError.frozen(id, item.status) }
            var record = try outbox.read(item).record
            try confirm(&record)
            record.dateFinished = moment ?? clock.now
            // The test's attachments wait beside it before it is frozen.
            try outbox.attachments.add(of: record)
            // The final bytes first, in the draft's place; then the move, which changes no byte. So a crash leaves a
            // draft or a finished test, never two different ones.
            var stored = try write(record, as: item.status, replacing: true)
            if try outbox.moves.move([OutboxMove(item, to: .done)]).isEmpty {
                throw OutboxError.illegalMove(id, from: item.status, to: .done)
            }
            stored.status = .done
            return stored
        }
    }

    /// Makes a finished test a draft again.
    ///
    /// As long as no attempt was made to send it, it is the same test. Once the server may have its bytes, they must
    /// not change: then a new revision is started from its answers, with it as the parent.
    package func reopen(_ id: TestID, deviceID: String) throws -> StoredTest {
        try outbox.editing(.backward) {
            let item = try outbox.undecided(id)
            guard item.kind == .test else { throw OutboxError.noTest(id, item.kind) }
            if item.status.isDraft { return try outbox.read(item) }
            let mayHaveArrived = try outbox.receipt(item)?.delivery?.mayHaveArrived ?? false
            if item.status == .done, !mayHaveArrived {
                let path = OutboxLayout.receiptPath(id, .done)
                if try outbox.moves.move([OutboxMove(item, to: .inProgress)]).isEmpty {
                    throw OutboxError.sweeperIsRunning
                }
                // A sweeper may have tried it, and returned it, since the check above: from here on it cannot.
                let draft = OutboxItem(id: id, status: .inProgress)
                if try outbox.receipt(item)?.delivery?.mayHaveArrived == true {
                    try outbox.moves.move([OutboxMove(draft, to: .done)])
                    throw OutboxError.sweeperIsRunning
                }
                try fileSystem.removeIfPresent(path)
                let stored = try outbox.read(draft)
                // They wait for a finished test, and are recreated when it is finished again.
                try outbox.attachments.withdraw(of: stored.record)
                return stored
            }
            if item.status == .sending { throw OutboxError.illegalMove(id, from: .sending, to: .inProgress) }
            // The receipts that a sweeper asks for move it on meanwhile.
            guard let parent = try outbox.whereItLies(item, outbox.read)?.record else {
                throw OutboxError.notFound(id.description)
            }
            var revision = parent
            revision.id = outbox.makeID()
            revision.parent = parent.id
            if parent.shown != nil { revision.orderOf = parent.orderID }
            revision.deviceId = deviceID
            revision.sequence = try outbox.sequence.next(deviceID: deviceID)
            revision.dateStarted = clock.now
            revision.dateFinished = nil
            revision.attachments = parent.attachments.map(outbox.attachments.renewed)
            return try write(revision, as: .inProgress, replacing: false)
        }
    }

    /// Sends a rejected test again, or one that waits for its time immediately.
    ///
    /// - Throws: `OutboxError.unfinished` for a draft in `conflict`, which is not final.
    package func retry(_ id: TestID) throws {
        try outbox.editing(.backward) {
            let item = try outbox.undecided(id)
            guard item.status == .done || item.status == .rejected || item.status == .conflict else {
                throw OutboxError.illegalMove(id, from: item.status, to: .done)
            }
            if item.kind == .test, item.status == .conflict {
                if try outbox.read(item).record.dateFinished == nil { throw OutboxError.unfinished(id) }
                if let other = try outbox.otherVersion(of: item) { throw OutboxError.otherVersion(id, other.status) }
            }
            do throws(FileError) {
                try fileSystem.setModified(item.path, nanoseconds: clock.now.nanosecondsSinceEpoch)
            } catch {
                guard error.isMissing else { throw error }
                // It moved on in this moment: as a rule a sweeper is sending it.
                guard let now = try outbox.find(id) else { throw OutboxError.notFound(id.description) }
                throw OutboxError.illegalMove(id, from: now.status, to: .done)
            }
            if item.status != .done {
                try outbox.moves.settle([
                    OutboxSettlement(move: OutboxMove(item, to: .done), receipt: try outbox.receipt(item))
                ])
            }
        }
    }

    /// Removes a test from the outbox, with its receipt. Both move to quarantine: nothing is deleted.
    ///
    /// - Returns: its new path.
    /// - Throws: `OutboxError.delivered` for a test that the server has: its proof of delivery stays.
    @discardableResult
    package func discard(_ id: TestID) throws -> FilePath {
        try outbox.editing {
            let item = try outbox.undecided(id)
            if item.status == .sending { throw OutboxError.sweeperIsRunning }
            if item.status.isDelivered { throw OutboxError.delivered(id) }
            if item.kind == .media { try outbox.attachments.refuseNeeded(item) }
            guard let place = try discard(item, reason: "discarded by its owner, from \(item.status.rawValue)") else {
                throw OutboxError.notFound(id.description)
            }
            return place
        }
    }

    /// Moves an item to quarantine, with what belongs to it.
    ///
    /// - Returns: its new path; `nil` if a sweeper has just claimed it, or a person moved it: then it was not discarded.
    func discard(_ item: OutboxItem, reason: String) throws -> FilePath? {
        let named = try outbox.attachments.contentPaths(item)
        let draft = item.kind == .test && item.status.isDraft ? outbox.listed(item)?.record : nil
        guard let place = try outbox.moves.putAside(item, reason: reason) else { return nil }
        if let draft { passOnParent(of: draft) }
        if item.kind == .test { try outbox.attachments.discard(ofTest: item.id, reason: reason) }
        try outbox.attachments.withdraw(named: named, reason: reason)
        return place
    }

    /// Lets the drafts that go on from a discarded draft revise what that one revised: no server will ever see it. Without room
    /// on the disk they name the discarded one, and it is discarded all the same.
    private func passOnParent(of gone: TestRecord) {
        for other in (try? outbox.scan().tests) ?? [] where other.status.isDraft && other.id != gone.id {
            guard let stored = outbox.listed(other), stored.record.parent == gone.id else { continue }
            var record = stored.record
            record.parent = gone.parent == record.id ? nil : gone.parent
            guard (try? write(record, as: other.status, replacing: true)) != nil else { continue }
            // It is no change of the answers: the latest draft stays the latest.
            try? fileSystem.setModified(other.path, nanoseconds: stored.modified.nanosecondsSinceEpoch)
        }
    }
}
