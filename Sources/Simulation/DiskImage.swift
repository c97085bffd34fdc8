import Disk
import SystemPackage

/// The content of a disk, as programs see it (live) and as a power cut may leave it (durable): a value.
///
/// The model, on the cautious side of POSIX:
/// - A file's bytes, time and permissions are durable after a sync of that file.
/// - A name is a *slot* (folder, name). Each change of a slot since its folder was synced is a version of it; a crash
///   leaves any one of them, each slot for itself. Versions carry the number of the change that made them.
/// - A rename binds its two slots by rules of the form "if this slot has got so far, that one has got so far":
///   the old name's absence demands the new name. Within one folder it is all or nothing.
struct DiskImage: Sendable {
    typealias NodeID = Int

    static let rootID: NodeID = 1
    static let blockSize = 4096

    var nodes: [NodeID: Node] = [:]
    /// The slots that have changed since their folder was synced.
    var slots: [Slot: [Version]] = [:]
    var rules: [Rule] = []
    var renameDurability = RenameDurability.atomic
    var nextID = DiskImage.rootID + 1
    private var changeNumber = 0

    init(nowNanoseconds: Int64) {
        var root = Node(kind: .folder, inode: 2, modified: nowNanoseconds, permissions: .ownerReadWriteExecute)
        root.links = 1
        nodes[DiskImage.rootID] = root
    }

    subscript(_ id: NodeID) -> Node {
        // Proof of the default: ids come from entries and open files, whose nodes are kept.
        nodes[id] ?? Node(kind: .other, inode: 0, modified: 0, permissions: [])
    }

    // MARK: - Changes

    mutating func add(_ node: Node) -> NodeID {
        let id = nextID
        nextID += 1
        var node = node
        node.inode = freeInode()
        nodes[id] = node
        return id
    }

    /// The lowest number that no living file has: numbers are used again, as on a real disk.
    private func freeInode() -> UInt64 {
        let taken = Set(nodes.values.filter(\.isAlive).map(\.inode))
        var inode: UInt64 = 11
        while taken.contains(inode) { inode += 1 }
        return inode
    }

    mutating func beginChange() -> Int {
        changeNumber += 1
        return changeNumber
    }

    /// Gives a slot a new value, not durable before its folder is synced.
    mutating func set(_ slot: Slot, to id: NodeID?, change: Int, now: Int64) {
        let old = self[slot.folder].entries[slot.name]
        slots[slot, default: [Version(change: change - 1, node: old)]].append(Version(change: change, node: id))
        if let old { nodes[old]?.links -= 1 }
        if let id {
            nodes[id]?.links += 1
            if self[id].kind == .folder { nodes[id]?.place = slot }
        }
        nodes[slot.folder]?.entries[slot.name] = id
        nodes[slot.folder]?.change { $0.modifiedNanoseconds = now }
    }

    /// The rules of a rename from `source` to `target`.
    mutating func bind(_ source: Slot, _ target: Slot, change: Int, isFolder: Bool) {
        rules.append(Rule(ifSlot: source, reached: change, isExact: false, thenSlot: target, reaches: change))
        if source.folder == target.folder || isFolder {
            rules.append(Rule(ifSlot: target, reached: change, isExact: !isFolder, thenSlot: source, reaches: change))
        }
        // A name in a folder that is not there yet is no name.
        var place = self[target.folder].place
        while let slot = place {
            if let last = slots[slot]?.last {
                rules.append(
                    Rule(ifSlot: source, reached: change, isExact: false, thenSlot: slot, reaches: last.change))
            }
            place = self[slot.folder].place
        }
    }

    // MARK: - Durability

    /// Raises the versions picked for the slots until every rule holds. Slots that are not named stand at version 0.
    func settled(_ picks: [Slot: Int]) -> [Slot: Int] {
        var picks = picks
        var changed = true
        while changed {
            changed = false
            for rule in rules where rule.applies(to: reached(rule.ifSlot, picks)) {
                guard reached(rule.thenSlot, picks) < rule.reaches, let versions = slots[rule.thenSlot] else {
                    continue
                }
                picks[rule.thenSlot] = versions.firstIndex { $0.change >= rule.reaches } ?? versions.count - 1
                changed = true
            }
        }
        return picks
    }

    private func reached(_ slot: Slot, _ picks: [Slot: Int]) -> Int {
        slots[slot].map { $0[picks[slot] ?? 0].change } ?? .max
    }

    mutating func sync(_ id: NodeID) {
        if self[id].kind == .folder { return syncFolder(id) }
        if !self[id].isPoisoned { nodes[id]?.durable = nil }
    }

    mutating func syncFolder(_ folder: NodeID) {
        nodes[folder]?.durable = nil
        if renameDurability == .perFolder {
            rules.removeAll { $0.ifSlot.folder == folder && $0.thenSlot.folder != folder }
        }
        makeDurable(slots.keys.filter { $0.folder == folder })
    }

    /// Makes these slots durable as they are, with what the rules demand.
    mutating func makeDurable(_ wanted: [Slot]) {
        var picks: [Slot: Int] = [:]
        for slot in wanted { picks[slot] = slots[slot].map { $0.count - 1 } }
        for (slot, index) in settled(picks) where index > 0 {
            slots[slot]?.removeFirst(index)
            if slots[slot]?.count == 1 { slots[slot] = nil }
        }
        rules = rules.filter { slots[$0.ifSlot] != nil && reached($0.thenSlot, [:]) < $0.reaches }
        forgetTheDead()
    }

    /// Everything becomes durable, as after a long rest.
    mutating func syncAll() {
        slots = [:]
        rules = []
        for id in nodes.keys { nodes[id]?.durable = nil }
        forgetTheDead()
    }

    /// Drops the files that have no name, no open descriptor and no way back.
    mutating func forgetTheDead() {
        guard nodes.values.contains(where: { !$0.isAlive }) else { return }
        let remembered = Set(slots.values.joined().compactMap(\.node))
        nodes = nodes.filter { $0.value.isAlive || remembered.contains($0.key) }
        slots = slots.filter { nodes[$0.key.folder] != nil }
    }

    // MARK: - Space

    var usedBytes: Int64 {
        nodes.values.reduce(0) { $0 + ($1.isAlive ? $1.allocatedBytes : 0) }
    }

    func path(of slot: Slot) -> String {
        var names = [slot.name.text]
        var place = self[slot.folder].place
        while let above = place {
            names.append(above.name.text)
            place = self[above.folder].place
        }
        return names.reversed().joined(separator: "/")
    }
}

/// The bytes of a file name: two spellings of one letter are two names.
struct Name: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A place for a name in a folder.
struct Slot: Hashable, Sendable {
    var folder: DiskImage.NodeID
    var name: Name
}

/// The content of a slot after a change; `nil` is empty.
struct Version: Hashable, Sendable {
    var change: Int
    var node: DiskImage.NodeID?
}

/// If `ifSlot` has reached a change (or stands exactly at it), `thenSlot` has reached another.
struct Rule: Hashable, Sendable {
    var ifSlot: Slot
    var reached: Int
    var isExact: Bool
    var thenSlot: Slot
    var reaches: Int

    func applies(to change: Int) -> Bool { isExact ? change == reached : change >= reached }
}
