import HTTPTypes
import Model
import Quire
import Sync

/// `/_hub/status` and `/_hub/metrics`.
final class StatusPage: Sendable {
    private let store: QuireStore
    private let upstream: Upstream
    private let relay: TestRelay

    init(store: QuireStore, upstream: Upstream, relay: TestRelay) {
        self.store = store
        self.upstream = upstream
        self.relay = relay
    }

    func reply(to head: RequestHead, path: String) throws -> HTTPReply {
        throw HubProblem(404, "There is nothing at this address.")
    }
}
