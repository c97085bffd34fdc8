import Disk
import Model
import OutboxStore
import Quire
import Simulation
import Sync
import SystemPackage
import Testing

/// A new version of a questionnaire while a draft is open.
@Suite("A new version while a draft is open")
struct VersionTests {
    private static func version(_ title: String, _ questions: String) -> String {
        "{\"id\": \"a\", \"title\": \"\(title)\", \"questions\": [\(questions)]}"
    }

    private static let same = #"{"id": "q1", "text": "Same?", "options": ["yes", "no"]}"#
    private static let first =
        #"{"id": "q2", "text": "Old?", "kind": "text"}, {"id": "q3", "text": "Gone?", "kind": "text"}"#
    private static let second =
        #"{"id": "q2", "text": "New?", "kind": "text"}, {"id": "q4", "text": "More?", "kind": "text"}"#

    private func drafted() async throws -> (Device, StoredTest) {
        let device = try Device()
        device.remote.publish("a", Self.version("One", Self.same + ", " + Self.first))
        try await device.pull()
        let answers: [String: Answer.Value] = ["q1": .one("yes"), "q2": .one("old"), "q3": .one("gone")]
        let opened = try await device.store.open(id: "a", remote: nil)
        let draft = try device.store.take(opened, answers: answers, isFinished: false)
        device.remote.publish("a", Self.version("Two", Self.same + ", " + Self.second))
        device.clock.advance(by: .seconds(120))
        try await device.pull()
        return (device, draft)
    }

    @Test("the draft keeps its version, and the person sees what changed and which answers would go along")
    func seen() async throws {
        let (device, draft) = try await drafted()
        let store = device.store
        #expect(try store.outdatedDrafts().map(\.record.id) == [draft.record.id])
        #expect(try store.questionnaire(of: draft.record)?.title == "One")
        let newest = try await store.open(id: "a", remote: nil)
        let update = try #require(try store.versionUpdate(of: draft.record, to: newest))
        #expect(update.differences.map(\.field) == ["questions[q2].text", "questions[q3]", "questions[q4]", "title"])
        #expect(update.carried == ["q1"] && update.left.map(\.questionId) == ["q2", "q3"])
    }

    @Test(
        "answers to questions that are the same go along; the others stay in the old draft, and nothing is asked twice")
    func carriedOver() async throws {
        let (device, draft) = try await drafted()
        let store = device.store
        let newest = try await store.open(id: "a", remote: nil)
        let made = try store.carryOver(draft, to: newest)
        #expect(made.record.parent == draft.record.id && made.record.questionnaire.digest == newest.digest)
        #expect(made.record.answers.map(\.questionId) == ["q1"])
        #expect(try store.outbox.read(OutboxItem(id: draft.record.id, status: .inProgress)).record.answers.count == 3)
        // A second time finds the first one's.
        #expect(try store.carryOver(draft, to: newest).record.id == made.record.id)
        #expect(try store.outdatedDrafts().isEmpty)
        #expect(try store.versionUpdate(of: made.record, to: newest) == nil)
        // Both versions are protected as long as both drafts are there.
        #expect(try store.protection().digests == [draft.record.questionnaire.digest, newest.digest])
    }

    @Test("an edit made here is a new version too")
    func editedHere() async throws {
        let device = try Device()
        let id = try device.store.create(Array(Self.version("One", Self.same).utf8)).id
        let opened = try await device.store.open(id: id, remote: nil)
        let draft = try device.store.take(opened, answers: ["q1": .one("no")], isFinished: false)
        let text = String(decoding: opened.bytes, as: UTF8.self).replacing("One", with: "Two")
        try device.store.edit(opened, to: Array(text.utf8))
        let newest = try await device.store.open(id: id, remote: nil)
        #expect(try device.store.versionUpdate(of: draft.record, to: newest)?.differences.map(\.field) == ["title"])
        #expect(try device.store.carryOver(draft, to: newest).record.answers == draft.record.answers)
    }

    @Test(
        "a draft has the version that was opened, though somebody edited it in its place meanwhile",
        arguments: [true, false])
    func editedInItsPlace(_ isNoticed: Bool) async throws {
        let device = try Device()
        device.remote.publish("a", Self.version("One", Self.same))
        try await device.pull()
        let opened = try await device.store.open(id: "a", remote: nil)
        let file = try #require(device.disk.filePaths.first { $0.contains(opened.digest.hex) })
        try device.disk.put(FilePath(file), Gzip.compress(Array(Self.version("By hand", Self.same).utf8)))
        if isNoticed { #expect(try device.store.library().map(\.title) == ["By hand"]) }
        let draft = try device.store.take(opened, answers: ["q1": .one("yes")], isFinished: false)
        #expect(try device.store.tests().count == 1)
        #expect(try device.store.questionnaire(of: draft.record)?.title == "One")
        #expect(try device.store.library().map(\.title) == ["By hand"])
    }
}
