import Model

/// The receipts that are written here, before a server has answered.
extension Outbox {
    /// A test in `sending` may have reached the server: it waits again, and its bytes never change.
    func interrupted(_ item: OutboxItem) -> Receipt {
        // A damaged record of attempts counts as none.
        let known = try? receipt(item)
        let action = item.kind == .test ? nil : (try? readChange(item))?.change.action
        return interrupted(id: item.id, known: known, action: known?.action ?? action)
    }

    func interrupted(
        id: TestID, known: Receipt?, action: ChangeAction?, reason: String = "sending was interrupted"
    ) -> Receipt {
        let now = clock.now
        var delivery =
            known?.delivery
            ?? .init(
                attempts: 0, firstAttempt: now, lastAttempt: now, reason: reason, mayHaveArrived: true)
        delivery.mayHaveArrived = true
        return Receipt(
            test: id, digest: known?.digest, keptAt: known?.keptAt, delivery: delivery, action: action)
    }

    /// Explains why a version of a test is in `conflict`.
    func conflictReceipt(_ id: TestID, _ bytes: [UInt8], reason: String) -> Receipt {
        Receipt(
            test: id, digest: Digest(sha256Of: bytes), status: .conflict,
            delivery: .init(
                attempts: 0, firstAttempt: clock.now, lastAttempt: clock.now, reason: reason, mayHaveArrived: false))
    }
}
