import HTTPTypes
import Model
import OutboxStore
import Sync
import Synchronization

/// A remote to which each test goes with the key of its person, where the device has it, else with the device's own.
///
/// Keys are looked up when something is sent: people may log in meanwhile.
package final class PersonalRemote: Remote {
    /// What the store knows of its people.
    struct Knowledge: Sendable {
        /// The keys by the ids of their people.
        var keys: @Sendable () -> [String: String]
        /// The id of the current person.
        var current: @Sendable () -> String?
        /// The id of the person of a test of this device.
        var owner: @Sendable (TestID) -> String?
    }

    private let plain: any Remote
    private let hasDeviceKey: Bool
    private let knowledge: Knowledge
    private let open: @Sendable (String) throws -> any Remote
    /// By their keys.
    private let opened = Mutex<[String: any Remote]>([:])

    /// - Parameters:
    ///   - plain: the remote with the device's key, if it has one.
    ///   - open: opens the remote with a key.
    init(
        _ plain: any Remote, hasDeviceKey: Bool, _ knowledge: Knowledge,
        open: @escaping @Sendable (String) throws -> any Remote
    ) {
        self.plain = plain
        self.hasDeviceKey = hasDeviceKey
        self.knowledge = knowledge
        self.open = open
    }

    /// The remote for what is no one's own: where the device has no key, with that of the current person.
    private var device: any Remote {
        hasDeviceKey ? plain : knowledge.current().flatMap { remote(of: $0, in: knowledge.keys()) } ?? plain
    }

    /// The person whose key goes with what is no one's own; `nil` where that is the device's, or none.
    var speaker: String? {
        guard !hasDeviceKey, let person = knowledge.current(), knowledge.keys()[person] != nil else { return nil }
        return person
    }

    /// The remote with the key of a person; `nil` where the device has none.
    ///
    /// - Parameter keys: looked up once for what is sent.
    private func remote(of person: String?, in keys: [String: String]) -> (any Remote)? {
        guard let person, let key = keys[person] else { return nil }
        return opened.withLock { opened in
            if let remote = opened[key] { return remote }
            let remote = try? open(key)
            opened[key] = remote
            return remote
        }
    }

    /// A key that was revoked is no reason to keep a test: it goes with the device's own, as one that is not proven.
    private func sending(
        for person: String?, in keys: [String: String],
        _ send: (any Remote) async throws(RemoteFailure) -> RemoteReply
    ) async throws(RemoteFailure) -> RemoteReply {
        guard let own = remote(of: person, in: keys) else { return try await send(device) }
        do throws(RemoteFailure) {
            let reply = try await send(own)
            return reply.status == 401 ? try await send(device) : reply
        } catch {
            guard error.kind == .tokenRefused else { throw error }
            return try await send(device)
        }
    }

    private struct Named: Decodable {
        struct Owner: Decodable {
            var id: String
        }

        var person: Owner?
    }

    package func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        // Without any key here, whose test it is makes no difference.
        let keys = knowledge.keys()
        let person = keys.isEmpty ? nil : (try? DocumentCoding.decode(Named.self, from: bytes))?.person?.id
        return try await sending(for: person, in: keys) { remote throws(RemoteFailure) in
            try await remote.put(test, bytes: bytes, digest: digest)
        }
    }

    package func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply {
        let person = upload.change.owner.test.flatMap(knowledge.owner)
        let keys = knowledge.keys()
        let reply = try await sending(for: person, in: keys) { remote throws(RemoteFailure) in
            try await remote.upload(upload)
        }
        // A test that went before its person had a key here is known to the server by the device's key alone.
        guard reply.status == 404, hasDeviceKey, remote(of: person, in: keys) != nil else { return reply }
        return try await plain.upload(upload)
    }

    private struct Receipts: Codable {
        var receipts: [JSONValue]
        /// A hub's word: what it keeps, and whether the server has answered as well.
        var kept: [JSONValue]?
        var complete: Bool?

        var isComplete: Bool { complete ?? (kept == nil) }

        /// The tests that it says something of.
        var ids: Set<TestID> {
            Set(
                (receipts + (kept ?? [])).compactMap { receipt in
                    guard case .object(let members) = receipt,
                        case .string(let text)? = members["test"] ?? members["change"]
                    else { return nil }
                    return TestID(text)
                })
        }

        mutating func add(_ part: Receipts) {
            receipts += part.receipts
            if let kept = part.kept { self.kept = (self.kept ?? []) + kept }
            complete = complete == true && part.isComplete
        }
    }

    package func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        let keys = knowledge.keys()
        // Without any key here, whose test it is makes no difference.
        if keys.isEmpty { return try await device.receipts(of: tests) }
        let groups = Dictionary(grouping: tests) { id in
            knowledge.owner(id).flatMap { keys[$0] == nil ? nil : $0 }
        }
        var merged = Receipts(receipts: [], complete: true)
        var last: RemoteReply?
        var unknown: [TestID] = []
        for (person, ids) in groups {
            let reply = try await sending(for: person, in: knowledge.keys()) { remote throws(RemoteFailure) in
                try await remote.receipts(of: ids)
            }
            guard reply.status == 200, let part = try? DocumentCoding.decode(Receipts.self, from: reply.body) else {
                return reply
            }
            let known = part.ids
            let others = person != nil && hasDeviceKey ? ids.filter { !known.contains($0) } : []
            // With a person's key a server says nothing of what went with another one: that is not missing there.
            let isToldAll = person != nil || hasDeviceKey
            if groups.count == 1, others.isEmpty, isToldAll { return reply }
            merged.add(part)
            if !isToldAll { merged.complete = false }
            unknown += others
            last = reply
        }
        // What went with the device's key before its person had one here.
        if !unknown.isEmpty {
            let reply = try await plain.receipts(of: unknown)
            guard reply.status == 200, let part = try? DocumentCoding.decode(Receipts.self, from: reply.body) else {
                return reply
            }
            merged.add(part)
            last = reply
        }
        guard var reply = last, let body = try? DocumentCoding.encode(merged) else {
            return try await device.receipts(of: tests)
        }
        reply.body = body
        return reply
    }

    // MARK: As the device

    package var listURL: String { plain.listURL }
    package func documentURL(id: String) -> String { plain.documentURL(id: id) }
    package func presence() -> Presence { plain.presence() }
    package func probe() async -> RemoteFailure? { await plain.probe() }
    package var keepsSuccessors: Bool { plain.keepsSuccessors }
    package var listAdvice: String { plain.listAdvice }

    package func get(
        _ url: String, fields: HTTPFields, maximumBytes: Int
    ) async throws(RemoteFailure) -> RemoteReply {
        try await device.get(url, fields: fields, maximumBytes: maximumBytes)
    }

    package func stream(
        _ url: String, fields: HTTPFields, maximumBytes: Int64
    ) async throws(RemoteFailure) -> StreamedReply {
        try await device.stream(url, fields: fields, maximumBytes: maximumBytes)
    }

    package func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply {
        try await device.send(delivery)
    }

    package func report(
        _ progress: [UInt8], from sender: String
    ) async throws(RemoteFailure) -> RemoteReply? {
        try await device.report(progress, from: sender)
    }

    package func current(of change: OutgoingChange, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        try await device.current(of: change, maximumBytes: maximumBytes)
    }

    package nonisolated(nonsending) func shutdown() async {
        let others = opened.withLock { opened in
            defer { opened = [:] }
            return Array(opened.values)
        }
        for remote in others { await remote.shutdown() }
        await plain.shutdown()
    }
}
