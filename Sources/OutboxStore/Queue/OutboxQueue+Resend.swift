import Disk
import Model

/// Sends items again that the server acknowledged and no longer has.
extension OutboxQueue {
    /// Makes a delivered test wait again, with the same bytes under the same id: if the server still has it, it answers
    /// with its receipt. The test's attachments follow, as far as their bytes are here.
    ///
    /// - Parameter forgetsReleased: forgets attachments whose bytes are not here, so that they can arrive again from
    ///   elsewhere.
    /// - Returns: the names of the attachments that cannot be sent from here.
    /// - Throws: `OutboxError.illegalMove` for a test that was not delivered, `OutboxError.unreadable` if the file
    ///   differs from what the server acknowledged.
    @discardableResult
    package func resend(_ id: TestID, forgetsReleased: Bool = false) throws -> [String] {
        try outbox.editing(.backward) {
            guard let stored = try outbox.test(id) else { throw OutboxError.notFound(id.description) }
            guard stored.status.isDelivered else { throw OutboxError.illegalMove(id, from: stored.status, to: .done) }
            let item = OutboxItem(id: id, status: stored.status)
            if let digest = try? outbox.receipt(item)?.digest, digest != stored.digest {
                throw OutboxError.unreadable(
                    path: item.path.string, reason: "it was changed since the server acknowledged it")
            }
            var settlements: [OutboxSettlement] = []
            var absent: [String] = []
            for attachment in stored.record.attachments {
                guard let media = try outbox.find(attachment.id), media.kind == .media, media.status.isDelivered else {
                    if try outbox.find(attachment.id) == nil, try !outbox.media.hasBytes(attachment.digest) {
                        absent.append(attachment.name)
                    }
                    continue
                }
                if try outbox.media.hasBytes(attachment.digest) {
                    settlements.append(waitingAgain(media, attachment.digest))
                    continue
                }
                absent.append(attachment.name)
                if forgetsReleased {
                    try fileSystem.removeIfPresent(media.path)
                    try fileSystem.removeIfPresent(OutboxLayout.receiptPath(media.id, media.status))
                }
            }
            // The test last: after a crash in between it is still found to be missing.
            settlements.append(waitingAgain(item, stored.digest))
            for settlement in settlements {
                let path = OutboxLayout.path(settlement.move.id, settlement.move.kind, settlement.move.from)
                try fileSystem.setModified(path, nanoseconds: clock.now.nanosecondsSinceEpoch)
            }
            try outbox.moves.settle(settlements, isCorrection: true)
            return absent
        }
    }

    private func waitingAgain(_ item: OutboxItem, _ digest: Digest) -> OutboxSettlement {
        let now = clock.now
        return OutboxSettlement(
            move: OutboxMove(item, to: .done),
            receipt: Receipt(
                test: item.id, digest: digest,
                delivery: .init(
                    attempts: 0, firstAttempt: now, lastAttempt: now, reason: "the server no longer has it",
                    mayHaveArrived: true),
                action: item.kind == .media ? .attach : nil))
    }
}
