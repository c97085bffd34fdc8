import Disk
import Model
import ObjectStores
import Sync
import SystemPackage

/// Files that belong to answers and questionnaires.
extension FolderRemote {
    private enum Place: Sendable {
        case answered(RemoteReply)
        /// Its bytes are to be put there.
        case missing
        case there
    }

    /// An attachment is stored like a test: its bytes under their digest, then its metadata. A host that has imported
    /// them removes both, and leaves its receipt.
    package func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply {
        let requestTime = clock.now
        let change = upload.change
        let bytes = ExchangeLayout.bytes(change.digest)
        let place = try await working { folder -> Place in
            if let said = try self.said(of: change.id, change.digest, folder, requestTime) { return .answered(said) }
            guard let content = try folder.open(bytes), try content.status().sizeBytes == change.sizeBytes,
                try content.digest() == change.digest
            else { return .missing }
            // The writer may have died before it was durable.
            try folder.confirm(bytes)
            return .there
        }
        switch place {
        case .answered(let reply): return reply
        case .there: upload.progress(change.sizeBytes)
        case .missing: if let full = try await put(upload, at: bytes, requestTime) { return full }
        }
        return try await working { folder in
            try self.unlessFull(folder, requestTime) {
                try folder.write(
                    try DocumentCoding.encode(change), to: ExchangeLayout.attachment(change.id), replacing: true)
            }
                ?? self.reply(
                    202, Self.json,
                    try DocumentCoding.encodeLine(
                        KeptReceipt(test: change.id, action: .attach, digest: change.digest, keptAt: self.clock.now)),
                    requestTime)
        }
    }

    /// - Returns: the reply for a full folder; `nil` if they are there, durably.
    private func put(
        _ upload: MediaUpload, at target: FilePath, _ requestTime: Timestamp, isAgain: Bool = false
    ) async throws(RemoteFailure) -> RemoteReply? {
        let folder = try open()
        let change = upload.change
        let content = ObjectContent(sizeBytes: change.sizeBytes, digest: change.digest) { offset, count in
            let piece = try await upload.read(offset, count)
            upload.progress(offset + Int64(piece.count))
            return piece
        }
        do {
            try await folder.write(content, to: target)
            return nil
        } catch let failure as RemoteFailure {
            throw failure
        } catch let error as ObjectStoreError where error.kind == .otherContent {
            throw RemoteFailure(.cancelled, "the copy of “\(change.name)” is not what was attached")
        } catch {
            guard let error = error as? FileError else { throw RemoteFailure(.interrupted, "\(error)") }
            guard error.isFull else { throw failure(error) }
            let hasRoom = try await working { folder in !isAgain && self.makeRoom(folder) }
            return hasRoom ? try await put(upload, at: target, requestTime, isAgain: true) : full(requestTime)
        }
    }

    /// The status of an attachment in the folder whose length is correct.
    func keptAttachment(_ id: TestID, _ folder: any ExchangeFiles) throws -> (digest: Digest, since: Timestamp)? {
        guard let (bytes, modified) = try folder.readOwn(ExchangeLayout.attachment(id), maximumBytes: 64 << 10),
            let change = try? MediaChange(file: bytes), change.id == id,
            try folder.open(ExchangeLayout.bytes(change.digest))?.status().sizeBytes == change.sizeBytes
        else { return nil }
        return (change.digest, modified)
    }
}
