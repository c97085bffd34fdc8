import Model
import OutboxStore

/// The order in which an outbox is sent.
///
/// A pure value: a sweep, its preview and its explanations compute it from the same contents, so they agree.
package struct SendingOrder: Sendable {
    package typealias Standing = NamingChanges.Standing

    /// The version that a change of a questionnaire is based on.
    package struct Base: Hashable, Sendable {
        /// The server's current entity tag of it; `nil` where the server has no version yet.
        package var etag: String?
        /// A change that the remote keeps: its receipt will name the version.
        package var after: TestID?
    }

    /// The contents of an outbox, as far as the order depends on them.
    package struct Contents: Sendable {
        /// A waiting change of a questionnaire or a favourite.
        package struct Change: Hashable, Sendable {
            package var item: OutboxItem
            package var questionnaire: String
            package var action: ChangeAction
            package var sequence: Int
            /// The change that has to be delivered before.
            package var after: TestID?

            package init(
                item: OutboxItem, questionnaire: String, action: ChangeAction, sequence: Int, after: TestID? = nil
            ) {
                self.item = item
                self.questionnaire = questionnaire
                self.action = action
                self.sequence = sequence
                self.after = after
            }

            fileprivate func precedes(_ sequence: Int, _ id: TestID) -> Bool {
                (self.sequence, item.id) < (sequence, id)
            }
        }

        package var changes: [Change]
        /// The items that changes and attachments refer to, by id, in their most advanced status.
        package var items: [TestID: OutboxItem]
        /// The waiting items that a hub or a folder keeps.
        package var kept: Set<TestID>
        /// The versions that delivered changes made, by the ids of the changes.
        package var published: [TestID: Publication]
        /// The files that questionnaires name.
        package var naming: NamingChanges

        package init(
            changes: [Change], items: [TestID: OutboxItem] = [:], kept: Set<TestID> = [],
            published: [TestID: Publication] = [:], naming: NamingChanges = NamingChanges()
        ) {
            self.changes = changes
            self.items = items
            self.kept = kept
            self.published = published
            self.naming = naming
        }
    }

    /// Changes of one thing, which go one after the other.
    private struct Row: Hashable {
        var kind: OutboxKind
        var questionnaire: String
    }

    private let contents: Contents
    /// The kept changes that the remote accepts successors of.
    private let acceptingSuccessors: Set<TestID>
    /// The items that count as delivered for the attachments that belong to them.
    private let there: Set<TestID>
    private let changes: [TestID: Contents.Change]
    private let first: [Row: Contents.Change]
    /// The changes that create questionnaires which neither the server nor a hub has.
    private let creations: [String: OutboxItem]

    /// - Parameters:
    ///   - keepsSuccessors: whether the remote keeps a change together with the one that it follows.
    ///   - forgotten: kept items that the remote no longer has. They go first, then their successors.
    ///   - delivered: items that are assumed to be delivered by the time that attachments are sent.
    package init(
        _ contents: Contents, keepsSuccessors: Bool, forgotten: Set<TestID> = [], assuming delivered: Set<TestID> = []
    ) {
        self.contents = contents
        acceptingSuccessors = keepsSuccessors ? contents.kept.subtracting(forgotten) : []
        there = contents.kept.union(delivered)
        let inOrder = contents.changes.sorted { $0.precedes($1.sequence, $1.item.id) }
        changes = Dictionary(inOrder.map { ($0.item.id, $0) }, uniquingKeysWith: { first, _ in first })
        first = Dictionary(
            inOrder.map { (Row(kind: $0.item.kind, questionnaire: $0.questionnaire), $0) },
            uniquingKeysWith: { first, _ in first })
        creations = Dictionary(
            inOrder.filter { $0.action == .create && !contents.kept.contains($0.item.id) }
                .map { ($0.questionnaire, $0.item) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether a test may be sent: the server has to know its questionnaire.
    package func standing(ofTestOf questionnaire: String) -> Standing {
        creations[questionnaire].map { .waiting($0) } ?? .ready
    }

    /// Returns whether a change may be sent, whatever its time.
    package func standing(of change: OutgoingChange) -> Standing {
        switch change {
        case .media(let media): return standing(of: media)
        case .favorite(let favorite):
            let row = Row(kind: .favorite, questionnaire: favorite.questionnaire)
            if let former = former(in: row, favorite.sequence, favorite.id) { return .waiting(former) }
            return creations[favorite.questionnaire].map { .waiting($0) } ?? .ready
        case .questionnaire(let questionnaire):
            switch predecessor(of: questionnaire) {
            case .unsettled(let after): return after.status.isDelivered ? .waiting(after) : behind(after)
            case .settled(let base) where base.after != nil: return .ready
            case .settled:
                let row = Row(kind: .questionnaire, questionnaire: questionnaire.questionnaire)
                return former(in: row, questionnaire.sequence, questionnaire.id).map(behind) ?? .ready
            }
        }
    }

    /// Returns the version that a change is based on; `nil` while that is not settled.
    package func base(of change: QuestionnaireChange) -> Base? {
        if case .settled(let base) = predecessor(of: change) { base } else { nil }
    }

    private func standing(of media: MediaChange) -> Standing {
        switch media.owner {
        case .test(let test):
            // Where the test is not here, another machine delivers it: the server knows.
            guard let owner = contents.items[test], !there.contains(test) else { return .ready }
            return behind(owner)
        case .questionnaire(let path):
            let standing = contents.naming.standing(of: path, in: media.questionnaire, there: there)
            guard case .waiting(let owner) = standing else { return standing }
            return behind(owner)
        }
    }

    private enum Predecessor {
        case settled(Base)
        /// The change before is not delivered, or its receipt is missing.
        case unsettled(OutboxItem)
    }

    private func predecessor(of change: QuestionnaireChange) -> Predecessor {
        guard let after = change.after, let item = contents.items[after] else {
            return .settled(Base(etag: change.base?.etag))
        }
        if item.status.isDelivered, let published = contents.published[after] {
            return .settled(Base(etag: published.etag))
        }
        return acceptingSuccessors.contains(after) ? .settled(Base(after: after)) : .unsettled(item)
    }

    /// The first waiting change of the same thing, if it was made earlier.
    private func former(in row: Row, _ sequence: Int, _ id: TestID) -> OutboxItem? {
        first[row].flatMap { $0.precedes(sequence, id) ? $0.item : nil }
    }

    /// The standing of what follows an item. Along a chain, a refused change is reported that the person decides about.
    private func behind(_ item: OutboxItem) -> Standing {
        switch item.status {
        case .sent, .checking, .rated: return .ready
        case .conflict, .rejected: return .refused(item)
        case .empty, .inProgress, .done, .sending: break
        }
        guard let change = changes[item.id], let after = change.after, let former = contents.items[after],
            // A cycle that was made by hand ends here.
            changes[after].map({ $0.precedes(change.sequence, change.item.id) }) ?? true,
            case .refused(let refused) = behind(former)
        else { return .waiting(item) }
        return .refused(refused)
    }
}
