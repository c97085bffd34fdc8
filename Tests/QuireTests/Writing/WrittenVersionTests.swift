import AuthorDrafts
import Model
import Testing

@testable import Quire

@Suite("Versions of a questionnaire that were written on a device")
struct WrittenVersionTests {
    private static func document(_ title: String) -> [UInt8] {
        Array(
            #"{"id": "x", "title": "\(title)", "key": {"q1": {"accept": [{"value": "A"}]}}, "questions": [{"id": "q1", "text": "Which?", "options": ["A", "B"]}]}"#
                .replacing("\\(title)", with: title).utf8)
    }

    private static func titles(_ store: QuireStore, _ id: String) throws -> [String] {
        try store.authoring.writtenVersions(of: id).map { version in
            try Questionnaire(json: version.bytes).title + (version.isCurrent ? " now" : "")
        }
    }

    private static func edit(_ id: String, _ title: String, _ store: QuireStore) throws {
        let opened = try #require(try store.documents.openHere(id: id))
        guard case .object(var members) = try DocumentCoding.decode(JSONValue.self, from: document(title)) else {
            return
        }
        members["id"] = .string(opened.questionnaire.id)
        try store.edit(opened, to: try DocumentCoding.encode(JSONValue.object(members)))
    }

    @Test("each is there, the latest first, before and after its delivery; a deleted one has none")
    func list() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let id = try store.create(Self.document("One")).id
        #expect(try Self.titles(store, id) == ["One now"])
        try Self.edit(id, "Two", store)
        #expect(try Self.titles(store, id) == ["Two now", "One"])
        _ = try await store.sweeper(fixture.remote).sweep()
        _ = try await store.puller(fixture.remote).pull()
        #expect(try Self.titles(store, id) == ["Two now", "One"])
        try Self.edit(id, "One", store)
        #expect(try Self.titles(store, id) == ["One now", "Two", "One"])
        // With the key, which a server gives to no one.
        #expect(try store.authoring.writtenVersions(of: id).allSatisfy { try LocalAuthoring.hasKey($0.bytes) })
        _ = try store.delete(try #require(try store.documents.openHere(id: id)))
        #expect(try store.authoring.writtenVersions(of: id).isEmpty)
    }

    @Test("what another author published meanwhile is the first of them, without a time")
    func fromServer() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        #expect(try store.authoring.writtenVersions(of: "capitals").isEmpty)
        try Self.edit("capitals", "Mine", store)
        #expect(try Self.titles(store, "capitals") == ["Mine now"])
        _ = try await store.sweeper(fixture.remote).sweep()
        fixture.publish("And of Italy?")
        _ = try await store.puller(fixture.remote).pull()
        let versions = try store.authoring.writtenVersions(of: "capitals")
        #expect(try Self.titles(store, "capitals") == ["Capitals now", "Mine"])
        #expect(versions.map { $0.writtenAt == nil } == [true, false])
    }
}
