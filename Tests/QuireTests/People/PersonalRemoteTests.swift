import InMemory
import Model
import Sync
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
    ///
    /// - Parameters: what is answered; `ADA` and `BORIS` stand for the ids of their tests.
    private func answer(toDevice device: String, toAda own: String, hasDeviceKey: Bool = true) async throws -> Answer {
        let (ada, boris) = (TestID.random(), TestID.random())
        func named(_ text: String) -> ScriptedRemote {
            remote(text.replacing("ADA", with: "\(ada)").replacing("BORIS", with: "\(boris)"))
        }
        let opened = named(own)
        let personal = PersonalRemote(
            named(device), hasDeviceKey: hasDeviceKey,
            .init(keys: { ["ada": "KEY"] }, current: { "ada" }, owner: { $0 == ada ? "ada" : "boris" })
        ) { _ in opened }
        let reply = try await personal.receipts(of: [ada, boris])
        return try DocumentCoding.decode(Answer.self, from: reply.body)
    }

    @Test("what a hub keeps, and that the server has not answered, is in the answer about tests of several people")
    func hub() async throws {
        let away = #"{"receipts": [], "kept": [{"test": "BORIS"}], "complete": false}"#
        let there = #"{"receipts": [{"test": "ADA"}], "kept": [], "complete": true}"#
        let mixed = try await answer(toDevice: away, toAda: there)
        #expect(mixed.receipts.count == 1 && mixed.kept?.count == 1 && mixed.complete == false)
        let complete = try await answer(toDevice: #"{"receipts": [{"test": "BORIS"}]}"#, toAda: there)
        #expect(complete.receipts.count == 2 && complete.kept?.isEmpty == true && complete.complete == true)
    }

    @Test("a host's answers are complete, unless another person's key asked for some of the tests")
    func host() async throws {
        let none = #"{"receipts": []}"#
        #expect(try await answer(toDevice: none, toAda: none).complete == true)
        #expect(try await answer(toDevice: none, toAda: none, hasDeviceKey: false).complete == false)
    }

    @Test("what went with the device's key before a log-in is asked after, and gets its files, with that key")
    func before() async throws {
        let id = TestID.random()
        let device = remote(#"{"receipts": [{"test": "\#(id)"}]}"#)
        let own = remote(#"{"receipts": []}"#)
        let personal = PersonalRemote(
            device, hasDeviceKey: true, .init(keys: { ["ada": "KEY"] }, current: { nil }, owner: { _ in "ada" })
        ) { _ in own }
        let reply = try await personal.receipts(of: [id])
        let answer = try DocumentCoding.decode(Answer.self, from: reply.body)
        #expect(answer.receipts.count == 1 && answer.complete == true)
        own.respond { _ in .status(404, detail: "there is no such test") }
        let reference = QuestionnaireReference(id: "q", title: "Q", digest: Digest(sha256Of: []))
        let record = TestRecord(id: id, questionnaire: reference, dateStarted: .epoch, deviceId: "d", sequence: 1)
        let file = Model.Attachment(
            id: .random(), questionId: "q1", name: "a.png", mediaType: "image/png", sizeBytes: 0,
            digest: Digest(sha256Of: []))
        let upload = MediaUpload(change: MediaChange(file, of: record), known: nil, read: { _, _ in [] })
        #expect(try await personal.upload(upload).status == 200)
        #expect(own.requests.count == 2 && device.requests.count == 2)
    }
}
