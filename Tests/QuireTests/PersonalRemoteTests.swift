import InMemory
import Model
import Testing

@testable import Quire

@Suite("Each test goes, and is asked after, with the key of its person")
struct PersonalRemoteTests {
    private struct Answer: Decodable {
        var receipts: [JSONValue]
        var kept: [JSONValue]?
        var complete: Bool?
    }

    private func remote(_ body: String) -> ScriptedRemote {
        let remote = ScriptedRemote(clock: ManualClock())
        remote.respond { _ in .reply(200, mediaType: "application/json", body: Array(body.utf8)) }
        return remote
    }

    /// Asks after a test of Ada, whose key is here, and one of Boris, whose key is not.
    private func answer(toDevice device: String, toAda own: String, hasDeviceKey: Bool = true) async throws -> Answer {
        let (ada, boris) = (TestID.random(), TestID.random())
        let opened = remote(own)
        let personal = PersonalRemote(
            remote(device), hasDeviceKey: hasDeviceKey,
            .init(keys: { ["ada": "KEY"] }, current: { "ada" }, owner: { $0 == ada ? "ada" : "boris" })
        ) { _ in opened }
        let reply = try await personal.receipts(of: [ada, boris])
        return try DocumentCoding.decode(Answer.self, from: reply.body)
    }

    @Test("what a hub keeps, and that the server has not answered, is in the answer about tests of several people")
    func hub() async throws {
        let away = #"{"receipts": [{"test": "b"}], "kept": [{"test": "c"}], "complete": false}"#
        let there = #"{"receipts": [{"test": "a"}], "kept": [], "complete": true}"#
        let mixed = try await answer(toDevice: away, toAda: there)
        #expect(mixed.receipts.count == 2 && mixed.kept?.count == 1 && mixed.complete == false)
        let complete = try await answer(toDevice: there, toAda: there)
        #expect(complete.receipts.count == 2 && complete.kept?.isEmpty == true && complete.complete == true)
    }

    @Test("a host's answers are complete, unless another person's key asked for some of the tests")
    func host() async throws {
        let none = #"{"receipts": []}"#
        #expect(try await answer(toDevice: none, toAda: none).complete == true)
        #expect(try await answer(toDevice: none, toAda: none, hasDeviceKey: false).complete == false)
    }
}
