import Hub
import Model
import Sync

/// A device that runs `quire watch --pull`, or a hub with the tests of its room. `WatchDecision`, or a hub's
/// `ForwardingPause`, decides when a round begins, `DeliveryDecision` when a test is tried again. What carries the requests is
/// outside: a simulation, or HTTP.
package struct LoadDevice: Sendable {
    /// One request of a round, in the order of a round.
    package enum Request: Hashable, Sendable {
        /// The list of questionnaires, unchanged as a rule.
        case list
        /// A questionnaire that is not in the cache yet.
        case questionnaire
        /// Whether it is the server that answers.
        case probe
        case delivery(TestID)
        /// The receipts of the tests that the server has.
        case receipts

        var isDelivery: Bool { if case .delivery = self { true } else { false } }
    }

    package enum Outcome: Sendable {
        case reply(RemoteReply)
        case failure(RemoteFailure)
        /// A list, a questionnaire, a greeting or receipts arrived.
        case answered
        /// The server has the test.
        case delivered(isRated: Bool)
    }

    package enum Step: Hashable, Sendable {
        case send(Request)
        /// Until something is finished, or until then.
        case wait(until: Timestamp?)
    }

    private struct Waiting: Sendable {
        var delivery: Receipt.Delivery?
        var notBefore: Timestamp
    }

    private struct Round: Sendable {
        var due: [TestID]
        /// What is still to be sent, the next one last.
        var rest: [Request]
        var countBefore: Int
        var hasFailed = false
    }

    private var waiting: [TestID: Waiting] = [:]
    private var round: Round?
    private var last: WatchDecision.Round?
    private var hasQuestionnaire = false
    /// Delivered, and waiting for a person's points.
    package private(set) var unrated = 0
    private let isHub: Bool
    private let contactJitter: Double
    private var switchedOn: Timestamp?

    /// - Parameter contactJitter: 0 ..< 1, another one for each device: spreads the first contact.
    package init(isHub: Bool, contactJitter: Double) {
        self.isHub = isHub
        self.contactJitter = contactJitter
    }

    package var waitingCount: Int { waiting.count }
    package var isInRound: Bool { round != nil }

    package mutating func finish(_ test: TestID, at now: Timestamp) { waiting[test] = Waiting(notBefore: now) }

    /// All its tests have their points.
    package mutating func rateAll() { unrated = 0 }

    /// The next step of a device that is not in a round.
    package mutating func next(_ now: Timestamp) -> Step {
        var situation = WatchDecision.Situation(now: now)
        situation.waiting = waiting.mapValues { DeliveryDecision.dueTime($0.notBefore, now: now) }
        situation.awaitsNews = unrated > 0
        situation.pulls = true
        situation.lastRound = last
        if switchedOn == nil { switchedOn = now }
        if last == nil { (situation.contactSince, situation.contactJitter) = (switchedOn, contactJitter) }
        switch isHub ? forwarding(situation) : WatchDecision.decide(situation) {
        case .wait(let moment): return .wait(until: moment)
        case .round:
            let due = situation.waiting.filter { $0.value <= now }.keys.sorted()
            var requests: [Request] = isHub && hasQuestionnaire ? [] : [.list]
            if !hasQuestionnaire { requests.append(.questionnaire) }
            if !due.isEmpty || unrated > 0 { requests.append(.probe) }
            requests += due.map(Request.delivery)
            // What is acknowledged in this round is asked after in the next one.
            if unrated > 0 { requests.append(.receipts) }
            round = Round(due: due, rest: requests.reversed(), countBefore: due.count)
            return request(now, jitter: 0)
        }
    }

    /// The step after a reply, or after none. `jitter`: 0 ..< 1, another one for each.
    package mutating func received(_ outcome: Outcome, to request: Request, _ now: Timestamp, jitter: Double) -> Step {
        switch (request, outcome) {
        case (.delivery(let test), .delivered(let isRated)):
            waiting[test] = nil
            if !isRated { unrated += 1 }
        case (.delivery(let test), .reply(let reply)): settle(test, .success(reply), now, jitter)
        case (.delivery(let test), .failure(let failure)): settle(test, .failure(failure), now, jitter)
        case (.questionnaire, .answered): hasQuestionnaire = true
        case (_, .answered), (_, .delivered): break
        case (.list, _), (.questionnaire, _):
            // A pull that fails does not keep the sync from beginning.
            round?.hasFailed = true
            round?.rest.removeAll { $0 == .questionnaire }
        case (.probe, _), (.receipts, _):
            round?.hasFailed = true
            round?.rest = []
        }
        return self.request(now, jitter: jitter)
    }

    /// What a hub decides: it forwards at once, and waits for an upstream that does not answer for some seconds.
    private func forwarding(_ situation: WatchDecision.Situation) -> WatchDecision {
        guard let last else { return .round }
        let due = situation.waiting.filter { $0.value <= situation.now }
        if last.failures > 0 {
            let next = last.ended.adding(
                seconds: ForwardingPause.seconds(unreached: last.failures, jitter: last.jitter))
            return next <= situation.now ? .round : .wait(until: next)
        }
        return due.isEmpty ? .wait(until: situation.waiting.values.min()) : .round
    }

    private mutating func settle(
        _ test: TestID, _ outcome: Result<RemoteReply, RemoteFailure>, _ now: Timestamp, _ jitter: Double
    ) {
        round?.hasFailed = true
        let decision = DeliveryDecision.decide(
            .init(
                test: test, digest: Self.digest, outcome: outcome, history: waiting[test]?.delivery, now: now,
                jitter: jitter))
        switch decision {
        case .acknowledged: waiting[test] = nil
        case .retry(let delivery, let notBefore, let pace):
            waiting[test] = Waiting(delivery: delivery, notBefore: notBefore)
            if pace == .stop { round?.rest = [] }
        case .kept(let delivery, _, let notBefore): waiting[test] = Waiting(delivery: delivery, notBefore: notBefore)
        // A person decides; it is not sent again by itself.
        case .rejected(let delivery), .conflict(let delivery):
            waiting[test] = Waiting(delivery: delivery, notBefore: now.adding(seconds: 86_400))
        }
    }

    private mutating func request(_ now: Timestamp, jitter: Double) -> Step {
        if let request = round?.rest.popLast() { return .send(request) }
        guard let ended = round else { return next(now) }
        round = nil
        let left = ended.due.count { waiting[$0].map { $0.notBefore <= now } ?? false }
        let isWell = ended.due.isEmpty ? !ended.hasFailed : left < ended.countBefore
        last = .init(
            ended: now, attempted: Set(ended.due), failures: isWell ? 0 : (last?.failures ?? 0) + 1, jitter: jitter)
        return next(now)
    }

    private static let digest = Digest(sha256Of: [])
}
