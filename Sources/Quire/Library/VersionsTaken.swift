import Disk
import Model
import OutboxStore
import Synchronization

/// The versions of questionnaires that the tests of an outbox were taken with.
final class VersionsTaken: Sendable {
    let outbox: Outbox
    /// Of tests that do not change any more: read once, however often it is asked for.
    private let known = Mutex<[TestID: Version]>([:])

    private struct Version: Sendable {
        var reference: QuestionnaireReference
        var taken: Timestamp
    }

    init(outbox: Outbox) { self.outbox = outbox }

    /// Those of the tests in some states. A file that is not a test has none.
    func references(_ isWanted: (TestStatus) -> Bool) throws -> [QuestionnaireReference] {
        try versions(isWanted).map(\.reference)
    }

    /// The content needed to show them: documents and media.
    func content(_ isWanted: (TestStatus) -> Bool) throws -> Set<Digest> {
        try references(isWanted).reduce(into: []) { $0.formUnion($1.content) }
    }

    /// The same by the age of the tests, the oldest first; shared content is listed for each test.
    func contentByAge(_ isWanted: (TestStatus) -> Bool) throws -> [Digest] {
        try versions(isWanted).sorted { $0.taken < $1.taken }.flatMap(\.reference.content)
    }

    private func versions(_ isWanted: (TestStatus) -> Bool) throws -> [Version] {
        try outbox.scan().tests.filter { isWanted($0.status) }.concurrentMap(version).compactMap(\.self)
    }

    @Sendable
    private func version(_ item: OutboxItem) -> Version? {
        let isFrozen = item.status.isWaiting || item.status.isDelivered
        if isFrozen, let known = known.withLock({ $0[item.id] }) { return known }
        guard let record = outbox.listed(item)?.record else { return nil }
        let version = Version(reference: record.questionnaire, taken: record.dateFinished ?? record.dateStarted)
        known.withLock { $0[item.id] = isFrozen ? version : nil }
        return version
    }
}
