import HTTPServing
import Model

/// A question as the taker's page shows it, with what was typed into the form of a trial.
struct TrialCard {
    let question: Question
    /// Of its fields: `a.3`.
    let index: String
    let number: Int
    let questionnaire: Questionnaire
    let language: Language
    /// The values of its fields.
    var values: [String] = []
    var fault: String?
    var media: [[String: any Sendable]] = []

    func model() -> [String: any Sendable] {
        // A template looks for what is missing in the page around it.
        var card: [String: any Sendable] = [
            "locale": false, "fault": false, "formatted": false, "hint": false, "formattedHint": false, "unit": false,
            "askedAsText": false, "isLine": false, "isMoment": false, "isLocation": false, "isOrder": false,
            "isMatching": false, "isMatrix": false, "isGaps": false, "isStructured": false, "isFiles": false,
            "ownWords": false, "other": false, "notShown": false, "elsewhere": false, "attachWords": false,
            "hasFiles": false, "step": false, "isUnplaced": false, "ofInstance": false, "measured": false,
            "accuracy": false, "was": "-", "media": media,
        ]
        let shown = QuestionCard(
            question, index: index, number: number, place: language.text("Question \(number)"),
            texts: AuthorTexts(questionnaire), language: language, values: values,
            own: values.filter { $0.hasPrefix("=") && $0 != "=" })
        card.merge(shown.model()) { $1 }
        if !question.kind.takesAnswer { card["number"] = "" }
        if let instance = questionnaire.section(of: question.id)?.instance {
            card["ofInstance"] = AuthorTexts(questionnaire).line(instance.name)
        }
        if let fault { card["fault"] = fault }
        if question.input == .files {
            card["askedAsText"] = language.text("People attach files here. Trying it out stores none.")
        }
        return card
    }
}
