import Model
import OutboxStore
import Quire
import Simulation
import Sync
import Synchronization
import Testing

/// A scripted week of two devices and a host.
@Suite("A week of two devices and a host")
struct WeekTests {
    private final class Week {
        var generator: SeededGenerator
        let remote: FaultyRemote
        let devices: [Device]
        let stores: [QuireStore]
        /// The permanent ids of questionnaires that were made, and of those withdrawn or deleted by one of the devices.
        var made: [String] = []
        var tests: [TestID] = []

        init(seed: Int, rule: ConflictPolicy) throws {
            generator = SeededGenerator(seed: UInt64(seed))
            let first = try Device()
            remote = first.remote
            for id in ["a", "b"] { remote.publish(id, document(id, title: "Title 0")) }
            devices = [first, try Device(remote: remote)]
            stores = try devices.map { device in
                var settings = device.store.settings
                settings.conflicts = rule
                try device.store.save(settings)
                return try device.reopened()
            }
        }

        func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

        /// Something that a person does on a device, with or without a network.
        func act(_ number: Int) async throws {
            let place = chance(2)
            let (device, store) = (devices[place], stores[place])
            let known = try store.library().map(\.id)
            let id = known.isEmpty ? nil : known[chance(known.count)]
            switch (chance(9), id) {
            case (0, _): made.append(try store.create(Array(document("x", title: "Title \(number)").utf8)).id)
            case (1...3, let id?):
                let opened = try await store.open(id: id, remote: nil, isOffline: true)
                let json = document(opened.questionnaire.id, title: "Title \(number)")
                try store.edit(opened, to: Array(json.utf8))
            case (4, let id?) where known.count > 2:
                try store.delete(try await store.open(id: id, remote: nil, isOffline: true))
            case (5, let id?): try store.setFavorite(id, title: "Title", chance(2) == 0)
            case (6, let id?):
                let opened = try await store.open(id: id, remote: nil, isOffline: true)
                tests.append(try store.take(opened, answers: ["q1": .one("yes")], isFinished: true).record.id)
            case (7, _): _ = try? await store.puller(device.remote).pull()
            default: _ = try await store.sweeper(device.remote).sweep()
            }
            device.clock.advance(by: .seconds(chance(4) == 0 ? 7200 : 30))
        }

        func failAtRandom() {
            let dice = Dice(seed: UInt64(chance(1 << 30)))
            remote.respond { _ in
                switch dice.throwOne(12) {
                case 0: .cutBeforeStoring
                case 1, 2: .cutAfterStoring
                case 3: .status(503)
                case 4: .unreachable
                default: nil
                }
            }
        }

        func settle() async throws {
            remote.respond { _ in nil }
            for _ in 0..<6 {
                for (device, store) in zip(devices, stores) {
                    device.clock.advance(by: .seconds(86_400))
                    _ = try await store.sweeper(remote).sweep()
                    _ = try await store.puller(remote).pull()
                }
            }
        }
    }

    @Test(
        "both devices and the host agree in the end, nothing is lost and nothing is doubled",
        arguments: [1, 7, 8, 9, 10, 11])
    func agree(_ seed: Int) async throws {
        let rule = ConflictPolicy.allCases[seed % ConflictPolicy.allCases.count]
        let week = try Week(seed: seed, rule: rule)
        for (device, store) in zip(week.devices, week.stores) { _ = try await store.puller(device.remote).pull() }
        for number in 1...40 {
            week.failAtRandom()
            try await week.act(number)
        }
        try await week.settle()
        if rule == .ask {
            for store in week.stores {
                for conflict in try store.conflicts() {
                    try store.resolve(conflict.id.description, ConflictChoice.allCases[week.chance(3)])
                }
            }
            try await week.settle()
            // What both had open at once may meet again; the last one decides.
            for store in week.stores {
                for conflict in try store.conflicts() { try store.resolve(conflict.id.description, .theirs) }
            }
            try await week.settle()
        }
        let remote = week.remote
        #expect(Set(remote.carriedOut).count == remote.carriedOut.count)
        #expect(Set(remote.arrivals) == Set(week.tests) && remote.arrivals.count == week.tests.count)
        let server = Dictionary(
            uniqueKeysWithValues: try remote.listed.map {
                ($0, try Questionnaire(json: try #require(remote.document($0))).title)
            })
        for (device, store) in zip(week.devices, week.stores) {
            let counts = try store.outbox.counts()
            #expect(Set(counts.keys).isSubset(of: [.sent]), "\(counts)")
            // What was deleted and is needed here, by a test or as a favourite, is marked.
            let kept = try store.library().filter { $0.freshness(now: device.clock.now) != .gone }
            let here = kept.map { ($0.serverId ?? $0.id, $0.title) }
            #expect(Dictionary(uniqueKeysWithValues: here) == server)
            #expect(device.disk.filePaths.allSatisfy { !$0.hasSuffix(".theirs.json") || $0.hasPrefix("quarantine/") })
        }
    }
}

/// Chance that several requests at once may ask.
private final class Dice: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func throwOne(_ sides: Int) -> Int { generator.withLock { Int.random(in: 0..<sides, using: &$0) } }
}
