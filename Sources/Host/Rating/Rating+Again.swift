import Model
import Results

extension Rating {
    /// The key's verdicts with what persons said before: their points and comments stay.
    ///
    /// Where nothing differs, the former evaluation comes back, so that rating twice is rating once. A question that the key has
    /// nothing about any more keeps its points.
    ///
    /// - Parameter before: the evaluation as it is.
    package static func again(_ evaluation: Evaluation, keeping before: Evaluation?) -> Evaluation {
        guard let before else { return evaluation }
        let known = Dictionary(before.questions.map { ($0.questionId, $0) }, uniquingKeysWith: { first, _ in first })
        var again = evaluation
        for index in again.questions.indices {
            guard let given = known[again.questions[index].questionId] else { continue }
            if given.points != nil, given.isByPerson || again.questions[index].points == nil {
                again.questions[index] = given
            } else if again.questions[index].comment == nil {
                again.questions[index].comment = given.comment
            }
        }
        again = again.totalled()
        again.comment = before.comment
        if again.questions.contains(where: \.isByPerson) { again.ratedBy = before.ratedBy }
        let isSame =
            again.questions == before.questions && again.isWorth(as: before) && again.ratedBy == before.ratedBy
        return isSame ? before : again
    }
}

extension Evaluation {
    /// Whether score and maximum are the same, as far as sums of fractions can be.
    func isWorth(as other: Evaluation) -> Bool {
        abs(score - other.score) < 1e-6 && abs(maximum - other.maximum) < 1e-6
    }

    /// Whether the score is the sum of its questions.
    var isSum: Bool { totalled().isWorth(as: self) }

    /// Without the questions that no person has read: hosts of earlier versions excluded them from the maximum.
    var counted: Evaluation {
        var counted = self
        counted.questions.removeAll { $0.points == nil }
        return counted
    }
}

extension Evaluation.QuestionEvaluation {
    /// Whether a person gave the points.
    package var isByPerson: Bool { ratedAt != nil || ratedBy != nil }
}

extension Receipt {
    /// The same, with the rating that it replaces if the person may have seen it.
    func noting(formerRatingOf before: Receipt) -> Receipt {
        guard status == .rated, before.status == .rated, let old = before.evaluation, let new = evaluation,
            !new.isWorth(as: old)
        else { return self }
        var receipt = self
        receipt.former = FormerRating(old)
        return receipt
    }
}
