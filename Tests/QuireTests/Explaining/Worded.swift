import Model
import Quire
import QuireWording

/// An explanation with its words.
@dynamicMemberLookup
struct WordedExplanation {
    private let explanation: Explanation
    let state: String
    let facts: [String]
    let next: String
    let otherVersions: [WordedExplanation]

    init(_ explanation: Explanation, _ language: Language) {
        self.explanation = explanation
        (state, facts, next) = explanation.words(language)
        otherVersions = explanation.otherVersions.map { Self($0, language) }
    }

    subscript<Member>(dynamicMember member: KeyPath<Explanation, Member>) -> Member { explanation[keyPath: member] }
}

/// What a sync would not send, with its words.
@dynamicMemberLookup
struct WordedBlockedItem {
    private let item: BlockedItem
    let reason: String?

    init(_ item: BlockedItem, _ language: Language) {
        self.item = item
        reason = item.reason(language)
    }

    subscript<Member>(dynamicMember member: KeyPath<BlockedItem, Member>) -> Member { item[keyPath: member] }
}
