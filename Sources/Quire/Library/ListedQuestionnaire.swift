import CacheStore
import Model

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

    init(_ document: ListedDocument, _ marked: MarkedQuestionnaires, now: Timestamp, in language: Language) {
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
