import Disk
import Model
import Quire
import Simulation
import SystemPackage
import Testing

@testable import Hub

/// What the hub decides about drafts, and what it keeps of them on a disk.
@Suite("Drafts that phones hand over, in the hub's folder")
struct DraftStoreTests {
    private static func decide(
        _ revision: Int64, _ size: Int = 10, stored: Int64? = nil, isSame: Bool = false, items: Int = 0,
        bytes: Int64 = 0, total: Int64 = 0
    ) -> DraftDecision {
        DraftDecision.decide(
            revision: revision, sizeBytes: size, stored: stored, isSame: isSame,
            holdings: .init(personItems: items, personBytes: bytes, totalBytes: total),
            bounds: DraftBounds(itemBytes: 100, personItems: 3, personBytes: 200, totalBytes: 1000))
    }

    @Test("a newer one replaces an older one, and never the other way round; the bounds hold to the last byte")
    func decisions() {
        #expect(Self.decide(1) == .keep)
        #expect(Self.decide(6, stored: 5) == .keep)
        #expect(Self.decide(5, stored: 5, isSame: true) == .known)
        #expect(Self.decide(5, stored: 5) == .stale(5))
        #expect(Self.decide(4, stored: 5, isSame: true) == .stale(5))
        #expect(Self.decide(1, 100) == .keep && Self.decide(1, 101) == .tooLarge)
        #expect(Self.decide(1, items: 2) == .keep && Self.decide(1, items: 3) == .personFull)
        #expect(Self.decide(1, bytes: 190) == .keep && Self.decide(1, bytes: 191) == .personFull)
        #expect(Self.decide(1, total: 990) == .keep && Self.decide(1, total: 991) == .hubFull)
        // A late one is late, however full it is.
        #expect(Self.decide(1, 101, stored: 2, items: 3) == .stale(2))
    }

    private static let bounds = DraftBounds(
        itemBytes: 100, personItems: 3, personBytes: 200, totalBytes: 1000, ageDays: 60)

    private static func store(_ disk: any FileSystem, _ clock: ManualClock) throws -> DraftStore {
        for folder in [HubLayout.root, HubLayout.temporary] { try disk.makeDurableFolder(folder) }
        return try DraftStore(disk, clock: clock, bounds: bounds)
    }

    private static func draft(_ revision: Int64, _ text: String) -> DraftStore.Draft {
        .init(revision: revision, bytes: Array(text.utf8))
    }

    @Test("what was kept is there after a start, each person's apart; a damaged file is as none")
    func reopened() throws {
        let (disk, clock) = (SimulatedDisk().process(), ManualClock())
        let (one, two) = (TestID.random(), TestID.random())
        let file = DraftID(one, file: .random())
        let store = try Self.store(disk, clock)
        #expect(try store.put(Self.draft(1, "first"), DraftID(one), of: "s-1") == .keep)
        #expect(try store.put(Self.draft(3, "third"), DraftID(one), of: "s-1") == .keep)
        #expect(try store.put(Self.draft(2, "late"), DraftID(one), of: "s-1") == .stale(3))
        #expect(try store.put(Self.draft(3, "third"), DraftID(one), of: "s-1") == .known)
        #expect(try store.put(Self.draft(1, "photo"), file, of: "s-1") == .keep)
        #expect(try store.put(Self.draft(1, "other"), DraftID(two), of: "\u{0436}/..") == .keep)

        let again = try DraftStore(disk, clock: clock, bounds: Self.bounds)
        #expect(try again.draft(DraftID(one), of: "s-1") == Self.draft(3, "third"))
        #expect(try again.draft(DraftID(one), of: "\u{0436}/..") == nil)
        #expect(again.items(of: "s-1").count == 2 && again.items(of: "\u{0436}/..").count == 1)
        #expect(again.summary.drafts == 2 && again.summary.people == 2 && again.summary.bytes == 15)
        #expect(try again.put(Self.draft(2, "late"), DraftID(one), of: "s-1") == .stale(3))

        try disk.writeDurably(
            Array("damaged".utf8), to: HubLayout.draftPath(DraftID(one), of: "s-1"),
            temporaryFolder: HubLayout.temporary)
        let third = try DraftStore(disk, clock: clock, bounds: Self.bounds)
        #expect(third.items(of: "s-1").count == 1)
        #expect(try third.draft(DraftID(one), of: "s-1") == nil)
        #expect(try third.put(Self.draft(1, "back"), DraftID(one), of: "s-1") == .keep)
    }

    @Test("a draft goes with its files; tests that were handed in, and what is old, go too")
    func removed() throws {
        let (disk, clock) = (SimulatedDisk().process(), ManualClock())
        let tests = (0..<3).map { _ in TestID.random() }
        let store = try Self.store(disk, clock)
        for test in tests { _ = try store.put(Self.draft(1, "draft"), DraftID(test), of: "s-1") }
        try store.remove(DraftID(tests[0]), of: "s-2")
        #expect(store.summary.drafts == 3)
        try store.remove(DraftID(tests[0]), of: "s-1")
        _ = try store.put(Self.draft(1, "photo"), DraftID(tests[1], file: .random()), of: "s-1")
        try store.removeHandedIn { $0 == tests[1] }
        #expect(Set(store.items(of: "s-1").keys) == [DraftID(tests[2])])
        clock.advance(by: .seconds(59 * 86_400))
        _ = try store.put(Self.draft(1, "new"), DraftID(tests[0]), of: "s-2")
        #expect(store.summary.drafts == 2)
        clock.advance(by: .seconds(2 * 86_400))
        _ = try store.put(Self.draft(2, "newer"), DraftID(tests[0]), of: "s-2")
        #expect(store.items(of: "s-1").isEmpty && store.summary.drafts == 1)
        #expect(try disk.list(HubLayout.draftFolder(ofPerson: "s-1")).isEmpty)
    }

    @Test("what was removed stays removed, whenever the power is cut after it")
    func durablyRemoved() throws {
        let (disk, clock) = (SimulatedDisk(), ManualClock())
        let (one, two) = (DraftID(.random()), DraftID(.random()))
        let store = try Self.store(disk.process(), clock)
        for id in [one, two, DraftID(one.test, file: .random())] {
            #expect(try store.put(Self.draft(1, "draft"), id, of: "s-1") == .keep)
        }
        try store.remove(one, of: "s-1")
        for state in disk.allCrashStates(limit: 20) {
            let again = try DraftStore(state.disk.process(), clock: clock, bounds: Self.bounds)
            #expect(Array(again.items(of: "s-1").keys) == [two], "\(state)")
        }
    }

    @Test("a draft in use keeps its files, however old these are")
    func age() throws {
        let (disk, clock) = (SimulatedDisk().process(), ManualClock())
        let test = TestID.random()
        let store = try Self.store(disk, clock)
        let file = DraftID(test, file: .random())
        _ = try store.put(Self.draft(1, "photo"), file, of: "s-1")
        for revision in 1...3 {
            clock.advance(by: .seconds(50 * 86_400))
            _ = try store.put(Self.draft(Int64(revision), "draft"), DraftID(test), of: "s-1")
        }
        #expect(Set(store.items(of: "s-1").keys) == [DraftID(test), file])
        clock.advance(by: .seconds(61 * 86_400))
        _ = try store.put(Self.draft(1, "other"), DraftID(.random()), of: "s-2")
        #expect(store.items(of: "s-1").isEmpty)
    }

    @Test(
        "names are read exactly as they are written",
        arguments: ["a", "", ".draft", "/", "11111111-1111-4111-8111-111111111111"])
    func names(_ text: String) throws {
        #expect(DraftID(name: text) == nil)
        let (test, file) = (TestID.random(), TestID.random())
        for id in [DraftID(test), DraftID(test, file: file)] { #expect(DraftID(name: id.name) == id) }
        #expect(DraftID(path: "\(test)/\(file)") == DraftID(test, file: file))
        #expect(DraftID(path: "\(test)/") == nil && DraftID(path: "\(test)/\(file)/x") == nil)
    }
}
