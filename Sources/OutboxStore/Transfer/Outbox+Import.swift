import Disk
import Model
import SystemPackage

/// Tests from the outbox of another machine.
extension Outbox {
    package struct ImportReport: Sendable, Equatable {
        /// They are new here.
        package var taken: [TestID] = []
        /// They were here, and are further advanced now.
        package var advanced: [TestID] = []
        /// They were here already, equally or further advanced.
        package var known = 0
        /// Other bytes were here under their id: both are kept, one of them in `conflict`.
        package var conflicts: [TestID] = []
        /// What arrived was here before what is here now, which stays.
        package var newer: [TestID] = []
        /// Their receipts did not arrive, so a server may have them: they are sent again as they are.
        package var unproven: [TestID] = []
        /// Their bytes are not those of their receipts: they are in `conflict`.
        package var contradicting: [TestID] = []
        /// A server has them, and their answers did not arrive: their receipts are in quarantine.
        package var withoutAnswers: [TestID] = []
        package init() {}
    }

    /// They share the syncs of their folders, and are in memory together.
    static let importBatchSize = 32
    static let importBatchBytes = 4 << 20
    /// No pause is longer: a time farther ahead is another machine's clock that was wrong, and delays nothing.
    static let longestImportedPauseSeconds = 25 * 3600.0

    /// Imports a tar archive of an outbox, from `export` or from `tar`.
    ///
    /// It is read and checked completely before any of it is used; then each test is stored with its receipt. An import
    /// interrupted at any call is repeated with the same archive: imported tests are recognised.
    ///
    /// For a test that is here too, the most advanced status wins. Two contents under one id are both kept, the less
    /// advanced in `conflict` or, if one is there already, in quarantine. A test counts as delivered only with the
    /// server's receipt for exactly its bytes.
    ///
    /// - Parameter source: returns the archive's bytes.
    /// - Throws: `TarFault` if the archive is rejected; then nothing has changed. `OutboxError.sweeperIsRunning`.
    package func importTests(_ source: @escaping TarReader.Source) throws -> ImportReport {
        try importTests(source, knowing: { ImportFacts() }, refuse: { throw $0 }, doubt: { throw $0 })
    }

    /// The same where more is known about the tests, and where one bad file rejects nothing else.
    ///
    /// - Parameters:
    ///   - findFacts: asked when the archive was read.
    ///   - refuse: gets the reason why a file is skipped; if it throws, the archive is rejected.
    ///   - doubt: gets the reason why a delivered test goes to `conflict`; if it throws, the archive is rejected.
    package func importTests(
        _ source: @escaping TarReader.Source, knowing findFacts: () throws -> ImportFacts,
        refuse: (TarFault) throws -> Void, doubt: (TarFault) throws -> Void
    ) throws -> ImportReport {
        try makeFolders()
        // From now on, because a sweep would remove bytes of attachments that nothing names yet.
        guard let lock = try acquireSweepLock() else { throw OutboxError.sweeperIsRunning }
        defer { lock.release() }
        let arrived = try ArrivedTests(reading: source, for: self, refuse: refuse, doubt: doubt)
        defer { arrived.end() }
        try recover(lock)
        let facts = try findFacts()
        return try editing {
            var report = ImportReport()
            var former = FormerVersions.read(fileSystem)
            var statuses: [TestID: Set<TestStatus>] = [:]
            let scan = try scan()
            for item in scan.items { statuses[item.id, default: []].insert(item.status) }
            for item in arrived.items where statuses[item.id] != nil && scan.kind(of: item.id) != item.kind {
                throw TarFault(item.path.string, "its id is that of something else here")
            }
            let settled = Set(
                try changes(.questionnaire).compactMap { stored -> TestID? in
                    guard case .questionnaire(let change) = stored.change else { return nil }
                    return change.resolves
                })
            var batch: [Arrival] = []
            var batchBytes = 0
            for item in arrived.items {
                // Two versions of one test in one archive: the first must be in place.
                if batch.count >= Self.importBatchSize || batchBytes >= Self.importBatchBytes
                    || batch.last?.id == item.id
                {
                    try take(batch, facts, &former, &statuses, &report)
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
            try take(batch, facts, &former, &statuses, &report)
            for (receipt, bytes) in facts.keepsReceipts ? try arrived.receiptsAlone() : [] {
                if let arrival = try arrival(of: receipt) {
                    try take([arrival], facts, &former, &statuses, &report)
                } else if try keep(receipt, bytes) {
                    report.withoutAnswers.append(receipt.test)
                }
            }
            former.write(keeping: Set(statuses.keys), to: fileSystem)
            // The existing files may just have been copied by hand: after this import, the archive may be deleted.
            if report.known > 0 {
                for folder in OutboxLayout.allStatusFolders { try fileSystem.makeDurable(folder: folder) }
            }
            return report
        }
    }

    private typealias Arrival = ArrivedTests.Arrival

    private func take(
        _ batch: [Arrival], _ facts: ImportFacts, _ former: inout FormerVersions,
        _ statuses: inout [TestID: Set<TestStatus>], _ report: inout ImportReport
    ) throws {
        var placed: [Arrival] = []
        var learned: [Arrival] = []
        var displaced: [(arrival: Arrival, statuses: [TestStatus])] = []
        var aside: [Arrival] = []
        var replaced: [(arrival: Arrival, former: TestStatus)] = []
        for arrival in batch {
            let decision = try decide(arrival, statuses[arrival.id] ?? [], facts, former)
            if decision.bringsHere {
                if Self.canBeFormer(arrival.item, arrival.receipt) {
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
                let known = try? receipt(OutboxItem(id: arrival.id, status: former))
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
            for other in others { try settleDuplicate(arrival.id, arrival.kind, kept: arrival.status, other: other) }
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
        guard let status = receipt.status, let item = try find(receipt.test), item.kind == .test,
            let (bytes, modified) = try fileSystem.readFileIfPresent(item.path, maximumBytes: Self.maximumTestBytes)
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
        if let item = try find(receipt.test), item.status.isDelivered { return false }
        return try makingRoom { _ throws(FileError) in
            try quarantine.add(
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

    private func decide(
        _ arrival: Arrival, _ statuses: Set<TestStatus>, _ facts: ImportFacts, _ former: FormerVersions
    ) throws -> ImportDecision {
        /// Whether it was here before: under its status, or at all.
        func wasHere(hasSameBytes: Bool) -> Bool {
            guard Self.canBeFormer(arrival.item, arrival.receipt) else { return false }
            let digest = Digest(sha256Of: arrival.bytes)
            return hasSameBytes ? former.contains(arrival.item, digest) : former.contains(arrival.id, digest)
        }
        func hasSameBytes(_ status: TestStatus) throws -> Bool? {
            try bytesIfPresent(OutboxLayout.path(arrival.id, arrival.kind, status), arrival.kind).map {
                $0 == arrival.bytes
            }
        }
        let most = statuses.filter { $0 != .conflict }.max { $0.advancement < $1.advancement }
        let known = try most.flatMap { status in
            try hasSameBytes(status).map {
                let isOutdated =
                    try isOutdated(OutboxItem(id: arrival.id, kind: arrival.kind, status: status), facts)
                return ImportDecision.Version(
                    status: status, hasSameBytes: $0, isOutdated: isOutdated, isLater: wasHere(hasSameBytes: $0))
            }
        }
        let conflict = statuses.contains(.conflict) ? try hasSameBytes(.conflict) : nil
        return ImportDecision.decide(arriving: arrival.status, known: known, conflict: conflict)
    }

    /// Whether a file is an earlier version of what arrives, and no server can have it.
    private func isOutdated(_ item: OutboxItem, _ facts: ImportFacts) throws -> Bool {
        let outdated = facts.outdated[item.path.string]
        let earlier = item.kind == .test ? facts.earlier[item.id] ?? [] : []
        guard outdated != nil || !earlier.isEmpty, !item.status.isDelivered,
            let bytes = try bytesIfPresent(item.path, item.kind), case let digest = Digest(sha256Of: bytes),
            digest == outdated || earlier.contains(digest)
        else { return false }
        // A damaged one counts as none.
        return (try? receipt(item))?.delivery?.mayHaveArrived != true
    }

    /// The new version first, durably: a crash leaves one of them, or both.
    private func replace(_ former: TestStatus, with arrival: Arrival) throws {
        guard former == arrival.status else {
            try place([arrival])
            try fileSystem.removeIfPresent(OutboxLayout.path(arrival.id, arrival.kind, former))
            try fileSystem.removeIfPresent(OutboxLayout.receiptPath(arrival.id, former))
            return try fileSystem.makeDurable(folder: OutboxLayout.folder(former))
        }
        if arrival.receipt != nil { try stage([arrival], receipt) }
        _ = try stage([arrival]) { StagedFile($0.bytes, to: $0.path, modified: $0.modified) }
        try fileSystem.makeDurable(folder: OutboxLayout.folder(former))
    }

    /// The receipts first, durably, then the tests that they explain.
    private func place(_ arrivals: [Arrival]) throws {
        let explained = arrivals.filter { $0.receipt != nil || $0.theirs != nil }
        try stage(explained, receipt)
        try stage(explained) { arrival in
            arrival.theirs.map { StagedFile($0, to: OutboxLayout.theirsPath(arrival.id)) }
        }
        for status in Set(explained.map(\.status)) {
            try fileSystem.makeDurable(folder: OutboxLayout.folder(status))
        }
        let kept = try stage(arrivals) { arrival in
            var modified: Timestamp?
            if arrival.status == .done {
                let isPause = arrival.modified.seconds(since: clock.now) <= Self.longestImportedPauseSeconds
                modified = isPause ? arrival.modified : clock.now
            } else if arrival.status.isDraft {
                modified = arrival.modified
            }
            return StagedFile(arrival.bytes, to: arrival.path, isReplacing: false, modified: modified)
        }
        // It was just put there by hand, or by an attempt on a full disk.
        for arrival in arrivals where kept.contains(arrival.path) {
            if try bytesIfPresent(arrival.path, arrival.kind) == arrival.bytes {
                try fileSystem.makeDurable(file: arrival.path)
            } else {
                _ = try setAside(arrival)
            }
        }
        for status in Set(arrivals.map(\.status)) {
            try fileSystem.makeDurable(folder: OutboxLayout.folder(status))
        }
    }

    private func receipt(_ arrival: Arrival) throws -> StagedFile? {
        try arrival.receipt.map {
            StagedFile(try DocumentCoding.encode($0), to: OutboxLayout.receiptPath(arrival.id, arrival.status))
        }
    }

    /// Merges the other machine's receipts for tests with the same status.
    private func learn(_ arrivals: [Arrival]) throws {
        var changed: Set<TestStatus> = []
        for arrival in arrivals {
            let item = OutboxItem(id: arrival.id, status: arrival.status)
            // A damaged one counts as none.
            let known = try? receipt(item)
            let joined = Self.joined(known, arrival.receipt)
            if joined == known { continue }
            var better = arrival
            better.receipt = joined
            try stage([better], receipt)
            changed.insert(arrival.status)
        }
        for status in changed { try fileSystem.makeDurable(folder: OutboxLayout.folder(status)) }
    }

    /// Merges two machines' receipts for one test with one status.
    static func joined(_ known: Receipt?, _ arriving: Receipt?) -> Receipt? {
        guard let known, let arriving else { return known ?? arriving }
        guard let here = known.delivery else {
            guard arriving.delivery == nil, known.digest == arriving.digest else { return known }
            // Two receipts of the server: a test may be rated again.
            let isNewer = arriving.evaluation?.ratedAt ?? .epoch > known.evaluation?.ratedAt ?? .epoch
            return isNewer ? arriving : known
        }
        guard let there = arriving.delivery else { return known }
        var joined = here.lastAttempt < there.lastAttempt ? arriving : known
        joined.delivery?.attempts = max(here.attempts, there.attempts)
        joined.delivery?.firstAttempt = min(here.firstAttempt, there.firstAttempt)
        // Bytes that may have reached a server never change.
        joined.delivery?.mayHaveArrived = here.mayHaveArrived || there.mayHaveArrived
        if joined.keptAt == nil {
            let keeping = known.keptAt == nil ? arriving : known
            (joined.keptAt, joined.digest) = (keeping.keptAt, keeping.digest ?? joined.digest)
        }
        return joined
    }

    /// Stores other bytes of a test beside the existing ones.
    ///
    /// - Returns: whether they were new.
    private func setAside(_ arrival: Arrival) throws -> Bool {
        let reason = "another version of this test came from another machine"
        let path = OutboxLayout.path(arrival.id, arrival.kind, .conflict)
        if try fileSystem.status(at: path) != nil {
            guard let name = path.lastComponent?.string else { return false }
            return try makingRoom { _ throws(FileError) in
                try quarantine.add(arrival.bytes, named: name, reason: reason)
            }
        }
        var arrival = arrival
        arrival.status = .conflict
        arrival.receipt = conflictReceipt(arrival.id, arrival.bytes, reason: reason)
        try place([arrival])
        return true
    }
}
