import HTTPTypes
import Model
import Sync
import Synchronization
import WireFormat

/// The upstream as the sweeper sees it: everything is sent as its device would have sent it.
final class RelayRemote: Remote {
    let listURL: String
    private let upstream: Upstream
    private let submissions: SubmissionLog
    private let renewal: Renewal
    private let clock: any StoreClock
    private let listener = Mutex<(@Sendable (TestID, RemoteReply?) -> Void)?>(nil)

    init(upstream: Upstream, submissions: SubmissionLog, renewal: Renewal, clock: any StoreClock) {
        self.renewal = renewal
        self.upstream = upstream
        self.submissions = submissions
        self.clock = clock
        listURL = upstream.address.base + APIPath.questionnaires.text
    }

    /// Called with the upstream's reply to each test and change; `nil` without one.
    func listen(_ action: @escaping @Sendable (TestID, RemoteReply?) -> Void) { listener.withLock { $0 = action } }

    func documentURL(id: String) -> String { upstream.address.base + APIPath.questionnaire(id).text }

    func presence() -> Presence { upstream.presence.reasonNotToTry().map { .away($0) } ?? .likely }

    func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        guard url.hasPrefix(upstream.address.base + "/") else {
            throw RemoteFailure(.invalidReply, "\(url) is not on the upstream")
        }
        let path = String(url.dropFirst(upstream.address.base.count))
        return try await exchange(.get, path, fields, fields[.authorization], body: .empty, maximumBytes: maximumBytes)
    }

    func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields[.contentDigest] = DigestField.format(digest)
        let keys = submissions.origin(of: test)?.keys ?? []
        return try await handOn(test, keys, lendsToken: upstream.hasToken, goesWithout: true) {
            [fields] authorization async throws(RemoteFailure) in
            try await exchange(
                .put, APIPath(test: test).text, fields, authorization, body: HTTPBody(bytes: bytes),
                maximumBytes: Receipt.maximumBytes)
        } refused: { _ throws(RemoteFailure) in
            throw RemoteFailure(.invalidReply, "the upstream does not take what the test's device showed as its token")
        }
    }

    func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply {
        let id = delivery.change.id
        guard let message = delivery.message else {
            throw RemoteFailure(.invalidReply, "attachments are uploaded piece by piece")
        }
        let lendsToken = upstream.lendsToken(message.method, upstream.address.basePath + message.path)
        let keys = submissions.origin(of: id)?.keys ?? []
        let goesWithout = lendsToken || !delivery.change.action.isOfAuthor
        return try await handOn(id, keys, lendsToken: lendsToken, goesWithout: goesWithout) {
            authorization async throws(RemoteFailure) in
            let (reply, request) = try await answer(
                message.method, message.path, message.fields, authorization,
                body: message.body.map { HTTPBody(bytes: $0) } ?? .empty, maximumBytes: Receipt.maximumBytes)
            // Before the reply is passed on: its receiver must not be shown the former state.
            await renewal.note(reply, to: request)
            return reply
        } refused: { reply throws(RemoteFailure) in
            reply = try Self.refusal(of: reply)
        }
    }

    func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply {
        let change = upload.change
        var keys = submissions.origin(of: change.id)?.keys ?? []
        // Its bytes may have arrived with another attachment, and its test may have come with the right key.
        for key in change.owner.test.flatMap({ submissions.origin(of: $0) })?.keys ?? []
        where !keys.contains(where: { SubmissionOrigin.areSame($0, key) }) {
            keys.append(key)
        }
        let isOfTest = change.owner.test != nil
        let base = upstream.address.base
        return try await handOn(change.id, keys, lendsToken: upstream.hasToken && isOfTest, goesWithout: isOfTest) {
            authorization async throws(RemoteFailure) in
            let way = ResumableUpload(upload, base: base, remoteName: upstream.address.authority) {
                [self] method, url, fields, body async throws(RemoteFailure) in
                try await exchange(
                    method, String(url.dropFirst(base.count)), fields, authorization, body: body,
                    maximumBytes: Receipt.maximumBytes)
            }
            return try await way.run()
        } refused: { reply throws(RemoteFailure) in
            reply = try Self.refusal(of: reply)
        }
    }

    /// The refusal of a change whose device's token the upstream rejects: it is set aside.
    ///
    /// - Throws: `RemoteFailure` where another page than the upstream's asks for a login: that says nothing of the token.
    private static func refusal(of reply: RemoteReply) throws(RemoteFailure) -> RemoteReply {
        if reply.isFromStranger { throw RemoteFailure(.notTheServer, reply.strangerReason) }
        var refusal = reply
        refusal.status = 403
        refusal.fields[.contentType] = ProblemDocument.mediaType
        refusal.body =
            ProblemDocument(
                status: 403, name: "Forbidden", kind: "token-refused", title: "The token is not accepted",
                detail: "The upstream does not accept the token that the change's device showed."
            ).bytes
        return refusal
    }

    /// Sends a submission as its device would, and passes the reply to the waiting requests.
    ///
    /// - Parameters:
    ///   - keys: what devices showed with it, the first one first.
    ///   - lendsToken: the hub's own token goes with it where no key does.
    ///   - goesWithout: it is sent without a device's key where none is accepted.
    ///   - refused: what becomes of a 401 to what the device showed, or did not show: one device's wrong token says
    ///     nothing about the others, and must not hold up what they send.
    private func handOn(
        _ id: TestID, _ keys: [String], lendsToken: Bool, goesWithout: Bool,
        _ send: (_ authorization: String?) async throws(RemoteFailure) -> RemoteReply,
        refused: (inout RemoteReply) throws(RemoteFailure) -> Void
    ) async throws(RemoteFailure) -> RemoteReply {
        var reply: RemoteReply
        do throws(RemoteFailure) {
            reply = try await offer(keys, of: id, lendsToken: lendsToken, goesWithout: goesWithout, send)
        } catch {
            tell(id, nil)
            throw error
        }
        tell(id, reply)
        if reply.status == 401, !lendsToken { try refused(&reply) }
        return reply
    }

    /// Sends a submission with one key after the other, until the upstream takes it as proven, and without one where it accepts
    /// none of them.
    private func offer(
        _ keys: [String], of id: TestID, lendsToken: Bool, goesWithout: Bool,
        _ send: (_ authorization: String?) async throws(RemoteFailure) -> RemoteReply
    ) async throws(RemoteFailure) -> RemoteReply {
        var best: RemoteReply?
        var unauthorized: RemoteReply?
        for key in keys {
            let reply = try await send(key)
            switch KeyVerdict(reply) {
            case .final: return reply
            case .notAccepted:
                unauthorized = reply
                // It stays where this fails, and is refused once more.
                try? submissions.drop(key, of: id, keepsLast: !lendsToken)
            case .perhapsAnother:
                // What was taken counts more than what another key was refused for.
                if best == nil || (reply.isTaken && best?.isTaken == false) { best = reply }
            }
        }
        if let best { return best }
        if let unauthorized, !goesWithout { return unauthorized }
        return try await send(nil)
    }

    func current(of change: OutgoingChange, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        let url = documentURL(id: change.questionnaire)
        var fields = HTTPFields()
        if !upstream.hasToken { fields[.authorization] = submissions.origin(of: change.id)?.keys.first }
        let reply = try await get(url, fields: fields, maximumBytes: maximumBytes)
        // Its device will want to see it, perhaps when there is no way any more.
        renewal.bring([url], authorization: fields[.authorization])
        return reply
    }

    private func tell(_ test: TestID, _ reply: RemoteReply?) { listener.withLock { $0 }?(test, reply) }

    func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        try await exchange(
            .get, APIPath.receipts(of: tests), [:], nil, body: .empty, maximumBytes: Receipt.maximumBytes * 4)
    }

    func report(_ progress: [UInt8], from sender: String) async throws(RemoteFailure) -> RemoteReply? {
        try await exchange(
            .put, APIPath.progress(sender).text, [.contentType: "application/json"], nil,
            body: HTTPBody(bytes: progress), maximumBytes: Receipt.maximumBytes)
    }

    private func exchange(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields, _ authorization: String?, body: HTTPBody,
        maximumBytes: Int
    ) async throws(RemoteFailure) -> RemoteReply {
        try await answer(method, path, fields, authorization, body: body, maximumBytes: maximumBytes).reply
    }

    /// - Parameter path: an `APIPath`, with its query.
    /// - Returns: the answer, and the request as it went out.
    private func answer(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields, _ authorization: String?, body: HTTPBody,
        maximumBytes: Int
    ) async throws(RemoteFailure) -> (reply: RemoteReply, request: HTTPRequest) {
        var fields = fields
        fields[.authorization] = authorization
        fields[.userAgent] = "quire-hub"
        Forwarding.addVia(&fields, minor: 1, name: Upstream.viaName)
        let request = HTTPRequest(
            method: method, scheme: upstream.address.scheme, authority: upstream.address.authority,
            path: upstream.address.basePath + path, headerFields: fields)
        let requestTime = clock.now
        do {
            let answer = try await upstream.exchange(request, body) { _ in }
            let content = try await answer.body.collect(maximumBytes: maximumBytes)
            let reply = RemoteReply(
                status: answer.head.status.code, fields: answer.head.headerFields, body: content,
                requestTime: requestTime, responseTime: clock.now)
            return (reply, request)
        } catch let failure as RemoteFailure {
            throw failure
        } catch {
            throw RemoteFailure(.interrupted, "the connection to the upstream broke: \(error)")
        }
    }
}
