import Disk
import Model
import SystemPackage

/// The bytes of attachments: their users, and when they may be removed.
extension Outbox {
    /// Whether the bytes are here.
    package func hasBytes(_ digest: Digest) throws -> Bool { try sizeOfBytes(digest) != nil }

    /// Their length; `nil` if they are not here.
    package func sizeOfBytes(_ digest: Digest) throws -> Int64? {
        let status = try fileSystem.status(at: OutboxLayout.mediaPath(digest))
        return status?.kind == .regular ? status?.sizeBytes : nil
    }

    /// Whether the server has acknowledged these bytes, under any attachment.
    package func isDelivered(_ digest: Digest) throws -> Bool {
        try changes(.media).contains { $0.item.status.isDelivered && $0.change.contentDigest == digest }
    }

    /// Opens the bytes of an attachment.
    ///
    /// - Throws: `OutboxError.unreadable` if they are missing, or have another length.
    package func openMedia(_ digest: Digest, sizeBytes: Int64) throws -> OpenContent {
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

    /// Records durably where an upload resumes, before its first byte is sent: beside the record of attempts.
    package func noteUpload(_ item: OutboxItem, at url: String, _ lock: SweepLock) throws {
        try withExtendedLifetime(lock) {
            let known = try? receipt(item)
            var noted = interrupted(id: item.id, known: known, action: .attach)
            noted.delivery?.upload = url
            try put(try DocumentCoding.encode(noted), to: OutboxLayout.receiptPath(item.id, .done), replacing: true)
        }
    }

    /// The uses of the bytes in `media`.
    struct MediaUse {
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

    func mediaUse() throws -> MediaUse {
        var use = MediaUse()
        for item in try scan().items {
            if item.kind == .media {
                guard case .media(let media)? = try? readChange(item).change else {
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
                guard let record = try? read(item).record else {
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

    private func deliveredMedia(of record: TestRecord) throws -> Set<TestID> {
        Set(try record.attachments.map(\.id).filter { try find($0)?.status.isDelivered == true })
    }

    private func mediaFiles() throws -> [(digest: Digest, sizeBytes: Int64)] {
        guard try fileSystem.status(at: OutboxLayout.media)?.kind == .folder else { return [] }
        return try fileSystem.list(OutboxLayout.media).compactMap { entry in
            guard entry.kind == .regular, let digest = OutboxLayout.mediaDigest(fileName: entry.name),
                let status = try fileSystem.status(at: OutboxLayout.mediaPath(digest))
            else { return nil }
            return (digest, status.chargedBytes)
        }
    }

    /// Cleans up after a crash or an edit by hand: bytes without a reference go to quarantine, and so do attachments
    /// that their test does not name.
    package func tidyMedia(_ lock: SweepLock) throws {
        try withExtendedLifetime(lock) {
            let files = try mediaFiles()
            guard try !files.isEmpty || scan().items(.done).contains(where: { $0.kind == .media }) else { return }
            try editing {
                if !files.isEmpty { try completeQuestionnaireMedia() }
                for item in try scan().items(.done) where try item.kind == .media && isForgotten(item) {
                    try quarantine.take(item.path, reason: "what it belonged to does not name it any more")
                    try quarantine.take(
                        OutboxLayout.receiptPath(item.id, .done), reason: "its attachment was taken away")
                }
                let use = try mediaUse()
                for file in files where !use.isNamed(file.digest) {
                    try quarantine.take(OutboxLayout.mediaPath(file.digest), reason: "no attachment refers to it")
                }
            }
        }
    }

    /// Whether its test is here and does not name it, or is a draft; or its questionnaire no longer shows it.
    private func isForgotten(_ item: OutboxItem) throws -> Bool {
        guard case .media(let media)? = try? readChange(item).change else { return false }
        if let path = media.owner.path {
            return try namingChanges().standing(of: path, in: media.questionnaire) == .unwanted
        }
        guard let test = media.owner.test, let owner = try find(test), let record = try? read(owner).record else {
            return false
        }
        return owner.status.isDraft || !record.attachments.contains { $0.id == media.id }
    }

    /// Files of the folder of attachments that do not belong there.
    package func mediaStrangers() throws -> [FolderEntry] {
        guard try fileSystem.status(at: OutboxLayout.media)?.kind == .folder else { return [] }
        return try fileSystem.list(OutboxLayout.media).filter {
            $0.kind != .regular || OutboxLayout.mediaDigest(fileName: $0.name) == nil
        }
    }

    /// The attachments whose bytes do not match their digests.
    package func damagedMedia() throws -> [FilePath] {
        try mediaFiles().map(\.digest).filter { digest in
            try OpenContent(OutboxLayout.mediaPath(digest), in: fileSystem).digest() != digest
        }.map(OutboxLayout.mediaPath)
    }

    /// Removes copies of bytes that the server has acknowledged, the earliest delivered first, until they fit into the
    /// limit. Bytes without a receipt are never touched.
    ///
    /// - Returns: the number of bytes freed.
    @discardableResult
    package func releaseMedia(keepingBytes: Int64) throws -> Int64 {
        guard try !mediaFiles().isEmpty else { return 0 }
        return try editing {
            let use = try mediaUse()
            var releasable: [(digest: Digest, sizeBytes: Int64, delivered: Timestamp)] = []
            for file in try mediaFiles() where !use.isNeeded(file.digest) {
                guard let item = use.delivered[file.digest], let receipt = try? receipt(item),
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
