import Disk
import HTTPTypes
import Model
import Sync
import Synchronization
import SystemPackage
import WireFormat

/// What the keys of devices may do on the upstream, as far as the hub knows.
///
/// While the upstream is reachable it is asked for the role of each key. Its replies are kept, and a hub whose own key is
/// a teacher's also fetches the list of all keys: by these the hub decides while the upstream is away.
final class DeviceKeys: Sendable {
    /// Whether the upstream asks for keys.
    private enum Asking: String, Codable {
        case unknown
        /// Everyone may change questionnaires.
        case no
        case yes
        /// An upstream of an earlier version, which does not say.
        case unsaid
    }

    /// A key that the upstream has accepted.
    private struct Accepted: Hashable, Codable {
        var role: AccessRole
        /// `nil` for a token of the upstream's files, which no list names.
        var id: String?
        var expires: Timestamp?
        /// The person that it belongs to.
        var person: String?

        func isValid(at now: Timestamp) -> Bool { BearerKey.isValid(until: expires, at: now) }
    }

    private struct Memory: Hashable, Codable {
        var asking = Asking.unknown
        /// By the digests of the keys, in hexadecimal.
        var accepted: [String: Accepted] = [:]
        var list: [AccessKeyList.Item]?
    }

    private enum Reply {
        case role(AccessRole, person: String?)
        case refused
        /// The upstream does not know the question.
        case unsaid
        case none
    }

    private let upstream: Upstream
    private let fileSystem: any FileSystem
    private let clock: any StoreClock
    private let memory: Mutex<Memory>
    /// Digests of keys that the upstream has just refused, and when.
    private let refused = Mutex<[Digest: Timestamp]>([:])
    /// Digests of keys that the upstream has just accepted for drafts, when, and whose they are.
    private let confirmed = Mutex<[Digest: (at: Timestamp, person: String?)]>([:])
    private let peopleAskedAt = Mutex<Timestamp?>(nil)
    private let kicks: AsyncStream<Void>
    private let kicker: AsyncStream<Void>.Continuation

    static let mostKeys = 10_000
    /// A refused key is not asked about again for so long.
    static let refusalSeconds = 60.0
    /// The class list is asked for devices without a key at most so often.
    static let peopleSeconds = 15.0
    /// Between two requests for the list.
    static let pauseSeconds: Int64 = 300

    init(upstream: Upstream, fileSystem: any FileSystem, clock: any StoreClock) {
        self.upstream = upstream
        self.fileSystem = fileSystem
        self.clock = clock
        let bytes = try? fileSystem.readFile(HubLayout.keys, maximumBytes: 16 << 20).bytes
        // Without a file that can be read, the upstream is asked again.
        memory = Mutex(bytes.flatMap { try? DocumentCoding.decode(Memory.self, from: $0) } ?? Memory())
        (kicks, kicker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        upstream.presence.watch { [kicker] isReachable in if isReachable { kicker.yield() } }
    }

    /// Fetches the list of keys now, whenever the upstream comes back, and from time to time, until the task is cancelled.
    func run() async {
        guard upstream.hasToken else { return }
        kicker.yield()
        for await _ in kicks {
            if upstream.presence.reasonNotToTry() == nil {
                await fetchList()
                await fetchPeople()
            }
            if Task.isCancelled { return }
            let timer = Task { [clock, kicker] in
                do { try await clock.sleep(for: .seconds(Self.pauseSeconds)) } catch { return }
                kicker.yield()
            }
            await withTaskCancellationHandler {
            } onCancel: {
                timer.cancel()
            }
        }
    }

    // MARK: Decisions

    /// Why a device may not change questionnaires; `nil` where it may, or where the upstream decides.
    func refusal(ofAuthor authorization: String?) async -> HubProblem? {
        if authorization == nil, upstream.hasToken {
            return Self.notAllowed(
                "The hub lends its key to no change of a questionnaire: give this device the key of an author.")
        }
        if await upstream.isWorthTrying() {
            switch await ask(authorization) {
            case .role(let role, _): return Self.refusal(of: role)
            case .refused: return Self.unauthorized(hasKey: authorization != nil)
            case .unsaid: return nil
            case .none: break
            }
        }
        if let known = known(authorization) { return Self.refusal(of: known.role) }
        switch memory.withLock({ $0.asking }) {
        case .no, .unsaid: return nil
        case .unknown where !upstream.hasToken: return nil
        case .yes, .unknown:
            return Self.notAllowed(
                "The server is unreachable, and the hub does not know the key as an author's: change it again later.")
        }
    }

    /// What a device may see while the upstream is away, as far as the hub knows.
    enum KnownAccess: Hashable, Sendable {
        case role(AccessRole, person: String?)
        /// The upstream asks for a key, and this is none that the hub knows.
        case unknown
        /// The upstream asks for none.
        case open
    }

    func knownAccess(_ authorization: String?) -> KnownAccess {
        if let known = known(authorization) { return .role(known.role, person: known.person) }
        return memory.withLock { $0.asking } == .no ? .open : .unknown
    }

    /// What the upstream says of a key.
    enum Standing: Sendable {
        case accepted
        /// By the upstream's own word, or it is no key at all.
        case refused
        /// It does not say, or cannot be asked just now.
        case unknown
    }

    func standing(of authorization: String) async -> Standing {
        if known(authorization) != nil { return .accepted }
        guard let key = BearerKey.text(in: authorization) else { return .refused }
        if memory.withLock({ $0.asking }) == .unsaid { return .unknown }
        if isRefused(BearerKey.digest(of: key)) { return .refused }
        guard await upstream.isWorthTrying() else { return .unknown }
        switch await ask(authorization) {
        case .role: return known(authorization) != nil ? .accepted : .refused
        case .refused: return .refused
        case .unsaid, .none: return .unknown
        }
    }

    /// Whether the upstream accepts a key, so that what is read is read with it and not with the hub's own.
    func isValid(_ authorization: String) async -> Bool { await standing(of: authorization) == .accepted }

    private func isRefused(_ digest: Digest) -> Bool {
        let now = clock.now
        return refused.withLock { $0[digest].map { Self.isRecent($0, at: now) } ?? false }
    }

    private static func isRecent(_ time: Timestamp, at now: Timestamp) -> Bool {
        (0..<refusalSeconds).contains(now.seconds(since: time))
    }

    /// The person whose key is shown: by the upstream's word, or while it is away by what the hub knows.
    ///
    /// - Throws: `HubProblem` of 401, 403 or 504.
    func person(of authorization: String?) async throws -> String {
        guard let authorization else { throw Self.noCode(401, "Drafts are a person's: log in with your code.") }
        var isAsked = false
        let digest = BearerKey.text(in: authorization).map { BearerKey.digest(of: $0) }
        let now = clock.now
        // A phone that shows it again and again does not make the hub ask each time.
        if let digest, isRefused(digest), known(authorization) == nil { throw Self.refusedCode }
        let last = confirmed.withLock { confirmed in digest.flatMap { confirmed[$0] } }
        if let last, Self.isRecent(last.at, at: now) {
            guard last.person != nil else { throw Self.personless }
            if let person = known(authorization)?.person { return person }
        }
        if await upstream.isWorthTrying() {
            switch await ask(authorization) {
            case .role(_, let person):
                confirmed.withLock { confirmed in
                    if confirmed.count >= Self.mostKeys { confirmed = [:] }
                    if let digest { confirmed[digest] = (now, person) }
                }
                guard let person else { throw Self.personless }
                return person
            case .refused: throw Self.refusedCode
            case .unsaid: isAsked = true
            case .none: break
            }
        }
        if let known = known(authorization) {
            guard let person = known.person else { throw Self.personless }
            return person
        }
        if isAsked { throw Self.noCode(403, "The server knows no codes of people.") }
        throw HubProblem(
            504, "The server is away, and the hub does not know this code: try again later.", kind: "upstream-away",
            title: "Upstream away")
    }

    private static let refusedCode = noCode(401, "The server does not accept this code: ask for another one.")
    private static let personless = noCode(403, "This key belongs to no person: log in with the code of a card.")

    private static func noCode(_ status: Int, _ detail: String) -> HubProblem {
        var problem = HubProblem(
            status, detail, kind: status == 403 ? AccessRole.refusalKind : nil,
            title: status == 403 ? AccessRole.refusalTitle : nil)
        if status == 401 { problem.headerFields[.wwwAuthenticate] = "Bearer realm=\"quire\"" }
        return problem
    }

    /// Whether a key that is shown is right, as far as the hub knows.
    func isKnown(_ authorization: String?) -> Bool { known(authorization) != nil }

    /// Whose key it is, as far as the hub knows.
    func knownPerson(_ authorization: String?) -> String? { known(authorization)?.person }

    /// The role of a key that was accepted before, or is in the list.
    private func known(_ authorization: String?) -> (role: AccessRole, person: String?)? {
        guard let key = BearerKey.text(in: authorization) else { return nil }
        let digest = BearerKey.digest(of: key)
        let now = clock.now
        return memory.withLock { memory in
            if let accepted = memory.accepted[digest.hex], accepted.isValid(at: now) {
                return (accepted.role, accepted.person)
            }
            let item = memory.list?.first { BearerKey.areEqual($0.digest, digest) && $0.isValid(at: now) }
            return item.map { ($0.role, $0.person) }
        }
    }

    private static func refusal(of role: AccessRole) -> HubProblem? {
        role >= .author ? nil : notAllowed(role.refusal(needing: .author))
    }

    private static func notAllowed(_ detail: String) -> HubProblem {
        HubProblem(403, detail, kind: AccessRole.refusalKind, title: AccessRole.refusalTitle)
    }

    private static func unauthorized(hasKey: Bool) -> HubProblem {
        var problem = HubProblem(
            401,
            hasKey
                ? "The server does not accept this key: ask for another one."
                : "The server asks for the key of an author: give this device one.")
        problem.headerFields[.wwwAuthenticate] = "Bearer realm=\"quire\"" + (hasKey ? ", error=\"invalid_token\"" : "")
        return problem
    }

    // MARK: Questions to the upstream

    private static func asking(_ roleWithoutKey: AccessRole?) -> Asking {
        (roleWithoutKey ?? .taker) >= .author ? .no : .yes
    }

    /// Asks for the role of a key, and keeps the reply.
    private func ask(_ authorization: String?) async -> Reply {
        if memory.withLock({ $0.asking }) == .unsaid { return .unsaid }
        guard let (status, body) = await get(.accessSelf, authorization) else { return .none }
        let digest = BearerKey.text(in: authorization).map { BearerKey.digest(of: $0) }
        switch status {
        case 200:
            guard let own = try? DocumentCoding.decode(AccessSelf.self, from: body) else { return .none }
            await change { memory in
                memory.asking = Self.asking(own.roleWithoutKey)
                guard own.isOfKey, let digest else { return }
                if memory.accepted.count >= Self.mostKeys { memory.accepted = [:] }
                memory.accepted[digest.hex] = Accepted(
                    role: own.role, id: own.id, expires: own.expires, person: own.person)
            }
            return .role(own.role, person: own.isOfKey ? own.person : nil)
        case 401:
            let now = clock.now
            refused.withLock { refused in
                if refused.count >= Self.mostKeys { refused = [:] }
                if let digest { refused[digest] = now }
            }
            await change { memory in
                memory.asking = .yes
                guard let digest else { return }
                memory.accepted[digest.hex] = nil
                memory.list?.removeAll { $0.digest == digest }
            }
            return .refused
        case 404:
            await change { $0.asking = .unsaid }
            return .unsaid
        default: return .none
        }
    }

    private func fetchList() async {
        guard let (status, body) = await get(.accessKeys, upstream.ownAuthorization) else { return }
        switch status {
        case 200:
            guard let list = try? DocumentCoding.decode(AccessKeyList.self, from: body) else { return }
            let ids = Set(list.keys.map(\.id))
            await change { memory in
                memory.asking = Self.asking(list.roleWithoutKey)
                memory.list = list.keys
                // Those that were revoked since.
                memory.accepted = memory.accepted.filter { $0.value.id.map(ids.contains) ?? true }
            }
        case 401, 403: await change { $0.asking = .yes }
        case 404: await change { $0.asking = .unsaid }
        default: break
        }
    }

    /// Updates the class list with the hub's own key, where that was not done just now.
    func renewPeople() async {
        let now = clock.now
        let isDue = peopleAskedAt.withLock { last in
            if let last, (0..<Self.peopleSeconds).contains(now.seconds(since: last)) { return false }
            last = now
            return true
        }
        if isDue, await upstream.isWorthTrying() { await fetchPeople() }
    }

    /// Keeps the class list for devices that ask for it while the upstream is away.
    private func fetchPeople() async {
        guard let (status, body) = await get(.people, upstream.ownAuthorization) else { return }
        switch status {
        case 200:
            guard (try? DocumentCoding.decode(PeopleList.self, from: body)) != nil else { return }
            await keepPeople(body)
        case 401, 403, 404: await keepPeople(nil)
        default: break
        }
    }

    /// - Parameter bytes: of a list that was sent for a key that belongs to no person; `nil` for none.
    func keepPeople(_ bytes: [UInt8]?) async {
        // It only helps while the upstream is away.
        try? await offload { [fileSystem] in
            guard let bytes else { return try fileSystem.removeIfPresent(HubLayout.people) }
            try fileSystem.writeDurably(bytes, to: HubLayout.people, temporaryFolder: HubLayout.temporary)
        }
    }

    /// The class list that was fetched last.
    func keptPeople() async -> PeopleList? {
        let bytes = try? await offload { [fileSystem] in
            try fileSystem.readFileIfPresent(HubLayout.people, maximumBytes: Int64(PeopleList.maximumBytes))?.bytes
        }
        return bytes.flatMap { $0 }.flatMap { try? DocumentCoding.decode(PeopleList.self, from: $0) }
    }

    /// - Returns: `nil` without a reply of the upstream's own.
    private func get(_ path: APIPath, _ authorization: String?) async -> (status: Int, body: [UInt8])? {
        var fields: HTTPFields = [.userAgent: "quire-hub"]
        fields[.authorization] = authorization
        Forwarding.addVia(&fields, minor: 1, name: Upstream.viaName)
        let request = HTTPRequest(
            method: .get, scheme: upstream.address.scheme, authority: upstream.address.authority,
            path: upstream.address.basePath + path.text, headerFields: fields)
        let time = clock.now
        guard let reply = try? await upstream.exchange(request, .empty, { _ in }),
            let body = try? await reply.body.collect(maximumBytes: 16 << 20)
        else { return nil }
        let received = RemoteReply(
            status: reply.head.status.code, fields: reply.head.headerFields, body: body, requestTime: time,
            responseTime: clock.now)
        return received.isFromStranger ? nil : (received.status, body)
    }

    private func change(_ body: (inout Memory) -> Void) async {
        let bytes = memory.withLock { memory -> [UInt8]? in
            let former = memory
            body(&memory)
            return memory == former ? nil : try? DocumentCoding.encode(memory)
        }
        guard let bytes else { return }
        // It only spares questions: without the file they are asked again after a restart.
        try? await offload { [fileSystem] in
            try fileSystem.writeDurably(bytes, to: HubLayout.keys, temporaryFolder: HubLayout.temporary)
        }
    }
}
