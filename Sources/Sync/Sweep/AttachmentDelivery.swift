import Disk
import Model
import OutboxStore

/// Sends attachments: they go last, and each waits for what names it.
struct AttachmentDelivery: Sendable {
    let outbox: Outbox
    let remote: any Remote
    let journal: Journal
    let items: ItemDelivery
    let dueItems: DueItems

    /// Uploads under way at once: they share one way out.
    static let parallelUploads = 2

    /// Sends what is due, a few at a time. One that fails is tried again later, and holds up no other.
    func deliver(_ round: inout SweepRound) async throws -> SweepStep {
        let (lock, progress) = (round.lock, round.mediaProgress)
        var step = SweepStep.proceed
        var line = UploadLine(
            try dueItems.media(try outbox.scan(), round.options, &round.report, forgotten: round.forgotten))
        var failuresInARow = 0
        // Requests in flight finish before an error is reported.
        var fault: (any Error)?
        await withTaskGroup(of: Upload.self) { group in
            while true {
                while step == .proceed, fault == nil, !Task.isCancelled, let (number, stored) = line.next() {
                    group.addTask {
                        do {
                            return Upload(number: number, result: .success(try await send(stored, lock, progress)))
                        } catch {
                            return Upload(number: number, result: .failure(error))
                        }
                    }
                }
                guard let upload = await group.next() else { break }
                line.end(upload.number)
                do {
                    if let sent = try upload.result.get() {
                        if case .retry = sent.sent.decision { failuresInARow += 1 } else { failuresInARow = 0 }
                        step = step.followed(by: try await settle(sent, lock, &round.report))
                    }
                } catch OutboxError.unreadable(let path, let reason) {
                    round.report.unreadable.append(OutboxError.unreadable(path: path, reason: reason).description)
                } catch {
                    fault = fault ?? error
                }
                if step == .proceed, failuresInARow >= ItemDelivery.tolerableFailures {
                    step = .stop("\(failuresInARow) uploads in a row failed")
                }
            }
        }
        if let fault { throw fault }
        return step
    }

    /// The items to send, a few at a time. Items with equal bytes are sent one after the other: for the second one the
    /// remote has them.
    private struct UploadLine {
        private var rest: [StoredChange]
        private var underWay: [Int: Digest] = [:]
        private var begun = 0

        init(_ due: [StoredChange]) { rest = due }

        /// The next one that may begin now, and the number that it has until it ends.
        mutating func next() -> (Int, StoredChange)? {
            guard underWay.count < AttachmentDelivery.parallelUploads else { return nil }
            for place in rest.indices where !underWay.values.contains(rest[place].change.contentDigest) {
                let stored = rest.remove(at: place)
                begun += 1
                underWay[begun] = stored.change.contentDigest
                return (begun, stored)
            }
            return nil
        }

        mutating func end(_ number: Int) { underWay[number] = nil }
    }

    /// An upload that is over. A task hands back its number and not its digest: a digest that the task itself had read from
    /// its change was another one when it came out of the group, in an optimised build (Swift 6.3.1).
    private struct Upload: Sendable {
        var number: Int
        var result: Result<SentMedia?, any Error>
    }

    private struct SentMedia: Sendable {
        var change: MediaChange
        var sent: ItemDelivery.Sent
    }

    /// - Returns: `nil` if another process has just claimed it.
    /// - Throws: `OutboxError.unreadable` when its bytes are not here.
    private func send(
        _ stored: StoredChange, _ lock: SweepLock, _ progress: @escaping @Sendable (MediaProgress) -> Void
    ) async throws -> SentMedia? {
        guard case .media(let media) = stored.change else { return nil }
        let content = try await content(of: media)
        guard let item = try await offload({ try outbox.queue.claim([stored.item], lock) }).first else { return nil }
        let known = (try? outbox.receipt(item))?.delivery?.upload
        let upload = MediaUpload(
            change: media, known: known,
            read: { offset, count in
                try await offload { try content?.piece(at: offset, maximumBytes: Int64(count)) ?? [] }
            },
            begun: { url in try await offload { try outbox.queue.noteUpload(item, at: url, lock) } },
            progress: { count in
                progress(
                    MediaProgress(id: media.id, name: media.name, sentBytes: count, sizeBytes: media.sizeBytes))
            })
        let sent = await items.attempt(item, digest: media.digest, action: .attach) { () async throws(RemoteFailure) in
            try await remote.upload(upload)
        }
        return SentMedia(change: media, sent: sent)
    }

    /// The bytes; `nil` where they were released, since the server has had them before under another attachment.
    private func content(of media: MediaChange) async throws -> OpenContent? {
        try await offload {
            guard try outbox.media.hasBytes(media.digest) else {
                if try outbox.media.isDelivered(media.digest) { return nil }
                throw OutboxError.unreadable(
                    path: OutboxLayout.mediaPath(media.digest).string,
                    reason: "the bytes of “\(media.name)” are not there: put the file back under this name")
            }
            return try outbox.media.open(media.digest, sizeBytes: media.sizeBytes)
        }
    }

    private func settle(
        _ result: SentMedia, _ lock: SweepLock, _ report: inout Sweeper.Report
    ) async throws -> SweepStep {
        let change = result.change
        let settled = items.settle(result.sent, detail: change.name, &report)
        try await offload { try outbox.queue.settle([settled.settlement], lock) }
        if let told = settled.event {
            journal.record(
                told.name, test: change.owner.test, change: change.id, questionnaire: change.questionnaire,
                title: change.title, detail: told.detail)
        }
        if let contact = result.sent.contact { journal.note(contact) }
        return settled.step
    }
}
