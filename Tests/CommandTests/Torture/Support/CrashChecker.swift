import Foundation

/// Watches a traced program and holds, at every call, each state that a power cut may leave against what was promised.
final class CrashChecker {
    private let disk: TracedDisk
    private let store: [String]
    /// By test: every whole content that it had, in order.
    private var versions: [String: [[UInt8]]] = [:]
    /// By test: the oldest content that may be found.
    private var claims: [String: Int] = [:]
    private var isMade: Bool
    /// Tests whose delivery was shown.
    private var delivered: Set<String> = []
    /// Texts that were found to be JSON.
    private var sound: Set<[UInt8]> = []
    private(set) var stateCount = 0
    private(set) var acknowledgements = 0
    private(set) var faults: [String] = []

    private static let folders = [
        "empty", "in-progress", "done", "sending", "sent", "checking", "rated", "conflict", "rejected",
    ]

    /// - Parameters:
    ///   - base: a folder that is durable, with the store in it or to come.
    ///   - store: its name.
    init(base: String, store: String) throws {
        disk = try TracedDisk(root: base)
        self.store = [store]
        isMade = Files.exists("\(base)/\(store)/store.json")
        // What lies there was acknowledged before.
        learn()
        for id in versions.keys { claims[id] = 0 }
        for id in testsNow(in: ["sent", "checking", "rated"]) { delivered.insert(id) }
    }

    func watch(_ calls: [SystemCall]) {
        for (number, call) in calls.enumerated() {
            if disk.apply(call) {
                learn()
                check("after call \(number), \(call.name)")
            }
            listen(call, "at call \(number)")
        }
    }

    // MARK: What the program says

    /// A line on standard output acknowledges what it reports; a request acknowledges the test in `sending`.
    private func listen(_ call: SystemCall, _ moment: String) {
        guard ["write", "writev", "sendto", "sendmsg"].contains(call.name), call.result > 0 else { return }
        let text = String(decoding: call.bytes(1), as: UTF8.self)
        if text.hasPrefix("PUT /v1/tests/") {
            let id = String(text.dropFirst("PUT /v1/tests/".count).prefix(36))
            acknowledgements += 1
            for state in states() where place(of: id, state, in: ["sending"]) == nil {
                report("\(moment): \(id) is being sent and may be in another folder than sending after a power cut")
            }
        }
        guard call.name == "write", call.descriptor(0) == 1 else { return }
        if text.hasPrefix("Made the store") { isMade = true }
        if let answer = try? JSON(parsing: text) {
            if let id = answer["id"].text { claims[id] = (versions[id]?.count ?? 0) - 1 }
            if answer["sent"].whole != nil { delivered.formUnion(testsNow(in: ["sent", "checking", "rated"])) }
        }
        acknowledgements += 1
        check("\(moment), printed “\(text.prefix(60).filter { !$0.isNewline })”")
    }

    // MARK: What is there now

    /// What a file holds in the model.
    func bytes(_ path: String) -> [UInt8]? { disk.bytes(path) }

    private func node(_ parts: [String]) -> TracedDisk.Node? {
        var node = disk.top
        for part in store + parts {
            guard let next = node.entries[part] else { return nil }
            node = next
        }
        return node
    }

    private func now(_ parts: [String]) -> [String: TracedDisk.Node] { node(parts)?.entries ?? [:] }

    private func testsNow(in folders: [String]) -> [String] {
        folders.flatMap { now(["outbox", $0]).keys.compactMap(Self.test) }
    }

    private static func test(_ name: String) -> String? {
        name.hasSuffix(".test.json") ? String(name.dropLast(".test.json".count).suffix(36)) : nil
    }

    private func learn() {
        for folder in Self.folders {
            for (name, node) in now(["outbox", folder]) {
                guard let id = Self.test(name), versions[id]?.last != node.bytes else { continue }
                versions[id, default: []].append(node.bytes)
            }
        }
    }

    // MARK: What a power cut may leave

    private func states() -> [TracedDisk.State] {
        let folders = Self.told.compactMap { node($0).map(ObjectIdentifier.init) }
        let shards = now(["cache", "blobs"]).values.map(ObjectIdentifier.init)
        let irrelevant = Set(folders + shards)
        return disk.states { change in
            irrelevant.contains(ObjectIdentifier(change.folder)) || Self.unbinding.contains(change.name)
        }
    }

    /// Folders of temporary files, of the cache, and of informative files: their names are not promises.
    private static let told = [
        ["outbox", "tmp"], ["cache"], ["cache", "blobs"], ["cache", "entries"], ["cache", "tmp"], ["log"], ["index"],
    ]
    /// The same of names elsewhere.
    private static let unbinding: Set = ["lock", "edit.lock", "sequence.json", "reserve", "log", "index", "cache"]

    private func check(_ moment: String) {
        for state in states() {
            stateCount += 1
            if let fault = fault(in: state) { report("\(moment): \(fault)") }
        }
    }

    private func report(_ fault: String) { if faults.count < 20 { faults.append(fault) } }

    private func fault(in state: TracedDisk.State) -> String? {
        let settings = state.folder(store)?["store.json"]
        if let settings {
            let bytes = state.bytes(of: settings)
            if (try? JSON(parsing: String(decoding: bytes, as: UTF8.self))) == nil {
                return "store.json is half a file"
            }
        } else if isMade {
            return "store.json is not there"
        }
        var found: [String: [UInt8]] = [:]
        for folder in Self.folders {
            guard let names = state.folder(store + ["outbox", folder]) else { continue }
            for (name, node) in names {
                let bytes = state.bytes(of: node)
                if let id = Self.test(name) {
                    if folder != "conflict", let other = found.updateValue(bytes, forKey: id), other != bytes {
                        return "\(id) lies twice, with different bytes"
                    }
                    guard versions[id]?.contains(bytes) == true else { return "\(folder)/\(name) is half a file" }
                    // A receipt is durable before the move that it explains.
                    guard ["sent", "checking", "rated"].contains(folder) else { continue }
                    if names["\(id).receipt.json"] == nil { return "\(folder)/\(name) has no receipt" }
                } else if !isSound(bytes) {
                    return "\(folder)/\(name) is half a file"
                }
            }
        }
        for (id, oldest) in claims {
            guard let bytes = place(of: id, state, in: Self.folders) ?? discarded(id, state) else {
                return "\(id) was acknowledged and is lost"
            }
            guard let version = versions[id]?.lastIndex(of: bytes), version >= oldest else {
                return "\(id) is older than what was acknowledged"
            }
        }
        for id in delivered where place(of: id, state, in: ["sent", "checking", "rated"]) == nil {
            return "\(id) was shown as delivered and may be sent again"
        }
        return nil
    }

    private func isSound(_ bytes: [UInt8]) -> Bool {
        if sound.contains(bytes) { return true }
        guard (try? JSON(parsing: String(decoding: bytes, as: UTF8.self))) != nil else { return false }
        sound.insert(bytes)
        return true
    }

    /// The bytes of a test, in the most advanced of the folders that it lies in.
    private func place(of id: String, _ state: TracedDisk.State, in folders: [String]) -> [UInt8]? {
        for folder in folders.reversed() {
            if let node = state.folder(store + ["outbox", folder])?["\(id).test.json"] { return state.bytes(of: node) }
        }
        return nil
    }

    private func discarded(_ id: String, _ state: TracedDisk.State) -> [UInt8]? {
        state.folder(store + ["quarantine"])?.first { $0.key.hasSuffix("\(id).test.json") }.map {
            state.bytes(of: $0.value)
        }
    }
}
