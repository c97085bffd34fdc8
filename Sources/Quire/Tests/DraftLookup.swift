import Model
import OutboxStore

/// Finds the drafts of the current person, by their tests or questionnaires.
package struct DraftLookup: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var people: People { store.people }
    private var localLibrary: LocalLibrary { store.localLibrary }

    /// See ``QuireStore/draft(ofQuestionnaire:)``.
    func draft(ofQuestionnaire id: String) throws -> StoredTest? {
        let drafts = try outbox.scan().items.filter(\.status.isDraft)
        // Most commands ask, and mostly there is none: the changes need not be read for that.
        if drafts.isEmpty { return nil }
        var latest: StoredTest?
        let shown = try people.shown()
        let local = try store.localQuestionnaires()
        let permanent = local.permanentID(id)
        for item in drafts {
            guard let stored = outbox.listed(item), stored.status.isDraft,
                local.permanentID(stored.record.questionnaire.id) == permanent, shown.includes(stored.record)
            else { continue }
            if latest.map({ $0.modified < stored.modified }) ?? true { latest = stored }
        }
        return latest
    }

    /// The shortest beginning of a test's id that ``testDraft(named:)`` takes for one.
    static let shortestPrefix = 4

    /// The draft with a test's id or id prefix. A questionnaire of that name takes precedence over a prefix.
    ///
    /// - Returns: `nil` where no test has such an id.
    /// - Throws: `OutboxError.frozen` for a test that is finished, `.ambiguous` for the beginning of several ids,
    ///   `OtherPersonsTest`.
    package func testDraft(named name: String) throws -> StoredTest? {
        if let id = TestID(name) { return try outbox.find(id).flatMap { $0.kind == .test ? try draft($0) : nil } }
        guard name.count >= Self.shortestPrefix else { return nil }
        let item: OutboxItem
        do {
            item = try outbox.find(prefix: name)
        } catch OutboxError.notFound {
            return nil
        } catch OutboxError.ambiguous where (try? localLibrary.has(name)) == true {
            return nil
        }
        guard item.kind == .test, try !localLibrary.has(name) else { return nil }
        return try draft(item)
    }

    /// See ``QuireStore/draft(named:)``.
    func draft(named name: String) throws -> StoredTest? {
        try testDraft(named: name) ?? draft(ofQuestionnaire: name)
    }

    private func draft(_ item: OutboxItem) throws -> StoredTest {
        let stored = try outbox.draft(item.id)
        try people.checkShown(stored.record)
        return stored
    }
}
