import Disk
import HTTPTypes
import Model
import OutboxStore
import Quire
import Sync

/// Tells devices what became of what they handed over: the upstream's receipt, or that it is kept here.
struct ReceiptDesk: Sendable {
    let store: QuireStore
    let upstream: Upstream
    let arrivals: Arrivals

    /// What the hub itself knows.
    private enum Own {
        case delivered(Receipt)
        case kept(KeptReceipt)
    }

    /// `nil` also for what the upstream refused: its device sends it once more and hears why.
    private func own(_ id: TestID) throws -> Own? {
        guard let item = try store.outbox.find(id) else { return nil }
        if item.status.isDelivered { return try store.outbox.receipt(item).map { .delivered($0) } }
        guard item.status.isWaiting else { return nil }
        do {
            let change = item.kind == .test ? nil : try store.outbox.readChange(item).change
            return .kept(
                KeptReceipt(
                    test: id, action: change?.action,
                    digest: try change?.contentDigest ?? store.outbox.read(item).digest,
                    keptAt: arrivals.arrival(of: id)?.keptAt ?? store.clock.now))
        } catch OutboxError.notFound {
            // It moved on in this moment.
            return try own(id)
        }
    }

    /// `GET /v1/tests/{uuid}`; `nil` where the hub has nothing to do with it.
    func receipt(_ id: TestID, _ request: HTTPRequest) async throws -> HTTPReply? {
        // The receipts of changes are asked for in the list alone.
        let known = try await offload { () throws -> Own? in
            try store.outbox.find(id)?.kind == .test ? try own(id) : nil
        }
        guard let known else { return nil }
        if await upstream.isWorthTrying(), let reply = try? await upstream.exchange(request, .empty, { _ in }),
            reply.head.status.code == 200 || reply.head.status.code == 304 || reply.head.status.code == 401
        {
            return reply
        }
        switch known {
        case .delivered(let receipt): return try RelayReply.receipt(receipt, status: .ok)
        case .kept(let kept): return try RelayReply.kept(kept)
        }
    }

    private struct ReceiptList: Codable {
        var receipts: [JSONValue]
        var kept: [KeptReceipt]?
    }

    /// `GET /v1/tests?ids=…` and `/v1/receipts?ids=…`; `nil` where the hub has nothing to do with any of them.
    func receipts(_ ids: [TestID], _ request: HTTPRequest) async throws -> HTTPReply? {
        let own = try await offload {
            try ids.reduce(into: [TestID: Own]()) { own, id in own[id] = try self.own(id) }
        }
        // What the hub has nothing to do with is the upstream's matter alone.
        if own.isEmpty { return nil }
        var receipts: [TestID: JSONValue] = [:]
        if await upstream.isWorthTrying() {
            var request = request
            for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .acceptEncoding] {
                request.headerFields[name] = nil
            }
            if let reply = try? await upstream.exchange(request, .empty, { _ in }) {
                if reply.head.status.code == 401 { return reply }
                let bytes = try? await reply.body.collect(maximumBytes: Receipt.maximumBytes * 4)
                if reply.head.status.code == 200, let bytes,
                    let list = try? DocumentCoding.decode(ReceiptList.self, from: bytes)
                {
                    for receipt in list.receipts {
                        if case .object(let members) = receipt,
                            case .string(let text) = members["test"] ?? members["change"], let id = TestID(text)
                        {
                            receipts[id] = receipt
                        }
                    }
                }
            }
        }
        var answer = ReceiptList(receipts: [], kept: [])
        for id in ids {
            if let receipt = receipts[id] {
                answer.receipts.append(receipt)
                continue
            }
            switch own[id] {
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
