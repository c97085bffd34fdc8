import Disk
import Host
import Model
import Simulation
import Synchronization
import SystemPackage

/// Saved comments on the disk that fails, and what was acknowledged to the one who marks.
struct CommentWorld: Sendable {
    /// A comment as it is in the list; `nil` where it is in none.
    private typealias State = SavedComment?

    let disk: SimulatedDisk
    private let states: States

    private final class States: Sendable {
        /// The states that each comment may be in: the one that was acknowledged last, and those that were tried since.
        let possible: Mutex<[TestID: Set<State>]>

        init(_ possible: [TestID: Set<State>] = [:]) { self.possible = Mutex(possible) }
    }

    private static let marker = SavedComment.Owner.marker(key: "0a0b")

    init(renames: RenameDurability) {
        disk = SimulatedDisk(renames: renames)
        states = States()
    }

    private init(_ disk: SimulatedDisk, _ states: States) {
        self.disk = disk
        self.states = states
    }

    func after(_ disk: SimulatedDisk) -> CommentWorld {
        CommentWorld(disk, States(states.possible.withLock { $0 }))
    }

    func store(_ files: (any FileSystem)? = nil) throws -> CommentStore {
        let files = files ?? disk.process()
        try files.makeFolderIfMissing("tmp")
        return CommentStore(files: HostFolder(files))
    }

    /// - Parameter number: identifies the comment.
    func save(_ store: CommentStore, _ number: Int, _ text: String, isForEveryone: Bool = false) throws {
        let comment = SavedComment(
            id: WriteWorld.id(number), text: text, question: "q", points: 0.5, isForEveryone: isForEveryone)
        try change(comment.id, to: comment) { try store.save(comment, by: Self.marker, questionnaire: "exam") }
    }

    func remove(_ store: CommentStore, _ number: Int) throws {
        let id = WriteWorld.id(number)
        try change(id, to: nil) {
            try store.remove(id, by: Self.marker, questionnaire: "exam")
            return true
        }
    }

    private func change(_ id: TestID, to state: State, _ act: () throws -> Bool) throws {
        states.possible.withLock { _ = $0[id, default: [nil]].insert(state) }
        guard try act() else { return }
        states.possible.withLock { $0[id] = [state] }
    }

    // MARK: The promises

    func brokenPromises() -> [String] {
        do {
            disk.clearPlan()
            return try check()
        } catch {
            return ["they cannot be used: \(error)"]
        }
    }

    private func check() throws -> [String] {
        var broken: [String] = []
        let shown = try store().shown(to: Self.marker, questionnaire: "exam")
        let possible = states.possible.withLock { $0 }
        for comment in shown where possible[comment.id] == nil {
            broken.append("“\(comment.text)” is there, and no one saved it")
        }
        for (id, states) in possible {
            let found = shown.filter { $0.id == id }
            if found.count > 1 { broken.append("“\(found[0].text)” is there \(found.count) times") }
            if !states.contains(found.first) {
                broken.append("“\(found.first?.text ?? "")” is there, and not one of \(states.map { $0?.text ?? "" })")
            }
        }
        return broken
    }
}

enum CommentTrials {
    private static func comments(
        _ name: String, isDurable: Bool = false,
        prepare: @escaping @Sendable (CommentWorld, CommentStore) throws -> Void = { _, _ in },
        act: @escaping @Sendable (CommentWorld, CommentStore) throws -> Void
    ) -> Trial {
        Trial(.host, name, isDurable: isDurable) { renames in
            let world = CommentWorld(renames: renames)
            try prepare(world, try world.store())
            world.disk.settle()
            world.disk.clock.advance(by: .seconds(60))
            return Attempt(
                disk: world.disk, act: { files in try act(world, try world.store(files)) },
                check: { world.after($0).brokenPromises() })
        }
    }

    static let all: [Trial] = [
        comments("a marker saves the first comment", isDurable: true) { try $0.save($1, 1, "Say why.") },
        comments("a marker changes one of two comments") { world, store in
            try world.save(store, 1, "Say why.")
            try world.save(store, 2, "Good.")
        } act: { world, store in
            try world.save(store, 1, "Say why, and when.")
        },
        comments("a marker makes a comment one for everyone, and deletes another") { world, store in
            try world.save(store, 1, "Say why.")
            try world.save(store, 2, "Good.")
            try world.save(store, 3, "No.", isForEveryone: true)
        } act: { world, store in
            try world.save(store, 1, "Say why.", isForEveryone: true)
            try world.remove(store, 2)
        },
    ]
}
