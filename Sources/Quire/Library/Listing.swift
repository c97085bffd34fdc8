import CacheStore
import Model
import OutboxStore

/// A line of a list.
package struct ListedQuestionnaire: Sendable, Hashable {
    package var id: String
    package var title: String
    package var questionCount: Int
    package var state: FreshnessState
    package var isFavorite: Bool
    package var isPinned: Bool
    /// Whether a test of it is not finished.
    package var hasDraft: Bool

    package init(_ item: LibraryItem, now: Timestamp, in language: Language) {
        id = item.id
        title = item.document.texts(in: language).title
        questionCount = item.document.questionCount
        state = item.freshness(now: now)
        isFavorite = item.isFavorite
        isPinned = item.isPinned
        hasDraft = !item.drafts.isEmpty
    }

    fileprivate init(_ document: ListedDocument, _ marked: Marked, now: Timestamp, in language: Language) {
        id = document.id
        title = document.title(in: language)
        questionCount = document.questionCount
        state = FreshnessState(
            isPresent: document.isPresent, isEdited: document.isEdited, isGone: document.isGone,
            responseTime: document.responseTime, freshUntil: document.freshUntil, now: now)
        isFavorite = marked.favorites.contains(id)
        isPinned = marked.pins.contains(id)
        hasDraft = marked.drafts.contains(id)
    }
}

/// The ids of lines with marks or other additions; there are few, however long the list is.
private struct Marked {
    var favorites: Set<String>
    var pins: Set<String>
    var drafts: Set<String>
}

/// The sources of a list.
private struct CurrentList: ~Copyable {
    let catalog: CurrentCatalog
    let marked: Marked
}

extension QuireStore {
    /// The questionnaires on this device by title, favourites first, handed out one after another: where the index is
    /// current, a list of any length takes no more memory than a short one.
    ///
    /// - Parameter language: that of the titles, where documents are translated to it.
    package func eachQuestionnaire(in language: Language, _ body: (ListedQuestionnaire) -> Void) throws {
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
        for item in try library() { body(ListedQuestionnaire(item, now: now, in: language)) }
    }

    /// Those that have all the words of `text` in their titles, by title; handed out as a list is.
    package func eachQuestionnaire(
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
        let marked = Marked(favorites: try marks.ids(.favorite), pins: try marks.ids(.pin), drafts: Set(drafts))
        return CurrentList(catalog: catalog, marked: marked)
    }
}
