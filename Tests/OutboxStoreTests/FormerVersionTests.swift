import Disk
import Model
import Simulation
import SystemPackage
import Testing
import Trials

@testable import OutboxStore

/// One test on two devices that exchange what they captured at any time: which of two versions is the later one.
@Suite("Copies of a test that were captured earlier")
struct FormerVersionTests {
    private struct Captured {
        var archive: [UInt8]
        var earlier: [TestID: Set<Digest>]
        var version: Int
    }

    /// A device with the version that it has.
    private final class Place {
        let outbox: Outbox
        let disk: SimulatedDisk
        var version = 0

        init(_ world: OutboxWorld) {
            outbox = world.outbox()
            disk = world.disk
        }

        func capture() throws -> Captured {
            var archive: [UInt8] = []
            _ = try outbox.transfer.capture {
                archive = []
                return { archive += $0 }
            }
            return Captured(archive: archive, earlier: outbox.formerVersions(), version: version)
        }

        func merge(_ captured: Captured) throws -> OutboxTransfer.ImportReport {
            try outbox.transfer.importTests(
                OutboxTrials.reading(captured.archive), knowing: { ImportFacts(earlier: captured.earlier) },
                refuse: { throw $0 }, doubt: { throw $0 })
        }
    }

    @Test(
        "an earlier copy changes nothing, a later one takes its place, and only diverged ones are a conflict",
        arguments: 1...60 as ClosedRange<UInt64>)
    func histories(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        let places = [Place(OutboxWorld()), Place(OutboxWorld())]
        let id = try places[0].outbox.edits.create(
            QuestionnaireReference(id: "q", title: "Q", digest: Digest(sha256Of: [1])), deviceID: "one", as: .inProgress
        ) { $0.answers = Person.answers("0") }.record.id
        // Each version's ancestors, with itself.
        var lines: [Set<Int>] = [[0]]
        var captured = [try places[0].capture()]
        _ = try places[1].merge(captured[0])
        func bytes(_ place: Place) throws -> [UInt8] {
            let item = try #require(try place.outbox.find(id))
            return try place.outbox.bytes(of: item)
        }
        for step in 0..<30 {
            let place = places[Int.random(in: 0...1, using: &chance)]
            switch Int.random(in: 0..<6, using: &chance) {
            case 0...1:
                if try place.outbox.find(id)?.status == .done { _ = try place.outbox.edits.reopen(id, deviceID: "one") }
                try place.outbox.edits.update(id) { $0.answers = Person.answers("\(seed) \(step)") }
                lines.append(lines[place.version].union([lines.count]))
                place.version = lines.count - 1
            case 2 where try place.outbox.find(id)?.status == .inProgress:
                // Finished on both devices at one moment without it, both would have the same bytes.
                _ = try place.outbox.edits.finish(id) { $0.answers = Person.answers("\(seed) \(step), finished") }
                lines.append(lines[place.version].union([lines.count]))
                place.version = lines.count - 1
            case 3: captured.append(try place.capture())
            default:
                let arriving = try #require(captured.randomElement(using: &chance))
                let before = try bytes(place)
                let report = try place.merge(arriving)
                let comment: Comment = "step \(step): \(arriving.version) to \(place.version): \(report)"
                if lines[place.version].contains(arriving.version) {
                    #expect(try bytes(place) == before && report.conflicts.isEmpty, comment)
                    if arriving.version != place.version { #expect(report.newer == [id], comment) }
                } else if lines[arriving.version].contains(place.version) {
                    #expect(report.conflicts.isEmpty && report.advanced == [id], comment)
                    place.version = arriving.version
                } else {
                    #expect(report.conflicts == [id], comment)
                    let kept = try place.outbox.scan().items.filter { $0.id == id }
                    #expect(kept.contains { $0.status == .conflict } && kept.count == 2, comment)
                    return
                }
            }
        }
    }

    @Test("a test that was reopened is not finished by an older copy of it")
    func reopened() throws {
        let world = OutboxWorld()
        let id = try world.person().create(.done, Person.answers("Paris"))
        let place = Place(world)
        let captured = try place.capture()
        _ = try place.outbox.edits.reopen(id, deviceID: Person.device)
        #expect(try place.merge(captured).newer == [id])
        #expect(try place.outbox.find(id)?.status == .inProgress)
    }

    @Test("without the list, an earlier copy is another version, and both are kept")
    func withoutList() throws {
        let world = OutboxWorld()
        let id = try world.person().create(.inProgress, Person.answers("Paris"))
        let place = Place(world)
        let captured = try place.capture()
        try place.outbox.edits.update(id) { $0.answers = Person.answers("Rome") }
        try world.disk.process().removeIfPresent("log/versions.txt")
        #expect(try place.merge(captured).conflicts == [id])
    }

    @Test("a test whose receipt is damaged is captured, and the receipt is named; it may be at the server")
    func damagedReceipt() async throws {
        let world = OutboxWorld()
        let id = try world.person().create(.done, Person.answers("Paris"))
        world.remote.respond { _ in .status(503) }
        try await world.sweep()
        let receipt = OutboxLayout.receiptPath(id, .done)
        try world.disk.process().writeDurably([1, 2], to: receipt, temporaryFolder: OutboxLayout.temporary)
        let outbox = world.outbox()
        var archive: [UInt8] = []
        let report = try outbox.transfer.capture {
            archive = []
            return { archive += $0 }
        }
        #expect(report.tests == [id] && report.unreadable.count == 1)
        let there = OutboxWorld().outbox()
        _ = try there.transfer.importTests(OutboxTrials.reading(archive))
        #expect(try there.receipt(OutboxItem(id: id, status: .done))?.delivery?.mayHaveArrived == true)
    }
}
