import FoundationEssentials
import HTTPTypes
import Model
import Sync
import Synchronization

/// The upstream as the sweeper sees it: each test is sent as its device would have sent it.
final class RelayRemote: Remote {
    let listURL: String
    private let upstream: Upstream
    private let arrivals: Arrivals
    private let clock: any StoreClock
    private let listener = Mutex<(@Sendable (TestID, RemoteReply?) -> Void)?>(nil)

    static let longestReceiptBytes = 4 << 20

    init(upstream: Upstream, arrivals: Arrivals, clock: any StoreClock) {
        self.upstream = upstream
        self.arrivals = arrivals
        self.clock = clock
        listURL = upstream.address.base + "/v1/questionnaires"
    }

    /// Is told the upstream's reply to each test; `nil` when there was none.
    func listen(_ action: @escaping @Sendable (TestID, RemoteReply?) -> Void) { listener.withLock { $0 = action } }

    func documentURL(id: String) -> String { listURL + "/" + id }

    func presence() -> Presence { upstream.presence.reasonNotToTry().map { .away($0) } ?? .likely }

    func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        guard url.hasPrefix(upstream.address.base + "/") else {
            throw RemoteFailure(.invalidReply, "\(url) is not on the upstream")
        }
        let path = String(url.dropFirst(upstream.address.base.count))
        return try await exchange(.get, path, fields, body: .empty, maximumBytes: maximumBytes)
    }

    func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields[.contentDigest] = "sha-256=:\(Data(digest.bytes).base64EncodedString()):"
        let authorization = arrivals.arrival(of: test)?.authorization
        fields[.authorization] = authorization
        let reply: RemoteReply
        do throws(RemoteFailure) {
            reply = try await exchange(
                .put, "/v1/tests/\(test)", fields, body: HTTPBody(bytes: bytes),
                maximumBytes: Self.longestReceiptBytes)
        } catch {
            tell(test, nil)
            throw error
        }
        tell(test, reply)
        if reply.status == 401, authorization != nil {
            // One device's wrong token says nothing about the others.
            throw RemoteFailure(.invalidReply, "the upstream does not take the token that the test's device showed")
        }
        return reply
    }

    private func tell(_ test: TestID, _ reply: RemoteReply?) { listener.withLock { $0 }?(test, reply) }

    func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        let ids = tests.map(\.description).joined(separator: ",")
        return try await exchange(
            .get, "/v1/tests?ids=\(ids)", [:], body: .empty, maximumBytes: Self.longestReceiptBytes * 4)
    }

    private func exchange(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields, body: HTTPBody, maximumBytes: Int
    ) async throws(RemoteFailure) -> RemoteReply {
        var fields = fields
        fields[.userAgent] = "quire-hub"
        Forwarding.addVia(&fields, minor: 1, name: Upstream.viaName)
        let request = HTTPRequest(
            method: method, scheme: upstream.address.scheme, authority: upstream.address.authority,
            path: upstream.address.basePath + path, headerFields: fields)
        let requestTime = clock.now
        do {
            let reply = try await upstream.exchange(request, body) { _ in }
            let content = try await reply.body.collect(maximumBytes: maximumBytes)
            return RemoteReply(
                status: reply.head.status.code, fields: reply.head.headerFields, body: content,
                requestTime: requestTime, responseTime: clock.now)
        } catch let failure as RemoteFailure {
            throw failure
        } catch {
            throw RemoteFailure(.interrupted, "the connection to the upstream broke: \(error)")
        }
    }
}
