import Disk
import Model
import SystemPackage

/// The tests and changes of an archive: read and checked completely before the first of them is used, and kept in one
/// temporary file meanwhile.
struct ArrivedTests {
    /// One test or change with what is known about its delivery.
    struct Arrival {
        var id: TestID
        var kind: OutboxKind
        /// The status that it will have here.
        var status: TestStatus
        var bytes: [UInt8]
        var modified: Timestamp
        var receipt: Receipt?
        /// The server's version, for a change in `conflict`.
        var theirs: [UInt8]?
        /// Its receipt did not arrive or is of other bytes.
        var doubt: Doubt?

        enum Doubt {
            /// Whether a server has it is not known.
            case unproven
            /// The server has other bytes.
            case contradicting
        }

        var item: OutboxItem { OutboxItem(id: id, kind: kind, status: status) }
        var path: FilePath { item.path }
    }

    private struct Place {
        var offset: Int64
        var sizeBytes: Int
        var modified: Timestamp
    }

    private struct Proof {
        var place: Place
        var digest: Digest?
        var isAcknowledgement: Bool
    }

    /// More members than this are no outbox.
    static let mostMembers = 1_000_000
    /// The limit for other parts of an outbox, such as its reserve.
    static let longestOtherBytes: Int64 = 64 << 20

    private let outbox: Outbox
    private let spool: TemporaryFile
    private var endOffset: Int64 = 0
    private var tests: [OutboxItem: (place: Place, digest: Digest)] = [:]
    /// By the test's id, including receipts without a test yet.
    private var receipts: [OutboxItem: Proof] = [:]
    /// Those of receipts that are no receipts.
    private var damagedReceipts: Set<TestID> = []
    /// Delivered tests whose bytes are not those of their receipts.
    private var contradicting: Set<OutboxItem> = []
    private var theirs: [TestID: Place] = [:]
    private var kinds: [TestID: OutboxKind] = [:]
    private var otherNames: Set<String> = []
    private var mediaNames: Set<Digest> = []
    /// Bytes of attachments that were new; they are in place, and nothing names them yet.
    private var newMedia: [Digest] = []

    /// In the order of the import: by id, the least advanced first.
    private(set) var items: [OutboxItem] = []

    /// Reads the archive to its end.
    ///
    /// - Parameters:
    ///   - refuse: gets the reason why a test or a receipt is skipped; if it throws, the archive is rejected.
    ///   - doubt: gets the reason why a delivered test goes to `conflict`; if it throws, the archive is rejected.
    /// - Throws: `TarFault` for an archive that is rejected completely.
    init(
        reading source: @escaping TarReader.Source, for outbox: Outbox, refuse: (TarFault) throws -> Void,
        doubt: (TarFault) throws -> Void
    ) throws {
        self.outbox = outbox
        spool = try outbox.makingRoom { _ throws(FileError) in
            try outbox.fileSystem.makeTemporaryFile(in: OutboxLayout.temporary)
        }
        do {
            var reader = TarReader(source)
            while let member = try reader.next() { try read(member, &reader, refuse) }
            for item in Array(tests.keys) {
                guard let fault = digestFault(item) else { continue }
                try doubt(fault)
                contradicting.insert(item)
            }
        } catch {
            end()
            outbox.media.giveUp(newMedia)
            throw error
        }
        items = tests.keys.sorted { ($0.id, $0.status.advancement) < ($1.id, $1.status.advancement) }
    }

    /// Removes the temporary file.
    func end() {
        // The lock is released with the file, so the next sweep removes it if this fails.
        do throws(FileError) { try outbox.fileSystem.removeIfPresent(spool.path) } catch {}
        outbox.fileSystem.closeQuietly(spool.file)
    }

    // MARK: Reading

    private mutating func read(
        _ member: TarMember, _ reader: inout TarReader, _ refuse: (TarFault) throws -> Void
    ) throws {
        let place: OutboxLayout.ArchivePlace
        do throws(TarFault) {
            place = try OutboxLayout.archivePlace(member)
        } catch {
            return try refuse(error)
        }
        switch place {
        case .folder: break
        case .other(let name):
            guard member.sizeBytes <= Self.longestOtherBytes else {
                throw TarFault(member.name, "it has \(member.sizeBytes) bytes")
            }
            if let name, !otherNames.insert(name).inserted { throw TarFault(member.name, "it is there twice") }
        case .media(let digest):
            guard mediaNames.insert(digest).inserted else { throw TarFault(member.name, "it is there twice") }
            guard member.sizeBytes <= Attachment.maximumBytes else {
                throw TarFault(member.name, "it has \(member.sizeBytes) bytes")
            }
            let isNew = try outbox.media.take(digest, named: member.name) { try reader.piece() }
            if isNew { newMedia.append(digest) }
        case .file(let name, let status):
            guard tests.count + receipts.count < Self.mostMembers else {
                throw TarFault(member.name, "more than \(Self.mostMembers) files came before it")
            }
            let bytes = try reader.content(maximumBytes: Int(Outbox.maximumItemBytes))
            do throws(DocumentFault) {
                switch name {
                case .item(let id, let kind):
                    try readItem(OutboxItem(id: id, kind: kind, status: status), bytes, member)
                case .receipt(let id): try readReceipt(id, status, bytes, member)
                case .theirs(let id): try readTheirs(id, status, bytes, member)
                }
            } catch {
                if case .receipt(let id) = name { damagedReceipts.insert(id) }
                return try refuse(TarFault(member.name, error.description))
            }
            try keep(bytes)
        }
    }

    private mutating func readItem(
        _ item: OutboxItem, _ bytes: [UInt8], _ member: TarMember
    ) throws(DocumentFault) {
        guard bytes.count <= Outbox.maximumBytes(item.kind) else {
            throw DocumentFault(field: nil, reason: "it has \(bytes.count) bytes")
        }
        guard item.kind.mayLie(in: item.status) else {
            throw DocumentFault(field: nil, reason: "a \(item.kind.rawValue) is never in \(item.status.rawValue)")
        }
        let (id, digest) = try Self.content(item.kind, bytes)
        guard id == item.id else {
            throw DocumentFault(field: "id", reason: "is \(id), which is not the file's name")
        }
        guard kinds[id, default: item.kind] == item.kind, tests[item] == nil else {
            throw DocumentFault(field: nil, reason: "it is there twice")
        }
        kinds[id] = item.kind
        tests[item] = (place(of: bytes, member), digest)
    }

    /// The owner, and the content whose digest the server's receipt has.
    private static func content(_ kind: OutboxKind, _ bytes: [UInt8]) throws(DocumentFault) -> (TestID, Digest) {
        if kind == .test {
            return (try DocumentCoding.decode(TestRecord.self, from: bytes).id, Digest(sha256Of: bytes))
        }
        let change = try OutgoingChange(kind: kind, file: bytes)
        return (change.id, change.contentDigest)
    }

    private mutating func readTheirs(
        _ id: TestID, _ status: TestStatus, _ bytes: [UInt8], _ member: TarMember
    ) throws(DocumentFault) {
        guard status == .conflict else {
            throw DocumentFault(field: nil, reason: "it is never in \(status.rawValue)")
        }
        guard theirs[id] == nil else { throw DocumentFault(field: nil, reason: "it is there twice") }
        _ = try Questionnaire(json: bytes)
        theirs[id] = place(of: bytes, member)
    }

    private mutating func readReceipt(
        _ id: TestID, _ status: TestStatus, _ bytes: [UInt8], _ member: TarMember
    ) throws(DocumentFault) {
        let receipt = try DocumentCoding.decode(Receipt.self, from: bytes)
        guard receipt.test == id else {
            throw DocumentFault(field: "test", reason: "is \(receipt.test), which is not the file's name")
        }
        let item = OutboxItem(id: id, status: status)
        guard receipts[item] == nil else { throw DocumentFault(field: nil, reason: "it is there twice") }
        receipts[item] = Proof(
            place: place(of: bytes, member), digest: receipt.digest,
            isAcknowledgement: receipt.status?.isDelivered == true && receipt.receivedAt != nil)
    }

    private func place(of bytes: [UInt8], _ member: TarMember) -> Place {
        Place(offset: endOffset, sizeBytes: bytes.count, modified: member.modified)
    }

    private mutating func keep(_ bytes: [UInt8]) throws {
        let offset = endOffset
        try outbox.makingRoom { _ throws(FileError) in
            try outbox.fileSystem.writeAll(spool.file, bytes, at: offset)
        }
        endOffset += Int64(bytes.count)
    }

    /// The acknowledged bytes must be exactly these, or the archive is damaged.
    private func digestFault(_ item: OutboxItem) -> TarFault? {
        guard item.status.isDelivered, let digest = proof(item, item.status)?.digest, let test = tests[item],
            digest != test.digest
        else { return nil }
        return TarFault(
            item.path.string,
            "its bytes are not those of its receipt (\(digest)): it was changed or damaged since it was delivered")
    }

    // MARK: Giving

    func arrival(_ item: OutboxItem, _ facts: ImportFacts) throws -> Arrival {
        guard let test = tests[item] else { throw OutboxError.notFound(item.id.description) }
        let bytes = try bytes(test.place)
        var arrival = Arrival(
            id: item.id, kind: item.kind, status: item.status, bytes: bytes, modified: test.place.modified)
        let places: [TestStatus] =
            item.status.isWaiting ? [item.status, .done, .rejected, .conflict] : [item.status]
        let proof = places.lazy.compactMap { self.proof(item, $0) }.first
        arrival.receipt = try proof.map { try DocumentCoding.decode(Receipt.self, from: try self.bytes($0.place)) }
        if contradicting.contains(item) {
            // Sent again, it could only be refused: a person decides.
            arrival.status = .conflict
            arrival.receipt = outbox.conflictReceipt(
                item.id, bytes, reason: "the server has other bytes: it was changed or damaged since it was delivered")
            arrival.doubt = .contradicting
        } else if item.status.isDelivered {
            // Without the server's own receipt it does not count as delivered: it is sent again, and the server
            // recognises it by its bytes, which never change.
            if let proof, proof.isAcknowledgement, proof.digest == test.digest, let said = arrival.receipt?.status {
                arrival.status = said
            } else {
                arrival.status = .done
                arrival.receipt = try uncertain(item, bytes)
                arrival.doubt = .unproven
            }
        } else if item.status == .sending {
            arrival.status = .done
            arrival.receipt = outbox.interrupted(
                id: item.id, known: arrival.receipt, action: try arrival.receipt?.action ?? action(item, bytes))
        } else if proof == nil, !item.status.isDraft,
            facts.lostReceipts.contains(item.id) || damagedReceipts.contains(item.id)
        {
            arrival.receipt = try uncertain(item, bytes)
            arrival.doubt = .unproven
        }
        if arrival.status == .conflict { arrival.theirs = try theirs[item.id].map { try self.bytes($0) } }
        return arrival
    }

    /// The server's receipts for tests that did not arrive.
    func receiptsAlone() throws -> [(receipt: Receipt, bytes: [UInt8])] {
        let alone = receipts.filter { kinds[$0.key.id] == nil && $0.value.isAcknowledgement }
        return try alone.sorted { $0.key.id < $1.key.id }.compactMap { item, proof in
            let bytes = try bytes(proof.place)
            let receipt = try DocumentCoding.decode(Receipt.self, from: bytes)
            return receipt.action == nil ? (receipt, bytes) : nil
        }
    }

    /// The receipt of what a server may have.
    private func uncertain(_ item: OutboxItem, _ bytes: [UInt8]) throws -> Receipt {
        outbox.interrupted(
            id: item.id, known: nil, action: try action(item, bytes), reason: "its receipt did not arrive with it")
    }

    private func action(_ item: OutboxItem, _ bytes: [UInt8]) throws -> ChangeAction? {
        item.kind == .test ? nil : try OutgoingChange(kind: item.kind, file: bytes).action
    }

    private func proof(_ item: OutboxItem, _ status: TestStatus) -> Proof? {
        receipts[OutboxItem(id: item.id, status: status)]
    }

    private func bytes(_ place: Place) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: place.sizeBytes)
        var done = 0
        while done < place.sizeBytes {
            let offset = done
            let count = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(FileError) in
                let rest = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[offset...]))
                return try outbox.fileSystem.continuing { () throws(FileError) in
                    try outbox.fileSystem.read(spool.file, into: rest, at: place.offset + Int64(offset))
                }
            }
            guard count > 0 else { throw FileError("read", outbox.fileSystem.root.pushing(spool.path), .ioError) }
            done += count
        }
        return bytes
    }
}
