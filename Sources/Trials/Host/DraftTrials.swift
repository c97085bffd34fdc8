import AuthorDrafts
import Disk
import Host
import Model
import Simulation
import Synchronization
import SystemPackage

/// Drafts on the disk that fails, and what was acknowledged to their author.
struct DraftWorld: Sendable {
    let disk: SimulatedDisk
    private let saved: Saved

    private final class Saved: Sendable {
        /// The number of the last acknowledged state, and the picture that it names.
        let last = Mutex<(version: Int, picture: ContentPath?)>((0, nil))
        let isGone = Mutex(false)
    }

    static let id = WriteWorld.id(50)

    init(renames: RenameDurability) {
        disk = SimulatedDisk(renames: renames)
        saved = Saved()
    }

    private init(_ disk: SimulatedDisk, _ saved: Saved) {
        self.disk = disk
        self.saved = saved
    }

    func after(_ disk: SimulatedDisk) -> DraftWorld {
        let copy = Saved()
        let (last, isGone) = (saved.last.withLock { $0 }, saved.isGone.withLock { $0 })
        copy.last.withLock { $0 = last }
        copy.isGone.withLock { $0 = isGone }
        return DraftWorld(disk, copy)
    }

    func store(_ files: (any FileSystem)? = nil) throws -> DraftStore {
        let files = files ?? disk.process()
        try files.makeFolderIfMissing("tmp")
        return DraftStore(ofHost: files, clock: disk.clock)
    }

    /// Saves the next state, as a form does.
    func save(_ store: DraftStore, picture: ContentPath? = nil) throws {
        let former = try store.latest(Self.id)
        let document = Self.document((former?.version ?? 0) + 1, picture)
        let next = former?.next(document) ?? AuthorDraft(of: document, id: Self.id).next(document)
        guard let draft = try store.save(next, by: "Ada") else { return }
        saved.last.withLock { $0 = (draft.version, picture ?? $0.picture) }
    }

    /// Adds a picture and saves the state that names it.
    func illustrate(_ store: DraftStore) throws {
        guard let path = try store.keep(Self.picture, type: "image/png", of: Self.id) else { return }
        try save(store, picture: path)
    }

    func remove(_ store: DraftStore) throws {
        try store.remove(Self.id)
        saved.isGone.withLock { $0 = true }
    }

    private static let picture = [UInt8](repeating: 0x5A, count: 3000)

    private static func document(_ version: Int, _ picture: ContentPath?) -> JSONValue {
        .object(["title": .string("State \(version)"), "picture": picture.map { .string($0.description) } ?? .null])
    }

    // MARK: The promises

    func brokenPromises(most: Int, isRemoved: Bool = false) -> [String] {
        do {
            disk.clearPlan()
            return try check(most, isRemoved)
        } catch {
            return ["it cannot be used: \(error)"]
        }
    }

    private func check(_ most: Int, _ isRemoved: Bool) throws -> [String] {
        var broken: [String] = []
        let store = try store()
        let (version, picture) = saved.last.withLock { $0 }
        let draft = try store.latest(Self.id)
        if saved.isGone.withLock({ $0 }) {
            if draft != nil { broken.append("a deleted draft is there again") }
            return broken
        }
        guard let draft else {
            return version == 0 || isRemoved ? [] : ["state \(version) was acknowledged and is lost"]
        }
        // One that was being deleted is as before, or gone.
        if draft.version < version {
            broken.append("state \(version) was acknowledged, and \(draft.version) is the last")
        }
        if draft.version > most { broken.append("there are \(draft.version) states, and \(most) were saved") }
        for number in try store.versions(of: Self.id) {
            guard let state = try store.state(number, of: Self.id) else { continue }
            guard case .object(let members) = state.document, members["title"] == .string("State \(number)") else {
                broken.append("state \(number) has another content")
                continue
            }
            // Whatever a state names is there, unless the draft was being deleted.
            if case .string(let text)? = members["picture"], let path = ContentPath(text), !isRemoved,
                try store.media(path, of: Self.id) != Self.picture
            {
                broken.append("state \(number) names a picture that is not there")
            }
        }
        if let picture, !isRemoved, try store.media(picture, of: Self.id) != Self.picture {
            broken.append("the picture was acknowledged and is lost")
        }
        return broken
    }
}

enum DraftTrials {
    private static func draft(
        _ name: String, isDurable: Bool = false, before: Int, saves: Int, isRemoved: Bool = false,
        _ act: @escaping @Sendable (DraftWorld, DraftStore) throws -> Void
    ) -> Trial {
        Trial(.host, name, isDurable: isDurable) { renames in
            let world = DraftWorld(renames: renames)
            let store = try world.store()
            for _ in 0..<before { try world.save(store) }
            world.disk.settle()
            world.disk.clock.advance(by: .seconds(60))
            return Attempt(
                disk: world.disk, act: { files in try act(world, try world.store(files)) },
                // After a failed call everything is done once more.
                check: { world.after($0).brokenPromises(most: before + 2 * saves, isRemoved: isRemoved) })
        }
    }

    static let all: [Trial] = [
        draft("an author saves a draft", before: 0, saves: 3) { world, store in
            for _ in 0..<3 { try world.save(store) }
        },
        draft("an author saves a draft once more", before: 2, saves: 1) { try $0.save($1) },
        draft("an author adds a picture to a draft", before: 1, saves: 2) { world, store in
            try world.illustrate(store)
            try world.save(store)
        },
        draft("an author deletes a draft", before: 3, saves: 1, isRemoved: true) { world, store in
            try world.illustrate(store)
            try world.remove(store)
        },
    ]
}
