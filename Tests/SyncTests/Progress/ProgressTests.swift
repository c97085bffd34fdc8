import Disk
import HTTPTypes
import Model
import OutboxStore
import Simulation
import Synchronization
import Testing
import WireFormat

@testable import Quire
@testable import Sync

/// A host in memory that hears of open tests.
private final class HearingRemote: Remote {
    struct Heard: Sendable {
        var sender: String
        var report: ProgressReport
    }

    let host: FaultyRemote
    let listURL: String
    private let state = Mutex<(heard: [Heard], status: Int?, isHost: Bool, failure: RemoteFailure?)>(
        ([], nil, true, nil))

    init(_ host: FaultyRemote) {
        self.host = host
        listURL = host.listURL
    }

    var heard: [Heard] { state.withLock { $0.heard } }
    /// Answers with a problem from now on.
    func refuse(_ status: Int?, isHost: Bool = true) { state.withLock { ($0.status, $0.isHost) = (status, isHost) } }
    func fail(_ failure: RemoteFailure?) { state.withLock { $0.failure = failure } }

    func report(_ progress: [UInt8], from sender: String) async throws(RemoteFailure) -> RemoteReply? {
        let report = try? DocumentCoding.decode(ProgressReport.self, from: progress)
        let (status, isHost, failure) = state.withLock { state in
            state.heard.append(Heard(sender: sender, report: report ?? ProgressReport()))
            return (state.status, state.isHost, state.failure)
        }
        if let failure { throw failure }
        let problem = ProblemDocument(status: status ?? 0, name: "Refused", kind: "refused", detail: "No.")
        let body =
            status == nil
            ? (try? DocumentCoding.encode(ProgressReport.Reply(reported: report?.tests.count ?? 0))) ?? []
            : isHost ? problem.bytes : Array("<html>".utf8)
        return RemoteReply(
            status: status ?? 200,
            fields: [
                .contentType: status == nil ? "application/json" : isHost ? ProblemDocument.mediaType : "text/html"
            ],
            body: body, requestTime: host.clock.now, responseTime: host.clock.now)
    }

    func documentURL(id: String) -> String { host.documentURL(id: id) }
    func presence() -> Presence { host.presence() }
    func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        try await host.get(url, fields: fields, maximumBytes: maximumBytes)
    }
    func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        try await host.put(test, bytes: bytes, digest: digest)
    }
    func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply { try await host.send(delivery) }
    func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply { try await host.upload(upload) }
    func current(of change: OutgoingChange, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        try await host.current(of: change, maximumBytes: maximumBytes)
    }
    func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        try await host.receipts(of: tests)
    }
}

@Suite("What a host hears of open drafts")
struct ProgressTests {
    private static func begin(
        _ device: Device, _ id: String = "a", person: String? = "ada", answers: [String: Answer.Value] = [:]
    ) async throws -> TestID {
        let document = try await device.store.open(id: id, remote: device.remote)
        let named = person.map { Person(id: $0, name: $0.capitalized, group: "7b") }
        if let named { try device.store.people.save(named) }
        try device.store.people.use(named)
        return try device.store.take(document, answers: answers, isFinished: false).record.id
    }

    private func world() async throws -> (Device, HearingRemote) {
        let device = try await Device.withQuestionnaire()
        return (device, HearingRemote(device.remote))
    }

    private func sweep(_ device: Device, _ remote: HearingRemote) async throws -> Sweeper.Report {
        try await device.store.sweeper(remote).sweep()
    }

    @Test("a draft is said once, and when it is handed in or discarded it is no longer said")
    func life() async throws {
        let (device, remote) = try await world()
        _ = try await sweep(device, remote)
        #expect(remote.heard.isEmpty)
        let first = try await Self.begin(device)
        let second = try await Self.begin(device, person: "boris")
        for _ in 0..<3 { #expect(try await sweep(device, remote).stopped == nil) }
        #expect(remote.heard.count == 1)
        let heard = try #require(remote.heard.first)
        #expect(heard.sender == "device" && Set(heard.report.tests.map(\.test)) == [first, second])
        let one = try #require(heard.report.tests.first { $0.test == first })
        let record = try device.store.outbox.read(try #require(try device.store.outbox.find(first))).record
        #expect(
            one.state == .started && one.person == Person(id: "ada", name: "Ada", group: "7b") && one.hub == nil
                && one.questionnaire.id == "a" && one.questionnaire.digest == record.questionnaire.digest
                && one.since == record.dateStarted)
        // An answer changes nothing of it.
        _ = try device.store.outbox.edits.update(first) { $0.answers = [Answer(questionId: "q1", value: .one("yes"))] }
        _ = try await sweep(device, remote)
        #expect(remote.heard.count == 1)
        try device.store.outbox.discard(second)
        _ = try await sweep(device, remote)
        #expect(remote.heard.last?.report.tests.map(\.test) == [first])
        try device.store.outbox.edits.finish(first)
        #expect(try await sweep(device, remote).sent == [first])
        // The tests went first.
        #expect(remote.heard.count == 3 && remote.heard.last?.report.tests.isEmpty == true)
        _ = try await sweep(device, remote)
        #expect(remote.heard.count == 3)
    }

    @Test("a draft that names no person is not said")
    func nameless() async throws {
        let (device, remote) = try await world()
        _ = try await Self.begin(device, person: nil)
        _ = try await sweep(device, remote)
        #expect(remote.heard.isEmpty)
    }

    @Test("a host of an earlier version is asked once", arguments: [404, 405, 501])
    func earlier(_ status: Int) async throws {
        let (device, remote) = try await world()
        remote.refuse(status)
        for number in 0..<5 {
            _ = try await Self.begin(device, person: "p\(number)")
            let report = try await sweep(device, remote)
            #expect(report.stopped == nil && report.trouble == nil)
        }
        #expect(remote.heard.count == 1)
        device.clock.advance(by: .seconds(Int(ProgressDecision.refusalSeconds) + 1))
        remote.refuse(nil)
        _ = try await sweep(device, remote)
        #expect(remote.heard.count == 2 && remote.heard.last?.report.tests.count == 5)
    }

    @Test("a refused report is not repeated, and one that was not heard goes with the next round")
    func refusals() async throws {
        let (device, remote) = try await world()
        _ = try await Self.begin(device)
        remote.refuse(403)
        for _ in 0..<3 { _ = try await sweep(device, remote) }
        #expect(remote.heard.count == 1)
        _ = try await Self.begin(device, person: "boris")
        // A page in the place of the host.
        remote.refuse(403, isHost: false)
        for _ in 0..<2 { _ = try await sweep(device, remote) }
        #expect(remote.heard.count == 3)
        remote.fail(RemoteFailure(.interrupted, "cut"))
        let report = try await sweep(device, remote)
        #expect(report.stopped == nil && !report.isUnreachable && remote.heard.count == 4)
        remote.fail(nil)
        remote.refuse(nil)
        for _ in 0..<3 { _ = try await sweep(device, remote) }
        #expect(remote.heard.count == 5)
    }

    @Test("a report that fails delays no test, and a host that refuses tests still hears that they are started")
    func beside() async throws {
        let (device, remote) = try await world()
        remote.fail(RemoteFailure(.interrupted, "cut"))
        _ = try await Self.begin(device)
        let done = try await device.finish("a")
        #expect(try await sweep(device, remote).sent == [done])
        remote.fail(nil)
        device.remote.set(.failing(status: 503))
        let waiting = try await device.finish("a")
        let count = remote.heard.count
        let report = try await sweep(device, remote)
        #expect(report.sent.isEmpty && report.waiting == 1 && remote.heard.count == count + 1)
        device.remote.set(.offline)
        _ = try await Self.begin(device, person: "boris")
        _ = try await sweep(device, remote)
        #expect(remote.heard.count == count + 1)
        #expect(try device.status(waiting) == .done)
    }

    @Test("whatever happens, the host hears each state once and never an unchanged one", arguments: 0..<12)
    func generated(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let (device, remote) = try await world()
        var (drafts, heard, requests): (Set<TestID>, Set<TestID>?, Int) = ([], nil, 0)
        for _ in 0..<25 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: drafts.insert(try await Self.begin(device, person: "p\(Int.random(in: 0..<3, using: &generator))"))
            case 1:
                guard let one = drafts.sorted().first else { continue }
                try device.store.outbox.discard(one)
                drafts.remove(one)
            case 2:
                guard let one = drafts.sorted().last else { continue }
                _ = try device.store.outbox.edits.update(one) {
                    $0.answers = [Answer(questionId: "q1", value: .one("no"))]
                }
                try device.store.outbox.edits.finish(one)
                drafts.remove(one)
            case 3: device.clock.advance(by: .seconds(Int.random(in: 1..<500, using: &generator)))
            default:
                let isAway = Bool.random(using: &generator)
                device.remote.set(isAway ? .offline : .online)
                _ = try await sweep(device, remote)
                if !isAway, heard.map({ $0 != drafts }) ?? !drafts.isEmpty {
                    (heard, requests) = (drafts, requests + 1)
                }
                #expect(remote.heard.count == requests)
                if let heard { #expect(Set(remote.heard.last?.report.tests.map(\.test) ?? []) == heard) }
            }
        }
    }
}
