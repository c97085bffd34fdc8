import Model
import OutboxStore

/// Finds and starts the tests that revise others.
package struct Revisions: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var clock: any StoreClock { store.clock }
    private var settings: StoreSettings { store.settings }
    private var attempts: Attempts { store.attempts }
    private var documents: QuestionnaireDocuments { store.documents }
    private var outboxListing: OutboxListing { store.outboxListing }

    /// The tests that a test revises, as far as they are on this device.
    package func chain(of record: TestRecord) throws -> RevisionChain {
        try RevisionChain(of: record.id, parent: record.parent) { id in
            guard let item = try outbox.find(id), item.kind == .test, let known = outbox.listed(item)
            else { return nil }
            return RevisionChain.Link(parent: known.record.parent, isDraft: known.status.isDraft)
        }
    }

    /// The finished test that a draft revises: no server sees the draft that it goes on from in a newer version.
    func finishedParent(of record: TestRecord) throws -> TestID? {
        let chain = try chain(of: record)
        return chain.earlier.last ?? chain.missing
    }

    /// The revisions of a test that are on this device.
    package func all(of id: TestID) throws -> [QuireStore.TestLine] {
        try outboxListing.tests().filter { $0.record?.parent == id }
    }

    /// The revisions of a test, and those that revise them.
    ///
    /// - Parameter tests: those of this device.
    package static func laterVersions(of id: TestID, among tests: [QuireStore.TestLine]) -> [QuireStore.TestLine] {
        let children = Dictionary(grouping: tests) { $0.record?.parent }
        var found: [QuireStore.TestLine] = []
        // Hostile tests may name each other.
        var seen: Set<TestID> = [id]
        var open = [id]
        while let parent = open.popLast() {
            for line in children[parent] ?? [] where seen.insert(line.item.id).inserted {
                found.append(line)
                open.append(line.item.id)
            }
        }
        return found
    }

    /// Makes a finished test a draft again or, once the server may have it, starts a revision of it.
    ///
    /// - Throws: `BeginRefusal` where a revision would be an attempt too many, or too late.
    package func reopen(_ id: TestID) throws -> StoredTest {
        let item = try outbox.undecided(id)
        if item.kind == .test, !item.status.isDraft,
            let stored = try outbox.whereItLies(item, again: outbox.undecided, outbox.read)
        {
            let now = OutboxItem(id: id, status: stored.status)
            let access = try accessToRevision(of: now, stored.record, try? outbox.receipt(now))
            if !access.mayBegin {
                throw BeginRefusal(questionnaire: stored.record.questionnaire.title, access: access)
            }
        }
        return try outbox.edits.reopen(id, deviceID: settings.deviceId)
    }

    /// Where a page goes on to change a finished test: its open revision, or what `reopen` makes; the test itself where it may
    /// not be changed now.
    package func draft(changing id: TestID) throws -> TestID {
        if let open = try all(of: id).first(where: { $0.item.status == .inProgress }) { return open.item.id }
        do {
            return try reopen(id).record.id
        } catch is BeginRefusal {
            return id
        }
    }

    /// Whether the answers of a finished test may be changed now, by what the device knows: once the server may have it, that is
    /// a further attempt of its person. What a teacher sent back is taken once, whatever the attempts and the time.
    package func accessToRevision(
        of item: OutboxItem, _ record: TestRecord, _ receipt: Receipt?
    ) throws -> Availability.Access {
        if item.status == .done, receipt?.delivery?.mayHaveArrived != true { return .open }
        if receipt?.returned != nil,
            try !all(of: record.id).contains(where: { Attempts.isCounted($0.item.status) })
        {
            return .open
        }
        let newest =
            try documents.currentDigest(ofQuestionnaire: record.questionnaire.id) ?? record.questionnaire.digest
        guard let bytes = try documents.document(digest: newest),
            let availability = try? Questionnaire(json: bytes).availability
        else { return .open }
        let attempt =
            availability.attempts == nil
            ? 1 : try attempts.next(ofQuestionnaire: record.questionnaire.id, by: record.person)
        return availability.access(now: clock.now, attempt: attempt)
    }
}
