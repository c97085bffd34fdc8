import CacheStore
import Disk
import HTTPCaching
import Model
import OutboxStore
import Sync

/// One questionnaire as a list shows it.
public struct LibraryItem: Sendable, Hashable {
    /// The record of a document, never of a picture or a list.
    package let record: CatalogRecord
    public var isFavorite: Bool
    public var isPinned: Bool
    /// Tests of it that are not finished.
    public var drafts: [TestID]
    /// The local change, and its state.
    package var local: LocalQuestionnaires.Local? { change.first }
    /// One or none. Most have none, and there may be a hundred thousand: it takes no room in each of them.
    private let change: [LocalQuestionnaires.Local]

    /// - Returns: `nil` for a record of other content.
    init?(
        _ record: CatalogRecord, isFavorite: Bool, isPinned: Bool, drafts: [TestID], local: LocalQuestionnaires.Local?
    ) {
        guard record.isDocument else { return nil }
        self.record = record
        self.isFavorite = isFavorite
        self.isPinned = isPinned
        self.drafts = drafts
        change = local.map { [$0] } ?? []
    }

    /// One that no store has, for previews and tests: as fetched at `updated`, and fresh until `freshUntil`.
    public init(
        _ questionnaire: Questionnaire, updated: Timestamp, freshUntil: Timestamp? = nil, isFavorite: Bool = false,
        isPinned: Bool = false, drafts: [TestID] = []
    ) {
        record = CatalogRecord(
            outsideCache: DocumentSummary(questionnaire, media: []),
            digest: Digest(sha256Of: Array(questionnaire.id.utf8)), sizeBytes: 0, modified: updated,
            freshUntil: freshUntil)
        self.isFavorite = isFavorite
        self.isPinned = isPinned
        self.drafts = drafts
        change = []
    }

    public var document: DocumentSummary {
        // Proof: without one there is no item, and its record stays what it is.
        // swift-format-ignore: NeverForceUnwrap
        record.document!
    }

    /// The permanent id: the one that this device gave it, where it was made here.
    public var id: String { change.first?.change.questionnaire ?? record.documentID ?? "" }
    /// The server's id, where it is another one and is known.
    public var serverId: String? { local?.serverId }
    public var title: String { record.title }

    /// Whether the content may be used without validation.
    public func freshness(now: Timestamp) -> FreshnessState {
        if let local, !local.status.isDelivered { return .unsent(local.status, isKept: local.isKept) }
        return FreshnessState(
            isPresent: record.isPresent, isEdited: record.isEdited, isGone: record.isGone,
            responseTime: record.responseTime, freshUntil: record.freshUntil, now: now)
    }
}

public enum FreshnessState: Sendable, Hashable {
    case fresh
    /// Made or changed here, and not yet acknowledged by the server; a hub may have it.
    case unsent(TestStatus, isKept: Bool)
    /// Last known to be valid this many seconds ago.
    case stale(seconds: Double)
    /// Changed on this machine.
    case edited
    /// The server no longer lists it.
    case gone
    /// Known, but its content is not on this device.
    case notHere

    /// For a document of the cache.
    init(
        isPresent: Bool, isEdited: Bool, isGone: Bool, responseTime: Timestamp, freshUntil: Timestamp, now: Timestamp
    ) {
        if !isPresent {
            self = .notHere
        } else if isEdited {
            self = .edited
        } else if isGone {
            self = .gone
        } else {
            self = freshUntil > now ? .fresh : .stale(seconds: max(0, now.seconds(since: responseTime)))
        }
    }

    public func words(_ language: Language) -> String {
        switch self {
        case .fresh: language.text("up to date")
        case .unsent(let status, let isKept): status.words(language, isKept: isKept)
        case .stale(let seconds):
            language.text("updated \(TimeSpan.format(seconds: seconds, language)) ago")
        case .edited: language.text("edited here")
        case .gone: language.text("no longer on the server's list")
        case .notHere: language.text("not downloaded")
        }
    }

    /// A word for scripts.
    public var name: String {
        switch self {
        case .fresh: "fresh"
        case .unsent(.conflict, _): "conflict"
        case .unsent(.rejected, _): "rejected"
        case .unsent(_, isKept: true): "kept"
        case .unsent: "unsent"
        case .stale: "stale"
        case .edited: "edited"
        case .gone: "gone"
        case .notHere: "not-downloaded"
        }
    }
}

/// How a list is sorted; favourites come first in each.
public enum LibraryOrder: String, Sendable, CaseIterable {
    case title, updated, used
}

/// The sort key of a list.
private struct LibraryKey {
    let isFavorite: Bool
    /// The later first; the same for all where the title decides.
    let time: Timestamp
    let sortKey: String
    let id: String

    init(_ item: LibraryItem, _ order: LibraryOrder) {
        isFavorite = item.isFavorite
        time =
            switch order {
            case .title: .epoch
            case .updated: item.document.updatedAt ?? .epoch
            case .used: item.record.lastUsed
            }
        sortKey = item.record.sortKey
        id = item.id
    }

    func precedes(_ other: LibraryKey) -> Bool {
        if isFavorite != other.isFavorite { return isFavorite }
        if time != other.time { return time > other.time }
        // Bytewise is the order that a sort key is made for.
        if sortKey != other.sortKey { return sortKey.utf8.lexicographicallyPrecedes(other.sortKey.utf8) }
        return id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }
}

/// A questionnaire that was opened.
public struct OpenedDocument: Sendable {
    public var questionnaire: Questionnaire
    public var bytes: [UInt8]
    public var digest: Digest
    /// `nil` when the server forbids to keep it.
    package var entry: CacheEntry?
    /// The local change, if that is the opened version.
    package var local: LocalQuestionnaires.Local?
    /// The id by which this device knows it for ever.
    package var permanentID: String
    /// 0 when it is fresh.
    public var staleBySeconds: Int
    public var ageSeconds: Int

    package var reference: QuestionnaireReference {
        QuestionnaireReference(id: questionnaire.id, title: questionnaire.title, digest: digest)
    }
}

extension QuireStore {
    /// The questionnaires on this device.
    public func library(sortedBy order: LibraryOrder = .title) throws -> [LibraryItem] {
        let local = try localQuestionnaires()
        let records = local.all.isEmpty ? try cache.catalog.records() : shown(try cache.catalog.records(), local)
        let items = try libraryItems(records.filter(\.isDocument), local)
        // Compared are keys and moved are places: an item is large.
        let keys = items.map { LibraryKey($0, order) }
        let places = keys.indices.sorted { keys[$0].precedes(keys[$1]) }
        return places.elementsEqual(items.indices) ? items : places.map { items[$0] }
    }

    /// The questionnaires that have all the words of `text`.
    ///
    /// - Parameter scope: the titles alone, which needs the index of the list only, or everything.
    public func search(
        _ text: String, in scope: Cache.SearchScope = .everything
    ) throws -> [(item: LibraryItem, isInTitle: Bool)] {
        let matches = try cache.search.matches(text, in: scope)
        let local = try localQuestionnaires()
        var found = matches.map { (record: $0.record, isInTitle: $0.isInTitle) }
        if !local.all.isEmpty {
            let records = try cache.catalog.records()
            let visible = shown(records, local)
            let listed = Set(visible)
            found.removeAll { match in !listed.contains(match.record) }
            let known = Set(records)
            for record in visible where !known.contains(record) {
                guard let id = record.document?.id, let document = local.local(id)?.change.document,
                    let isInTitle = DocumentSearch.match(text, record, document: document, in: scope)
                else { continue }
                found.append((record, isInTitle))
            }
            found.sort { left, right in
                if left.isInTitle != right.isInTitle { return left.isInTitle }
                return left.record.sortKey < right.record.sortKey
            }
        }
        let items = try libraryItems(found.map(\.record), local)
        return zip(items, found).map { ($0, $1.isInTitle) }
    }

    /// The documents of the list: the cache's, with local changes in place of those that they replace.
    private func shown(_ records: [CatalogRecord], _ local: LocalQuestionnaires) -> [CatalogRecord] {
        var shown: [CatalogRecord] = []
        var seen: Set<String> = []
        for record in records {
            guard let document = record.document, let change = local.local(document.id) else {
                shown.append(record)
                continue
            }
            let cached = record.isEdited ? nil : record.digest
            // Kept because something here needs it, although the server has deleted the delivered version.
            let isGone = record.isGone && change.status.isDelivered && !change.isDeletion
            guard change.counts(beside: cached), !isGone else {
                seen.insert(change.change.questionnaire)
                shown.append(record)
                continue
            }
            guard seen.insert(change.change.questionnaire).inserted else { continue }
            if let changed = Self.record(change, media: document.media) { shown.append(changed) }
        }
        for (id, change) in local.all where !seen.contains(id) {
            // The cache had it before it was edited: without it, the server has deleted it since.
            if change.status.isDelivered, !change.isMadeHere || change.isListedSince { continue }
            if let changed = Self.record(change, media: []) { shown.append(changed) }
        }
        return shown
    }

    /// - Returns: `nil` for one that was deleted here.
    private static func record(_ local: LocalQuestionnaires.Local, media: [String]) -> CatalogRecord? {
        guard let document = local.change.document, var questionnaire = try? Questionnaire(json: document) else {
            return nil
        }
        questionnaire.id = local.change.questionnaire
        return CatalogRecord(
            outsideCache: DocumentSummary(questionnaire, media: media), digest: local.change.contentDigest,
            sizeBytes: document.count, modified: local.change.dateChanged)
    }

    private func libraryItems(_ records: [CatalogRecord], _ local: LocalQuestionnaires) throws -> [LibraryItem] {
        let favorites = try marks.ids(.favorite)
        let pins = try marks.ids(.pin)
        var drafts: [String: [TestID]] = [:]
        let shown = try people.shown()
        for item in try outbox.scan().items where item.status.isDraft {
            guard let record = try? outbox.read(item).record, shown.includes(record) else { continue }
            drafts[local.permanentID(record.questionnaire.id), default: []].append(item.id)
        }
        return records.compactMap { record in
            guard let serverID = record.documentID else { return nil }
            let id = local.permanentID(serverID)
            return LibraryItem(
                record, isFavorite: favorites.contains(id) || favorites.contains(serverID),
                isPinned: pins.contains(id) || pins.contains(serverID), drafts: drafts[id] ?? [],
                local: local.local(id))
        }
    }

    /// The entry of a questionnaire, by its URL where the remote is known, else by a look through the list.
    package func entry(id: String, remote: (any Remote)?) throws -> CacheEntry? {
        if let remote, let entry = try cache.entry(url: remote.documentURL(id: id)).value, entry.document?.id == id {
            return entry
        }
        guard let record = try cache.catalog.records().first(where: { $0.documentID == id }) else { return nil }
        return try cache.entry(url: record.url).value
    }

    /// Opens a questionnaire: from this device where it may be used, without waiting for the network; from the remote
    /// where it is not here, or where its server wants to be asked first.
    ///
    /// - Parameter id: either of its ids, where it was made here.
    /// - Throws: `StoreError` when it is to be had from neither.
    public nonisolated(nonsending) func open(
        id: String, remote: (any Remote)?, isOffline: Bool = false
    ) async throws -> OpenedDocument {
        let local = try localQuestionnaires()
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
            switch try await fetcher(remote).fetch(remote.documentURL(id: id), .document(id: id)) {
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

    /// The exact version that a test was started with, as the test shows it: the questions that it has, in its order; `nil` if
    /// the version is no longer here.
    public func questionnaire(of record: TestRecord) throws -> Questionnaire? {
        try document(of: record).map { (bytes) throws in try Questionnaire(json: bytes).arranged(for: record) }
    }
}
