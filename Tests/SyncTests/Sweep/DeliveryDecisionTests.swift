import HTTPTypes
import Model
import Simulation
import Sync
import Testing

@Suite("What becomes of a test after an attempt to deliver it")
struct DeliveryDecisionTests {
    private let test = TestID.random()
    private let digest = Digest(sha256Of: Array("the bytes".utf8))
    private let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private func decide(
        _ outcome: Result<RemoteReply, RemoteFailure>, history: Receipt.Delivery? = nil, jitter: Double = 0.5
    ) -> DeliveryDecision {
        .decide(.init(test: test, digest: digest, outcome: outcome, history: history, now: now, jitter: jitter))
    }

    private func reply(
        _ status: Int, _ body: String = "", type: String = "application/json", _ fields: HTTPFields = .init()
    ) -> Result<RemoteReply, RemoteFailure> {
        var all = fields
        all[.contentType] = type
        return .success(
            RemoteReply(status: status, fields: all, body: Array(body.utf8), requestTime: now, responseTime: now))
    }

    private func receipt(_ change: (inout Receipt) -> Void = { _ in }) throws -> String {
        var receipt = Receipt(test: test, digest: digest, status: .sent, receivedAt: now)
        change(&receipt)
        return String(decoding: try DocumentCoding.encode(receipt), as: UTF8.self)
    }

    private func pace(_ decision: DeliveryDecision) -> DeliveryDecision.Pace? {
        if case .retry(_, _, let pace) = decision { pace } else { nil }
    }

    private func notBefore(_ decision: DeliveryDecision) -> Double? {
        if case .retry(_, let moment, _) = decision { moment.seconds(since: now) } else { nil }
    }

    @Test("a receipt for these very bytes is an acknowledgement, in every delivered state", arguments: [200, 201])
    func acknowledged(_ status: Int) throws {
        for state in [TestStatus.sent, .checking, .rated] {
            let body = try receipt { $0.status = state }
            guard case .acknowledged(let found) = decide(reply(status, body)) else {
                Issue.record("\(state) was not acknowledged")
                continue
            }
            #expect(found.status == state)
        }
    }

    @Test("nothing else with 200 or 201 is an acknowledgement: the test waits and the round ends")
    func loginPages() throws {
        let other = TestID.random()
        let bodies = [
            "", "<html>Welcome to our network</html>", "{}", "[]", "null", #"{"test": "\#(test)"}"#,
            try receipt { $0.test = other },
            try receipt { $0.digest = Digest(sha256Of: []) },
            try receipt { $0.digest = nil },
            try receipt { $0.receivedAt = nil },
            try receipt { $0.status = nil },
            try receipt { $0.status = .done },
            try receipt { $0.status = .rejected },
            try receipt() + "x",
        ]
        for status in [200, 201] {
            for body in bodies { #expect(pace(decide(reply(status, body))) == .stop, "\(status) \(body.prefix(60))") }
        }
    }

    @Test("every status code of the server has its place: only a receipt acknowledges, only 4xx asks the person")
    func allCodes() {
        let problem = #"{"type": "urn:quire:problem:some", "title": "T", "detail": "D"}"#
        for status in 100...599 {
            let decision = decide(reply(status, problem, type: "application/problem+json"))
            switch status {
            case 409, 412:
                guard case .conflict = decision else {
                    Issue.record("\(status) is \(decision)")
                    continue
                }
            case 401, 407, 421, 429, 503, 511: #expect(pace(decision) == .stop, "\(status)")
            case 408, 425: #expect(pace(decision) == .goOn, "\(status)")
            case 400..<500:
                guard case .rejected = decision else {
                    Issue.record("\(status) is \(decision)")
                    continue
                }
            case 500...: #expect(pace(decision) == .goOn, "\(status)")
            default: #expect(pace(decision) == .stop, "\(status)")
            }
        }
    }

    @Test("a rejection carries the server's own sentence")
    func reason() {
        let problem =
            #"{"type": "urn:quire:problem:invalid-test", "title": "Unprocessable", "detail": "answers[3]: no such question"}"#
        guard case .rejected(let delivery) = decide(reply(422, problem, type: "application/problem+json")) else {
            Issue.record("it was not rejected")
            return
        }
        #expect(delivery.reason == "answers[3]: no such question")
        #expect(delivery.httpStatus == 422)
        #expect(delivery.problem != nil)
    }

    @Test("a test that arrived damaged is sent again")
    func damagedOnTheWay() {
        let problem = #"{"type": "urn:quire:problem:digest-mismatch", "title": "Digest mismatch", "status": 400}"#
        #expect(pace(decide(reply(400, problem, type: "application/problem+json"))) == .goOn)
    }

    @Test("that the remote was away is no pause for the test, and it cannot have arrived")
    func unreachable() {
        let decision = decide(.failure(RemoteFailure(.unreachable, "no route")))
        #expect(pace(decision) == .stop)
        #expect(notBefore(decision) == 0)
        if case .retry(let delivery, _, _) = decision { #expect(!delivery.mayHaveArrived) }
    }

    @Test("once a test may have arrived it stays so, whatever comes later")
    func mayHaveArrived() throws {
        guard case .retry(let first, _, _) = decide(.failure(RemoteFailure(.interrupted, "cut"))) else {
            Issue.record("not retried")
            return
        }
        #expect(first.mayHaveArrived)
        guard case .retry(let second, _, _) = decide(.failure(RemoteFailure(.unreachable, "away")), history: first)
        else {
            Issue.record("not retried")
            return
        }
        #expect(second.mayHaveArrived)
        #expect(second.attempts == 2)
        #expect(second.firstAttempt == first.firstAttempt)
    }

    @Test("a number of attempts beyond all measure in a file ends no program", arguments: [Int.max, .min, -1])
    func attempts(_ attempts: Int) throws {
        let history = Receipt.Delivery(
            attempts: attempts, firstAttempt: now, lastAttempt: now, reason: "", mayHaveArrived: false)
        guard case .retry(let next, _, _) = decide(.failure(RemoteFailure(.unreachable, "away")), history: history)
        else {
            Issue.record("not retried")
            return
        }
        #expect(next.attempts == (attempts > 0 ? attempts : 1))
    }

    @Test(
        "a pause is random, from the shortest to twice as long as was tried, within its bounds: it doubles on average",
        arguments: [
            (0.0, 8.0), (1, 8), (4, 8), (10, 20), (100, 200), (1000, 2000), (1800, 3600), (86_400, 3600), (1e7, 3600),
        ])
    func backoff(age: Double, longest: Double) {
        let history = Receipt.Delivery(
            attempts: 3, firstAttempt: now.adding(seconds: -age), lastAttempt: now, reason: "", mayHaveArrived: true)
        for jitter in [0.0, 0.25, 0.5, 0.999] {
            let pause = notBefore(decide(reply(500), history: history, jitter: jitter)) ?? -1
            #expect(abs(pause - (2 + (longest - 2) * jitter)) < 0.002, "age \(age) jitter \(jitter): \(pause)")
        }
    }

    @Test("Retry-After is honoured as seconds and as a date by the server's own clock, up to a day, and spread as well")
    func retryAfter() {
        func pause(_ fields: HTTPFields, jitter: Double = 0) -> Double {
            notBefore(decide(reply(503, "", fields), jitter: jitter)) ?? -1
        }
        #expect(pause([.retryAfter: "120"]) == 120 && pause([.retryAfter: "120"], jitter: 0.5) == 123)
        #expect(pause([.retryAfter: "31536000"]) == 86_400)
        #expect(pause([.retryAfter: "1"]) == 2 && pause([.retryAfter: "soon"]) == 2 && pause([.retryAfter: "-5"]) == 2)
        // The server's clock is a day behind ours: what counts is the distance that it meant.
        let fields: HTTPFields = [
            .retryAfter: "Thu, 14 Jan 2027 08:10:00 GMT", .date: "Thu, 14 Jan 2027 08:00:00 GMT",
        ]
        #expect(pause(fields) == 600)
    }
}
