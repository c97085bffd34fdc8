import Disk
import HTTPTypes
import Model
import OutboxStore
import Quire
import Sync
import SystemPackage

/// Store-and-forward for devices' submissions: tests, changes of questionnaires, favourites, attachments
/// (docs/protocol.md). They are stored durably first, then forwarded; the upstream's own receipt, or its rejection, is
/// passed back as soon as it arrives.
final class WriteRelay: Sendable {
    private let store: QuireStore
    private let upstream: Upstream
    private let submissions: SubmissionLog
    private let lock: LockFile
    private let receipts: ReceiptEndpoint
    private let uploads: UploadEndpoint
    let queue: ForwardingQueue
    let keys: DeviceKeys
    let drafts: DraftStore
    private let progress: ProgressRelay

    private let patience: Duration

    /// - Parameters:
    ///   - name: what the hub is called, for people.
    ///   - patience: how long a device waits for the upstream; then it learns that its submission is kept here.
    /// - Throws: `HubError.storeInUse`, `FileError`.
    init(
        store: QuireStore, caching: CachingUpstream, name: String? = nil, drafts bounds: DraftBounds = DraftBounds(),
        patience: Duration
    ) throws {
        self.store = store
        self.patience = patience
        upstream = caching.upstream
        let fileSystem = try POSIXFileSystem(root: store.path)
        submissions = SubmissionLog(fileSystem: fileSystem)
        try submissions.makeFolders()
        try store.outbox.makeFolders()
        guard let lock = try LockFile.acquire(HubLayout.lock, in: fileSystem, wait: false) else {
            throw HubError.storeInUse(store.path.string)
        }
        self.lock = lock
        let remote = RelayRemote(
            upstream: upstream, submissions: submissions, renewal: Renewal(caching: caching), clock: store.clock)
        receipts = ReceiptEndpoint(store: store, upstream: upstream, submissions: submissions)
        keys = DeviceKeys(upstream: upstream, fileSystem: fileSystem, clock: store.clock)
        uploads = try UploadEndpoint(
            store: store, fileSystem: fileSystem, owners: SubmissionOwners(submissions: submissions, keys: keys))
        progress = try ProgressRelay(
            store: store, fileSystem, submissions: submissions, upstream: upstream, keys: keys, name: name)
        queue = ForwardingQueue(
            store: store, submissions: submissions, remote: remote, presence: upstream.presence,
            progress: progress.source)
        drafts = try DraftStore(fileSystem, clock: store.clock, bounds: bounds)
        // A hub that was killed after it accepted a test may have left its draft.
        try drafts.removeHandedIn { try store.outbox.find($0) != nil }
    }

    /// Forwards waiting submissions until the task is cancelled.
    func run() async {
        upstream.startProbing()
        await queue.run()
        lock.release()
    }

    /// - Parameters:
    ///   - path: as the client sees it.
    ///   - shown: the client's Authorization, also where the request goes on without it.
    /// - Returns: `nil` when the request is not about anything that the hub has to do with.
    func reply(to request: HTTPRequest, path: String, body: HTTPBody, shown: String?) async throws -> HTTPReply? {
        let fields = request.headerFields
        switch RelayRoute(request.method, path, fields) {
        case .test(let id):
            let (bytes, person) = try await SubmittedTest.bytes(of: id, fields, body)
            let reply = try await take(
                Submission(id: id, action: nil, digest: Digest(sha256Of: bytes)) {
                    try $0.queue.accept(id, bytes: bytes)
                },
                authorization: fields[.authorization])
            if reply.head.status.kind == .successful, let person {
                // What is left of a draft is removed when the hub starts again.
                try? await offload { [drafts] in try drafts.remove(DraftID(id), of: person) }
            }
            return reply
        case .change(let change):
            let document = try await change.document(fields, body)
            let deviceID = store.settings.deviceId
            return try await take(
                Submission(
                    id: change.id, action: change.action, isOfAuthor: change.action.isOfAuthor,
                    digest: Digest(sha256Of: document?.bytes ?? [])
                ) {
                    try $0.queue.accept(change.id, deviceID: deviceID) {
                        change.change(document, now: $0, deviceID: deviceID, sequence: $1)
                    }
                }, authorization: fields[.authorization])
        case .attachment(let id, let owner):
            // Before its bytes come.
            if owner.test == nil, let refusal = await keys.refusal(ofAuthor: fields[.authorization]) { throw refusal }
            let kept = await owner.test == nil ? shown : keyToKeep(shown)
            let sender = UploadEndpoint.Sender(shown: shown, kept: kept)
            guard let step = try await uploads.begin(id, of: owner, fields, body, by: sender) else { return nil }
            return try await answer(step, authorization: shown)
        case .upload(let id):
            if let step = try await uploads.goOn(id, request, body, shown) {
                return try await answer(step, authorization: shown)
            }
            // It may have started at the upstream, past the hub, which also knows whose it is. If that is unreachable, it
            // starts here, where its test is.
            if await upstream.isWorthTrying() { return nil }
            throw UploadFault.unknown(id)
        case .receipt(let id): return try await receipts.receipt(id, request)
        case .receipts(let ids): return try await receipts.receipts(ids, request)
        case .progress(let sender):
            guard let reply = try await progress.reply(sender, fields, body) else { return nil }
            queue.reportSoon()
            return reply
        case .other: return nil
        }
    }

    private func answer(_ step: UploadEndpoint.Step, authorization: String?) async throws -> HTTPReply {
        switch step {
        case .answered(let reply): return reply
        case .arrived(let media, let source):
            let submission = Submission(
                id: media.id, action: .attach, isOfAuthor: media.owner.test == nil, digest: media.digest
            ) { [uploads] _ in try uploads.accept(media, bytesAt: source) }
            var reply: HTTPReply
            do {
                reply = try await take(submission, authorization: authorization)
            } catch {
                // The device continues with the bytes here, and the disk has them once.
                if let source { try await offload { [uploads] in uploads.giveBack(source, of: media.id) } }
                throw error
            }
            if reply.head.status.kind == .successful {
                for field in UploadEndpoint.fields(offset: media.sizeBytes, isComplete: true) {
                    reply.head.headerFields[field.name] = field.value
                }
            }
            return reply
        }
    }

    // MARK: Taking what is written

    /// A device's submission.
    private struct Submission: Sendable {
        var id: TestID
        /// `nil` for a test.
        var action: ChangeAction?
        /// It changes a questionnaire, which is an author's to do.
        var isOfAuthor = false
        var digest: Digest
        /// Puts it into the outbox, durably.
        var store: @Sendable (Outbox) throws -> OutboxQueue.Acceptance

        var words: String { action == nil ? "test \(id)" : "change \(id)" }
    }

    private func take(_ submission: Submission, authorization: String?) async throws -> HTTPReply {
        let id = submission.id
        let key: String?
        if submission.isOfAuthor {
            if let refusal = await keys.refusal(ofAuthor: authorization) { throw refusal }
            key = authorization
        } else {
            key = await keyToKeep(authorization)
        }
        let (acceptance, note) = try await offload { [self] in
            // Before the test: one that is found in `done` has its secret beside it.
            let note = try submissions.note(key, of: id, at: store.clock.now) { keys.isKnown($0) }
            let acceptance = try submission.store(store.outbox)
            // The sender of another version has no say in how the existing one is sent.
            if case .different = acceptance { try submissions.takeBack(note) }
            return (acceptance, note)
        }
        switch acceptance {
        case .different(let status):
            throw HubProblem(
                409, "The hub has \(submission.words) with other content (\(status.rawValue)), and keeps it.",
                kind: "different-content", title: "Something else is stored under this id")
        case .known(let status) where status.isDelivered:
            if submission.action == nil, await receipts.isMissing(id, authorization: key) {
                // The upstream has lost it. Files whose copies were released come again from the device.
                _ = try await offload { [self] in try store.outbox.queue.resend(id, forgetsReleased: true) }
            } else if let receipt = try receipt(submission, status) {
                return try RelayReply.receipt(receipt, status: .ok)
            }
        case .known(let status) where status == .rejected || status == .conflict:
            if let refusal = try await refusalAway(submission, status) { return refusal }
            // The device tries again: so does the hub.
            try await offload { [self] in try store.outbox.edits.retry(id) }
        case .known(.done) where note.isNew:
            try await offload { [self] in try store.outbox.edits.retry(id) }
        case .taken, .known: break
        }
        for _ in 0..<2 {
            if await upstream.isWorthTrying(), let reply = await queue.forward(id, patience: patience),
                let answer = RelayReply.final(reply, id, submission.digest, now: store.clock.now)
            {
                // A refused change is its device's again, which has it and knows why.
                if submission.action != nil, answer.head.status.code >= 400 { queue.letGo(id) }
                return answer
            }
            // An earlier request may have been settled only now: a receipt is passed on, and after a rejection the
            // device retries, so the hub does.
            guard let item = try await offload({ [self] in try store.outbox.find(id) }) else { break }
            if item.status.isDelivered, let receipt = try store.outbox.receipt(item) {
                return try RelayReply.receipt(receipt, status: .ok)
            }
            guard item.status == .rejected || item.status == .conflict else { break }
            if let refusal = try await refusalAway(submission, item.status) { return refusal }
            try await offload { [self] in try store.outbox.edits.retry(id) }
        }
        return try RelayReply.kept(
            KeptReceipt(
                test: id, action: submission.action, digest: submission.digest,
                keptAt: submissions.origin(of: id)?.keptAt ?? store.clock.now))
    }

    /// The key that is kept with what a device shows it for: all but one that the upstream has refused. While the upstream cannot
    /// be asked, its reply to what is forwarded decides.
    private func keyToKeep(_ shown: String?) async -> String? {
        guard upstream.hasToken, let shown else { return shown }
        return await keys.standing(of: shown) == .refused ? nil : shown
    }

    private func receipt(_ submission: Submission, _ status: TestStatus) throws -> Receipt? {
        let kind = submission.action.map(\.kind) ?? .test
        return try store.outbox.receipt(OutboxItem(id: submission.id, kind: kind, status: status))
    }

    /// With the upstream unreachable: its reply when the hub forwarded a change. It need not be asked a second time.
    private func refusalAway(_ submission: Submission, _ status: TestStatus) async throws -> HTTPReply? {
        guard submission.action != nil, await !upstream.isThere(),
            let receipt = try await offload({ [self] in try receipt(submission, status) }),
            let refusal = try RelayReply.refusal(receipt)
        else { return nil }
        queue.letGo(submission.id)
        return refusal
    }
}

extension ChangeAction {
    /// Whether it changes what others see.
    var isOfAuthor: Bool {
        switch self {
        case .create, .edit, .delete: true
        case .favorite, .unfavorite, .attach: false
        }
    }

    /// The kind of its outbox item.
    fileprivate var kind: OutboxKind {
        switch self {
        case .create, .edit, .delete: .questionnaire
        case .favorite, .unfavorite: .favorite
        case .attach: .media
        }
    }
}
