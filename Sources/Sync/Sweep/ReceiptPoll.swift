import Disk
import Model
import OutboxStore

/// Asks what became of what the server has: ratings, and receipts that are missing here.
struct ReceiptPoll: Sendable {
    let outbox: Outbox
    let clock: any StoreClock
    let journal: Journal
    let query: ReceiptQuery

    /// Asks what became of the tests that the server has, and moves those that got further.
    ///
    /// - Returns: those that the server has not got: they wait again.
    func ask(_ round: inout SweepRound) async throws -> (step: SweepStep, returned: Set<TestID>) {
        let scan = try outbox.scan()
        let acknowledged = Set(round.report.sent)
        let open =
            scan.items.filter { isOpen($0, acknowledged) }
            + (try ratedLately(scan, round.options).filter { !isOpen($0, acknowledged) })
        var polled = try await poll(open, acknowledged, round.lock, &round.report)
        // Where it lost one, it may have lost what is not asked after any more.
        if polled.step == .proceed, !round.report.missing.isEmpty, !round.options.verifies {
            let asked = Set(open)
            let rest = scan.items(.rated).filter { $0.kind == .test && !asked.contains($0) }
            let more = try await poll(rest, acknowledged, round.lock, &round.report)
            polled = (more.step, polled.returned.union(more.returned))
        }
        return polled
    }

    private func poll(
        _ open: [OutboxItem], _ acknowledged: Set<TestID>, _ lock: SweepLock, _ report: inout Sweeper.Report
    ) async throws -> (step: SweepStep, returned: Set<TestID>) {
        var returned: Set<TestID> = []
        let step = try await query.ask(about: open, as: ReceiptList.self, &report) { items, list, report in
            let known = Dictionary(list.receipts.map { ($0.test, $0) }, uniquingKeysWith: { first, _ in first })
            var settlements: [OutboxSettlement] = []
            /// Of tests that lie where nothing here proves that they belong.
            var corrections: [OutboxSettlement] = []
            if list.isComplete { noteMissing(items, known: Set(known.keys), &report) }
            for item in items {
                guard let receipt = known[item.id], let status = receipt.status else {
                    // The server has not got it, whatever its folder says: it is sent.
                    if known[item.id] == nil, item.kind == .test, !hasReceipt(item), (try? outbox.read(item)) != nil {
                        corrections.append(.init(move: OutboxMove(item, to: .done), receipt: nil))
                    }
                    continue
                }
                if item.kind != .test {
                    if receipt.digest == (try? outbox.readChange(item))?.change.contentDigest {
                        settlements.append(.init(move: OutboxMove(item, to: status), receipt: receipt))
                    }
                    continue
                }
                let isRatedAnew = item.status == .rated && status == .rated && isNewer(receipt, than: item)
                let isMoved = item.status.legalMoves.contains(status)
                let isReturned = item.status == status && returnChanged(receipt, from: item)
                // For nearly all, the server confirms the status of their folder, and they need not be read.
                guard isRatedAnew || isMoved || isReturned || !hasReceipt(item, acknowledged),
                    let stored = try? outbox.read(item), receipt.digest == stored.digest
                else { continue }
                guard isRatedAnew || isMoved || isReturned else {
                    // The proof of delivery was lost or damaged: the server gives it again.
                    corrections.append(.init(move: OutboxMove(item, to: status), receipt: receipt))
                    continue
                }
                if let back = receipt.returned, isReturned || returnChanged(receipt, from: item) {
                    report.returned.append(item.id)
                    journal.record(
                        "returned", test: item.id, title: stored.record.questionnaire.title, detail: back.comment)
                }
                settlements.append(.init(move: OutboxMove(item, to: status), receipt: receipt))
                if status == .rated, isRatedAnew || isMoved {
                    report.rated.append(item.id)
                    journal.record(
                        "rated", test: item.id, title: stored.record.questionnaire.title,
                        detail: isRatedAnew ? Self.change(of: receipt) : receipt.evaluation?.summary)
                }
            }
            let (all, corrected) = (settlements, corrections)
            try await offload {
                try outbox.queue.settle(all, lock)
                try outbox.queue.correct(corrected, lock)
            }
            returned.formUnion(corrected.filter { $0.move.to == .done }.map(\.move.id))
        }
        return (step, returned)
    }

    /// `8 of 10, before 7 of 10`: a rating that replaced another.
    private static func change(of receipt: Receipt) -> String? {
        guard let now = receipt.evaluation?.summary else { return nil }
        guard let former = receipt.former else { return now }
        return "\(now), before \(former.evaluation.summary)"
    }

    /// Notes which of the tests that the server acknowledged it does not have any more.
    private func noteMissing(_ items: ArraySlice<OutboxItem>, known: Set<TestID>, _ report: inout Sweeper.Report) {
        let missing = items.filter { $0.kind == .test && !known.contains($0.id) && hasReceipt($0) }
        report.missing.formUnion(missing.map(\.id))
        let new = journal.noteMissing(Set(missing.map(\.id)), there: known, now: clock.now)
        for item in missing where new.contains(item.id) {
            journal.record("missing", test: item.id, title: (try? outbox.read(item))?.record.questionnaire.title)
        }
    }

    /// Whether the server has news about a test: its rating, or a receipt that is missing here.
    func isOpen(_ item: OutboxItem, _ acknowledged: Set<TestID> = []) -> Bool {
        item.status.isDelivered
            && (item.kind == .test && item.status.awaitsRating || !hasReceipt(item, acknowledged))
    }

    /// So long a rating is not taken to be the last word, and of so many tests.
    static let rerateSeconds: Double = 14 * 86_400
    static let mostAskedAfterRated = 500

    /// The recently rated tests, the latest first: the server may have changed a rating. No receipt of them is read for it.
    func ratedLately(_ scan: OutboxScan, _ options: Sweeper.Options) throws -> [OutboxItem] {
        if options.verifies { return scan.items(.rated).filter { $0.kind == .test } }
        guard options.asksAfterRated else { return [] }
        let rated = try outbox.rated(since: clock.now.adding(seconds: -Self.rerateSeconds), in: scan)
        return Array(rated.prefix(Self.mostAskedAfterRated)) + (try released(scan, except: rated))
    }

    /// The tests that were rated earlier and of whose result more is given out by now, the latest of them.
    private func released(_ scan: OutboxScan, except known: [OutboxItem]) throws -> [OutboxItem] {
        let count = scan.items.count { $0.status == .rated && $0.kind == .test }
        guard count > known.count else { return [] }
        let (now, known) = (clock.now, Set(known))
        let earlier = try outbox.rated(since: .epoch, in: scan).filter { !known.contains($0) }
        return earlier.prefix(Self.mostAskedAfterRated).filter { item in
            (try? outbox.receipt(item))?.releasesAt.map { $0 < now } ?? false
        }
    }

    /// Whether the server rated it again, or gives out more of the rating than it did.
    private func isNewer(_ receipt: Receipt, than item: OutboxItem) -> Bool {
        let known = try? outbox.receipt(item)
        guard let evaluation = receipt.evaluation else {
            return known?.evaluation == nil && receipt.review != nil && receipt.review != known?.review
        }
        guard evaluation != known?.evaluation else { return false }
        return evaluation.ratedAt ?? .epoch >= known?.evaluation?.ratedAt ?? .epoch
    }

    /// Whether a teacher sent it back since, or withdrew that.
    private func returnChanged(_ receipt: Receipt, from item: OutboxItem) -> Bool {
        guard let known = try? outbox.receipt(item) else { return receipt.returned != nil }
        return receipt.returned != known.returned
    }

    /// - Parameter acknowledged: what was acknowledged in this sweep: the receipts were written a moment ago.
    private func hasReceipt(_ item: OutboxItem, _ acknowledged: Set<TestID> = []) -> Bool {
        // A damaged one is as good as none: it is asked for again.
        acknowledged.contains(item.id) || (try? outbox.receipt(item))?.digest != nil
    }

    private struct ReceiptList: Decodable {
        var receipts: [Receipt]
        /// There where a hub or a folder answers, which may know of a part alone.
        var kept: [KeptReceipt]?
        /// A hub's word that the server has answered as well.
        var complete: Bool?

        /// Whether the server has none of the others.
        var isComplete: Bool { complete ?? (kept == nil) }
    }
}
