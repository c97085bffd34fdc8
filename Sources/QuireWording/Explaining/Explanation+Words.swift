import Localization
import Model
import Quire
import Wording

extension Explanation {
    /// The state, what is known, and what is next, in sentences.
    public func words(_ language: Language) -> (state: String, facts: [String], next: String) {
        let next = next.map { $0.words(language) }.joined(separator: " ")
        return (
            state.words(language), facts.compactMap { $0.words(language) },
            next.isEmpty ? language.text("Nothing more to do.") : next
        )
    }
}

extension Explanation.State {
    package func words(_ language: Language) -> String {
        switch self {
        case .unreadable: language.text("Unreadable")
        case .kept(let medium): TestStatus.done.words(language, isKept: true, medium: medium)
        case .status(let status, let delivery): status.words(language, reason: delivery?.reason(in: language))
        }
    }
}
