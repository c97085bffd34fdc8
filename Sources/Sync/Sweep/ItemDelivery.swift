import Model
import OutboxStore

/// Sends one item, and decides what becomes of it in the outbox: the same whatever it is.
struct ItemDelivery: Sendable {
    let outbox: Outbox
    let clock: any StoreClock

    /// Items that are claimed, and settled, together: they share their folder syncs.
    static let batchSize = 32
    /// Requests under way at once.
    static let parallelDeliveries = 8
    /// After so many failures in a row the remote is taken to be in trouble.
    static let tolerableFailures = 5

    /// The result of sending an item.
    struct Sent: Sendable {
        var item: OutboxItem
        /// `nil` for a test.
        var action: ChangeAction?
        /// When a hub said that it keeps these bytes.
        var keptAt: Timestamp?
        var attempt: DeliveryDecision.Attempt
        var decision: DeliveryDecision
        /// `nil` where this side gave up.
        var contact: Contact?
        /// In a conflict: what the server has.
        var theirs: Publication?
    }

    func attempt(
        _ item: OutboxItem, digest: Digest, action: ChangeAction? = nil,
        _ send: () async throws(RemoteFailure) -> RemoteReply
    ) async -> Sent {
        let outcome: Result<RemoteReply, RemoteFailure>
        do throws(RemoteFailure) {
            outcome = .success(try await send())
        } catch {
            outcome = .failure(error)
        }
        // Read now: an upload notes meanwhile where it goes on.
        let former = try? outbox.receipt(item)
        let attempt = DeliveryDecision.Attempt(
            test: item.id, digest: digest, outcome: outcome, history: former?.delivery, now: clock.now,
            jitter: Double.random(in: 0..<1))
        let decision = DeliveryDecision.decide(attempt)
        var contact = Contact(after: outcome, now: clock.now)
        if case .retry(let delivery, _, _) = decision, delivery.notTheServer == true {
            contact = Contact(at: clock.now, isReachable: false, reason: delivery.reason, trouble: .notTheServer)
        }
        return Sent(
            item: item, action: action, keptAt: former?.digest == digest ? former?.keptAt : nil, attempt: attempt,
            decision: decision, contact: contact)
    }

    /// The consequences of an attempt.
    struct Settled: Sendable {
        var settlement: OutboxSettlement
        /// An entry of the journal; `nil` where it has nothing new.
        var event: (name: String, detail: String?)?
        var step = SweepStep.proceed
    }

    /// Decides what becomes of an attempted item, and notes it in the report.
    ///
    /// - Parameter detail: the journal's detail of “sent”.
    func settle(_ sent: Sent, detail: String? = nil, _ report: inout Sweeper.Report) -> Settled {
        let item = sent.item
        func settled(
            _ status: TestStatus, _ delivery: Receipt.Delivery, keptAt: Timestamp? = nil, notBefore: Timestamp? = nil
        ) -> OutboxSettlement {
            OutboxSettlement(
                move: OutboxMove(item, to: status),
                receipt: Receipt(
                    test: item.id, digest: sent.attempt.digest, keptAt: keptAt, delivery: delivery,
                    action: sent.action, published: sent.theirs),
                notBefore: notBefore)
        }
        switch sent.decision {
        case .acknowledged(let receipt):
            report.sent.append(item.id)
            let status = item.kind == .test ? receipt.status ?? .sent : .sent
            return Settled(
                settlement: OutboxSettlement(move: OutboxMove(item, to: status), receipt: receipt),
                event: ("sent", detail))
        case .kept(let delivery, let keptAt, let notBefore):
            return Settled(
                settlement: settled(.done, delivery, keptAt: keptAt, notBefore: notBefore),
                event: sent.keptAt == nil ? ("kept", nil) : nil)
        case .retry(let delivery, let notBefore, let pace):
            if notBefore > clock.now { report.nextOtherDue = min(report.nextOtherDue ?? notBefore, notBefore) }
            report.trouble = delivery.reason
            let isUnreachable = sent.contact.map { delivery.httpStatus == nil || !$0.isReachable } ?? false
            return Settled(
                settlement: settled(.done, delivery, keptAt: sent.keptAt, notBefore: notBefore),
                event: ("retry", delivery.reason),
                step: pace == .stop ? .stop(reason: delivery.reason, isUnreachable: isUnreachable) : .proceed)
        case .rejected(let delivery):
            report.rejected.append(item.id)
            return Settled(settlement: settled(.rejected, delivery), event: ("rejected", delivery.reason))
        case .conflict(let delivery):
            report.conflicts.append(item.id)
            return Settled(settlement: settled(.conflict, delivery), event: ("conflict", delivery.reason))
        }
    }
}
