import Model
import WireFormat

/// What a remote heard last of the open tests here.
package struct HeardProgress: Hashable, Sendable, Codable {
    package var remote: String
    /// SHA-256 of the report that it answered; `nil` before the first one.
    package var digest: Digest?
    /// When it answered that it has no place for reports.
    package var refusedAt: Timestamp?

    package init(remote: String, digest: Digest? = nil, refusedAt: Timestamp? = nil) {
        self.remote = remote
        self.digest = digest
        self.refusedAt = refusedAt
    }
}

/// Decides whether a round says which tests are open here: only when that has changed, and never to a remote that has no place
/// for it.
package enum ProgressDecision: Hashable, Sendable {
    case report
    case nothing

    /// A host of an earlier version is asked again after so long: it may have been replaced.
    package static let refusalSeconds = 86_400.0

    /// - Parameter last: what any remote heard last.
    package static func decide(
        _ report: ProgressReport, digest: Digest, remote: String, last: HeardProgress?, now: Timestamp
    ) -> ProgressDecision {
        let last = last?.remote == remote ? last : nil
        if let refused = last?.refusedAt, (0..<refusalSeconds).contains(now.seconds(since: refused)) { return .nothing }
        guard let known = last?.digest else { return report.tests.isEmpty ? .nothing : .report }
        return known == digest ? .nothing : .report
    }

    /// What is noted after a reply; `nil` where nothing is: the next round that changes something, or finds it still unsaid,
    /// says it.
    package static func heard(
        _ reply: RemoteReply, digest: Digest, remote: String, now: Timestamp
    ) -> HeardProgress? {
        switch reply.status {
        case 200 where (try? DocumentCoding.decode(ProgressReport.Reply.self, from: reply.body)) != nil:
            HeardProgress(remote: remote, digest: digest)
        // A host, or a hub, of an earlier version.
        case 404, 405, 501: HeardProgress(remote: remote, refusedAt: now)
        // It was read and refused: the same would be once more.
        case 400..<500 where reply.status != 401 && reply.status != 429 && reply.hasProtocolMarks:
            HeardProgress(remote: remote, digest: digest)
        default: nil
        }
    }
}
