import Model
import Sync

/// What a reply says of the key that a submission was sent with.
enum KeyVerdict: Hashable, Sendable {
    /// No other key would be answered better now.
    case final
    /// The upstream knows no such key.
    case notAccepted
    /// It is taken without a proof, or refused for whose the key is: another key may prove it.
    case perhapsAnother

    init(_ reply: RemoteReply) {
        switch reply.status {
        case _ where reply.isFromStranger: self = .final
        case 401: self = .notAccepted
        case 200, 201:
            let receipt = try? DocumentCoding.decode(Receipt.self, from: reply.body)
            self = receipt?.person?.verified == false ? .perhapsAnother : .final
        // A role that does not suffice, another person's test, and attempts that only the person's own key does not use up.
        case 403, 404, 409, 422: self = .perhapsAnother
        default: self = .final
        }
    }
}

extension RemoteReply {
    /// Whether the upstream has what was sent.
    var isTaken: Bool { status == 200 || status == 201 }
}
