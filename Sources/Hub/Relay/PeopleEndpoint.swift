import HTTPTypes
import Model
import Sync
import WireFormat

/// The class list for devices: the upstream's reply to the device's own key, or while the upstream is away what the hub
/// has of it, for keys that it knows. A hub that shows the class list to its room (`--show-people`) gives its own copy, names and
/// never codes, to devices without a key.
struct PeopleEndpoint: Sendable {
    let upstream: Upstream
    let keys: DeviceKeys
    var isForRoom = false

    static func isAsked(_ request: HTTPRequest, _ path: String) -> Bool {
        guard request.method == .get || request.method == .head else { return false }
        return (try? APIPath(path.prefix { $0 != "?" })) == .people
    }

    func reply(to request: HTTPRequest) async throws -> HTTPReply {
        if isForRoom, request.headerFields[.authorization] == nil {
            await keys.renewPeople()
            if let list = await keys.keptPeople() { return try Self.reply(list.shown(to: nil), to: request) }
        }
        if await upstream.isWorthTrying() {
            do {
                return try await keeping(try await upstream.exchange(request, .empty) { _ in }, to: request)
            } catch let failure as RemoteFailure where failure.kind != .cancelled {
                return try await kept(request)
            }
        }
        return try await kept(request)
    }

    /// Where neither the device nor the hub has a key, the list is everyone's: the hub keeps it for times without the upstream.
    private func isEveryones(_ request: HTTPRequest) -> Bool {
        request.headerFields[.authorization] == nil && !upstream.hasToken
    }

    private func keeping(_ reply: HTTPReply, to request: HTTPRequest) async throws -> HTTPReply {
        guard isEveryones(request), request.method == .get, reply.head.status == .ok,
            reply.head.headerFields[.contentEncoding] == nil
        else { return reply }
        let bytes = try await reply.body.collect(maximumBytes: PeopleList.maximumBytes)
        if (try? DocumentCoding.decode(PeopleList.self, from: bytes)) != nil { await keys.keepPeople(bytes) }
        return HTTPReply(head: reply.head, body: HTTPBody(bytes: bytes))
    }

    private func kept(_ request: HTTPRequest) async throws -> HTTPReply {
        let person: String?
        if isEveryones(request) { return try Self.reply(try await list(), to: request) }
        switch keys.knownAccess(request.headerFields[.authorization]) {
        case .open: person = nil
        case .role(let role, let bound): person = role < .teacher ? bound : nil
        case .unknown:
            var problem = HubProblem(
                401, "The upstream is away, and the hub does not know this key: give this device a key of its own.")
            problem.headerFields[.wwwAuthenticate] = "Bearer realm=\"quire\""
            throw problem
        }
        return try Self.reply(try await list().shown(to: person), to: request)
    }

    private func list() async throws -> PeopleList {
        if let list = await keys.keptPeople() { return list }
        throw HubProblem(
            504, "The upstream is away, and the hub has no class list.", kind: "upstream-away", title: "Upstream away")
    }

    private static func reply(_ list: PeopleList, to request: HTTPRequest) throws -> HTTPReply {
        let bytes = try DocumentCoding.encodeLine(list)
        let tag = "\"\(Digest(sha256Of: bytes).hex)\""
        var fields: HTTPFields = [
            .cacheControl: "private, no-cache", .eTag: tag, .cacheStatus: "\(HubProblem.cacheName); detail=\"people\"",
        ]
        let isKnown = request.headerFields[values: .ifNoneMatch].contains { $0.contains(tag) }
        if isKnown { return HTTPReply(head: HTTPResponse(status: .notModified, headerFields: fields)) }
        fields[.contentType] = "application/json"
        fields[.contentDigest] = DigestField.format(Digest(sha256Of: bytes))
        return HTTPReply(head: HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody(bytes: bytes))
    }
}
