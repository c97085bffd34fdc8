import HTTPTypes
import Model
import Sync
import WireFormat

/// The class list for devices: the upstream's reply to the device's own key, or while the upstream is away what the hub
/// has of it, for keys that it knows.
struct PeopleEndpoint: Sendable {
    let upstream: Upstream
    let keys: DeviceKeys

    static func isAsked(_ request: HTTPRequest, _ path: String) -> Bool {
        guard request.method == .get || request.method == .head else { return false }
        return (try? APIPath(path.prefix { $0 != "?" })) == .people
    }

    func reply(to request: HTTPRequest) async throws -> HTTPReply {
        if await upstream.isWorthTrying() {
            do {
                return try await upstream.exchange(request, .empty) { _ in }
            } catch let failure as RemoteFailure where failure.kind != .cancelled {
                return try await kept(request)
            }
        }
        return try await kept(request)
    }

    private func kept(_ request: HTTPRequest) async throws -> HTTPReply {
        let person: String?
        switch keys.knownAccess(request.headerFields[.authorization]) {
        case .open: person = nil
        case .role(let role, let bound): person = role < .teacher ? bound : nil
        case .unknown:
            var problem = HubProblem(
                401, "The upstream is away, and the hub does not know this key: give this device a key of its own.")
            problem.headerFields[.wwwAuthenticate] = "Bearer realm=\"quire\""
            throw problem
        }
        guard let list = await keys.keptPeople() else {
            throw HubProblem(
                504, "The upstream is away, and the hub has no class list.", kind: "upstream-away",
                title: "Upstream away")
        }
        let bytes = try DocumentCoding.encodeLine(list.shown(to: person))
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
