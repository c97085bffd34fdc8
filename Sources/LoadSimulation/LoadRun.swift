import AsyncHTTPClient
import Disk
import HTTPTypes
import Model
import NIOCore
import NIOPosix
import Sync
import Synchronization
import SystemPackage
import WireFormat

/// The same day with a real host: each device is a task that sends what `LoadDevice` decides over HTTP. It says whether the
/// simulation can be believed.
package final class LoadRun: Sendable {
    private let plan: LoadPlan
    private let base: String
    private let client: HTTPClient
    private let questionnaire: Questionnaire
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let tally: Mutex<LoadTally>

    private struct Questionnaire: Decodable {
        var id: String
        var title: String
        var digest: String
    }

    private struct NoQuestionnaire: Error, CustomStringConvertible {
        var description: String { "the host has no questionnaire: start it with one (--questionnaires DIR)" }
    }

    private struct List: Decodable { var questionnaires: [Questionnaire] }

    /// - Parameter base: the host's address, such as `http://127.0.0.1:8484`; its first questionnaire is taken.
    package static func run(_ plan: LoadPlan, at base: String) async throws -> LoadReport {
        var configuration = HTTPClient.Configuration()
        configuration.timeout = .init(connect: .seconds(3), read: .seconds(30), write: .seconds(30))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = plan.devices
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<LoadReport, any Error>
        do {
            let reply = try await client.execute(
                HTTPClientRequest(url: base + APIPath.questionnaires.text), timeout: .seconds(30))
            let body = Array(buffer: try await reply.body.collect(upTo: 1 << 20))
            guard let first = try DocumentCoding.decode(List.self, from: body).questionnaires.first else {
                throw NoQuestionnaire()
            }
            let run = LoadRun(plan, base, client, first)
            result = .success(try await run.all())
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    private init(_ plan: LoadPlan, _ base: String, _ client: HTTPClient, _ questionnaire: Questionnaire) {
        self.plan = plan
        self.base = base
        self.client = client
        self.questionnaire = questionnaire
        start = clock.now
        tally = Mutex(LoadTally(plan))
    }

    private var seconds: Double { (clock.now - start) / .seconds(1) }

    private func all() async throws -> LoadReport {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in 0..<plan.devices { group.addTask { try await self.day(of: device) } }
            try await group.waitForAll()
        }
        return tally.withLock { $0.finished() }
    }

    /// One device, from when it is switched on until all its tests are delivered.
    private func day(of device: Int) async throws {
        var generator = SystemRandomNumberGenerator()
        var moments = (0..<plan.testsPerDevice).map {
            Double($0 + 1) * plan.lessonSeconds
                - Double.random(in: 0..<max(plan.finishSeconds, 1e-6), using: &generator)
        }
        tally.withLock { $0.noteFinish(at: moments.last ?? 0) }
        moments.reverse()
        try await sleep(until: Double.random(in: 0..<max(plan.arrivalSeconds, 1e-6), using: &generator))
        var state = LoadDevice(isHub: false, contactJitter: .random(in: 0..<1))
        var finished: [TestID: Double] = [:]
        var step = state.next(SystemClock().now)
        while !(moments.isEmpty && state.waitingCount == 0) {
            switch step {
            case .send(let request):
                let outcome = await send(request)
                if case .delivery(let test) = request, case .delivered = outcome, let end = finished[test] {
                    tally.withLock { $0.noteDelivery(at: seconds, finishedAt: end) }
                }
                step = state.received(outcome, to: request, SystemClock().now, jitter: .random(in: 0..<1))
            case .wait(let moment):
                let wake = moment.map { seconds + $0.seconds(since: SystemClock().now) } ?? .infinity
                let next = min(wake, moments.last ?? .infinity)
                try await sleep(until: next)
                if let end = moments.last, end <= seconds {
                    moments.removeLast()
                    let test = TestID.random()
                    finished[test] = end
                    state.finish(test, at: SystemClock().now)
                }
                step = state.next(SystemClock().now)
            }
        }
    }

    private func sleep(until moment: Double) async throws {
        try await clock.sleep(until: start + .milliseconds(Int64(moment * 1000) + 1))
    }

    private func send(_ request: LoadDevice.Request) async -> LoadDevice.Outcome {
        tally.withLock { $0.noteRequest(request, at: seconds) }
        var message: HTTPClientRequest
        switch request {
        case .list: message = HTTPClientRequest(url: base + APIPath.questionnaires.text)
        case .questionnaire: message = HTTPClientRequest(url: base + APIPath.questionnaire(questionnaire.id).text)
        case .probe, .receipts: message = HTTPClientRequest(url: base + APIPath.service.text)
        case .delivery(let test):
            message = HTTPClientRequest(url: base + APIPath.test(test.description).text)
            message.method = .PUT
            message.headers.add(name: "Content-Type", value: "application/json")
            message.body = .bytes(ByteBuffer(string: document(test)))
        }
        let began = SystemClock().now
        do {
            let reply = try await client.execute(message, timeout: .seconds(60))
            let body = Array(buffer: try await reply.body.collect(upTo: 1 << 20))
            if reply.status.code < 300 {
                return request.isDelivery ? .delivered(isRated: true) : .answered
            }
            if reply.status == .serviceUnavailable { tally.withLock { $0.report.closed += 1 } }
            var fields = HTTPFields()
            for header in reply.headers {
                if let name = HTTPField.Name(header.name) { fields.append(.init(name: name, value: header.value)) }
            }
            return .reply(
                RemoteReply(
                    status: Int(reply.status.code), fields: fields, body: body, requestTime: began,
                    responseTime: SystemClock().now))
        } catch {
            let isTooLate = (error as? HTTPClientError).map { $0 == .readTimeout || $0 == .deadlineExceeded } ?? false
            let isUnreachable =
                error is NIOConnectionError || (error as? HTTPClientError) == .connectTimeout
                || (error as? IOError)?.errnoCode == Errno.connectionRefused.rawValue
            tally.withLock { tally in
                if isTooLate {
                    tally.report.tooLate += 1
                } else if isUnreachable {
                    tally.report.unreachable += 1
                } else {
                    tally.report.closed += 1
                }
            }
            return .failure(RemoteFailure(isUnreachable ? .unreachable : .interrupted, "\(error)"))
        }
    }

    private func document(_ test: TestID) -> String {
        """
        {"id":"\(test)","deviceId":"load","sequence":1,"questionnaire":{"id":"\(questionnaire.id)",\
        "title":"\(questionnaire.title)","digest":"\(questionnaire.digest)"},"dateStarted":"2026-01-01T08:00:00Z",\
        "dateFinished":"2026-01-01T08:30:00Z","answers":[]}
        """
    }
}
