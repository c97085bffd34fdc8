import AuthorDrafts
import Disk
import Model
import OutboxStore
import Sync
import SystemPackage
import Testing

@testable import Quire

@Suite("Questionnaires that are written on a device")
struct StoreAuthoringTests {
    private static func document(_ title: String, key: String? = "A") -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string("x"), "title": .string(title),
            "questions": .array([
                .object([
                    "id": .string("q1"), "text": .string("Which?"), "options": .array([.string("A"), .string("B")]),
                ])
            ]),
        ]
        if let key {
            let accept = JSONValue.array([.object(["value": .string(key)])])
            members["key"] = .object(["q1": .object(["accept": accept])])
        }
        return .object(members)
    }

    private static func saved(_ draft: AuthorDraft, in store: QuireStore) throws -> AuthorDraft {
        try #require(try store.authoring.drafts().save(draft.next(draft.document), by: nil))
    }

    /// A draft of what is here now.
    private static func draft(of id: String, _ title: String, in store: QuireStore) throws -> AuthorDraft {
        let original = try #require(try store.authoring.original(id))
        return try saved(
            AuthorDraft(of: document(title), id: .random(), questionnaire: original.id, base: original.digest),
            in: store)
    }

    private static func titles(_ store: QuireStore) throws -> [String] {
        try store.outbox.changes(.questionnaire).map(\.change.title)
    }

    @Test("a draft that is published is a change in the outbox, and can be taken at once")
    func publish() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let draft = try Self.saved(AuthorDraft(of: Self.document("Mine"), id: .random()), in: store)
        #expect(try store.authoring.publish(draft) == .published(draft.id.description))
        #expect(try store.authoring.drafts().all().isEmpty)
        let change = try #require(try store.outbox.changes(.questionnaire).first)
        #expect(change.change.action == .create && change.item.status == .done)
        #expect(try store.library().contains { $0.id == draft.id.description && $0.title == "Mine" })
        #expect(try store.documents.openHere(id: draft.id.description)?.questionnaire.title == "Mine")
        // Someone else published or removed it meanwhile.
        #expect(try store.authoring.publish(draft) == .savedMeanwhile)
    }

    @Test("a file with the greatest number there is no state of a draft, and ends no save")
    func hostileNumber() async throws {
        let store = try await StoreFixture().store
        let draft = try Self.saved(AuthorDraft(of: Self.document("Mine"), id: .random()), in: store)
        let folder = FilePath("writing/\(draft.id)")
        let bytes = try store.fileSystem.readFile(folder.appending("1.json"), maximumBytes: 1 << 20).bytes
        let hostile = String(decoding: bytes, as: UTF8.self)
            .replacing(/"version"\s*:\s*1/, with: "\"version\": \(Int.max)")
        _ = try store.fileSystem.writeDurablyIfAbsent(
            Array(hostile.utf8), to: folder.appending("\(Int.max).json"), temporaryFolder: "outbox/tmp")
        #expect(try store.authoring.drafts().latest(draft.id)?.version == 1)
        #expect(try Self.saved(draft, in: store).version == 2)
    }

    @Test("after a crash between the change and the end of the draft it is published once", arguments: [false, true])
    func crash(isEdit: Bool) async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let draft =
            isEdit
            ? try Self.draft(of: "capitals", "Mine", in: store)
            : try Self.saved(AuthorDraft(of: Self.document("Mine"), id: .random()), in: store)
        let file = FilePath("writing/\(draft.id)/\(draft.version).json")
        let bytes = try store.fileSystem.readFile(file, maximumBytes: 1 << 20).bytes
        guard case .published(let id) = try store.authoring.publish(draft) else { throw OutboxError.notFound("change") }
        // As it was when the power went.
        try store.fileSystem.makeDurableFolder(FilePath("writing/\(draft.id)"))
        _ = try store.fileSystem.writeDurablyIfAbsent(bytes, to: file, temporaryFolder: "outbox/tmp")
        #expect(try store.authoring.publish(draft) == .published(id))
        #expect(try Self.titles(store) == ["Mine"])
        #expect(try store.authoring.drafts().all().isEmpty)
    }

    @Test("a draft that was written on after the crash is a second change, when the person says so")
    func writtenOn() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let draft = try Self.saved(AuthorDraft(of: Self.document("Mine"), id: .random()), in: store)
        try store.questionnaireChanges.create(try DocumentCoding.encode(draft.document), as: draft.id)
        let later = try #require(try store.authoring.drafts().save(draft.next(Self.document("Better")), by: nil))
        #expect(try store.authoring.publish(later) == .changedMeanwhile)
        #expect(try store.authoring.publish(later, replaces: true) == .published(draft.id.description))
        #expect(try Self.titles(store) == ["Mine", "Better"])
        #expect(try store.outbox.changes(.questionnaire).map(\.change.action) == [.create, .edit])
    }

    @Test("what was changed here meanwhile is replaced only when the person says so")
    func changedMeanwhile() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let draft = try Self.draft(of: "capitals", "Mine", in: store)
        let opened = try #require(try store.documents.openHere(id: "capitals"))
        try store.edit(opened, to: Array(#"{"id": "capitals", "title": "Other", "questions": []}"#.utf8))
        #expect(try store.authoring.publish(draft) == .changedMeanwhile)
        #expect(try Self.titles(store) == ["Other"])
        #expect(try store.authoring.drafts().all().map(\.id) == [draft.id])
        #expect(try store.authoring.publish(draft, replaces: true) == .published("capitals"))
        #expect(try Self.titles(store) == ["Other", "Mine"])
    }

    @Test("a leftover draft of what was published replaces no newer version unasked")
    func leftover() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let draft = try Self.saved(AuthorDraft(of: Self.document("Mine"), id: .random()), in: store)
        try store.questionnaireChanges.create(try DocumentCoding.encode(draft.document), as: draft.id)
        let opened = try #require(try store.documents.openHere(id: draft.id.description))
        let newer = String(decoding: opened.bytes, as: UTF8.self).replacing("Mine", with: "Newer")
        try store.edit(opened, to: Array(newer.utf8))
        #expect(try store.authoring.publish(draft) == .changedMeanwhile)
        #expect(try Self.titles(store) == ["Mine", "Newer"])
    }

    @Test("what takes the place of a deleted questionnaire is made once, also when that is repeated after a crash")
    func replacedOnce() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let draft = try Self.draft(of: "capitals", "Mine", in: store)
        let file = FilePath("writing/\(draft.id)/\(draft.version).json")
        let bytes = try store.fileSystem.readFile(file, maximumBytes: 1 << 20).bytes
        _ = try store.delete(try #require(try store.documents.openHere(id: "capitals")))
        guard case .published(let id) = try store.authoring.publish(draft, replaces: true) else {
            throw OutboxError.notFound("change")
        }
        try store.fileSystem.makeDurableFolder(FilePath("writing/\(draft.id)"))
        _ = try store.fileSystem.writeDurablyIfAbsent(bytes, to: file, temporaryFolder: "outbox/tmp")
        #expect(try store.authoring.publish(draft, replaces: true) == .published(id))
        #expect(try store.outbox.changes(.questionnaire).map(\.change.action) == [.delete, .create])
    }

    @Test("a draft survives the delivery of the version that it was made from")
    func delivery() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let first = try Self.saved(AuthorDraft(of: Self.document("Mine"), id: .random()), in: store)
        guard case .published(let id) = try store.authoring.publish(first) else { throw OutboxError.notFound("change") }
        let draft = try Self.draft(of: id, "Better", in: store)
        _ = try await store.sweeper(fixture.remote).sweep()
        _ = try await store.puller(fixture.remote).pull()
        #expect(try store.documents.openHere(id: id)?.local == nil, "the server's copy is the one that counts now")
        #expect(try store.authoring.publish(draft) == .published(id))
        let changes = try store.outbox.changes(.questionnaire)
        #expect(changes.map(\.change.action) == [.create, .edit])
        // The same questionnaire, under its permanent id.
        #expect(Set(changes.map(\.change.questionnaire)) == [id])
    }

    @Test("a document that lost its key says so: without a key it would keep the one before")
    func keyRemoved() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let first = try Self.saved(AuthorDraft(of: Self.document("Mine"), id: .random()), in: store)
        guard case .published(let id) = try store.authoring.publish(first) else { throw OutboxError.notFound("change") }
        let original = try #require(try store.authoring.original(id))
        let draft = try Self.saved(
            AuthorDraft(
                of: Self.document("Mine", key: nil), id: .random(), questionnaire: id, base: original.digest), in: store
        )
        #expect(try store.authoring.publish(draft) == .published(id))
        let bytes = try #require(try store.documents.openHere(id: id)?.bytes)
        #expect(try LocalAuthoring.hasKey(bytes))
    }

    @Test("a document with a fault is refused in a sentence, and the draft stays")
    func fault() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let draft = try Self.saved(AuthorDraft(of: Self.document("Mine", key: "C"), id: .random()), in: store)
        #expect(throws: DocumentFault.self) { try store.authoring.publish(draft) }
        #expect(try store.authoring.drafts().all().map(\.id) == [draft.id])
        #expect(try store.outbox.changes(.questionnaire).isEmpty)
    }
}
