import Model

/// Why a teacher's rating is not written.
package enum RatingRefusal: Hashable, Sendable, CustomStringConvertible {
    case returnWithoutComment
    /// The person may have seen the rating that there is.
    case alreadyRated
    case notRatedYet
    /// Points for one question would replace a score for the test as one.
    case ratedAsOne
    /// It has a score for the test as one, and these questions have no points.
    case questionsWithoutPoints([String])
    case maximumUnknown
    case maximumTooLarge
    case scoreOutOfRange(maximum: Double)
    case pointsOutOfRange(maximum: Double)
    case nothingToRateBy
    case keyUnknown
    case unknownQuestion(String, known: [String])

    /// For the command: what happened, then what to do.
    package var description: String {
        switch self {
        case .returnWithoutComment: "say what is to be corrected, in the comment"
        case .alreadyRated: "it has a rating, which the person may have seen; give a new one with --score"
        case .notRatedYet: "it has no rating yet; give --score and --max"
        case .ratedAsOne:
            "it has a score for the test as one, which points for one question would replace; give a new one with "
                + "--score, or rate it by the key first, without --score and --points"
        case .questionsWithoutPoints(let questions):
            "it has a rating for the whole test, and no points for \(questions.joined(separator: ", ")); "
                + "give a new one with --score"
        case .maximumUnknown: "the best score is not known yet; add --max"
        case .maximumTooLarge: "--max must be a number up to 1000000000"
        case .scoreOutOfRange(let maximum): "the score must be between 0 and the best score, \(maximum)"
        case .pointsOutOfRange(let maximum):
            "the points must be between 0 and \(maximum), the maximum of the question; --max changes that"
        case .nothingToRateBy: "its questionnaire is not here or has no answer key; give --score and --max"
        case .keyUnknown:
            "it was taken with a version whose key is not known here; give --score and --max, or --points"
        case .unknownQuestion(let question, let known):
            "it has no question “\(question)”; there are \(known.joined(separator: ", "))"
        }
    }
}
