import Disk
import Model
import SystemPackage

/// The users of the bytes, and when they may be removed.
extension OutboxMedia {
    /// Whether the bytes are here.
    package func hasBytes(_ digest: Digest) throws -> Bool { try sizeOfBytes(digest) != nil }

    /// Their length; `nil` if they are not here.
    package func sizeOfBytes(_ digest: Digest) throws -> Int64? {
        let status = try fileSystem.status(at: OutboxLayout.mediaPath(digest))
        return status?.kind == .regular ? status?.sizeBytes : nil
    }

    /// Whether the server has acknowledged these bytes, under any attachment.
    package func isDelivered(_ digest: Digest) throws -> Bool {
        try outbox.changes(.media).contains { $0.item.status.isDelivered && $0.change.contentDigest == digest }
    }

    /// Opens the bytes of an attachment.
    ///
    /// - Throws: `OutboxError.unreadable` if they are missing, or have another length.
    package func open(_ digest: Digest, sizeBytes: Int64) throws -> OpenContent {
        let path = OutboxLayout.mediaPath(digest)
        do throws(FileError) {
            let content = try OpenContent(path, in: fileSystem)
            let status = try content.status()
            if status.kind == .regular, status.sizeBytes == sizeBytes { return content }
        } catch {
            throw OutboxError.unreadable(path: path.string, reason: error.description)
        }
        throw OutboxError.unreadable(path: path.string, reason: "it has not the length that was attached")
    }

    /// The uses of the bytes in `media`.
    struct Use {
        /// Not delivered, or of a draft.
        var needed: Set<Digest> = []
        /// Delivered, with one of the delivered items.
        var delivered: [Digest: OutboxItem] = [:]
        /// False if a file could not be read: it may need any of the bytes, so none of them is removed.
        var isWhole = true

        func isNeeded(_ digest: Digest) -> Bool { !isWhole || needed.contains(digest) }

        /// Whether something names the bytes.
        func isNamed(_ digest: Digest) -> Bool { isNeeded(digest) || delivered[digest] != nil }
    }

    func use() throws -> Use {
        var use = Use()
        for item in try outbox.scan().items {
            if item.kind == .media {
                guard case .media(let media)? = try? outbox.readChange(item).change else {
                    use.isWhole = false
                    continue
                }
                if item.status.isDelivered {
                    use.delivered[media.digest] = item
                } else {
                    use.needed.insert(media.digest)
                }
            } else if item.kind == .test, !item.status.isDelivered {
                // Also for one finished by hand: its attachments' files are made by the next sweep.
                guard let record = try? outbox.read(item).record else {
                    use.isWhole = false
                    continue
                }
                let delivered = item.status.isDraft ? [] : try deliveredMedia(of: record)
                for attachment in record.attachments where !delivered.contains(attachment.id) {
                    use.needed.insert(attachment.digest)
                }
            }
        }
        return use
    }

    func deliveredMedia(of record: TestRecord) throws -> Set<TestID> {
        Set(try record.attachments.map(\.id).filter { try outbox.find($0)?.status.isDelivered == true })
    }

    func files() throws -> [(digest: Digest, sizeBytes: Int64)] {
        guard try fileSystem.status(at: OutboxLayout.media)?.kind == .folder else { return [] }
        return try fileSystem.list(OutboxLayout.media).compactMap { entry in
            guard entry.kind == .regular, let digest = OutboxLayout.mediaDigest(fileName: entry.name),
                let status = try fileSystem.status(at: OutboxLayout.mediaPath(digest))
            else { return nil }
            return (digest, status.chargedBytes)
        }
    }

    /// The digests of all bytes in the folder of attachments, sorted.
    package func digests() throws -> [Digest] {
        guard try fileSystem.status(at: OutboxLayout.media) != nil else { return [] }
        return try fileSystem.list(OutboxLayout.media).filter { $0.kind == .regular }
            .compactMap { OutboxLayout.mediaDigest(fileName: $0.name) }.sorted { $0.hex < $1.hex }
    }

    /// Removes copies of bytes that the server has acknowledged, the earliest delivered first, until they fit into the
    /// limit. Bytes without a receipt are never touched.
    ///
    /// - Returns: the number of bytes freed.
    @discardableResult
    package func release(keepingBytes: Int64) throws -> Int64 {
        guard try !files().isEmpty else { return 0 }
        return try outbox.editing {
            let use = try use()
            var releasable: [(digest: Digest, sizeBytes: Int64, delivered: Timestamp)] = []
            for file in try files() where !use.isNeeded(file.digest) {
                guard let item = use.delivered[file.digest], let receipt = try? outbox.receipt(item),
                    receipt.digest == file.digest, let received = receipt.receivedAt
                else { continue }
                releasable.append((file.digest, file.sizeBytes, received))
            }
            var total = releasable.reduce(0) { $0 + $1.sizeBytes }
            var freed: Int64 = 0
            for file in releasable.sorted(by: { $0.delivered < $1.delivered }) where total > keepingBytes {
                try fileSystem.removeIfPresent(OutboxLayout.mediaPath(file.digest))
                total -= file.sizeBytes
                freed += file.sizeBytes
            }
            return freed
        }
    }
}
