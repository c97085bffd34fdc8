import Disk
import HTTPTypes
import Model
import ObjectStores
import Sync
import SystemPackage

/// Questionnaires that were created, edited and deleted on a device, and favourites.
extension FolderRemote {
    /// A host imports a change based on another one after it, and finds the version in its receipt.
    package var keepsSuccessors: Bool { RemoteKind.folder.medium.keepsSuccessors }

    private static let longestListBytes: Int64 = 16 << 20

    /// A change is stored like a test. A host that has carried it out removes it, and leaves its receipt; one that has
    /// not writes the reason, and its own version.
    package func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply {
        let requestTime = clock.now
        let change = delivery.change
        guard let path = Self.place(of: change) else {
            throw RemoteFailure(.invalidReply, "attachments are put into a folder piece by piece")
        }
        return try await working { folder in
            if let said = try self.said(of: change.id, change.contentDigest, folder, requestTime) { return said }
            // An existing file that is not another change names a base that was delivered meanwhile, or is truncated.
            return try self.keep(
                Self.file(delivery), at: path, maximumBytes: ExchangeLayout.longestChangeBytes, folder, requestTime,
                unless: { Self.isOther($0, than: change) }, "the folder has another change under this id"
            ) {
                KeptReceipt(test: change.id, action: change.action, digest: change.contentDigest, keptAt: $0)
            }
        }
    }

    /// The host's version when it rejected a change, or its current one. It marks the rejection as read: a retry is
    /// judged again.
    package func current(of change: OutgoingChange, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        let refusal = try await working { folder in try self.refusal(of: change.id, folder) }
        // The device may know it by another id than the host.
        let id = refusal?.current?.id ?? change.questionnaire
        let reply = try await get(documentURL(id: id), fields: HTTPFields(), maximumBytes: maximumBytes)
        if reply.status == 404, refusal?.current?.deleted != true {
            let isListed = try await working { folder in try self.isListed(id, folder) }
            if isListed {
                throw RemoteFailure(
                    .interrupted, "\(place) lists “\(id)” and does not have it: on the host, collect it again")
            }
        }
        if refusal?.status == 412 {
            try await working { folder in
                try folder.remove(ExchangeLayout.refusal(change.id))
            }
        }
        return reply
    }

    /// The status of a complete change in the folder.
    func keptChange(_ id: TestID, _ folder: any ExchangeFiles) throws -> KeptReceipt? {
        for path in [ExchangeLayout.questionnaireChange(id), ExchangeLayout.favoriteChange(id)] {
            guard let (bytes, modified) = try folder.readOwn(path, maximumBytes: ExchangeLayout.longestChangeBytes),
                let change = Self.change(bytes, at: path), change.id == id
            else { continue }
            return KeptReceipt(
                test: id, action: change.action, digest: change.contentDigest, keptAt: modified)
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

    /// As in the outbox, with the base as known now: the importing host needs to know no more of this device's receipts
    /// than necessary.
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
        let name = path.name ?? ""
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

    /// Whether the host publishes a questionnaire, as far as the folder shows.
    private func isListed(_ id: String, _ folder: any ExchangeFiles) throws -> Bool {
        guard let (bytes, _) = try folder.read(ExchangeLayout.list, maximumBytes: Self.longestListBytes),
            let list = try? DocumentCoding.decode(QuestionnaireList.self, from: bytes)
        else { return true }
        return list.questionnaires.contains { $0.id == id }
    }
}
