import Model
import OutboxStore
import Quire
import Simulation
import SystemPackage
import Testing

@testable import Snapshots

@Suite("Snapshots that are merged into a store with the same tests")
struct MergedSnapshotTests {
    private func answer(_ store: QuireStore, _ id: TestID, _ text: String) async throws {
        let opened = try await store.open(id: "capitals", remote: nil, isOffline: true)
        _ = try store.answer(id, ["q2": .one(text)], opened.questionnaire)
    }

    @Test(
        "of a draft that was edited since, the later version stays and can be edited",
        arguments: SnapshotFormat.allCases)
    func earlier(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire", .init(format: format))
        try await answer(fixture.store, fixture.draft, "later")
        let before = try fixture.tests(fixture.store)
        let (store, report) = try fixture.restore("s.quire", to: "store")
        #expect(report.tests.newer == [fixture.draft] && report.tests.conflicts.isEmpty)
        #expect(try fixture.tests(store) == before)
        // The fixture's clock stands still, so the file's own time is later.
        let findings = try store.examine(repairing: false).filter {
            $0.path == "log/versions.txt" && $0.kind != .clock
        }
        #expect(findings.isEmpty, "\(findings)")
        try await answer(store, fixture.draft, "later still")
        _ = try store.outbox.edits.finish(fixture.draft)
        #expect(try fixture.restore("s.quire", to: "store").report.tests.newer == [fixture.draft])
        #expect(try store.outbox.find(fixture.draft)?.status == .done)
    }

    @Test("so does the later version of a draft that was restored and edited, whichever snapshot comes again")
    func restored() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        try await answer(fixture.store, fixture.draft, "second")
        try fixture.save("t.quire", .init(format: .protobuf))
        let (store, _) = try fixture.restore("t.quire", to: "new")
        try await answer(store, fixture.draft, "third")
        for name in ["s.quire", "t.quire"] {
            let (_, report) = try fixture.restore(name, to: "new")
            #expect(report.tests.newer == [fixture.draft] && report.tests.conflicts.isEmpty, "\(name)")
        }
    }

    @Test("a draft that is as it was there before is replaced by the later version")
    func later() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        let (store, _) = try fixture.restore("s.quire", to: "new")
        try await answer(store, fixture.draft, "later")
        _ = try store.outbox.edits.finish(fixture.draft)
        _ = try StoreSnapshot.save(store, to: fixture.file("later.quire"))
        let (own, report) = try fixture.restore("later.quire", to: "store")
        #expect(report.tests.advanced == [fixture.draft] && report.tests.conflicts.isEmpty)
        #expect(try fixture.differences(own, store) == [])
    }

    @Test("of copies that were both edited, both are kept")
    func diverged() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        let (store, _) = try fixture.restore("s.quire", to: "new")
        try await answer(store, fixture.draft, "there")
        _ = try StoreSnapshot.save(store, to: fixture.file("there.quire"))
        try await answer(fixture.store, fixture.draft, "here")
        let (_, report) = try fixture.restore("there.quire", to: "store")
        #expect(report.tests.conflicts == [fixture.draft] && report.tests.newer.isEmpty)
    }
}
