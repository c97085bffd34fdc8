import Disk
import HTTPCaching
import HTTPTypes
import Model
import OutboxStore
import Quire
import Sync
import SystemPackage
import WireFormat

/// Receives the files of tests and questionnaires, piece by piece, like the upstream: interrupted uploads resume, also
/// after a crash of the hub (docs/protocol.md, section 10).
///
/// The hub accepts files of a test or a changed questionnaire that it has, whether the upstream is reachable or not:
/// devices then need not wait for a slow uplink. Everything else is the upstream's.
struct UploadEndpoint: Sendable {
    let store: QuireStore
    private let uploads: UploadStore
    private let owners: SubmissionOwners

    /// - Throws: `FileError`.
    init(store: QuireStore, fileSystem: any FileSystem, owners: SubmissionOwners) throws {
        self.store = store
        self.owners = owners
        uploads = UploadStore(
            fileSystem, folder: HubLayout.uploads, temporaryFolder: HubLayout.temporary, clock: store.clock,
            maximumBytes: Attachment.maximumBytes)
        try uploads.recover { try store.outbox.find($0) != nil }
    }

    /// How far a request advanced an attachment.
    enum Step: Sendable {
        case answered(HTTPReply)
        /// All of it is here: in a file, or, with `nil`, where it belongs.
        case arrived(MediaChange, bytesAt: FilePath?)
    }

    /// Who begins an upload.
    struct Sender: Sendable {
        /// The Authorization of the request.
        var shown: String?
        /// The same, or `nil` where it is none that the upstream accepts.
        var kept: String?
    }

    static func fields(offset: Int64, isComplete: Bool) -> HTTPFields {
        UploadFields.fields(offset: offset, isComplete: isComplete, maximumBytes: Attachment.maximumBytes)
    }

    /// `PUT` of `APIPath.attachment` and `.mediaContent`; `nil` if the hub does not have the owner of the file, or another
    /// sender's upload of a file whose test is not waiting here.
    ///
    /// - Throws: `UploadFault.testUnknown` where the test that waits here is another's.
    func begin(
        _ id: TestID, of owner: MediaOwner, _ fields: HTTPFields, _ body: HTTPBody, by sender: Sender
    ) async throws -> Step? {
        let announced = try UploadFields(fields)
        let sizeBytes = announced.wholeLength(contentLength: body.length)
        guard let media = try await offload({ try named(id, of: owner, sizeBytes: sizeBytes) }) else { return nil }
        guard try await offload({ try owners.mayBegin(id, of: owner, sender.shown) }) else { return nil }
        try UploadFault.check(media.attachment, announced: announced.digest, length: announced.length)
        if try await offload({ try isHere(media) }) { return .arrived(media, bytesAt: nil) }
        let record = try await offload {
            try owners.noteBegun(id, sender.kept, at: store.clock.now)
            return try uploads.begin(media.attachment, of: owner)
        }
        // A file without a byte is complete with the request that begins it.
        let isComplete = announced.isComplete ?? true
        guard body.length != 0 || (isComplete && media.sizeBytes == 0) else {
            return answer(.created, offset: record.offset, [.location: APIPath.location(ofUpload: id, of: owner)])
        }
        return try await take(media, body, from: 0, isComplete: isComplete)
    }

    /// `HEAD`, `PATCH` and `DELETE` of `APIPath.upload`; `nil` where the hub knows of no such upload of this sender's.
    ///
    /// - Parameter shown: the sender's Authorization.
    func goOn(
        _ id: TestID, _ request: HTTPRequest, _ body: HTTPBody, _ shown: String?
    ) async throws -> Step? {
        if request.method == .delete {
            let isCancelled = try await offload {
                guard let record = try uploads.pause(id), owners.mayContinue(id, of: record.owner, shown) else {
                    return false
                }
                guard try uploads.cancel(id) else { return false }
                try owners.forgetBegun(id)
                return true
            }
            return isCancelled ? answer(.noContent, offset: 0) : nil
        }
        let (record, media) = try await offload { try known(id, shown) }
        guard let media else { return nil }
        let isWhole = try await offload { try isHere(media) }
        if request.method == .head {
            let offset = isWhole ? media.sizeBytes : record?.offset ?? 0
            return answer(
                .noContent, offset: offset, isComplete: isWhole, [.uploadLength: String(media.sizeBytes)])
        }
        guard let record, !isWhole else { throw UploadFault.unknown(id) }
        let (offset, isComplete) = try UploadFields.appended(request.headerFields)
        guard offset == record.offset else {
            throw UploadFault.elsewhere(expected: record.offset, provided: offset)
        }
        return try await take(media, body, from: offset, isComplete: isComplete)
    }

    private func known(_ id: TestID, _ shown: String?) throws -> (upload: UploadRecord?, media: MediaChange?) {
        if let record = try uploads.pause(id) {
            guard owners.mayContinue(id, of: record.owner, shown) else { return (nil, nil) }
            return (record, try named(id, of: record.owner, sizeBytes: record.sizeBytes))
        }
        guard case .media(let media)? = try store.outbox.change(id)?.change,
            owners.mayContinue(id, of: media.owner, shown)
        else { return (nil, nil) }
        return (nil, media)
    }

    /// Puts it into the outbox, durably. Blocks on the disk.
    func accept(_ media: MediaChange, bytesAt source: FilePath?) throws -> OutboxQueue.Acceptance {
        // It was just removed: it will arrive again.
        guard let acceptance = try store.outbox.queue.accept(media, bytesAt: source) else {
            throw UploadFault.unknown(media.id)
        }
        try uploads.end(media.id)
        return acceptance
    }

    /// Restores the bytes that `.arrived` named and `accept` did not move, so that the upload continues with them.
    /// After `accept` it does nothing. Blocks on the disk.
    func giveBack(_ source: FilePath, of id: TestID) { uploads.giveBack(source, of: id) }

    private func take(
        _ media: MediaChange, _ body: HTTPBody, from offset: Int64, isComplete: Bool
    ) async throws -> Step {
        let part = UploadStore.Part(offset: offset, length: body.length, isComplete: isComplete)
        let record = try await uploads.receive(media.id, part) {
            while let part = try await body.next() {
                if case .bytes(let bytes) = part { return bytes }
            }
            return nil
        }
        guard isComplete else { return answer(.noContent, offset: record.offset) }
        return .arrived(media, bytesAt: try await offload { try uploads.checkedBytes(of: record) })
    }

    private func answer(
        _ status: HTTPResponse.Status, offset: Int64, isComplete: Bool = false, _ more: HTTPFields = [:]
    ) -> Step {
        var fields = Self.fields(offset: offset, isComplete: isComplete)
        fields.append(contentsOf: more)
        fields[.cacheStatus] = "\(HubProblem.cacheName); detail=\"outbox\""
        return .answered(HTTPReply(head: HTTPResponse(status: status, headerFields: fields)))
    }

    // MARK: What is here

    /// As its owner names it; `nil` where the hub does not have that, or the upstream refused it.
    private func named(_ id: TestID, of owner: MediaOwner, sizeBytes: Int64?) throws -> MediaChange? {
        switch owner {
        case .test(let test): return try named(id, of: test)
        case .questionnaire(let path):
            guard let change = try store.outbox.namingChanges().change(naming: path) else { return nil }
            guard let sizeBytes else { throw UploadFault.lengthUnknown }
            return MediaChange(
                change.medium(at: path), id: id, sizeBytes: sizeBytes, dateChanged: store.clock.now,
                deviceId: change.deviceId, sequence: change.sequence)
        }
    }

    private func named(_ id: TestID, of test: TestID) throws -> MediaChange? {
        guard let stored = try store.outbox.test(test), stored.status.isWaiting || stored.status.isDelivered else {
            return nil
        }
        guard let attachment = stored.record.attachments.first(where: { $0.id == id }) else {
            throw UploadFault.notAttached(id, to: test)
        }
        return MediaChange(attachment, of: stored.record)
    }

    /// Whether nothing more needs to come.
    private func isHere(_ media: MediaChange) throws -> Bool {
        let item = try store.outbox.find(media.id)
        if item?.status.isDelivered == true { return true }
        if try store.outbox.media.hasBytes(media.digest) { return true }
        return try item != nil && store.outbox.media.isDelivered(media.digest)
    }
}
