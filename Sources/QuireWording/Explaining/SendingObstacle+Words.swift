import Localization
import Model
import OutboxStore
import Quire
import Wording

extension SendingObstacle {
    package func words(_ language: Language) -> String {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        switch self {
        case .unwanted:
            return say("Its questionnaire does not show it any more: the next “quire sync” puts it into quarantine.")
        case .owner(let owner):
            return owner.kind == .test
                ? say("It waits for its test, and goes after it.")
                : say("It waits for its questionnaire and is sent after it.")
        case .predecessor(let item):
            return say("It waits for the change before it, \(item.id.beginning), and goes after it.")
        case .undecided(let item, let delivery, let decision):
            let state = item.status.words(language, reason: delivery?.reason(in: language)).asSentence
            return say("It waits for \(item.inWords(language)), which stands so: \(state) Decide about that first: ")
                + decision.commands(language, \.beginning) + "."
        }
    }
}

extension SendingDecision {
    /// The commands, and what they do.
    ///
    /// - Parameter name: how they name the item.
    func commands(_ language: Language, _ name: (TestID) -> String = \.description) -> String {
        switch self {
        case .retry(let id):
            return language.text("“quire outbox retry \(name(id))” or “quire outbox discard \(name(id))”")
        case .resolve(let id, let choices):
            let flags = choices.map { "--" + $0.rawValue }.joined(separator: " | ")
            return language.text(
                "“quire conflicts” shows the difference, “quire resolve \(name(id)) \(flags)” settles it")
        }
    }
}

extension OutboxItem {
    /// Its name, in the accusative, with the first digits of its id.
    fileprivate func inWords(_ language: Language) -> String {
        switch kind {
        case .test: language.text("test \(id.beginning)")
        case .questionnaire, .favorite: language.text("change \(id.beginning)")
        case .media: language.text("attachment \(id.beginning)")
        }
    }
}

extension TestID {
    /// Enough of it for a person to name it.
    fileprivate var beginning: String { String(description.prefix(8)) }
}
