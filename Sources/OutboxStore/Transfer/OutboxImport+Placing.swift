import Disk
import Model
import SystemPackage

/// Writes what arrived.
extension OutboxImport {
    /// The new version first, durably: a crash leaves one of them, or both.
    func replace(_ former: TestStatus, with arrival: Arrival) throws {
        guard former == arrival.status else {
            try place([arrival])
            try fileSystem.removeIfPresent(OutboxLayout.path(arrival.id, arrival.kind, former))
            try fileSystem.removeIfPresent(OutboxLayout.receiptPath(arrival.id, former))
            return try fileSystem.makeDurable(folder: OutboxLayout.folder(former))
        }
        if arrival.receipt != nil { try outbox.stage([arrival], receipt) }
        _ = try outbox.stage([arrival]) { StagedFile($0.bytes, to: $0.path, modified: $0.modified) }
        try fileSystem.makeDurable(folder: OutboxLayout.folder(former))
    }

    /// The receipts first, durably, then the tests that they explain.
    func place(_ arrivals: [Arrival]) throws {
        let explained = arrivals.filter { $0.receipt != nil || $0.theirs != nil }
        try outbox.stage(explained, receipt)
        try outbox.stage(explained) { arrival in
            arrival.theirs.map { StagedFile($0, to: OutboxLayout.theirsPath(arrival.id)) }
        }
        for status in Set(explained.map(\.status)) {
            try fileSystem.makeDurable(folder: OutboxLayout.folder(status))
        }
        let kept = try outbox.stage(arrivals) { arrival in
            var modified: Timestamp?
            if arrival.status == .done {
                let isPause = arrival.modified.seconds(since: outbox.clock.now) <= Self.longestPauseSeconds
                modified = isPause ? arrival.modified : outbox.clock.now
            } else if arrival.status.isDraft {
                modified = arrival.modified
            }
            return StagedFile(arrival.bytes, to: arrival.path, isReplacing: false, modified: modified)
        }
        // It was just put there by hand, or by an attempt on a full disk.
        for arrival in arrivals where kept.contains(arrival.path) {
            if try outbox.bytesIfPresent(arrival.path, arrival.kind) == arrival.bytes {
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
    func learn(_ arrivals: [Arrival]) throws {
        var changed: Set<TestStatus> = []
        for arrival in arrivals {
            let item = OutboxItem(id: arrival.id, status: arrival.status)
            // A damaged one counts as none.
            let known = try? outbox.receipt(item)
            let joined = Self.joined(known, arrival.receipt)
            if joined == known { continue }
            var better = arrival
            better.receipt = joined
            try outbox.stage([better], receipt)
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
    func setAside(_ arrival: Arrival) throws -> Bool {
        let reason = "another version of this test came from another machine"
        let path = OutboxLayout.path(arrival.id, arrival.kind, .conflict)
        if try fileSystem.status(at: path) != nil {
            guard let name = path.name else { return false }
            return try outbox.makingRoom { _ throws(FileError) in
                try outbox.quarantine.add(arrival.bytes, named: name, reason: reason)
            }
        }
        var arrival = arrival
        arrival.status = .conflict
        arrival.receipt = outbox.conflictReceipt(arrival.id, arrival.bytes, reason: reason)
        try place([arrival])
        return true
    }
}
