import AuthorDrafts
import Disk
import Model
import QuireWording
import SystemPackage
import Testing

@testable import Quire

/// What `quire doctor` says of damaged drafts of questionnaires.
@Suite("The examination of drafts that are written here")
struct WritingExaminationTests {
    private static func saved(_ draft: AuthorDraft, _ title: String, _ store: QuireStore) throws -> AuthorDraft {
        let next = draft.next(.object(["title": .string(title)]))
        return try #require(try store.authoring.drafts().save(next, by: nil))
    }

    private static func damage(_ path: FilePath, _ store: QuireStore) throws {
        try store.fileSystem.writeDurably(Array("{".utf8), to: path, temporaryFolder: "outbox/tmp")
    }

    private static func writing(_ store: QuireStore, repairing: Bool = false) throws -> [Finding] {
        try store.examine(repairing: repairing).filter { $0.path.hasPrefix("writing/") }
    }

    @Test("of a damaged last state it says that the one before counts, and a repair makes it so")
    func lastState() async throws {
        let store = try await StoreFixture().store
        let first = try Self.saved(AuthorDraft(of: .null, id: .random()), "Mine", store)
        _ = try Self.saved(first, "Better", store)
        #expect(try Self.writing(store).isEmpty)
        let path = FilePath("writing/\(first.id)/2.json")
        try Self.damage(path, store)
        let found = try #require(try Self.writing(store).first)
        #expect(found.kind == .unreadable && found.path == path.string && !found.isRepaired)
        #expect(found.words(.english).contains("a draft of a questionnaire cannot be read"))
        #expect(found.advice(.english).contains("restore the file from a backup"))
        #expect(found.advice(.english).contains("saved before"))
        #expect(try Self.writing(store, repairing: true).map(\.isRepaired) == [true])
        #expect(try store.authoring.drafts().all() == [first])
        #expect(try Self.writing(store).isEmpty)
        // Nothing was deleted.
        let quarantined = try store.fileSystem.list(StoreLayout.quarantine).map(\.name)
        #expect(quarantined.contains { $0.hasSuffix("-2.json") })
        // It is written on from there.
        #expect(try Self.saved(first, "Again", store).version == 2)
    }

    @Test("of a damaged earlier state it says that Undo alone lacks it; of the only one, that the draft is gone then")
    func otherStates() async throws {
        let store = try await StoreFixture().store
        let first = try Self.saved(AuthorDraft(of: .null, id: .random()), "Mine", store)
        let second = try Self.saved(first, "Better", store)
        let only = try Self.saved(AuthorDraft(of: .null, id: .random()), "Only", store)
        try Self.damage(FilePath("writing/\(first.id)/1.json"), store)
        try Self.damage(FilePath("writing/\(only.id)/1.json"), store)
        let advice = Dictionary(uniqueKeysWithValues: try Self.writing(store).map { ($0.path, $0.advice(.english)) })
        #expect(advice["writing/\(first.id)/1.json"]?.contains("Undo no longer returns to this state") == true)
        #expect(advice["writing/\(only.id)/1.json"]?.contains("gone from the list") == true)
        #expect(try Self.writing(store, repairing: true).allSatisfy(\.isRepaired))
        #expect(try store.authoring.drafts().all() == [second])
    }

    @Test("a picture that is not what its name says is named, and what is none of a draft's files")
    func strangers() async throws {
        let store = try await StoreFixture().store
        let draft = try Self.saved(AuthorDraft(of: .null, id: .random()), "Mine", store)
        let kept = try store.authoring.drafts().keep(Array("picture".utf8), type: "image/png", of: draft.id)
        let path = try #require(kept)
        #expect(try Self.writing(store).isEmpty)
        let picture = "writing/\(draft.id)/\(path)"
        try Self.damage(FilePath(picture), store)
        for name in ["notes.txt", "01.json", "media/notes.txt"] {
            try Self.damage(FilePath("writing/\(draft.id)/\(name)"), store)
        }
        let kinds = Dictionary(uniqueKeysWithValues: try Self.writing(store).map { ($0.path, $0.kind) })
        #expect(kinds.count == 4 && kinds[picture] == .damaged)
        #expect(kinds.values.count { $0 == .stranger } == 3)
        #expect(try Self.writing(store, repairing: true).allSatisfy(\.isRepaired))
        #expect(try Self.writing(store).isEmpty)
        #expect(try store.authoring.drafts().all() == [draft])
    }
}
