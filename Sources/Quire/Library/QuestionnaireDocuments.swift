import CacheStore
import HTTPCaching
import Model
import OutboxStore
import Sync

/// Opens the documents of questionnaires: from this device, from the remote, and in the versions that tests were taken with.
package struct QuestionnaireDocuments: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var cache: Cache { store.cache }
    private var clock: any StoreClock { store.clock }

    /// The entry of a questionnaire, by its URL where the remote is known, else by a look through the list.
    package func entry(id: String, remote: (any Remote)?) throws -> CacheEntry? {
        if let remote, let entry = try cache.entry(url: remote.documentURL(id: id)).value, entry.document?.id == id {
            return entry
        }
        guard let record = try cache.catalog.records().first(where: { $0.documentID == id }) else { return nil }
        return try cache.entry(url: record.url).value
    }

    /// See ``QuireStore/open(id:remote:isOffline:)``.
    nonisolated(nonsending) func open(
        id: String, remote: (any Remote)?, isOffline: Bool = false
    ) async throws -> OpenedDocument {
        let local = try store.localQuestionnaires()
        let serverID = local.serverID(id)
        guard let change = local.local(id) else {
            return try await openCached(id: serverID, remote: remote, isOffline: isOffline)
        }
        let entry = try entry(id: serverID, remote: remote)
        let cached = try entry.flatMap { try $0.edited == nil && cache.isPresent($0) ? $0.digest : nil }
        guard change.counts(beside: cached) else {
            var opened = try await openCached(id: serverID, remote: remote, isOffline: isOffline)
            opened.permanentID = local.permanentID(id)
            return opened
        }
        guard let document = change.change.document else { throw StoreError.deletedHere(id: id) }
        return OpenedDocument(
            questionnaire: try Questionnaire(json: document), bytes: document, digest: change.change.contentDigest,
            entry: entry, local: change, permanentID: local.permanentID(id), staleBySeconds: 0, ageSeconds: 0)
    }

    private nonisolated(nonsending) func openCached(
        id: String, remote: (any Remote)?, isOffline: Bool
    ) async throws -> OpenedDocument {
        var reason = "it is not on this device"
        if let entry = try entry(id: id, remote: remote) {
            switch try cache.content(of: entry) {
            case .miss(let why): reason = why
            case .hit(let found):
                // The network counts as unavailable, so that nothing waits for it: a usable response is used unchanged.
                // Newer versions seen by an HTTP cache are the next pull's task.
                var response = found.entry.response
                response.isInvalidated = false
                let decision = CacheDecision.decide(
                    now: clock.now, request: Fetcher.requestFields, stored: response, network: .away)
                switch decision {
                case .useStored(let age, let staleBy):
                    cache.markUsed(found.entry)
                    return try opened(found.bytes, found.entry, age: age, staleBy: staleBy)
                default:
                    reason = "its server wants to be asked before it is used again"
                    if let asked = try await fetched(id, entry: found, remote: remote, isOffline: isOffline) {
                        return asked
                    }
                    throw StoreError.mustAskServer(id: id)
                }
            }
        }
        if let asked = try await fetched(id, entry: nil, remote: remote, isOffline: isOffline, reason: &reason) {
            return asked
        }
        throw StoreError.notOnThisDevice(id: id, reason: reason)
    }

    private func fetched(
        _ id: String, entry: (entry: CacheEntry, bytes: [UInt8])?, remote: (any Remote)?, isOffline: Bool
    ) async throws -> OpenedDocument? {
        var reason = ""
        return try await fetched(id, entry: entry, remote: remote, isOffline: isOffline, reason: &reason)
    }

    private func fetched(
        _ id: String, entry: (entry: CacheEntry, bytes: [UInt8])?, remote: (any Remote)?, isOffline: Bool,
        reason: inout String
    ) async throws -> OpenedDocument? {
        guard let remote, !isOffline else { return nil }
        if case .away(let why) = remote.presence() {
            reason += "; \(why)"
            return nil
        }
        do {
            switch try await store.fetcher(remote).fetch(remote.documentURL(id: id), .document(id: id)) {
            case .kept(let kept, let bytes):
                // The replaced version is no longer used.
                if let entry, entry.entry.digest != kept.digest { _ = try cache.space.removeUnreferencedBlobs() }
                return try opened(bytes, kept, age: 0, staleBy: 0)
            case .unchanged(let unchanged):
                guard let entry else { return nil }
                return try opened(entry.bytes, unchanged, age: 0, staleBy: 0)
            case .notKept(let bytes, _): return try opened(bytes, nil, age: 0, staleBy: 0)
            case .gone:
                if entry == nil { throw StoreError.unknown(id: id) }
                reason = "the server has no such questionnaire"
            case .refused(_, let why): reason = why
            }
        } catch let failure as RemoteFailure {
            if failure.kind == .cancelled { throw CancellationError() }
            reason += "; \(failure.reason)"
        }
        return nil
    }

    private func opened(_ bytes: [UInt8], _ entry: CacheEntry?, age: Int, staleBy: Int) throws -> OpenedDocument {
        let questionnaire = try Questionnaire(json: bytes)
        return OpenedDocument(
            questionnaire: questionnaire, bytes: bytes, digest: entry?.digest ?? Digest(sha256Of: bytes), entry: entry,
            permanentID: questionnaire.id, staleBySeconds: staleBy, ageSeconds: age)
    }

    /// Opens a questionnaire as it is here, without asking its server.
    ///
    /// - Returns: `nil` where it is not here, or was deleted.
    package func openHere(id: String) throws -> OpenedDocument? {
        let local = try store.localQuestionnaires()
        let entry = try entry(id: local.serverID(id), remote: nil)
        let cached = try entry.flatMap { try $0.edited == nil && cache.isPresent($0) ? $0.digest : nil }
        if let change = local.local(id), change.counts(beside: cached) {
            guard let document = change.change.document else { return nil }
            return OpenedDocument(
                questionnaire: try Questionnaire(json: document), bytes: document, digest: change.change.contentDigest,
                entry: entry, local: change, permanentID: local.permanentID(id), staleBySeconds: 0, ageSeconds: 0)
        }
        guard let entry, case .hit(let found) = try cache.content(of: entry) else { return nil }
        return OpenedDocument(
            questionnaire: try Questionnaire(json: found.bytes), bytes: found.bytes, digest: found.entry.digest,
            entry: found.entry, permanentID: local.permanentID(id), staleBySeconds: 0, ageSeconds: 0)
    }

    // MARK: Versions

    /// See ``QuireStore/questionnaire(of:)``.
    func questionnaire(of record: TestRecord) throws -> Questionnaire? {
        try document(of: record).map { (bytes) throws in try Questionnaire(json: bytes).arranged(for: record) }
    }

    /// The bytes of the exact version that a test was started with; `nil` if it is no longer here.
    func document(of record: TestRecord) throws -> [UInt8]? { try document(digest: record.questionnaire.digest) }

    /// A version of a questionnaire, from the cache or as it was changed here.
    package func document(digest: Digest) throws -> [UInt8]? {
        if let bytes = try cache.content(digest: digest) { return bytes }
        for stored in try outbox.changes(.questionnaire) where stored.change.contentDigest == digest {
            if case .questionnaire(let change) = stored.change, let document = change.document { return document }
        }
        return nil
    }

    /// A draft keeps the version that it was started with. If that was removed since it was opened, or edited in place,
    /// it is restored from memory before the draft is created.
    func keepVersion(of document: OpenedDocument) throws {
        // Local changes are in the outbox; documents that must not be stored are not.
        if document.local != nil || document.entry == nil { return }
        try cache.restore(document.bytes)
    }

    /// From now on the draft protects its version. Another process may have removed it in the moment before.
    func keepVersionOnceMore(of document: OpenedDocument) {
        // Without it, an open draft can still be answered and sent: the draft exists, and that is what counts.
        do { try keepVersion(of: document) } catch {}
    }

    /// Whether the questionnaire on this device differs from the version that a test was started with.
    package func hasNewerVersion(_ record: TestRecord) throws -> Bool {
        let current = try currentDigest(ofQuestionnaire: record.questionnaire.id)
        return current.map { $0 != record.questionnaire.digest } ?? false
    }

    /// The digest of the version for a new test; `nil` if there is none on this device.
    func currentDigest(ofQuestionnaire id: String) throws -> Digest? {
        let local = try store.localQuestionnaires()
        let serverID = local.serverID(id)
        let cached = try cache.catalog.records().first { $0.documentID == serverID }
        if let change = local.local(id), change.counts(beside: cached.flatMap { $0.isEdited ? nil : $0.digest }) {
            return change.isDeletion ? nil : change.change.contentDigest
        }
        return cached?.digest
    }
}
