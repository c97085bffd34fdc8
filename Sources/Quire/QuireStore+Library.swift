import CacheStore
import Disk
import HTTPCaching
import Model
import OutboxStore
import Sync

/// One questionnaire as a list shows it.
public struct LibraryItem: Sendable, Hashable {
    public var record: CatalogRecord
    public var document: DocumentSummary
    public var isFavorite: Bool
    public var isPinned: Bool
    /// Tests of it that are not finished.
    public var drafts: [TestID]

    public var id: String { document.id }
    public var title: String { document.title }

    /// Whether the content may be used as it is.
    public func freshness(now: Timestamp) -> FreshnessState {
        if !record.isPresent { return .notHere }
        if record.isEdited { return .edited }
        if record.isGone { return .gone }
        return record.freshUntil > now ? .fresh : .stale(seconds: max(0, now.seconds(since: record.responseTime)))
    }
}

public enum FreshnessState: Sendable, Hashable {
    case fresh
    /// Last known to be valid so many seconds ago.
    case stale(seconds: Double)
    /// Changed on this machine.
    case edited
    /// The server no longer lists it.
    case gone
    /// Known, but its content is not on this device.
    case notHere

    public func words(_ language: Language) -> String {
        switch self {
        case .fresh: language.pick("up to date", "актуально")
        case .stale(let seconds):
            language.pick(
                "updated \(TimeSpan.format(seconds: seconds)) ago",
                "обновлено \(TimeSpan.format(seconds: seconds, .russian)) назад")
        case .edited: language.pick("edited here", "изменено здесь")
        case .gone: language.pick("no longer on the server", "на сервере больше нет")
        case .notHere: language.pick("not downloaded", "не загружено")
        }
    }

    /// A word for scripts.
    public var name: String {
        switch self {
        case .fresh: "fresh"
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

/// A questionnaire that was opened.
public struct OpenedDocument: Sendable {
    public var questionnaire: Questionnaire
    public var bytes: [UInt8]
    public var digest: Digest
    /// `nil` when the server forbids to keep it.
    public var entry: CacheEntry?
    /// 0 when it is fresh.
    public var staleBySeconds: Int
    public var ageSeconds: Int

    public var reference: QuestionnaireReference {
        QuestionnaireReference(id: questionnaire.id, title: questionnaire.title, digest: digest)
    }
}

extension QuireStore {
    /// The questionnaires on this device.
    public func library(sortedBy order: LibraryOrder = .title) throws -> [LibraryItem] {
        let items = try libraryItems(try cache.records().filter { $0.document != nil })
        return items.sorted { left, right in
            if left.isFavorite != right.isFavorite { return left.isFavorite }
            switch order {
            case .title: break
            case .updated:
                let (one, other) = (left.document.updatedAt ?? .epoch, right.document.updatedAt ?? .epoch)
                if one != other { return one > other }
            case .used:
                if left.record.lastUsed != right.record.lastUsed { return left.record.lastUsed > right.record.lastUsed }
            }
            return (left.record.sortKey, left.id) < (right.record.sortKey, right.id)
        }
    }

    /// The questionnaires that have all the words of `text`.
    public func search(_ text: String) throws -> [(item: LibraryItem, isInTitle: Bool)] {
        let matches = try cache.search(text)
        let items = try libraryItems(matches.map(\.record))
        return zip(items, matches).map { ($0, $1.isInTitle) }
    }

    private func libraryItems(_ records: [CatalogRecord]) throws -> [LibraryItem] {
        let favorites = try marks.ids(.favorite)
        let pins = try marks.ids(.pin)
        var drafts: [String: [TestID]] = [:]
        for item in try outbox.scan().items where item.status.isDraft {
            guard let record = try? outbox.read(item).record else { continue }
            drafts[record.questionnaire.id, default: []].append(item.id)
        }
        return records.compactMap { record in
            record.document.map {
                LibraryItem(
                    record: record, document: $0, isFavorite: favorites.contains($0.id), isPinned: pins.contains($0.id),
                    drafts: drafts[$0.id] ?? [])
            }
        }
    }

    /// The entry of a questionnaire, by its URL where the remote is known, else by a look through the list.
    public func entry(id: String, remote: (any Remote)?) throws -> CacheEntry? {
        if let remote, let entry = try cache.entry(url: remote.documentURL(id: id)).value, entry.document?.id == id {
            return entry
        }
        guard let record = try cache.records().first(where: { $0.document?.id == id }) else { return nil }
        return try cache.entry(url: record.url).value
    }

    /// Opens a questionnaire: from this device where it may be used, without waiting for the network; from the remote
    /// where it is not here, or where its server wants to be asked first.
    ///
    /// - Throws: `StoreError` when it is to be had from neither.
    public func open(id: String, remote: (any Remote)?, isOffline: Bool = false) async throws -> OpenedDocument {
        var reason = "it is not on this device"
        if let entry = try entry(id: id, remote: remote) {
            switch try cache.content(of: entry) {
            case .miss(let why): reason = why
            case .hit(let found):
                // The way out counts as closed, so that nobody waits for it: what may be used is used as it is.
                let decision = CacheDecision.decide(
                    now: clock.now, request: Fetcher.requestFields, stored: found.entry.response, network: .away)
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
                // The version that it took the place of is in nobody's use any more.
                if let entry, entry.entry.digest != kept.digest { _ = try cache.removeUnreferencedBlobs() }
                return try opened(bytes, kept, age: 0, staleBy: 0)
            case .unchanged(let unchanged):
                guard let entry else { return nil }
                return try opened(entry.bytes, unchanged, age: 0, staleBy: 0)
            case .notKept(let bytes, _): return try opened(bytes, nil, age: 0, staleBy: 0)
            case .gone: reason = "the server has no such questionnaire"
            case .refused(_, let why): reason = why
            }
        } catch let failure as RemoteFailure {
            reason += "; \(failure.reason)"
        }
        return nil
    }

    private func opened(_ bytes: [UInt8], _ entry: CacheEntry?, age: Int, staleBy: Int) throws -> OpenedDocument {
        OpenedDocument(
            questionnaire: try Questionnaire(json: bytes), bytes: bytes,
            digest: entry?.digest ?? Digest(sha256Of: bytes), entry: entry, staleBySeconds: staleBy, ageSeconds: age)
    }

    /// The very version that a test was begun with; `nil` when it is no longer here.
    public func questionnaire(of record: TestRecord) throws -> Questionnaire? {
        guard let bytes = try cache.content(digest: record.questionnaire.digest) else { return nil }
        return try Questionnaire(json: bytes)
    }
}
