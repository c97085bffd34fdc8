import HTTPCaching
import HTTPTypes
import Model
import WireFormat

extension Contact {
    /// The state of the remote and its clock according to a request; `nil` if this side gave it up.
    init?(after outcome: Result<RemoteReply, RemoteFailure>, now: Timestamp) {
        switch outcome {
        case .success(let reply) where reply.isFromStranger:
            self.init(at: now, isReachable: false, reason: reply.strangerReason, trouble: .notTheServer)
        case .success(let reply):
            self.init(at: now, isReachable: true, trouble: reply.status == 401 ? .tokenRefused : nil)
            noteClock(of: reply.fields, receivedAt: reply.responseTime)
        case .failure(let failure):
            switch failure.kind {
            case .cancelled: return nil
            case .unreachable, .interrupted: self.init(at: now, isReachable: false, reason: failure.reason)
            case .notTheServer:
                self.init(at: now, isReachable: false, reason: failure.reason, trouble: .notTheServer)
            case .tokenRefused: self.init(at: now, isReachable: true, reason: failure.reason, trouble: .tokenRefused)
            case .invalidReply, .unavailable: self.init(at: now, isReachable: true, reason: failure.reason)
            }
        }
    }

    /// Compares the clocks by a response's Date, and its Age where a cache had it (RFC 9110 section 6.6.1, RFC 9111 section
    /// 5.1). A hub's own replies have the hub's Date, not the server's.
    mutating func noteClock(of fields: HTTPFields, receivedAt moment: Timestamp) {
        if ProtocolMarks.isHubsOwn(cacheStatus: fields[.cacheStatus]) { return }
        guard let date = fields[.date].flatMap({ HTTPDate.parse($0, now: moment) }) else { return }
        let age = fields[.age].flatMap { Double($0) } ?? 0
        skewSeconds = date.seconds(since: moment) + min(max(age, 0), 1e9)
        skewAt = moment
    }
}
