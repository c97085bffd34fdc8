import Disk
import HTTPTypes
import Model
import OutboxStore
import Quire
import Sync
import WireFormat

/// Reports the state of submissions to devices: the upstream's receipt, or that it is kept here.
struct ReceiptEndpoint: Sendable {
    let store: QuireStore
    let upstream: Upstream
    let submissions: SubmissionLog

    /// The hub's own information.
    private enum Own {
        case delivered(Receipt)
        case kept(KeptReceipt)
    }

    /// `nil` also for a submission that the upstream rejected: its device sends it again and gets the reason.
    private func own(_ id: TestID) throws -> Own? {
        guard let item = try store.outbox.find(id) else { return nil }
        return try store.outbox.whereItLies(item, own) ?? nil
    }

    private func own(_ item: OutboxItem) throws -> Own? {
        if item.status.isDelivered {
            return try store.outbox.receipt(readWith: item, store.outbox.receipt).map { .delivered($0) }
        }
        guard item.status.isWaiting else { return nil }
        let change = item.kind == .test ? nil : try store.outbox.readChange(item).change
        return .kept(
            KeptReceipt(
                test: item.id, action: change?.action,
                digest: try change?.contentDigest ?? store.outbox.read(item).digest,
                keptAt: submissions.origin(of: item.id)?.keptAt ?? store.clock.now))
    }

    /// `GET` of `APIPath.test`; `nil` where the hub has nothing to do with it.
    func receipt(_ id: TestID, _ request: HTTPRequest) async throws -> HTTPReply? {
        // The receipts of changes are asked for in the list alone.
        let known = try await offload { () throws -> Own? in
            try store.outbox.find(id)?.kind == .test ? try own(id) : nil
        }
        guard let known else { return nil }
        if await upstream.isWorthTrying(),
            let (reply, _) = await serversReply(to: request, maximumBytes: Receipt.maximumBytes)
        {
            if [200, 304, 401].contains(reply.head.status.code) { return reply }
            if case .delivered = known, reply.head.status.code == 404 { return reply }
        }
        switch known {
        case .delivered(let receipt): return try RelayReply.receipt(receipt, status: .ok)
        case .kept(let kept): return try RelayReply.kept(kept)
        }
    }

    /// The upstream's reply with its content; `nil` without one, or if another page answers in its place: then the
    /// hub's own information counts.
    private func serversReply(
        to request: HTTPRequest, maximumBytes: Int
    ) async -> (reply: HTTPReply, content: [UInt8])? {
        guard let reply = try? await upstream.exchange(request, .empty, { _ in }),
            let content = try? await reply.body.collect(maximumBytes: maximumBytes)
        else { return nil }
        let received = RemoteReply(
            status: reply.head.status.code, fields: reply.head.headerFields, body: content,
            requestTime: store.clock.now, responseTime: store.clock.now)
        if received.isFromStranger { return nil }
        return (HTTPReply(head: reply.head, body: HTTPBody(bytes: content)), content)
    }

    private struct ReceiptList: Codable {
        var receipts: [JSONValue]
        var kept: [KeptReceipt]?
        /// Whether the upstream has answered, and has none of the others.
        var complete: Bool?

        var isComplete: Bool { complete ?? (kept == nil) }
    }

    /// Whether the upstream says that it does not have a test which it acknowledged: it was set back to an older state.
    func isMissing(_ id: TestID, authorization: String?) async -> Bool {
        guard await upstream.isWorthTrying() else { return false }
        var fields: HTTPFields = [.userAgent: "quire-hub"]
        fields[.authorization] = authorization
        let address = upstream.address
        let request = HTTPRequest(
            method: .get, scheme: address.scheme, authority: address.authority,
            path: address.basePath + APIPath.receipts(of: [id]), headerFields: fields)
        guard let list = await upstreamList(request).list, list.isComplete else { return false }
        return list.receipts.isEmpty
    }

    /// The upstream's list; a rejected token is its device's concern.
    private func upstreamList(_ request: HTTPRequest) async -> (list: ReceiptList?, refusal: HTTPReply?) {
        guard let (reply, content) = await serversReply(to: request, maximumBytes: Receipt.maximumBytes * 4) else {
            return (nil, nil)
        }
        switch reply.head.status.code {
        case 200: return (try? DocumentCoding.decode(ReceiptList.self, from: content), nil)
        case 401: return (nil, reply)
        default: return (nil, nil)
        }
    }

    /// `GET` of `APIPath.receipts(of:)`; `nil` where the hub has nothing to do with any of them.
    func receipts(_ ids: [TestID], _ request: HTTPRequest) async throws -> HTTPReply? {
        let own = try await offload {
            try ids.reduce(into: [TestID: Own]()) { own, id in own[id] = try self.own(id) }
        }
        // Tests that the hub does not have are the upstream's concern alone.
        if own.isEmpty { return nil }
        var receipts: [TestID: JSONValue] = [:]
        var isComplete = false
        if await upstream.isWorthTrying() {
            var request = request
            for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .acceptEncoding] {
                request.headerFields[name] = nil
            }
            let (list, refusal) = await upstreamList(request)
            if let refusal { return refusal }
            isComplete = list?.isComplete ?? false
            for receipt in list?.receipts ?? [] {
                if case .object(let members) = receipt,
                    case .string(let text) = members["test"] ?? members["change"], let id = TestID(text)
                {
                    receipts[id] = receipt
                }
            }
        }
        var answer = ReceiptList(receipts: [], kept: [], complete: isComplete)
        for id in ids {
            if let receipt = receipts[id] {
                answer.receipts.append(receipt)
                continue
            }
            switch own[id] {
            // The upstream's word counts: it had it, and has it no more.
            case .delivered where isComplete: break
            case .delivered(let receipt):
                let bytes = try DocumentCoding.encode(receipt)
                answer.receipts.append(try DocumentCoding.decode(JSONValue.self, from: bytes))
            case .kept(let kept): answer.kept?.append(kept)
            case nil: break
            }
        }
        return try RelayReply.json(answer, status: .ok, cacheControl: "private, no-cache")
    }
}
