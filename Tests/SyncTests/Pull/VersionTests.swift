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

    @Test("a corrected spelling and an added option take no answer away; files and the time spent are carried over")
    func spelling() async throws {
        let device = try Device()
        func publish(_ question: String, _ options: String) {
            device.remote.publish(
                "a",
                Self.version(
                    "One",
                    #"{"id": "q1", "text": "\#(question)", "kind": "text"}, "#
                        + #"{"id": "q2", "text": "What grows there?", "options": [\#(options)]}"#))
        }
        publish("Whats the farm called?", #""Weat", "Rice""#)
        try await device.pull()
        let store = device.store
        let opened = try await store.open(id: "a", remote: nil)
        var draft = try store.take(
            opened, answers: ["q1": .one("Green hill"), "q2": .one("Weat")], isFinished: false)
        var pieces = [Array("grey".utf8)]
        let spooled = try store.outbox.media.spool(named: "well.jpg") { pieces.popLast() ?? [] }
        let file = try store.testAttachments.attach(
            spooled, to: draft.record.id, questionId: "q1", name: "well.jpg", mediaType: nil)
        draft = try store.edit(draft.record.id, activeSeconds: 12) { _ in }
        device.clock.advance(by: .seconds(500))
        publish("What is the farm called?", #""Wheat", "Rice", "Something else""#)
        try await device.pull()
        let newest = try await store.open(id: "a", remote: nil)
        let update = try #require(try store.versionUpdate(of: draft.record, to: newest))
        #expect(update.left.isEmpty && update.changes.map(\.questionId) == ["q1", "q2"])
        let made = try store.carryOver(draft, to: newest).record
        #expect(made.answers.map(\.texts) == [["Green hill"], ["Wheat"]])
        #expect(made.dateStarted == draft.record.dateStarted && made.timing?.activeSeconds == 12)
        // The same bytes, under an identity of its own: both drafts may be sent.
        let carried = try #require(made.attachments.first)
        #expect(carried.digest == file.attachment.digest && carried.id != file.attachment.id)
        #expect(try store.finish(made.id).status == .done)
        #expect(try store.versionUpdates.leftBehind(made, newest.questionnaire).isEmpty)
    }

    @Test("what stayed behind is known until the person has answered it again, or discarded the former draft")
    func leftBehind() async throws {
        let (device, draft) = try await drafted()
        let store = device.store
        let newest = try await store.open(id: "a", remote: nil)
        let made = try store.carryOver(draft, to: newest).record
        func left() throws -> [String] {
            let item = OutboxItem(id: made.id, status: .inProgress)
            return try store.versionUpdates.leftBehind(store.outbox.read(item).record, newest.questionnaire).map(
                \.question)
        }
        #expect(try left() == ["Old?", "Gone?"])
        _ = try store.answer(made.id, ["q2": .one("new")], newest.questionnaire)
        #expect(try left() == ["Gone?"])
        try store.outbox.discard(draft.record.id)
        #expect(try left().isEmpty)
    }

    @Test("results show what was asked, though the author has published other versions since")
    func results() async throws {
        let device = try Device()
        let ids = try await {
            device.remote.publish("a", Self.version("One", Self.same))
            try await device.pull()
            let opened = try await device.store.open(id: "a", remote: nil)
            let answers: [String: Answer.Value] = ["q1": .one("yes")]
            return try (0..<2).map { _ in
                try device.store.take(opened, answers: answers, isFinished: true).record.id
            }
        }()
        try await device.sweep()
        #expect(try ids.map(device.status) == [.sent, .sent])
        for title in ["Two", "Three"] {
            device.remote.publish("a", Self.version(title, Self.same))
            device.clock.advance(by: .seconds(120))
            try await device.pull()
        }
        for id in ids {
            let record = try device.store.outbox.read(OutboxItem(id: id, status: .sent)).record
            #expect(try device.store.questionnaire(of: record)?.title == "One")
        }
        #expect(try device.store.library().map(\.title) == ["Three"])
        #expect(try device.store.examine(repairing: false).isEmpty)
        // Removed from the server it leaves the list, and the results keep their questions.
        device.remote.withdraw("a")
        device.remote.publish("b", document("b", title: "Other"))
        try await device.pull()
        let record = try device.store.outbox.read(OutboxItem(id: ids[0], status: .sent)).record
        #expect(try device.store.library().map(\.id) == ["b"] && device.store.questionnaire(of: record)?.title == "One")
        // Where the quota is for something else, they are the last to go.
        _ = try device.store.cache.space.trim(toBytes: 40_000)
        #expect(try device.store.questionnaire(of: record)?.title == "One")
        _ = try? device.store.cache.space.trim(toBytes: 0)
        #expect(try device.store.questionnaire(of: record) == nil)
    }

    @Test("a draft shows its version's picture, never the one that has the name by now")
    func pictures() async throws {
        let device = try Device()
        let address = FaultyRemote.origin + "/v1/media/well.png"
        let medium = Media(path: address, type: "image/png")
        func publish(_ title: String, _ picture: String) async throws {
            let question =
                #"{"id": "q1", "text": "What is it?", "kind": "text", "media": [{"path": "\#(address)", "type": "image/png"}]}"#
            device.remote.publish("a", Self.version(title, question), media: [address])
            device.remote.publish(url: address, bytes: Array(picture.utf8), mediaType: "image/png")
            device.clock.advance(by: .seconds(120))
            try await device.pull()
        }
        let store = device.store
        func shown(_ record: TestRecord) throws -> String? {
            try store.shownMedia.place(of: medium, in: record, remote: nil)
                .flatMap { device.disk.contents($0.path) }.map { String(decoding: $0, as: UTF8.self) }
        }
        try await publish("One", "old picture")
        let old = try store.begin(try await store.open(id: "a", remote: nil)).record
        #expect(old.questionnaire.media?.map(\.path) == [address])
        let bare = try store.outbox.edits.begin(
            QuestionnaireReference(id: "a", title: "One", digest: old.questionnaire.digest), deviceID: "device")
        #expect(try shown(old) == "old picture" && shown(bare.record) == "old picture")
        let noted = try store.shownMedia.notingMedia(of: bare, try #require(try store.questionnaire(of: bare.record)))
            .record
        #expect(noted.questionnaire.media == old.questionnaire.media)
        let plain = try store.outbox.edits.begin(
            QuestionnaireReference(id: "a", title: "One", digest: old.questionnaire.digest), deviceID: "device")
        try await publish("Two", "new picture")
        #expect(try shown(old) == "old picture" && shown(noted) == "old picture")
        // Of one that does not know its pictures nothing is shown rather than the wrong one.
        #expect(try shown(plain.record) == nil)
        #expect(try shown(store.begin(try await store.open(id: "a", remote: nil)).record) == "new picture")
        #expect(try store.examine(repairing: false).isEmpty)
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
        "a draft has the version that was opened, although it was edited in place meanwhile",
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
