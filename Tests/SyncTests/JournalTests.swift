import Disk
import Model
import Simulation
import Sync
import Synchronization
import SystemPackage
import Testing

@Suite("The journal")
struct JournalTests {
    private let disk = SimulatedDisk(clock: ManualClock())

    private var journal: Journal { Journal(fileSystem: disk.process(), clock: disk.clock) }

    /// Events until the file is rotated once more.
    private func rotate(_ journal: Journal) -> Int {
        let long = String(repeating: "x", count: 100_000)
        for number in 0..<200 {
            let before = disk.contents("log/events.jsonl")?.count ?? 0
            journal.record("long", detail: long)
            if disk.contents("log/events.jsonl")?.count ?? 0 < before { return number + 1 }
        }
        return 0
    }

    @Test("who follows it gets each event once and in order, also while it is rotated")
    func rotation() throws {
        let journal = journal
        journal.record("first")
        var tail = try journal.tail(fromBeginning: true)
        var late = try journal.tail(fromBeginning: false)
        #expect(try tail.next().map(\.event) == ["first"])
        journal.record("second")
        let long = rotate(journal)
        #expect(long > 30)
        journal.record("third")
        let expected = ["second"] + Array(repeating: "long", count: long) + ["third"]
        #expect(try tail.next().map(\.event) == expected)
        #expect(try late.next().map(\.event) == expected)
        #expect(try tail.next().isEmpty)
        journal.record("fourth")
        #expect(try tail.next().map(\.event) == ["fourth"])
        // Twice without a look: the rest is reported.
        _ = rotate(journal)
        let kept = rotate(journal)
        #expect(try tail.next().count == kept)
    }

    @Test("a line comes when it is whole, and one that is none is passed over")
    func lines() throws {
        let journal = journal
        journal.record("first")
        var tail = try journal.tail(fromBeginning: true)
        _ = try tail.next()
        // As a process killed during a write leaves it.
        let files = disk.process()
        let file = try files.open("log/events.jsonl", .update)
        let half = Array(#"{"at":"2026-11-21T04:51:00Z","ev"#.utf8)
        try files.writeAll(file, half, at: try files.status(file).sizeBytes)
        try files.close(file)
        #expect(try tail.next().isEmpty)
        journal.record("second")
        #expect(try tail.next().map(\.event) == ["second"])
    }

    @Test("a journal that is not there yet has no events, and later ones are reported")
    func missing() throws {
        let journal = journal
        var tail = try journal.tail(fromBeginning: false)
        #expect(try tail.next().isEmpty)
        journal.record("first")
        #expect(try tail.next().map(\.event) == ["first"])
    }

    @Test("an observer gets everything recorded through it")
    func observer() {
        let told = Mutex<[String]>([])
        let observed = journal.observed { events in told.withLock { $0 += events.map(\.event) } }
        observed.record("sent")
        journal.record("other")
        #expect(told.withLock { $0 } == ["sent"])
    }
}
