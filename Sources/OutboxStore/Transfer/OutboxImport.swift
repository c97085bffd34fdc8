import Disk
import Model
import SystemPackage

/// One import: what arrived is compared with what is here, test by test, under the lock of edits.
struct OutboxImport {
    typealias Arrival = ArrivedTests.Arrival

    let outbox: Outbox
    private let facts: ImportFacts
    /// The items that were here before the import.
    private let scan: OutboxScan
    private var former: FormerVersions
    /// Where each id is here, with what has been stored.
    private var statuses: [TestID: Set<TestStatus>] = [:]
    private(set) var report = OutboxTransfer.ImportReport()

    var fileSystem: any FileSystem { outbox.fileSystem }

    /// They share the syncs of their folders, and are in memory together.
    private static let batchSize = 32
    private static let batchBytes = 4 << 20
    /// No pause is longer: a time farther ahead is another machine's clock that was wrong, and delays nothing.
    static let longestPauseSeconds = 25 * 3600.0

    init(outbox: Outbox, facts: ImportFacts) throws {
        self.outbox = outbox
        self.facts = facts
        former = FormerVersions.read(outbox.fileSystem)
        scan = try outbox.scan()
        for item in scan.items { statuses[item.id, default: []].insert(item.status) }
    }

    /// Stores the tests and changes of a checked archive.
    ///
    /// - Throws: `TarFault` if an id is that of something else here; then nothing has changed.
    mutating func take(_ arrived: ArrivedTests) throws {
        for item in arrived.items where statuses[item.id] != nil && scan.kind(of: item.id) != item.kind {
            throw TarFault(item.path.string, "its id is that of something else here")
        }
        let settled = Set(
            try outbox.changes(.questionnaire).compactMap { stored -> TestID? in
                guard case .questionnaire(let change) = stored.change else { return nil }
                return change.resolves
            })
        var batch: [Arrival] = []
        var batchBytes = 0
        for item in arrived.items {
            // Two versions of one test in one archive: the first must be in place.
            if batch.count >= Self.batchSize || batchBytes >= Self.batchBytes || batch.last?.id == item.id {
                try take(batch)
                (batch, batchBytes) = ([], 0)
            }
            let arrival = try arrived.arrival(item, facts)
            // The person has decided about it here since the archive was made.
            if arrival.status == .conflict, settled.contains(arrival.id), statuses[arrival.id] == nil {
                report.known += 1
                continue
            }
            batch.append(arrival)
            batchBytes += arrival.bytes.count
        }
        try take(batch)
        for (receipt, bytes) in facts.keepsReceipts ? try arrived.receiptsAlone() : [] {
            if let arrival = try arrival(of: receipt) {
                try take([arrival])
            } else if try keep(receipt, bytes) {
                report.withoutAnswers.append(receipt.test)
            }
        }
        former.write(keeping: Set(statuses.keys), to: fileSystem)
        // The existing files may just have been copied by hand: after this import, the archive may be deleted.
        if report.known > 0 {
            for folder in OutboxLayout.statusFolders { try fileSystem.makeDurable(folder: folder) }
        }
    }

    private mutating func take(_ batch: [Arrival]) throws {
        var placed: [Arrival] = []
        var learned: [Arrival] = []
        var displaced: [(arrival: Arrival, statuses: [TestStatus])] = []
        var aside: [Arrival] = []
        var replaced: [(arrival: Arrival, former: TestStatus)] = []
        for arrival in batch {
            let decision = try decide(arrival)
            if decision.bringsHere {
                if Outbox.canBeFormer(arrival.item, arrival.receipt) {
                    former.note(arrival.item, Digest(sha256Of: arrival.bytes))
                }
                let draft = OutboxItem(id: arrival.id, status: .inProgress)
                for digest in facts.earlier[arrival.id] ?? [] { former.note(draft, digest) }
            }
            if decision.isNews {
                switch arrival.doubt {
                case .unproven: report.unproven.append(arrival.id)
                case .contradicting: report.contradicting.append(arrival.id)
                case nil: break
                }
            }
            switch decision {
            case .take:
                placed.append(arrival)
                report.taken.append(arrival.id)
            case .advance(let former):
                var arrival = arrival
                // The local record of attempts is never lost.
                let known = try? outbox.receipt(OutboxItem(id: arrival.id, status: former))
                if !arrival.status.isDelivered { arrival.receipt = Self.joined(known, arrival.receipt) }
                placed.append(arrival)
                displaced.append((arrival, [former]))
                report.advanced.append(arrival.id)
            case .newer: report.newer.append(arrival.id)
            case .replace(let former):
                replaced.append((arrival, former))
                report.advanced.append(arrival.id)
            case .displace(let former):
                placed.append(arrival)
                let others = statuses[arrival.id]?.contains(.conflict) == true ? [.conflict, former] : [former]
                displaced.append((arrival, others))
                report.conflicts.append(arrival.id)
            case .known(let status):
                report.known += 1
                if status == arrival.status, arrival.receipt != nil { learned.append(arrival) }
            case .setAside: aside.append(arrival)
            }
        }
        try learn(learned)
        try place(placed)
        for arrival in placed { statuses[arrival.id, default: []].insert(arrival.status) }
        for (arrival, former) in replaced {
            try replace(former, with: arrival)
            statuses[arrival.id] = try places(arrival.id, arrival.kind)
        }
        for (arrival, others) in displaced {
            for other in others {
                try outbox.moves.settleDuplicate(arrival.id, arrival.kind, kept: arrival.status, other: other)
            }
            for status in others where status != .conflict {
                try fileSystem.removeIfPresent(OutboxLayout.receiptPath(arrival.id, status))
            }
            statuses[arrival.id] = try places(arrival.id, arrival.kind)
        }
        for arrival in aside {
            if try setAside(arrival) { report.conflicts.append(arrival.id) } else { report.known += 1 }
            statuses[arrival.id] = try places(arrival.id, arrival.kind)
        }
    }

    /// The test that is here as if it had arrived with the server's receipt for its bytes.
    private func arrival(of receipt: Receipt) throws -> Arrival? {
        guard let status = receipt.status, let item = try outbox.find(receipt.test), item.kind == .test,
            let (bytes, modified) = try fileSystem.readFileIfPresent(item.path, maximumBytes: Outbox.maximumTestBytes)
                .map({ ($0.bytes, $0.status.modified) }),
            Digest(sha256Of: bytes) == receipt.digest
        else { return nil }
        return Arrival(
            id: item.id, kind: .test, status: status, bytes: bytes, modified: modified, receipt: receipt)
    }

    /// Keeps the receipt of a test that is not here.
    ///
    /// - Returns: whether it was not kept already.
    private func keep(_ receipt: Receipt, _ bytes: [UInt8]) throws -> Bool {
        if let item = try outbox.find(receipt.test), item.status.isDelivered { return false }
        return try outbox.makingRoom { _ throws(FileError) in
            try outbox.quarantine.add(
                bytes, named: OutboxLayout.receiptName(receipt.test), reason: "the answers did not arrive with it")
        }
    }

    private func places(_ id: TestID, _ kind: OutboxKind) throws(FileError) -> Set<TestStatus> {
        var places: Set<TestStatus> = []
        for status in TestStatus.allCases {
            let found = try fileSystem.continuing { () throws(FileError) in
                try fileSystem.status(at: OutboxLayout.path(id, kind, status))
            }
            if found?.kind == .regular { places.insert(status) }
        }
        return places
    }

    private func decide(_ arrival: Arrival) throws -> ImportDecision {
        let statuses = statuses[arrival.id] ?? []
        /// Whether it was here before: under its status, or at all.
        func wasHere(hasSameBytes: Bool) -> Bool {
            guard Outbox.canBeFormer(arrival.item, arrival.receipt) else { return false }
            let digest = Digest(sha256Of: arrival.bytes)
            return hasSameBytes ? former.contains(arrival.item, digest) : former.contains(arrival.id, digest)
        }
        func hasSameBytes(_ status: TestStatus) throws -> Bool? {
            try outbox.bytesIfPresent(OutboxLayout.path(arrival.id, arrival.kind, status), arrival.kind).map {
                $0 == arrival.bytes
            }
        }
        let most = statuses.filter { $0 != .conflict }.max { $0.advancement < $1.advancement }
        let known = try most.flatMap { status in
            try hasSameBytes(status).map {
                let isOutdated =
                    try isOutdated(OutboxItem(id: arrival.id, kind: arrival.kind, status: status))
                return ImportDecision.Version(
                    status: status, hasSameBytes: $0, isOutdated: isOutdated, isLater: wasHere(hasSameBytes: $0))
            }
        }
        let conflict = statuses.contains(.conflict) ? try hasSameBytes(.conflict) : nil
        return ImportDecision.decide(arriving: arrival.status, known: known, conflict: conflict)
    }

    /// Whether a file is an earlier version of what arrives, and no server can have it.
    private func isOutdated(_ item: OutboxItem) throws -> Bool {
        let outdated = facts.outdated[item.path.string]
        let earlier = item.kind == .test ? facts.earlier[item.id] ?? [] : []
        guard outdated != nil || !earlier.isEmpty, !item.status.isDelivered,
            let bytes = try outbox.bytesIfPresent(item.path, item.kind), case let digest = Digest(sha256Of: bytes),
            digest == outdated || earlier.contains(digest)
        else { return false }
        // A damaged one counts as none.
        return (try? outbox.receipt(item))?.delivery?.mayHaveArrived != true
    }
}
