import Disk
import Model
import OutboxStore
import Quire
import Simulation
import Sync
import Synchronization
import SystemPackage

/// A disk with a complete store, a host as its remote, and the replies to a person.
struct StoreWorld: Sendable {
    static let settings = StoreSettings(remote: FaultyRemote.origin, deviceId: Person.device, quotaBytes: 64 * 4096)
    static let versions = ["What is the capital of France?", "And of Italy?"]

    let disk: SimulatedDisk
    let remote: FaultyRemote
    /// The same disk as the outbox alone sees it, with what was promised about tests.
    let tests: OutboxWorld
    let notes: StoreNotes

    /// Too small for the outbox's reserve, which only costs time where no disk is full.
    private static let smallBytes: Int64 = 1 << 20

    init(renames: RenameDurability, hasReserve: Bool = false) {
        disk = SimulatedDisk(capacityBytes: hasReserve ? nil : Self.smallBytes, renames: renames)
        remote = FaultyRemote(clock: disk.clock)
        tests = OutboxWorld(disk: disk, remote: remote)
        notes = StoreNotes()
        publish(Self.versions[0])
    }

    private init(_ tests: OutboxWorld, notes: StoreNotes) {
        disk = tests.disk
        remote = tests.remote
        self.tests = tests
        self.notes = notes
    }

    func after(_ disk: SimulatedDisk) -> StoreWorld { StoreWorld(tests.after(disk), notes: notes.copy()) }

    func publish(_ question: String) {
        remote.publish(
            "capitals",
            """
            {"id": "capitals", "title": "Capitals", "questions": [
              {"id": "q1", "text": "\(question)", "options": ["Paris", "Rome"], "required": true},
              {"id": "q2", "text": "Why?", "kind": "text"}]}
            """)
    }

    // MARK: What is done

    @discardableResult
    func create(_ files: (any FileSystem)? = nil) throws -> QuireStore {
        let store: QuireStore
        do {
            store = try QuireStore.create(
                files ?? disk.process(), settings: Self.settings, clock: disk.clock, bootIdentity: "boot-1")
        } catch StoreError.alreadyThere {
            // An earlier attempt got as far as that, and it is used from now on.
            store = try open(files)
        }
        notes.isMade(Self.settings)
        return store
    }

    func open(_ files: (any FileSystem)? = nil, boot: String = "boot-1") throws -> QuireStore {
        try QuireStore.open(files ?? disk.process(), clock: disk.clock, bootIdentity: boot)
    }

    func save(_ store: QuireStore, quotaBytes: Int64) throws {
        var settings = store.settings
        settings.quotaBytes = quotaBytes
        notes.mayHave(settings)
        try store.save(settings)
        notes.isMade(settings)
    }

    func mark(_ store: QuireStore, _ kind: Mark.Kind, _ id: String, _ isSet: Bool) throws {
        notes.mark(kind, id, nil)
        if isSet { try store.marks.set(kind, id: id) } else { try store.marks.unset(kind, id: id) }
        notes.mark(kind, id, isSet)
    }

    /// Takes a test from answers in one step.
    @discardableResult
    func take(_ store: QuireStore, isFinished: Bool) async throws -> TestID {
        let document = try await store.open(id: "capitals", remote: remote, isOffline: true)
        let stored = try store.take(document, answers: ["q1": .one("Paris")], isFinished: isFinished)
        tests.ledger.change(stored.record.id) {
            $0.allowed = [stored.record.answers]
            $0.place = stored.status
            $0.frozen = isFinished ? stored.bytes : nil
        }
        return stored.record.id
    }

    // MARK: The promises

    func brokenPromises(boot: String) async -> [String] {
        do { return try await check(boot: boot) } catch { return ["it cannot be used: \(error)"] }
    }

    private func check(boot: String) async throws -> [String] {
        disk.clearPlan()
        // The user made room.
        disk.capacityBytes = Self.smallBytes
        var broken: [String] = []
        let store: QuireStore
        do {
            store = try open(boot: boot)
        } catch StoreError.noStore {
            if notes.isMade { broken.append("the store is gone") }
            store = try create()
        }
        if !notes.settings.contains(store.settings) { broken.append("the settings are \(store.settings)") }
        broken += try brokenMarks(store)
        for bytes in notes.kept where !disk.dump().contains(where: { $0.bytes == bytes }) {
            broken.append("bytes that were in a damaged file are gone")
        }
        broken += try brokenContents(store)
        let outbox = await tests.brokenPromises()
        broken += outbox
        // The journal and the contact are informative; they must only be readable.
        _ = try store.journal.events()
        _ = try await store.puller(remote).pull()
        // Others that are no longer listed may stay until another list confirms it (`RemovalDecision`).
        if try brokenContents(store) != [] || !store.library().contains(where: { $0.id == "capitals" }) {
            broken.append("a pull does not restore the questionnaire")
        }
        try mark(store, .favorite, "next", true)
        _ = try store.cache.space.trim(toBytes: 64 * 4096)
        _ = try store.examine(repairing: true)
        for finding in try store.examine(repairing: true) where finding.isRepaired {
            broken.append("doctor repairs it again and again: \(finding)")
        }
        for path in disk.filePaths where path.hasSuffix(".tmp") { broken.append("\(path) was left over") }
        return broken + (try brokenMarks(store))
    }

    private func brokenMarks(_ store: QuireStore) throws -> [String] {
        var broken: [String] = []
        for kind in Mark.Kind.allCases {
            let ids = try store.marks.ids(kind)
            for (mark, isSet) in notes.marks where mark.kind == kind {
                if let isSet, ids.contains(mark.id) != isSet {
                    broken.append("\(mark.id) was \(isSet ? "" : "un")marked as \(kind) and is not")
                }
            }
        }
        return broken
    }

    private func brokenContents(_ store: QuireStore) throws -> [String] {
        guard let entry = try store.documents.entry(id: "capitals", remote: remote),
            let content = try store.cache.content(of: entry).value
        else { return [] }
        let text = try Questionnaire(json: content.bytes).question("q1")?.text ?? ""
        return Self.versions.contains(text) ? [] : ["the questionnaire asks “\(text)”"]
    }
}

/// The replies to a person about a store, recorded outside of it.
final class StoreNotes: Sendable {
    struct MarkName: Hashable {
        var kind: Mark.Kind
        var id: String
    }

    private struct State {
        var settings: Set<StoreSettings> = []
        var isMade = false
        /// `nil` while it is being changed.
        var marks: [MarkName: Bool?] = [:]
        var kept: [[UInt8]] = []
    }

    private let state = Mutex(State())

    var settings: Set<StoreSettings> { state.withLock { $0.settings } }
    var isMade: Bool { state.withLock { $0.isMade } }
    var marks: [MarkName: Bool?] { state.withLock { $0.marks } }
    var kept: [[UInt8]] { state.withLock { $0.kept } }

    func mayHave(_ settings: StoreSettings) { state.withLock { _ = $0.settings.insert(settings) } }

    /// These and no others.
    func isMade(_ settings: StoreSettings) {
        state.withLock {
            $0.settings = [settings]
            $0.isMade = true
        }
    }

    func mark(_ kind: Mark.Kind, _ id: String, _ isSet: Bool?) {
        state.withLock { $0.marks[MarkName(kind: kind, id: id)] = .some(isSet) }
    }

    /// The content of a damaged file must always be found somewhere.
    func keep(_ bytes: [UInt8]) { state.withLock { $0.kept.append(bytes) } }

    func copy() -> StoreNotes {
        let copy = StoreNotes()
        let now = state.withLock { $0 }
        copy.state.withLock { $0 = now }
        return copy
    }
}
