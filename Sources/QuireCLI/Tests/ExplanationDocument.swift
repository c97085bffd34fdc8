import Model
import Quire
import QuireWording

/// An explanation as `quire why --json` prints it.
struct ExplanationDocument: Encodable {
    private let explanation: Explanation
    private let words: (state: String, facts: [String], next: String)
    private let otherVersions: [ExplanationDocument]

    init(_ explanation: Explanation, _ language: Language) {
        self.explanation = explanation
        words = explanation.words(language)
        otherVersions = explanation.otherVersions.map { Self($0, language) }
    }

    private enum Key: CodingKey {
        case id, status, questionnaire, title, state, facts, next, nextAttempt, evaluation, review, releasesAt, former
        case returned, late, file, otherVersions
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(explanation.id, forKey: .id)
        try container.encode(explanation.status, forKey: .status)
        try container.encodeIfPresent(explanation.questionnaire, forKey: .questionnaire)
        try container.encodeIfPresent(explanation.title, forKey: .title)
        try container.encode(words.state, forKey: .state)
        try container.encode(words.facts, forKey: .facts)
        try container.encode(words.next, forKey: .next)
        try container.encodeIfPresent(explanation.nextAttempt, forKey: .nextAttempt)
        try container.encodeIfPresent(explanation.evaluation, forKey: .evaluation)
        try container.encodeIfPresent(explanation.review, forKey: .review)
        try container.encodeIfPresent(explanation.releasesAt, forKey: .releasesAt)
        try container.encodeIfPresent(explanation.former, forKey: .former)
        try container.encodeIfPresent(explanation.returned, forKey: .returned)
        try container.encodeIfPresent(explanation.late, forKey: .late)
        try container.encode(explanation.file, forKey: .file)
        try container.encode(otherVersions, forKey: .otherVersions)
    }
}
