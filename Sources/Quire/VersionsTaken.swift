import Model
import OutboxStore
import Synchronization

/// The versions of questionnaires that the tests of an outbox were taken with.
final class VersionsTaken: Sendable {
    let outbox: Outbox
    /// Of tests that do not change any more: read once, however often it is asked for.
    private let known = Mutex<[TestID: QuestionnaireReference]>([:])

    init(outbox: Outbox) { self.outbox = outbox }

    /// Those of the tests in some states. A file that is not a test has none.
    func references(_ isWanted: (TestStatus) -> Bool) throws -> [QuestionnaireReference] {
        try outbox.scan().tests.filter { isWanted($0.status) }.compactMap(reference)
    }

    /// What they need to be shown: documents and media.
    func content(_ isWanted: (TestStatus) -> Bool) throws -> Set<Digest> {
        try references(isWanted).reduce(into: []) { $0.formUnion($1.content) }
    }

    private func reference(_ item: OutboxItem) -> QuestionnaireReference? {
        let isFrozen = item.status.isWaiting || item.status.isDelivered
        if isFrozen, let known = known.withLock({ $0[item.id] }) { return known }
        guard let reference = try? outbox.read(item).record.questionnaire else { return nil }
        known.withLock { $0[item.id] = isFrozen ? reference : nil }
        return reference
    }
}
