import CacheStore
import Model
import OutboxStore

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

/// The ids of lines with marks or other additions; there are few, however long the list is.
struct MarkedQuestionnaires {
    var favorites: Set<String>
    var pins: Set<String>
    var drafts: Set<String>
}

/// The sources of a list.
private struct CurrentList: ~Copyable {
    let catalog: CurrentCatalog
    let marked: MarkedQuestionnaires
}

/// Lists the questionnaires on this device, with the local changes in place of what they replace, and searches them.
package struct LocalLibrary: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var cache: Cache { store.cache }
    private var marks: Marks { store.marks }
    private var clock: any StoreClock { store.clock }
    private var people: People { store.people }

    /// See ``QuireStore/library(sortedBy:)``.
    package func items(sortedBy order: LibraryOrder = .title) throws -> [LibraryItem] {
        let local = try store.localQuestionnaires()
        let records = local.all.isEmpty ? try cache.catalog.records() : shown(try cache.catalog.records(), local)
        let items = try libraryItems(records.filter(\.isDocument), local)
        // Compared are keys and moved are places: an item is large.
        let keys = items.map { LibraryKey($0, order) }
        let places = keys.indices.sorted { keys[$0].precedes(keys[$1]) }
        return places.elementsEqual(items.indices) ? items : places.map { items[$0] }
    }

    /// See ``QuireStore/search(_:in:)``.
    func search(
        _ text: String, in scope: Cache.SearchScope = .everything
    ) throws -> [(item: LibraryItem, isInTitle: Bool)] {
        let matches = try cache.search.matches(text, in: scope)
        let local = try store.localQuestionnaires()
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
            guard let stored = outbox.listed(item), stored.status.isDraft, shown.includes(stored.record) else {
                continue
            }
            drafts[local.permanentID(stored.record.questionnaire.id), default: []].append(item.id)
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

    /// Whether a questionnaire of this id is listed here, or was changed here.
    package func has(_ id: String) throws -> Bool {
        if try store.localQuestionnaires().local(id) != nil { return true }
        return try items().contains { [$0.id, $0.serverId].contains(id) }
    }

    // MARK: Handed out one after another

    /// The questionnaires on this device by title, favourites first, handed out one after another: where the index is
    /// current, a list of any length takes no more memory than a short one.
    ///
    /// - Parameter language: that of the titles, where documents are translated to it.
    package func each(in language: Language, _ body: (ListedQuestionnaire) -> Void) throws {
        let now = clock.now
        if let list = try currentList() {
            let marked = list.marked
            func handOut(favorites: Bool) throws -> Bool {
                try list.catalog.eachDocument { document in
                    guard marked.favorites.contains(document.id) == favorites else { return }
                    body(ListedQuestionnaire(document, marked, now: now, in: language))
                }
            }
            if try marked.favorites.isEmpty || handOut(favorites: true), try handOut(favorites: false) { return }
        }
        for item in try items() { body(ListedQuestionnaire(item, now: now, in: language)) }
    }

    /// Those that have all the words of `text` in their titles, by title; handed out as a list is.
    package func each(
        titled text: String, in language: Language, _ body: (ListedQuestionnaire) -> Void
    ) throws {
        let now = clock.now
        if let list = try currentList() {
            let marked = list.marked
            let isCurrent = try list.catalog.eachDocument(having: text) {
                body(ListedQuestionnaire($0, marked, now: now, in: language))
            }
            if isCurrent { return }
        }
        for found in try search(text, in: .titles) {
            body(ListedQuestionnaire(found.item, now: now, in: language))
        }
    }

    /// `nil` if the list must be assembled: files changed, or a local change replaces a document of the cache.
    private func currentList() throws -> CurrentList? {
        guard let catalog = try cache.catalog.currentCatalog() else { return nil }
        let items = try outbox.scan().items
        if items.contains(where: { $0.kind == .questionnaire }) { return nil }
        let shown = try people.shown()
        let drafts = items.filter { $0.kind == .test && $0.status.isDraft }.compactMap {
            (outbox.listed($0)?.record).flatMap { shown.includes($0) ? $0.questionnaire.id : nil }
        }
        let marked = MarkedQuestionnaires(
            favorites: try marks.ids(.favorite), pins: try marks.ids(.pin), drafts: Set(drafts))
        return CurrentList(catalog: catalog, marked: marked)
    }
}
