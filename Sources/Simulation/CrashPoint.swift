import Disk
import SystemPackage

/// Everything that a cut of the power may leave of a disk.
///
/// It consists of *atoms* that fare each for itself: a slot (any of its versions), the bytes of a file (as last synced,
/// zeros of the new length, the first half, as they were in between, complete), a time or permissions (as synced, or
/// new). Option 0 of an atom is what is durable, its last option what programs saw.
struct CrashPoint {
    enum Atom {
        case name(Slot)
        case bytes(DiskImage.NodeID)
        case metadata(DiskImage.NodeID)
    }

    /// The option of each atom; `torn` replaces bytes.
    struct Choice {
        var options: [Int]
        var torn: [DiskImage.NodeID: [UInt8]] = [:]
    }

    let image: DiskImage
    let atoms: [Atom]
    let optionCounts: [Int]

    init(_ image: DiskImage) {
        self.image = image
        // By the moment of their first change: an order in which no name counts, so that a run can be repeated though
        // the names of temporary files differ.
        let slots = image.slots.sorted { left, right in
            (left.key.folder, left.value[1].change, left.value[0].node ?? 0)
                < (right.key.folder, right.value[1].change, right.value[0].node ?? 0)
        }.map(\.key)
        var atoms = slots.map { Atom.name($0) }
        for (id, node) in image.nodes.sorted(by: { $0.key < $1.key }) {
            guard let durable = node.durable else { continue }
            if durable.bytes != node.content.bytes {
                atoms.append(.bytes(id))
            } else if node.kind != .folder || durable.permissions != node.content.permissions {
                // The time of a folder goes with its names.
                atoms.append(.metadata(id))
            }
        }
        self.atoms = atoms
        optionCounts = atoms.map { atom in
            switch atom {
            case .name(let slot): image.slots[slot]?.count ?? 1
            case .bytes(let id): 4 + image[id].formerBytes.count
            case .metadata: 2
            }
        }
    }

    /// How many choices there are without tearing; at most `limit`.
    func combinationCount(upTo limit: Int) -> Int {
        var count = 1
        for options in optionCounts {
            let (product, overflow) = count.multipliedReportingOverflow(by: options)
            if overflow || product >= limit { return limit }
            count = product
        }
        return count
    }

    var nothing: Choice { Choice(options: optionCounts.map { _ in 0 }) }
    var everything: Choice { Choice(options: optionCounts.map { $0 - 1 }) }

    /// The extremes: nothing, everything, names without bytes, bytes without names, each atom alone, all but each one.
    var extremes: [Choice] {
        var choices = [nothing, everything]
        var namesOnly = nothing
        var bytesOnly = everything
        for (index, atom) in atoms.enumerated() {
            if case .name = atom {
                namesOnly.options[index] = optionCounts[index] - 1
                bytesOnly.options[index] = 0
            }
        }
        choices += [namesOnly, bytesOnly]
        for index in atoms.indices {
            for option in 0..<optionCounts[index] {
                for var choice in [nothing, everything, namesOnly] {
                    choice.options[index] = option
                    choices.append(choice)
                }
            }
        }
        return choices
    }

    /// All choices without tearing, in order.
    func combination(_ number: Int) -> Choice {
        var rest = number
        return Choice(
            options: optionCounts.map { count in
                defer { rest /= count }
                return rest % count
            })
    }

    /// Any choice, torn writes included.
    func random(using generator: inout some RandomNumberGenerator) -> Choice {
        var choice = Choice(options: optionCounts.map { Int.random(in: 0..<$0, using: &generator) })
        for (index, atom) in atoms.enumerated() {
            guard case .bytes(let id) = atom, Bool.random(using: &generator) else { continue }
            choice.options[index] = optionCounts[index] - 1
            choice.torn[id] = tear(image[id], using: &generator)
        }
        return choice
    }

    /// Pieces of the old, the new and nothing, cut anywhere.
    private func tear(_ node: Node, using generator: inout some RandomNumberGenerator) -> [UInt8] {
        let old = node.durable?.bytes ?? []
        let new = node.content.bytes
        let size = Int.random(in: 0...max(old.count, new.count), using: &generator)
        let pieceSize = max(1, size / Int.random(in: 1...8, using: &generator))
        var bytes: [UInt8] = []
        while bytes.count < size {
            let range = bytes.count..<min(size, bytes.count + pieceSize)
            let source = [old, new, []][Int.random(in: 0..<3, using: &generator)]
            bytes += source[range.clamped(to: 0..<source.count)]
            bytes += repeatElement(0, count: range.upperBound - bytes.count)
        }
        return bytes
    }

    // MARK: - The state after it

    /// The disk after the crash: everything on it is durable. And the choice in words, with what the rules made of it.
    func recover(_ choice: Choice) -> (image: DiskImage, description: String) {
        var picks: [Slot: Int] = [:]
        for (atom, option) in zip(atoms, choice.options) {
            if case .name(let slot) = atom { picks[slot] = option }
        }
        picks = image.settled(picks)
        var recovered = image
        for (slot, versions) in image.slots {
            recovered.nodes[slot.folder]?.entries[slot.name] = versions[picks[slot] ?? 0].node
        }
        var words: [String] = []
        for (index, atom) in atoms.enumerated() {
            switch atom {
            case .name(let slot):
                words.append("\(image.path(of: slot)): version \(picks[slot] ?? 0) of 0...\(optionCounts[index] - 1)")
            case .bytes(let id):
                let bytes = choice.torn[id] ?? self.bytes(of: image[id], option: choice.options[index])
                words.append(
                    "bytes of file \(id): \(bytes.count) of \(image[id].content.bytes.count)"
                        + (choice.torn[id] == nil ? ", option \(choice.options[index])" : ", torn"))
                recovered.nodes[id]?.recover(bytes, isOld: choice.options[index] == 0)
            case .metadata(let id):
                let node = image[id]
                words.append("time of file \(id): \(choice.options[index] == 0 ? "old" : "new")")
                recovered.nodes[id]?.recover(node.content.bytes, isOld: choice.options[index] == 0)
            }
        }
        recovered.keepReachable()
        return (recovered, words.isEmpty ? "everything was durable" : words.joined(separator: "; "))
    }

    /// The difference between two states after a crash: which file has which name, and the uncertain content of those
    /// files.
    struct Trait: Hashable {
        var folder: DiskImage.NodeID
        var name: Name?
        var node: DiskImage.NodeID?
        var content: Node.Content?
    }

    func traits(of recovered: DiskImage) -> [Trait] {
        var traits: [Trait] = []
        for atom in atoms {
            switch atom {
            case .name(let slot):
                guard let folder = recovered.nodes[slot.folder], let node = folder.entries[slot.name] else { continue }
                traits.append(Trait(folder: slot.folder, name: slot.name, node: node))
            case .bytes(let id), .metadata(let id):
                guard let node = recovered.nodes[id] else { continue }
                traits.append(Trait(folder: id, content: node.content))
            }
        }
        return traits
    }

    private func bytes(of node: Node, option: Int) -> [UInt8] {
        let new = node.content.bytes
        switch option {
        case 0: return node.durable?.bytes ?? new
        case 1: return [UInt8](repeating: 0, count: new.count)
        case 2: return Array(new.prefix(new.count / 2))
        default: return node.formerBytes.dropFirst(option - 3).first ?? new
        }
    }
}

extension DiskImage {
    /// Forgets nodes that cannot be reached from the root, open files and history; recounts the links.
    fileprivate mutating func keepReachable() {
        let before = nodes
        var seen: [NodeID: Int] = [DiskImage.rootID: 1]
        var pending = [DiskImage.rootID]
        while let folder = pending.popLast() {
            let names = before[folder]?.entries ?? [:]
            for (name, id) in names.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
                seen[id, default: 0] += 1
                guard before[id]?.kind == .folder else { continue }
                if seen[id] == 1 {
                    nodes[id]?.place = Slot(folder: folder, name: name)
                    pending.append(id)
                } else {
                    // A folder has one name.
                    nodes[folder]?.entries[name] = nil
                }
            }
        }
        nodes = nodes.filter { seen[$0.key] != nil }
        var inodes: Set<UInt64> = []
        for id in nodes.keys.sorted() {
            var node = self[id]
            node.links = node.kind == .folder ? 1 : seen[id] ?? 0
            node.openCount = 0
            node.isPoisoned = false
            node.durable = nil
            while !inodes.insert(node.inode).inserted { node.inode += 1 }
            nodes[id] = node
        }
        slots = [:]
        rules = []
    }
}

extension Node {
    fileprivate mutating func recover(_ bytes: [UInt8], isOld: Bool) {
        let old = durable
        change { content in
            content.bytes = bytes
            if isOld, let old {
                content.modifiedNanoseconds = old.modifiedNanoseconds
                content.permissions = old.permissions
            }
        }
        let all = bytes.isEmpty ? Set() : Set(Self.blocks(0..<bytes.count))
        // Blocks that were not chosen are a hole, as before.
        blocks = isOld ? all : blocks.intersection(all)
    }
}
