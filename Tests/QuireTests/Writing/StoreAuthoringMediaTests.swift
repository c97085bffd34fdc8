import AuthorDrafts
import Disk
import Model
import OutboxStore
import SystemPackage
import Testing

@testable import Quire

@Suite("Pictures and sound of questionnaires that are written on a device")
struct StoreAuthoringMediaTests {
    private static let bytes = Array("picture".utf8)
    private static let path = ContentPath(Digest(sha256Of: bytes), mediaType: "image/png")

    private static func document(_ text: String = "Which?") -> JSONValue {
        let media = JSONValue.array([
            .object(["path": .string(path.description), "type": .string("image/png"), "alt": .string("A beaver")])
        ])
        return .object([
            "id": .string("x"), "title": .string("Mine"),
            "questions": .array([
                .object([
                    "id": .string("q1"), "text": .string(text), "options": .array([.string("A"), .string("B")]),
                    "media": media,
                ])
            ]),
            // The same picture twice is one file.
            "sections": .array([
                .object(["id": .string("s1"), "questions": .array([.string("q1")]), "media": media])
            ]),
        ])
    }

    private static func draft(_ document: JSONValue, in store: QuireStore) throws -> AuthorDraft {
        let draft = AuthorDraft(of: document, id: .random())
        _ = try store.authoring.drafts().keep(bytes, type: "image/png", of: draft.id)
        return try #require(try store.authoring.drafts().save(draft.next(document), by: nil))
    }

    @Test("a picture waits behind the change that names it, and both are delivered once")
    func delivery() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let draft = try Self.draft(Self.document(), in: store)
        guard case .published(let id) = try store.authoring.publish(draft) else { throw OutboxError.notFound("change") }
        #expect(try store.authoring.drafts().all().isEmpty)
        #expect(try store.fileSystem.status(at: FilePath("writing/\(draft.id)")) == nil)
        let attached = try store.questionnaireAttachments.lines(of: id)
        #expect(attached.count == 1)
        let line = try #require(attached[Self.path.description])
        #expect(line.status == .done && line.isHere)
        #expect(line.attachment.name == "A beaver.png" && line.attachment.questionId == "q1")
        #expect(try store.examine(repairing: false).isEmpty)
        try await fixture.sweep()
        #expect(try store.questionnaireAttachments.lines(of: id)[Self.path.description]?.status?.isDelivered == true)
        #expect(try store.outbox.changes().allSatisfy { $0.item.status.isDelivered })
    }

    @Test("after a crash between the change and the end of the draft, each is there once")
    func crash() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let draft = try Self.draft(Self.document(), in: store)
        let file = FilePath("writing/\(draft.id)/\(draft.version).json")
        let state = try store.fileSystem.readFile(file, maximumBytes: 1 << 20).bytes
        guard case .published(let id) = try store.authoring.publish(draft) else { throw OutboxError.notFound("change") }
        // As it was when the power went.
        _ = try store.authoring.drafts().keep(Self.bytes, type: "image/png", of: draft.id)
        _ = try store.fileSystem.writeDurablyIfAbsent(state, to: file, temporaryFolder: "outbox/tmp")
        #expect(try store.authoring.publish(draft) == .published(id))
        #expect(try store.outbox.changes(.questionnaire).count == 1 && store.outbox.changes(.media).count == 1)
        try await fixture.sweep()
        #expect(try store.outbox.changes().allSatisfy { $0.item.status.isDelivered })
    }

    @Test("a document that is not right publishes nothing, and leaves no bytes")
    func refused() async throws {
        let store = try await StoreFixture().store
        guard case .object(var members) = Self.document() else { return }
        members["title"] = nil
        let draft = try Self.draft(.object(members), in: store)
        #expect(throws: DocumentFault.self) { try store.authoring.publish(draft) }
        #expect(try store.authoring.drafts().all().map(\.id) == [draft.id])
        #expect(try store.outbox.changes().isEmpty && store.outbox.media.digests().isEmpty)
        #expect(try store.authoring.drafts().hasMedia(Self.path, of: draft.id))
    }
}
