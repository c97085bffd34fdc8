import AuthorDrafts
import CacheStore
import FoundationEssentials
import Model
import OutboxStore
import Quire
import Simulation
import SystemPackage
import Testing

@testable import Snapshots

@Suite("Snapshots of a store that continue others, and interrupted restores")
struct ContinuedStoreTests {
    /// The store as another process sees it now, with its current settings.
    private func reopened(_ fixture: SnapshotFixture) throws -> QuireStore {
        try QuireStore.open(at: fixture.file("store"), clock: fixture.clock)
    }

    private func saveNext(_ fixture: SnapshotFixture) throws {
        _ = try StoreSnapshot.save(
            reopened(fixture), to: fixture.file("next.quire"), .init(since: fixture.file("base.quire")))
    }

    @Test("restored in turn they give the changed questionnaires, marks and settings")
    func everything() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("base.quire")
        try await fixture.publishNewVersion()
        try fixture.store.marks.unset(.favorite, id: "lakes")
        try fixture.store.marks.set(.pin, id: "rivers")
        try fixture.store.changeSettings { $0.quotaBytes = 9_000_000 }
        try saveNext(fixture)
        try fixture.restore("base.quire", to: "new")
        let (store, report) = try fixture.restore("next.quire", to: "new")
        #expect(report.summary.isIntact && report.absent.isEmpty && report.kept.isEmpty, "\(report.kept)")
        #expect(try store.settings == reopened(fixture).settings)
        #expect(try store.marks.ids(.favorite).isEmpty && store.marks.ids(.pin) == ["rivers"])
        for id in ["capitals", "rivers", "lakes"] {
            #expect(
                try store.documents.entry(id: id, remote: nil)?.digest
                    == fixture.store.documents.entry(id: id, remote: nil)?.digest)
        }
        #expect(try store.documents.entry(id: "capitals", remote: nil)?.document?.title == "New")
        let (_, again) = try fixture.restore("next.quire", to: "new")
        #expect(again.kept.isEmpty && again.cached == 0)
    }

    @Test("questionnaires that are being written come along, and go when they went there")
    func authorDrafts() async throws {
        let fixture = try await SnapshotFixture()
        func save(_ draft: AuthorDraft, _ title: String) throws -> AuthorDraft {
            let next = draft.next(.object(["title": .string(title)]))
            return try #require(try fixture.store.authoring.drafts().save(next, by: nil))
        }
        let stays = try save(AuthorDraft(of: .null, id: .random()), "Mine")
        let goes = try save(AuthorDraft(of: .null, id: .random()), "Other")
        let picture = try #require(
            try fixture.store.authoring.drafts().keep(Array("picture".utf8), type: "image/png", of: stays.id))
        try fixture.save("base.quire")
        let better = try save(stays, "Better")
        try fixture.store.authoring.drafts().remove(goes.id)
        try saveNext(fixture)
        let (first, base) = try fixture.restore("base.quire", to: "new")
        #expect(base.unknown.isEmpty)
        #expect(try Set(first.authoring.drafts().all()) == [stays, goes])
        #expect(try first.authoring.drafts().media(picture, of: stays.id) == Array("picture".utf8))
        let (second, report) = try fixture.restore("next.quire", to: "new")
        #expect(report.unknown.isEmpty && report.kept.isEmpty, "\(report)")
        #expect(try second.authoring.drafts().all() == [better])
        #expect(try second.authoring.drafts().media(picture, of: stays.id) == Array("picture".utf8))
        // Undo goes back to the state before.
        #expect(try second.authoring.drafts().state(1, of: stays.id) == stays)
    }

    @Test("settings and marks that were changed here stay, and are named")
    func changedHere() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("base.quire")
        try fixture.store.changeSettings { $0.quotaBytes = 9_000_000 }
        try fixture.store.marks.unset(.favorite, id: "lakes")
        fixture.clock.advance(by: .seconds(1))
        try fixture.store.marks.set(.favorite, id: "lakes")
        try saveNext(fixture)
        let (new, _) = try fixture.restore("base.quire", to: "new")
        try new.changeSettings { $0.quotaBytes = 8_000_000 }
        try new.marks.unset(.favorite, id: "lakes")
        fixture.clock.advance(by: .seconds(1))
        try new.marks.set(.favorite, id: "lakes")
        let (store, report) = try fixture.restore("next.quire", to: "new")
        #expect(store.settings.quotaBytes == 8_000_000)
        #expect(report.kept.sorted() == ["marks/lakes.favorite.json", "store.json"])
    }

    @Test("unchanged tests that are not here are named")
    func absent() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("base.quire")
        try fixture.store.marks.set(.pin, id: "rivers")
        try saveNext(fixture)
        let (new, _) = try fixture.restore("base.quire", to: "new")
        let path = try #require(try fixture.path(fixture.finished, in: new))
        try FileManager.default.removeItem(atPath: new.path.appending(path).string)
        let (_, report) = try fixture.restore("next.quire", to: "new")
        #expect(report.absent == [path])
        _ = try QuireStore.create(
            at: fixture.file("other"), settings: StoreSettings(remote: nil, deviceId: "other"), clock: fixture.clock)
        let (_, alone) = try fixture.restore("next.quire", to: "other")
        #expect(Set(alone.absent).isSuperset(of: [path, "marks/lakes.favorite.json"]))
    }

    private struct Interrupted: Error {}

    @Test("an interrupted first restore is completed by the same snapshot, with the log and the secrets")
    func interrupted() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.write(Array("the token\n".utf8), to: fixture.file("token"))
        try fixture.store.changeSettings { $0.tokenFile = fixture.file("token").string }
        _ = try StoreSnapshot.save(reopened(fixture), to: fixture.file("s.quire"), .init(withSecrets: true))
        let (target, clock) = (fixture.file("new"), fixture.clock)
        #expect(throws: Interrupted.self) {
            try StoreSnapshot.restore(
                StoreSnapshot.place(of: fixture.file("s.quire")),
                to: .init {
                    try QuireStore.open(at: target, clock: clock)
                } create: {
                    _ = try QuireStore.create(at: target, settings: $0, clock: clock)
                    throw Interrupted()
                })
        }
        let (store, report) = try fixture.restore("s.quire", to: "new")
        #expect(report.isNew && report.unusedSecrets.isEmpty)
        #expect(store.settings.tokenFile == target.appending("token").string && store.settings.restoring == nil)
        let log = try fixture.bytes(fixture.file("store/log/events.jsonl"))
        #expect(try fixture.bytes(fixture.file("new/log/events.jsonl")).starts(with: log))
        let (_, again) = try fixture.restore("s.quire", to: "new")
        #expect(!again.isNew && again.unusedSecrets.isEmpty)
    }

    @Test("a store with its own secrets does not use those of a snapshot, and says so")
    func otherSecrets() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.write(Array("the token\n".utf8), to: fixture.file("token"))
        try fixture.store.changeSettings { $0.tokenFile = fixture.file("token").string }
        _ = try StoreSnapshot.save(reopened(fixture), to: fixture.file("s.quire"), .init(withSecrets: true))
        _ = try QuireStore.create(
            at: fixture.file("other"), settings: StoreSettings(remote: nil, deviceId: "other"), clock: fixture.clock)
        let (store, report) = try fixture.restore("s.quire", to: "other")
        #expect(report.unusedSecrets == ["token"] && store.settings.tokenFile == nil)
    }

    @Test("tests whose pictures the quota has no room for are named")
    func withoutRoom() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        _ = try QuireStore.create(
            at: fixture.file("small"),
            settings: StoreSettings(remote: nil, deviceId: "other", quotaBytes: 60_000), clock: fixture.clock)
        let (_, report) = try fixture.restore("s.quire", to: "small")
        #expect(report.testsWithoutVersion.contains(fixture.draft))
    }

    @Test("tests that were discarded in between are discarded, and named; those that went on here stay, and are named")
    func discarded() async throws {
        let fixture = try await SnapshotFixture()
        let opened = try await fixture.store.open(id: "rivers", remote: nil, isOffline: true)
        func draft(_ text: String) throws -> TestID {
            try fixture.store.take(opened, answers: ["q2": .one(text)], isFinished: false).record.id
        }
        let (other, finishedHere, kept) = (try draft("other"), try draft("finished here"), try draft("kept"))
        try fixture.save("base.quire")
        for id in [fixture.draft, fixture.finished, other, finishedHere] { _ = try fixture.store.outbox.discard(id) }
        try saveNext(fixture)
        let (new, _) = try fixture.restore("base.quire", to: "new")
        _ = try new.outbox.edits.finish(finishedHere)
        let paths = try [fixture.draft, fixture.finished, other].map { try #require(try fixture.path($0, in: new)) }
        let (store, report) = try fixture.restore("next.quire", to: "new")
        #expect(report.summary.isIntact && Set(report.discarded) == Set(paths), "\(report.discarded)")
        #expect(report.keptTests == [OutboxLayout.testPath(finishedHere, .done).string])
        #expect(try Set(store.outbox.scan().tests.map(\.id)) == [fixture.delivered, finishedHere, kept])
        // Nothing is deleted.
        let quarantine = try fixture.tree(store, "quarantine").keys
        for id in [fixture.draft, fixture.finished, other] {
            #expect(quarantine.contains { $0.contains(id.description) })
        }
        let (_, again) = try fixture.restore("next.quire", to: "new")
        #expect(again.discarded.isEmpty && again.keptTests == report.keptTests)
    }

    @Test("a test that could not be read when the second snapshot was saved is not discarded")
    func unreadable() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("base.quire")
        let path = try #require(try fixture.path(fixture.draft, in: fixture.store))
        try fixture.write([1, 2, 3], to: fixture.store.path.appending(path))
        let saved = try StoreSnapshot.save(
            reopened(fixture), to: fixture.file("next.quire"), .init(since: fixture.file("base.quire")))
        #expect(saved.leftOut.count == 1 && saved.leftOut[0].contains(path))
        try fixture.restore("base.quire", to: "new")
        let (store, report) = try fixture.restore("next.quire", to: "new")
        #expect(report.discarded.isEmpty && report.keptTests.isEmpty)
        #expect(try fixture.path(fixture.draft, in: store) == path)
    }
}
