import Host
import Model
import Results

/// Refused ratings in words for teachers.
struct RefusalWords {
    let language: Language

    func text(_ refusal: RatingRefusal) -> String {
        switch refusal {
        case .returnWithoutComment: language.text("Write what is to be corrected.")
        case .alreadyRated: language.text("The test has a rating already, which the person may have seen.")
        case .notRatedYet: language.text("The test has no rating yet.")
        case .ratedAsOne:
            language.text(
                "The test has one score for everything, which points for one question would replace. Rate it by its key first, with the command “quire host rate”."
            )
        case .questionsWithoutPoints(let questions):
            language.text("The test has one score for everything, and no points for: \(list(questions)).")
        case .maximumUnknown: language.text("The best score of this test is not known yet.")
        case .maximumTooLarge: language.text("The maximum must be a number up to 1000000000.")
        case .scoreOutOfRange(let maximum): language.text("The score must be between 0 and \(number(maximum)).")
        case .pointsOutOfRange(let maximum): language.text("The points must be between 0 and \(number(maximum)).")
        case .nothingToRateBy: language.text("The questionnaire of this test is not here, or has no key.")
        case .keyUnknown: language.text("The test was taken with a version whose key is not known here.")
        case .unknownQuestion(let question, let known):
            language.text("The test has no question “\(question)”. It has: \(list(known)).")
        }
    }

    private func list(_ questions: [String]) -> String { questions.joined(separator: ", ") }

    private func number(_ number: Double) -> String { StatisticsWords(language: language).number(number) }
}
