import CacheStore
import Disk
import Model
import OutboxStore
import Sync

/// Finds the pictures, sounds and films of questionnaires on this device.
package struct ShownMedia: Sendable {
    let store: QuireStore

    var outbox: Outbox { store.outbox }
    var cache: Cache { store.cache }
    var documents: QuestionnaireDocuments { store.documents }

    /// - Parameter id: the questionnaire that shows it.
    /// - Returns: `nil` where it is not on this device.
    package func place(of medium: Media, questionnaire id: String, remote: (any Remote)?) throws -> MediumPlace? {
        if let path = ContentPath(medium.path), let sizeBytes = try outbox.media.sizeOfBytes(path.digest) {
            return .outbox(path.digest, sizeBytes: sizeBytes)
        }
        guard let url = try mediaURL(medium, questionnaire: id, remote: remote),
            // A page that says it is not there, kept by an HTTP cache, is no picture.
            let found = try cache.entry(url: url).value, found.isPlainContent, try cache.isPresent(found)
        else { return nil }
        return .cache(found)
    }

    /// The same as the version of a test shows it, and never as another version does.
    ///
    /// - Returns: `nil` where it is not on this device, or cannot be known to be of that version.
    package func place(of medium: Media, in record: TestRecord, remote: (any Remote)?) throws -> MediumPlace? {
        let reference = record.questionnaire
        if let known = reference.media?.first(where: { $0.path == medium.path }) {
            let blob = try cache.storedContent(known.digest, mediaType: known.mediaType)
            return blob.map { .version($0, mediaType: known.mediaType, sizeBytes: Int64(known.sizeBytes)) }
        }
        // A name that is made of the content means the same everywhere.
        guard try ContentPath(medium.path) != nil || !documents.hasNewerVersion(record) else { return nil }
        return try place(of: medium, questionnaire: reference.id, remote: remote)
    }

    /// A reference to a version with the media that are here: from now on a newer version's do not take their place.
    func reference(of document: OpenedDocument) -> QuestionnaireReference {
        var reference = document.reference
        reference.media = media(of: document.questionnaire, documentURL: document.entry?.url)
        return reference
    }

    /// Media that a version names by a path and that are here.
    private func media(of questionnaire: Questionnaire, documentURL: String?) -> [QuestionnaireReference.Medium]? {
        guard let documentURL else { return nil }
        var media: [QuestionnaireReference.Medium] = []
        for medium in questionnaire.media where ContentPath(medium.path) == nil {
            guard !media.contains(where: { $0.path == medium.path }),
                let url = Fetcher.mediaURL(medium, documentURL: documentURL),
                // An unreadable one is noted when the draft is opened the next time.
                let found = try? cache.entry(url: url).value, found.isPlainContent, !found.primary.isPartial,
                (try? cache.isPresent(found)) == true
            else { continue }
            media.append(
                .init(path: medium.path, digest: found.digest, mediaType: found.mediaType, sizeBytes: found.sizeBytes))
        }
        return media.isEmpty ? nil : media
    }

    /// Notes media that arrived after a draft was started, while its version is still the newest.
    ///
    /// - Returns: the current draft.
    package func notingMedia(of draft: StoredTest, _ questionnaire: Questionnaire) throws -> StoredTest {
        let record = draft.record
        let known = record.questionnaire.media ?? []
        let isLacking = questionnaire.media.contains { medium in
            ContentPath(medium.path) == nil && !known.contains { $0.path == medium.path }
        }
        guard isLacking, draft.status.isDraft, try !documents.hasNewerVersion(record) else { return draft }
        let url = try documents.entry(id: record.questionnaire.id, remote: nil)?.url
        let new = (media(of: questionnaire, documentURL: url) ?? []).filter { medium in
            !known.contains { $0.path == medium.path }
        }
        if new.isEmpty { return draft }
        return try outbox.edits.update(record.id) { $0.questionnaire.media = ($0.questionnaire.media ?? []) + new }
    }

    private func mediaURL(_ medium: Media, questionnaire id: String, remote: (any Remote)?) throws -> String? {
        let entry = try documents.entry(id: id, remote: remote)
        // A questionnaire that was made here and never came from a server has a URL beside all others there.
        guard let documentURL = entry?.url ?? remote?.documentURL(id: id) else { return nil }
        let url = Fetcher.mediaURL(medium, documentURL: documentURL)
        // As an earlier program wrote it; the next pull renames it.
        let former = entry?.document?.media.first { $0 != url && NormalURL.normalised($0) == url }
        if let former, let url, try cache.entry(url: url).value == nil { return former }
        return url
    }

    /// The received and the complete length of a picture, sound or video that is not complete on this device, in bytes:
    /// the next pull resumes there.
    ///
    /// - Returns: `nil` where it is here, and where nothing of it is.
    package func arrivedBytes(
        of medium: Media, questionnaire id: String, remote: (any Remote)?
    ) throws -> (held: Int64, complete: Int64)? {
        guard try place(of: medium, questionnaire: id, remote: remote) == nil,
            let url = try mediaURL(medium, questionnaire: id, remote: remote)
        else { return nil }
        return try cache.parts.arrivedBytes(url: url)
    }
}
