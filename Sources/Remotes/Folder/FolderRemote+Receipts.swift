import Disk
import Model
import ObjectStores
import Sync
import SystemPackage

/// The replies of a host, or of the folder itself, about submissions.
extension FolderRemote {
    package func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        let requestTime = clock.now
        return try await working { folder in
            var receipts: [[UInt8]] = []
            var kept: [[UInt8]] = []
            for test in tests {
                if let (answer, _) = try self.receipt(of: test, folder) {
                    receipts.append(answer)
                    continue
                }
                let known: KeptReceipt
                if let (bytes, modified) = try folder.readOwn(ExchangeLayout.test(test), maximumBytes: 4 << 20) {
                    known = KeptReceipt(test: test, digest: Digest(sha256Of: bytes), keptAt: modified)
                } else if let (digest, since) = try self.keptAttachment(test, folder) {
                    known = KeptReceipt(test: test, action: .attach, digest: digest, keptAt: since)
                } else if let change = try self.keptChange(test, folder) {
                    known = change
                } else {
                    continue
                }
                // A rejected test is no longer kept: it is sent again, and gets the reason.
                if try self.refusal(of: test, folder)?.digest == known.digest { continue }
                kept.append(try DocumentCoding.encodeLine(known))
            }
            let comma = [UInt8(ascii: ",")]
            let body = [
                Array("{\"receipts\":[".utf8), Array(receipts.joined(separator: comma)), Array("],\"kept\":[".utf8),
                Array(kept.joined(separator: comma)), Array("]}\n".utf8),
            ]
            return self.reply(200, Self.json, Array(body.joined()), requestTime)
        }
    }

    /// The host's reply about these bytes under this id; `nil` if they must be written.
    func said(
        of id: TestID, _ digest: Digest, _ folder: any ExchangeFiles, _ requestTime: Timestamp
    ) throws -> RemoteReply? {
        if let (answer, receipt) = try receipt(of: id, folder) {
            guard receipt.digest == digest else {
                return problem(409, "the host has something else under this id", requestTime)
            }
            return reply(200, Self.json, answer, requestTime)
        }
        guard let refusal = try refusal(of: id, folder), refusal.digest == digest else { return nil }
        // It is read now: a retry is judged again. For another version, `current` reads it first.
        if refusal.status != 412 { try? folder.remove(ExchangeLayout.refusal(id)) }
        return problem(refusal.status, refusal.reason, requestTime)
    }

    /// Stores a file in the folder, durably. An existing file that is neither this one nor another complete one is
    /// replaced: it was truncated when the stick was removed too soon.
    ///
    /// - Parameters:
    ///   - isOther: whether the existing file is another complete one; `reason` is the reply then.
    ///   - receipt: the receipt of a file that was just stored.
    func keep(
        _ file: [UInt8], at path: FilePath, maximumBytes: Int64, _ folder: any ExchangeFiles, _ requestTime: Timestamp,
        unless isOther: ([UInt8]) -> Bool, _ reason: String, receipt: (Timestamp) -> KeptReceipt
    ) throws -> RemoteReply {
        var keptAt = clock.now
        let place = path.folder
        switch try folder.readOwn(path, maximumBytes: maximumBytes) {
        case (let stored, let modified)? where stored == file:
            // The writer may have died before it was durable.
            try folder.confirm(path)
            keptAt = modified
        case (let stored, _)? where isOther(stored): return problem(409, reason, requestTime)
        default:
            try folder.makeFolder(ExchangeLayout.temporary)
            try folder.makeFolder(place)
            let isThere = try folder.isThere(path)
            let full = try unlessFull(folder, requestTime) { try folder.write(file, to: path, replacing: isThere) }
            if let full { return full }
        }
        return reply(202, Self.json, try DocumentCoding.encodeLine(receipt(keptAt)), requestTime)
    }

    /// The host's receipt, if there is a valid one.
    func receipt(of test: TestID, _ folder: any ExchangeFiles) throws -> (bytes: [UInt8], receipt: Receipt)? {
        guard
            let (bytes, _) = try folder.readOwn(
                ExchangeLayout.receipt(test), maximumBytes: Int64(Receipt.maximumBytes)),
            // Truncated when the stick was removed too soon: the next collection rewrites it.
            let receipt = try? DocumentCoding.decode(Receipt.self, from: bytes), receipt.test == test,
            receipt.status?.isDelivered == true, receipt.receivedAt != nil
        else { return nil }
        return (bytes, receipt)
    }

    func refusal(of test: TestID, _ folder: any ExchangeFiles) throws -> ExchangeRefusal? {
        guard let (bytes, _) = try folder.readOwn(ExchangeLayout.refusal(test), maximumBytes: 64 << 10),
            let refusal = try? DocumentCoding.decode(ExchangeRefusal.self, from: bytes), refusal.test == test,
            (400..<500).contains(refusal.status)
        else { return nil }
        return refusal
    }

    static func isTest(_ bytes: [UInt8], _ id: TestID) -> Bool {
        (try? DocumentCoding.decode(TestRecord.self, from: bytes))?.id == id
    }
}
