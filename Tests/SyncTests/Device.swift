import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import Simulation
import Sync

/// A device with its own disk, and a remote that both devices of a test may share.
struct Device {
    let clock: ManualClock
    let disk: SimulatedDisk
    let store: QuireStore
    let remote: FaultyRemote

    init(remote: FaultyRemote? = nil, quotaBytes: Int64? = nil) throws {
        let clock = remote?.clock as? ManualClock ?? ManualClock()
        let disk = SimulatedDisk(clock: clock)
        self.clock = clock
        self.disk = disk
        self.remote = remote ?? FaultyRemote(clock: clock)
        store = try QuireStore.create(
            disk.process(),
            settings: StoreSettings(remote: FaultyRemote.origin, deviceId: "device", quotaBytes: quotaBytes),
            clock: clock,
            bootIdentity: "boot")
    }

    /// One that has pulled a questionnaire, `a`.
    static func withQuestionnaire() async throws -> Device {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        return device
    }

    /// The store as another process sees it.
    func reopened(quotaBytes: Int64? = nil) throws -> QuireStore {
        try QuireStore.open(disk.process(), quotaBytes: quotaBytes, clock: clock, bootIdentity: "boot")
    }

    @discardableResult
    func pull(_ options: Puller.Options = .init()) async throws -> Puller.Report {
        try await store.puller(remote).pull(options)
    }

    @discardableResult
    func sweep(_ options: Sweeper.Options = .init()) async throws -> Sweeper.Report {
        try await store.sweeper(remote).sweep(options)
    }

    /// A finished test of a questionnaire that is here.
    func finish(_ id: String, _ answers: [String: Answer.Value] = ["q1": .one("yes")]) async throws -> TestID {
        let document = try await store.open(id: id, remote: remote)
        return try store.take(document, answers: answers, isFinished: true).record.id
    }

    func status(_ id: TestID) throws -> TestStatus? { try store.outbox.find(id)?.status }
}

/// A questionnaire of one question.
func document(_ id: String, title: String = "Title", question: String = "Is it so?", padding: Int = 0) -> String {
    // Noise, so that it does not compress away.
    var noise = SeededGenerator(seed: id.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
    let description = Hexadecimal.encode((0..<padding / 2).map { _ in UInt8.random(in: 0...255, using: &noise) })
    return """
        {"id": "\(id)", "title": "\(title)", "description": "\(description)",
         "questions": [{"id": "q1", "text": "\(question)", "options": ["yes", "no"]}]}
        """
}
