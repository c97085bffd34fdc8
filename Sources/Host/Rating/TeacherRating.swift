import Model

/// A teacher's rating of a test.
package struct TeacherRating: Hashable, Sendable {
    /// The decision about the test's rating.
    package enum Verdict: Hashable, Sendable {
        /// A person is reading it: nothing is rated yet.
        case checking
        /// Points, and the maximum; without a maximum it stays unchanged.
        case score(Double, maximum: Double?)
        /// Points for one question, and the maximum, if it differs from the question's.
        case points(question: String, Double, maximum: Double?)
        /// The answer key of the version that the test was taken with; for a test that arrived before its
        /// questionnaire.
        case byKey
        /// The rating stays unchanged.
        case unchanged
        /// The test goes back to its person, who corrects it in a new one; the comment says what. The rating stays.
        case returned
        /// It was sent back, and need not be corrected any more.
        case returnWithdrawn

        /// The question that it is about; `nil` for the test as one.
        var question: String? {
            if case .points(let question, _, _) = self { question } else { nil }
        }
    }

    package var verdict: Verdict
    package var ratedBy: String?
    /// On the question that gets points, else on the test.
    package var comment: String?
    /// Why points that the key gave are changed.
    package var reason: String?
    /// The receipt that its rater was shown, by `Receipt.state(question:)`; `nil` for whatever is there.
    package var basedOn: Digest?

    package init(
        verdict: Verdict, ratedBy: String? = nil, comment: String? = nil, reason: String? = nil, basedOn: Digest? = nil
    ) {
        self.verdict = verdict
        self.ratedBy = ratedBy
        self.comment = comment
        self.reason = reason
        self.basedOn = basedOn
    }
}

extension Receipt {
    /// The receipt that the form showed. If there is another one by now, the mark is refused.
    ///
    /// - Parameter question: what is said of this question alone: marks of other questions do not get in its way.
    package func state(question: String? = nil) throws -> Digest {
        guard let question else { return Digest(sha256Of: try DocumentCoding.encode(self)) }
        let verdicts = evaluation?.questions.filter { $0.questionId == question } ?? []
        return Digest(sha256Of: try DocumentCoding.encode(verdicts))
    }
}
