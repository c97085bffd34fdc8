import Disk
import HTTPTypes
import Model
import Sync
import SystemPackage

/// Questionnaires that were created, edited and deleted on a device, and favourites.
extension FolderRemote {
    /// A host takes what goes on from another change after it, and finds the version in its receipt.
    public var keepsSuccessors: Bool { true }

    /// A longer file is no change: a document, and what is said of it.
    private static let longestChangeBytes = Int64(Questionnaire.maximumBytes) + (64 << 10)
    private static let longestListBytes: Int64 = 16 << 20

    /// A change is kept like a test. A host that has carried it out removes it, and leaves its receipt; one that has
    /// not says why, and what it has.
    public func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply {
        let requestTime = clock.now
        let change = delivery.change
        guard let path = Self.place(of: change) else {
            throw RemoteFailure(.invalidReply, "attachments are put into a folder piece by piece")
        }
        return try await working { folder in
            if let said = try self.said(of: change.id, change.contentDigest, folder, requestTime) { return said }
            let file = try Self.file(delivery)
            var keptAt = self.clock.now
            switch try folder.read(path, maximumBytes: Self.longestChangeBytes) {
            case (let stored, let status)? where stored == file:
                // Whoever wrote it may have died before it was durable.
                try folder.fileSystem.makeDurable(file: path)
                try folder.fileSystem.makeDurable(folder: ExchangeLayout.changes)
                keptAt = status.modified
            case (let stored, _)? where Self.isOther(stored, than: change):
                return self.problem(409, "the folder has another change under this id", requestTime)
            case let found:
                try folder.makeFolder(ExchangeLayout.temporary)
                try folder.makeFolder(ExchangeLayout.changes)
                // What is there is half a file, or names its base by a change that was delivered meanwhile.
                let full = try self.unlessFull(requestTime) {
                    try folder.write(file, to: path, replacing: found != nil)
                }
                if let full { return full }
            }
            let kept = KeptReceipt(
                test: change.id, action: change.action, digest: change.contentDigest, keptAt: keptAt)
            return self.reply(202, Self.json, try DocumentCoding.encodeLine(kept), requestTime)
        }
    }

    /// What the host had when it refused a change, or has by now. From then on the refusal is heard: what is sent again
    /// is judged anew.
    public func current(of change: OutgoingChange, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        let refusal = try await working { folder in try self.refusal(of: change.id, folder) }
        // The device may know it by another id than the host.
        let id = refusal?.current?.id ?? change.questionnaire
        let reply = try await get(documentURL(id: id), fields: HTTPFields(), maximumBytes: maximumBytes)
        if reply.status == 404, refusal?.current?.deleted != true {
            let isListed = try await working { folder in try self.isListed(id, folder) }
            if isListed {
                throw RemoteFailure(
                    .interrupted, "\(path) lists “\(id)” and does not have it: on the host, collect it again")
            }
        }
        if refusal?.status == 412 {
            try await working { folder in
                try folder.fileSystem.removeIfPresent(ExchangeLayout.refusal(change.id))
            }
        }
        return reply
    }

    /// Of a change that lies in the folder, whole.
    func keptChange(_ id: TestID, _ folder: ExchangeFolder) throws -> KeptReceipt? {
        for path in [ExchangeLayout.questionnaireChange(id), ExchangeLayout.favoriteChange(id)] {
            guard let (bytes, status) = try folder.read(path, maximumBytes: Self.longestChangeBytes),
                let change = Self.change(bytes, at: path), change.id == id
            else { continue }
            return KeptReceipt(
                test: id, action: change.action, digest: change.contentDigest, keptAt: status.modified)
        }
        return nil
    }

    // MARK: Files

    private static func place(of change: OutgoingChange) -> FilePath? {
        switch change {
        case .questionnaire: ExchangeLayout.questionnaireChange(change.id)
        case .favorite: ExchangeLayout.favoriteChange(change.id)
        case .media: nil
        }
    }

    /// As in the outbox, with the base as it is known now: who takes it in knows this device's receipts no more than it
    /// has to.
    private static func file(_ delivery: ChangeDelivery) throws -> [UInt8] {
        guard case .questionnaire(let change) = delivery.change else { return delivery.file }
        var written = change
        written.after = delivery.after
        if written.base?.etag != delivery.etag {
            written.base = delivery.etag.map { QuestionnaireChange.Base(etag: $0) }
        }
        return written == change ? delivery.file : try written.file()
    }

    /// - Returns: `nil` for half a file.
    private static func change(_ bytes: [UInt8], at path: FilePath) -> OutgoingChange? {
        let name = path.lastComponent?.string ?? ""
        if ExchangeLayout.questionnaireChangeID(fileName: name) != nil {
            return (try? QuestionnaireChange(file: bytes)).map { .questionnaire($0) }
        }
        return (try? DocumentCoding.decode(FavoriteChange.self, from: bytes)).map { .favorite($0) }
    }

    /// Whether a file is a change, and another one than this.
    private static func isOther(_ bytes: [UInt8], than change: OutgoingChange) -> Bool {
        guard let path = place(of: change), let stored = Self.change(bytes, at: path), stored.id == change.id else {
            return false
        }
        return stored.action != change.action || stored.contentDigest != change.contentDigest
            || stored.questionnaire != change.questionnaire
    }

    private struct List: Decodable {
        struct Item: Decodable { var id: String }
        var questionnaires: [Item]
    }

    /// Whether the host publishes a questionnaire, as far as the folder tells.
    private func isListed(_ id: String, _ folder: ExchangeFolder) throws -> Bool {
        guard let (bytes, _) = try folder.read(ExchangeLayout.list, maximumBytes: Self.longestListBytes),
            let list = try? DocumentCoding.decode(List.self, from: bytes)
        else { return true }
        return list.questionnaires.contains { $0.id == id }
    }
}
