import AuthorDrafts
import CacheStore
import Model
import OutboxStore

/// Finds what the cache must keep: pins, favourites, what an author is changing, and the versions of drafts and of other
/// undelivered tests.
struct ProtectedContent: Sendable {
    let versionsTaken: VersionsTaken
    let marks: Marks
    let authorDrafts: DraftStore

    func protection() throws -> Protection {
        var protection = Protection()
        // A version that an author is changing is protected, too.
        let written = try authorDrafts.readable().drafts.compactMap(\.questionnaire)
        protection.documentIDs = try marks.ids(.pin).union(marks.ids(.favorite)).union(written)
        if !protection.documentIDs.isEmpty {
            let local = try LocalQuestionnaires(outbox: versionsTaken.outbox) { nil }
            protection.documentIDs.formUnion(protection.documentIDs.map(local.serverID))
        }
        for reference in try versionsTaken.references({ $0.isDraft || $0 == .rejected || $0 == .conflict }) {
            protection.digests.insert(reference.digest)
            protection.content.formUnion(reference.content)
        }
        protection.content.formUnion(try versionsTaken.content { $0.isWaiting })
        return protection
    }
}
