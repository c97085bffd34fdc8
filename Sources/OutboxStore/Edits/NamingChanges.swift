import Model

/// The files that the questionnaire changes in an outbox name by their content.
package struct NamingChanges: Sendable {
    /// The state of a file that belongs to a questionnaire.
    package enum Standing: Hashable, Sendable {
        /// The server knows a version that names it: one was delivered, a hub has one, or no change here names it.
        case ready
        /// The change that names it is not delivered yet.
        case waiting(OutboxItem)
        /// The server rejected the change that names it, or has another version: the person decides about that first.
        case refused(OutboxItem)
        /// The questionnaire no longer names it.
        case unwanted
    }

    private struct Naming {
        var item: OutboxItem
        var change: QuestionnaireChange
        var paths: Set<ContentPath>
        /// Whether a later change builds on it, or replaced it on the server.
        var isSuperseded = false
    }

    private var changes: [Naming] = []

    /// - Parameter changes: of questionnaires, in the order in which they were made.
    package init(_ changes: [StoredChange] = []) {
        var followed: Set<TestID> = []
        var lastDelivered: [String: TestID] = [:]
        for stored in changes {
            guard case .questionnaire(let change) = stored.change else { continue }
            // It was checked when it was read.
            let paths = change.document.flatMap { try? Questionnaire(json: $0) }?.contentPaths ?? []
            self.changes.append(Naming(item: stored.item, change: change, paths: paths))
            if let after = change.after { followed.insert(after) }
            if stored.item.status.isDelivered { lastDelivered[change.questionnaire] = change.id }
        }
        for index in self.changes.indices {
            let (item, change) = (self.changes[index].item, self.changes[index].change)
            let isReplaced = item.status.isDelivered && lastDelivered[change.questionnaire] != change.id
            self.changes[index].isSuperseded = followed.contains(change.id) || isReplaced
        }
    }

    /// - Parameters:
    ///   - path: as the questionnaire names it.
    ///   - questionnaire: the permanent id of the one that it was attached to.
    ///   - there: changes that a hub has, or that count as delivered.
    package func standing(
        of path: ContentPath, in questionnaire: String, there: Set<TestID> = []
    ) -> Standing {
        let naming = changes.filter { $0.paths.contains(path) }
        guard !naming.isEmpty || changes.contains(where: { $0.change.questionnaire == questionnaire }) else {
            return .ready
        }
        let wanted = naming.filter { !$0.isSuperseded }
        guard !wanted.isEmpty else { return .unwanted }
        if naming.contains(where: { $0.item.status.isDelivered || there.contains($0.item.id) }) { return .ready }
        if let waiting = wanted.first(where: { $0.item.status.isWaiting }) { return .waiting(waiting.item) }
        return .refused(wanted[0].item)
    }

    /// Whether a change that is not superseded names it.
    package func isWanted(_ path: ContentPath) -> Bool {
        changes.contains { !$0.isSuperseded && $0.paths.contains(path) }
    }

    /// The files named by changes that wait to be sent, each with one of the changes.
    func waiting() -> [ContentPath: QuestionnaireChange] {
        var named: [ContentPath: QuestionnaireChange] = [:]
        for naming in changes where naming.item.status.isWaiting && !naming.isSuperseded {
            for path in naming.paths { named[path] = naming.change }
        }
        return named
    }

    /// The latest change that names this and may be forwarded or was.
    package func change(naming path: ContentPath) -> QuestionnaireChange? {
        changes.last { naming in
            naming.paths.contains(path) && (naming.item.status.isWaiting || naming.item.status.isDelivered)
        }?.change
    }
}

extension Outbox {
    /// Reads all questionnaire changes here, and collects the files that they name.
    package func namingChanges() throws -> NamingChanges { NamingChanges(try changes(.questionnaire)) }
}
