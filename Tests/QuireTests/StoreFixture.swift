import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import QuireTesting
import Remotes
import Simulation
import Sync
import SystemPackage
import Testing

/// The disks that a store keeps its promises on.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case simulated, inMemory

    var testDescription: String { rawValue }
}

/// A store with one questionnaire pulled from a host in memory, on a simulated disk where a test asks for no other kind.
struct StoreFixture {
    /// Empty where the store is on another disk; its clock is everybody's.
    let disk = SimulatedDisk(capacityBytes: 2 << 20)
    let remote: FaultyRemote
    let store: QuireStore
    private let newProcess: @Sendable () -> any FileSystem

    /// - Parameter address: of the store's remote.
    init(address: String = FaultyRemote.origin, on kind: StoreKind = .simulated) async throws {
        let simulated = disk
        let settings = StoreSettings(remote: address, deviceId: "tablet")
        remote = FaultyRemote(clock: simulated.clock)
        switch kind {
        case .simulated:
            newProcess = { simulated.process() }
            store = try QuireStore.create(
                newProcess(), settings: settings, clock: simulated.clock, bootIdentity: "boot-1",
                mediumOf: RemoteAddress.medium)
        case .inMemory:
            let files = MemoryFileSystem(clock: simulated.clock)
            newProcess = { files }
            store = try QuireStore.inMemory(on: files, settings: settings, clock: simulated.clock)
        }
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

    /// The files as another process sees them.
    var files: any FileSystem { newProcess() }

    func reopened() throws -> QuireStore {
        try QuireStore.open(newProcess(), clock: disk.clock, bootIdentity: "boot-1")
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
        let spooled = try store.outbox.media.spool(named: file) { pieces.popLast() ?? [] }
        return try store.testAttachments.attach(spooled, to: test, questionId: "q2", name: file, mediaType: nil)
            .attachment
    }

    /// Gives the questionnaire another title here.
    @discardableResult
    func edit(_ title: String) async throws -> TestID {
        let opened = try await opened()
        let text = String(decoding: opened.bytes, as: UTF8.self)
            .replacing("\"title\": \"\(opened.questionnaire.title)\"", with: "\"title\": \"\(title)\"")
        return try store.edit(opened, to: Array(text.utf8)).item.id
    }

    func explain(_ id: TestID, _ language: Language = .english) throws -> WordedExplanation {
        WordedExplanation(try store.explain(try #require(try store.outbox.find(id))), language)
    }

    /// What a sync would not send now.
    func blockedItems(_ language: Language = .english) throws -> [WordedBlockedItem] {
        let due = try store.sweeper(remote).dueNow().due
        return try store.explainer.blockedItems(except: Set(due.map(\.id))).map { WordedBlockedItem($0, language) }
    }
}
