import Disk
import Model
import SystemPackage

/// The version to keep of a questionnaire that was changed on both sides.
public enum ConflictChoice: String, Hashable, Sendable, CaseIterable, Encodable {
    /// The local change replaces the server's version.
    case mine
    /// The server's version stays.
    case theirs
    /// The server's version stays, and the local change becomes a new questionnaire.
    case both

    /// `nil` if the person is asked.
    package init?(_ policy: ConflictPolicy) {
        switch policy {
        case .ask: return nil
        case .client: self = .mine
        case .server: self = .theirs
        case .duplicate: self = .both
        }
    }
}

/// A change in conflict with the server's version, with both of them.
package struct OutboxConflict: Sendable {
    package var stored: StoredChange
    /// The person's latest change: this one, or one that builds on it.
    package var mine: QuestionnaireChange
    /// The server's document; `nil` where the server has deleted it.
    package var theirs: [UInt8]?
    /// The known metadata of the server's version.
    package var published: Publication?
    package var receipt: Receipt?

    /// The available choices: a deletion has no content for a new questionnaire.
    package var choices: [ConflictChoice] { mine.document == nil ? [.mine, .theirs] : ConflictChoice.allCases }
}

/// The changes of questionnaires that the server refused for another version, until the person has decided.
package struct OutboxConflicts: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }
    var quarantine: Quarantine { outbox.quarantine }

    /// The changes of questionnaires that wait for the person's decision.
    package func all() throws -> [OutboxConflict] {
        try outbox.scan().items(.conflict).filter { $0.kind == .questionnaire }.compactMap { item in
            // Doctor reports an unreadable one.
            guard let stored = try? outbox.readChange(item) else { return nil }
            return try conflict(stored)
        }
    }

    private func conflict(_ stored: StoredChange) throws -> OutboxConflict? {
        guard case .questionnaire(let change) = stored.change else { return nil }
        let receipt = try outbox.receipt(stored.item)
        return OutboxConflict(
            stored: stored, mine: try followers(of: change).last?.change ?? change,
            theirs: try outbox.theirs(stored.item.id), published: receipt?.published, receipt: receipt)
    }

    /// The waiting changes that build on this one, in their order.
    private func followers(of change: QuestionnaireChange) throws -> [(item: OutboxItem, change: QuestionnaireChange)] {
        var known: Set<TestID> = [change.id]
        var found: [(OutboxItem, QuestionnaireChange)] = []
        for stored in try outbox.changes(.questionnaire) where stored.item.status == .done {
            guard case .questionnaire(let next) = stored.change, let after = next.after, known.contains(after) else {
                continue
            }
            known.insert(next.id)
            found.append((stored.item, next))
        }
        return found
    }

    /// Settles a conflict as the person decided. The other version moves to quarantine.
    ///
    /// - Returns: the change that is sent now; `nil` for `theirs`.
    @discardableResult
    package func resolve(_ id: TestID, _ choice: ConflictChoice, deviceID: String) throws -> StoredChange? {
        try outbox.editing {
            let item = OutboxItem(id: id, kind: .questionnaire, status: .conflict)
            guard try fileSystem.status(at: item.path)?.kind == .regular else {
                throw OutboxError.noConflict(id.description)
            }
            guard let conflict = try conflict(try outbox.readChange(item)),
                case .questionnaire(let change) = conflict.stored.change
            else { throw OutboxError.noConflict(id.description) }
            let followers = try followers(of: change)
            // After a crash between the new change and the end of the old one, the new one already exists.
            var made = try outbox.changes(.questionnaire).first {
                if case .questionnaire(let known) = $0.change { known.resolves == id } else { false }
            }
            if made == nil, choice != .theirs { made = try settled(conflict, choice, deviceID: deviceID) }
            let reason = "the conflict was settled: \(choice.rawValue)"
            var named = try outbox.attachments.contentPaths(item)
            for follower in followers { named.formUnion(try outbox.attachments.contentPaths(follower.item)) }
            for follower in followers.reversed() where follower.item.id != made?.item.id {
                try quarantine.take(follower.item.path, reason: reason)
                try quarantine.take(OutboxLayout.receiptPath(follower.item.id, .done), reason: reason)
            }
            // The server's version, if mine replaces it; otherwise the server still has it.
            if choice == .mine { try quarantine.take(OutboxLayout.theirsPath(id), reason: reason) }
            // While the change exists, the conflict is not settled, and its receipt has the server's version.
            try quarantine.take(item.path, reason: reason)
            try quarantine.take(OutboxLayout.receiptPath(id, .conflict), reason: reason)
            try fileSystem.removeIfPresent(OutboxLayout.theirsPath(id))
            try outbox.attachments.withdraw(named: named, reason: reason)
            return made
        }
    }

    private func settled(
        _ conflict: OutboxConflict, _ choice: ConflictChoice, deviceID: String
    ) throws -> StoredChange? {
        let mine = conflict.mine
        // Under an automatic rule, a deletion yields.
        if !conflict.choices.contains(choice) { return nil }
        return try outbox.addNow(deviceID: deviceID) { id, now, sequence in
            var change = mine
            change.id = id
            change.after = nil
            change.resolves = conflict.stored.item.id
            change.dateChanged = now
            change.deviceId = deviceID
            change.sequence = sequence
            switch choice {
            case .both:
                change.action = .create
                change.base = nil
                change.questionnaire = outbox.makeID().description
                change.document = try change.document.map {
                    try QuestionnaireChange.document($0, named: change.questionnaire)
                }
            case .mine, .theirs:
                if let etag = conflict.published?.etag {
                    if change.action == .create { change.action = .edit }
                    let former = mine.base?.digests ?? []
                    change.base = .init(
                        etag: etag, digest: conflict.published?.digest, updatedAt: conflict.published?.updatedAt,
                        former: former.isEmpty ? nil : former)
                } else {
                    // The server has deleted it: the local change restores it, under its id.
                    change.policy = .client
                }
            }
            return .questionnaire(change)
        }
    }
}

extension Outbox {
    /// The changes that wait for the person's decision.
    package var conflicts: OutboxConflicts { OutboxConflicts(outbox: self) }
}
