import HTTPCaching
import HTTPTypes
import Model
import WireFormat

/// Decides the state of a test after an attempt to deliver it: one value, computed from the reply and the earlier
/// attempts.
package enum DeliveryDecision: Hashable, Sendable {
    /// The server has it; the receipt is the server's own.
    case acknowledged(Receipt)
    /// A hub has it and forwards it; its state is requested later, and it is sent again if the hub no longer knows it.
    case kept(Receipt.Delivery, keptAt: Timestamp, notBefore: Timestamp)
    /// Later again.
    case retry(Receipt.Delivery, notBefore: Timestamp, pace: Pace)
    /// The server rejects it: the person decides.
    case rejected(Receipt.Delivery)
    /// The server has something else under this id: the person decides.
    case conflict(Receipt.Delivery)

    /// The effect of the outcome on the other tests.
    package enum Pace: Hashable, Sendable {
        /// It may be this test alone.
        case goOn
        /// The remote is away, overloaded or does not let us in: no other test would fare better.
        case stop
    }

    /// The attempt as the decision sees it.
    package struct Attempt: Sendable {
        package var test: TestID
        package var digest: Digest
        package var outcome: Result<RemoteReply, RemoteFailure>
        /// The earlier attempts.
        package var history: Receipt.Delivery?
        package var now: Timestamp
        /// 0 ..< 1: spreads the retries of many devices.
        package var jitter: Double

        package init(
            test: TestID, digest: Digest, outcome: Result<RemoteReply, RemoteFailure>, history: Receipt.Delivery?,
            now: Timestamp, jitter: Double
        ) {
            self.test = test
            self.digest = digest
            self.outcome = outcome
            self.history = history
            self.now = now
            self.jitter = jitter
        }
    }

    /// The shortest and the longest pause of the backoff, in seconds. The first pause ends within four times the shortest.
    package static let shortestPauseSeconds = 2.0
    package static let longestPauseSeconds = 3600.0
    /// The shortest pause before a test is sent again that a hub has, in seconds: it is asked after without that.
    package static let shortestPauseWhenKeptSeconds = 60.0
    /// A Retry-After is honoured up to a day: a server's mistake must not hold answers for a year.
    package static let longestRetryAfterSeconds = 86_400.0

    /// The longest time that anything waits, in seconds: the longest pause, and an hour for clocks that differ.
    package static let longestWaitSeconds = longestRetryAfterSeconds + 3600

    /// The due time of an item. A time further off than any pause comes from a clock that was ahead: it delays nothing.
    package static func dueTime(_ notBefore: Timestamp, now: Timestamp) -> Timestamp {
        notBefore.seconds(since: now) > longestWaitSeconds ? now : notBefore
    }

    package static func decide(_ attempt: Attempt) -> DeliveryDecision {
        switch attempt.outcome {
        case .failure(let failure): return decide(attempt, failure)
        case .success(let reply): return decide(attempt, reply)
        }
    }

    private static func decide(_ attempt: Attempt, _ failure: RemoteFailure) -> DeliveryDecision {
        let delivery = attempt.recorded(failure.reason, mayHaveArrived: failure.mayHaveArrived)
        switch failure.kind {
        // That we were away says nothing against this test: it is due as soon as there is a way.
        case .unreachable, .cancelled: return .retry(delivery, notBefore: attempt.now, pace: .stop)
        case .notTheServer, .tokenRefused:
            return .retry(delivery, notBefore: attempt.afterBackoff(delivery), pace: .stop)
        case .interrupted, .unavailable, .invalidReply:
            return .retry(delivery, notBefore: attempt.afterBackoff(delivery), pace: .goOn)
        }
    }

    private static func decide(_ attempt: Attempt, _ reply: RemoteReply) -> DeliveryDecision {
        let isFromStranger = reply.isFromStranger
        let problem = isFromStranger ? nil : ReceivedProblem(reply)
        func delivery(_ reason: String) -> Receipt.Delivery {
            attempt.recorded(
                problem?.sentence ?? reason, mayHaveArrived: true, httpStatus: reply.status, problem: problem?.value)
        }
        func retry(_ reason: String, _ pace: Pace) -> DeliveryDecision {
            let delivery = delivery(reason)
            let asked = min(retryAfterSeconds(reply, now: attempt.now) ?? 0, longestRetryAfterSeconds)
            return .retry(delivery, notBefore: attempt.afterBackoff(delivery, askedSeconds: asked), pace: pace)
        }
        func stranger(_ reason: String) -> DeliveryDecision {
            var delivery = delivery(reason)
            delivery.notTheServer = true
            return .retry(delivery, notBefore: attempt.afterBackoff(delivery), pace: .stop)
        }
        switch reply.status {
        case 200, 201:
            if let receipt = acknowledgement(reply, of: attempt) { return .acknowledged(receipt) }
            // A login page of some network answers 200 to everything; a receipt it cannot know.
            return stranger("the answer was not a receipt for this test; is a login page in between?")
        case 202:
            guard let kept = keptReceipt(reply, of: attempt) else {
                return stranger("the answer was neither a receipt nor a hub's word that it keeps this test")
            }
            let delivery = delivery("it is kept on its way and forwarded from there")
            let notBefore = attempt.afterBackoff(delivery, shortestSeconds: shortestPauseWhenKeptSeconds)
            return .kept(delivery, keptAt: kept.keptAt, notBefore: notBefore)
        // Whatever its status, it says nothing of this test.
        case _ where isFromStranger: return stranger(reply.strangerReason)
        case 200..<300:
            return stranger("the server answered \(reply.status), which is no acknowledgement")
        case 401: return retry("the server wants a valid token: see “quire remote”", .stop)
        case 408, 425, 500, 502, 504: return retry("the server could not take it now (\(reply.status))", .goOn)
        case 429, 503: return retry("the server is busy (\(reply.status))", .stop)
        case 400 where problem?.type == "urn:quire:problem:digest-mismatch":
            return retry("the test arrived damaged", .goOn)
        // That there is nothing at this address says something of the address alone.
        case 400..<500 where problem?.type.map(ProtocolMarks.addressTypes.contains) == true:
            return retry("the server has nothing at this address (\(reply.status)): see “quire remote”", .goOn)
        // For an attachment: its test comes from another machine.
        case 404 where problem?.type == "urn:quire:problem:test-unknown":
            return retry("the server does not have its test yet", .goOn)
        case 409, 412: return .conflict(delivery("the server has another version of this test"))
        case 400..<500: return .rejected(delivery("the server refused it (\(reply.status))"))
        case 500...: return retry("the server could not take it now (\(reply.status))", .goOn)
        default: return retry("the server answered \(reply.status), which is no acknowledgement", .stop)
        }
    }

    /// The server's receipt, if the reply is one for these very bytes.
    private static func acknowledgement(_ reply: RemoteReply, of attempt: Attempt) -> Receipt? {
        // Anything but a receipt is no acknowledgement, whatever the reason.
        guard let receipt = try? DocumentCoding.decode(Receipt.self, from: reply.body), receipt.test == attempt.test,
            receipt.digest == attempt.digest, receipt.receivedAt != nil, let status = receipt.status,
            status.isDelivered
        else { return nil }
        return receipt
    }

    /// The hub's word that it keeps these very bytes, if the reply is one.
    private static func keptReceipt(_ reply: RemoteReply, of attempt: Attempt) -> KeptReceipt? {
        guard let kept = try? DocumentCoding.decode(KeptReceipt.self, from: reply.body), kept.test == attempt.test,
            kept.digest == attempt.digest
        else { return nil }
        return kept
    }

    /// Retry-After (RFC 9110 section 10.2.3): seconds, or a date, which is taken against the server's own Date.
    static func retryAfterSeconds(_ reply: RemoteReply, now: Timestamp) -> Double? {
        guard let value = reply.fields[.retryAfter] else { return nil }
        let compact = value.filter { !$0.isWhitespace }
        if !compact.isEmpty, compact.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            return Double(compact) ?? longestRetryAfterSeconds
        }
        guard let moment = HTTPDate.parse(value, now: now) else { return nil }
        let serverNow = reply.fields[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now
        return max(0, moment.seconds(since: serverNow))
    }
}

extension DeliveryDecision.Attempt {
    fileprivate func recorded(
        _ reason: String, mayHaveArrived: Bool, httpStatus: Int? = nil, problem: JSONValue? = nil
    ) -> Receipt.Delivery {
        Receipt.Delivery(
            attempts: min(max(0, history?.attempts ?? 0), .max - 1) + 1, firstAttempt: history?.firstAttempt ?? now,
            lastAttempt: now,
            reason: reason, mayHaveArrived: mayHaveArrived || history?.mayHaveArrived == true, httpStatus: httpStatus,
            problem: problem, upload: history?.upload)
    }

    /// Full jitter: a random time between the shortest pause and twice as long as the test has been tried already, so the pause
    /// doubles on average. A Retry-After takes the place of a shorter shortest pause: many devices may have heard the same one.
    fileprivate func afterBackoff(
        _ delivery: Receipt.Delivery, askedSeconds: Double = 0,
        shortestSeconds: Double = DeliveryDecision.shortestPauseSeconds
    ) -> Timestamp {
        let age = max(0, now.seconds(since: delivery.firstAttempt))
        let longest = min(max(2 * age, 4 * shortestSeconds), DeliveryDecision.longestPauseSeconds)
        return now.adding(seconds: max(shortestSeconds, askedSeconds) + (longest - shortestSeconds) * jitter)
    }
}
