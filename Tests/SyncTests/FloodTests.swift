import Foundation
import HTTPTypes
import Model
import Simulation
import Sync
import Synchronization
import Testing

/// A fifth of all requests fails, in one of the ways in which they fail.
private final class Trouble: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func next() -> RemoteFault? {
        var fields = HTTPFields()
        fields[.retryAfter] = "5"
        switch generator.withLock({ Int.random(in: 0..<20, using: &$0) }) {
        case 0: return .status(500)
        case 1: return .status(429, fields: fields)
        case 2: return .cutBeforeStoring
        case 3: return .cutAfterStoring
        default: return nil
        }
    }
}

@Suite("Many tests, and a host in trouble")
struct FloodTests {
    /// `QUIRE_BIG=1` sends ten thousand, twice.
    private static let isBig = ProcessInfo.processInfo.environment["QUIRE_BIG"] != nil
    private static let count = isBig ? 10_000 : 200

    @Test(
        "each is delivered once, in their order, in few requests and without a busy loop",
        arguments: isBig ? [1, 2] : [1] as [UInt64])
    func flood(_ seed: UInt64) async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        device.remote.setStatusOnArrival(.rated)
        try await device.pull()
        let opened = try await device.store.open(id: "a", remote: device.remote)
        var ids: [TestID] = []
        for _ in 0..<Self.count {
            ids.append(try device.store.take(opened, answers: ["q1": .one("yes")], isFinished: true).record.id)
        }
        let trouble = Trouble(seed: seed)
        device.remote.respond { $0.isPut ? trouble.next() : nil }
        device.remote.forgetRequests()

        var last: WatchDecision.Round?
        var steps = 0
        var rounds = 0
        decisions: while true {
            steps += 1
            try #require(steps < 20 * Self.count, "it spins")
            var situation = try device.store.automaticSync.situation(device.remote, minuteOfDay: 0)
            situation.lastRound = last
            switch WatchDecision.decide(situation) {
            case .wait(nil): break decisions
            case .wait(let moment?): device.clock.advance(by: .seconds(moment.seconds(since: device.clock.now)))
            case .round:
                rounds += 1
                let due = Set(situation.waiting.filter { $0.value <= situation.now }.keys)
                let report = try await device.sweep()
                last = .init(
                    ended: device.clock.now, attempted: due,
                    failures: report.sent.isEmpty ? (last?.failures ?? 0) + 1 : 0, jitter: 0.5)
            }
        }
        #expect(Set(device.remote.arrivals) == Set(ids) && device.remote.arrivals.count == ids.count)
        for id in ids { #expect(try device.status(id) == .rated) }
        let puts = device.remote.requests.compactMap(\.test)
        print("flood: \(Double(puts.count) / Double(ids.count)) requests a test, \(rounds) rounds")
        #expect(Double(puts.count) <= 1.5 * Double(ids.count))
        #expect(device.remote.requests.count <= 2 * ids.count + rounds)
        // First attempts keep the order in which the tests were started, but for those in flight at the same time.
        var seen: Set<TestID> = []
        let places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        for (place, id) in puts.filter({ seen.insert($0).inserted }).enumerated() {
            #expect(abs(place - (places[id] ?? 0)) <= 32)
        }
    }
}
