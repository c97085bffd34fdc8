import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import Simulation
import Sync
import SystemPackage
import Testing

/// A store on a simulated disk, with one questionnaire pulled from a host in memory.
struct StoreFixture {
    let disk = SimulatedDisk(capacityBytes: 2 << 20)
    let remote: FaultyRemote
    let store: QuireStore

    /// - Parameter address: of the store's remote.
    init(address: String = FaultyRemote.origin) async throws {
        remote = FaultyRemote(clock: disk.clock)
        store = try QuireStore.create(
            disk.process(), settings: StoreSettings(remote: address, deviceId: "tablet"), clock: disk.clock,
            bootIdentity: "boot-1")
        publish("What is the capital of France?")
        _ = try await store.puller(remote).pull()
    }

    func publish(_ question: String) {
        remote.publish(
            "capitals",
            """
            {"id": "capitals", "title": "Capitals", "questions": [
              {"id": "q1", "text": "\(question)", "options": ["Paris", "Rome"], "required": true},
              {"id": "q2", "text": "Why?", "kind": "text"}]}
            """)
    }

    func opened() async throws -> OpenedDocument {
        try await store.open(id: "capitals", remote: remote, isOffline: true)
    }

    func reopened() throws -> QuireStore {
        try QuireStore.open(disk.process(), clock: disk.clock, bootIdentity: "boot-1")
    }

    @discardableResult
    func sweep() async throws -> Sweeper.Report { try await store.sweeper(remote).sweep() }

    /// A finished test of the questionnaire.
    func finished() async throws -> TestID {
        try store.take(try await opened(), answers: ["q1": .one("Paris")], isFinished: true).record.id
    }

    /// A draft of the questionnaire with a file to its second question.
    func drafted(
        _ file: String = "photo.jpg", _ text: String = "grey"
    ) async throws -> (test: TestID, file: Model.Attachment) {
        let test = try store.take(try await opened(), answers: ["q1": .one("Paris")], isFinished: false).record.id
        return (test, try attach(file, text, to: test))
    }

    @discardableResult
    func attach(_ file: String, _ text: String, to test: TestID) throws -> Model.Attachment {
        var pieces = [Array(text.utf8)]
        let spooled = try store.outbox.spoolMedia(named: file) { pieces.popLast() ?? [] }
        return try store.attach(spooled, to: test, questionId: "q2", name: file, mediaType: nil).attachment
    }

    /// Gives the questionnaire another title here.
    @discardableResult
    func edit(_ title: String) async throws -> TestID {
        let opened = try await opened()
        let text = String(decoding: opened.bytes, as: UTF8.self)
            .replacing("\"title\": \"\(opened.questionnaire.title)\"", with: "\"title\": \"\(title)\"")
        return try store.edit(opened, to: Array(text.utf8)).item.id
    }

    func explain(_ id: TestID, _ language: Language = .english) throws -> Explanation {
        try store.explain(try #require(try store.outbox.find(id)), language)
    }

    /// What a sync would not send now.
    func blockedItems(_ language: Language = .english) throws -> [BlockedItem] {
        let due = try store.sweeper(remote).dueNow().due
        return try store.blockedItems(except: Set(due.map(\.id)), language)
    }
}
