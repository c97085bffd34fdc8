import Model

/// The parts of a receipt that takers see, as the questionnaire's `release` says: once the test is rated, after `closesAt`, or never.
///
/// The stored receipt has all of it. What is given out is decided when a receipt is read, so nothing has to happen at
/// `closesAt`.
package struct ReceiptRelease: Hashable, Sendable {
    /// The most that this host gives out on each question.
    package enum Verdicts: String, Hashable, Sendable, CaseIterable {
        case rated
        /// The score alone.
        case never
    }

    package var verdicts: Verdicts

    package init(verdicts: Verdicts = .rated) { self.verdicts = verdicts }

    /// What a version of a questionnaire says about it.
    struct Terms: Sendable {
        var release = Release()
        var closesAt: Timestamp?
        var questionnaire: Questionnaire?
        var key = AnswerKey(answers: [:])

        init() {}

        init(_ version: PublishedQuestionnaire) {
            release = version.questionnaire.release
            closesAt = version.questionnaire.closesAt
            questionnaire = version.questionnaire
            key = version.key
        }
    }

    /// What is given out of a rated test now.
    private struct Given {
        var score, verdicts, correct, explanation: Bool
        /// When more of it will be.
        var next: Timestamp?

        init(_ terms: Terms, bound: Verdicts, now: Timestamp) {
            func isGiven(_ moment: Release.Moment, isBounded: Bool) -> Bool {
                (!isBounded || bound == .rated)
                    && Release.isReleased(moment, isRated: true, closesAt: terms.closesAt, now: now)
            }
            score = isGiven(terms.release.score, isBounded: false)
            verdicts = isGiven(terms.release.verdicts, isBounded: true)
            correct = isGiven(terms.release.correct, isBounded: true)
            explanation = isGiven(terms.release.explanation, isBounded: true)
            let bounded = [terms.release.verdicts, terms.release.correct, terms.release.explanation]
            let waits = terms.release.score == .closed || bound == .rated && bounded.contains(.closed)
            if waits, let closesAt = terms.closesAt, closesAt >= now { next = closesAt }
        }
    }

    func released(_ receipt: Receipt, by terms: Terms, now: Timestamp) -> Receipt {
        guard receipt.action == nil, let evaluation = receipt.evaluation else { return receipt }
        var released = receipt
        released.evaluation = nil
        released.former = nil
        guard receipt.status == .rated else { return released }
        let given = Given(terms, bound: verdicts, now: now)
        released.releasesAt = given.next
        let questions = evaluation.questions.map { self.given($0, given, terms) }.filter(\.saysAnything)
        if given.score {
            released.evaluation = evaluation
            released.former = receipt.former
            released.evaluation?.questions = questions
        } else if !questions.isEmpty {
            released.review = questions
        }
        return released
    }

    private func given(
        _ rated: Evaluation.QuestionEvaluation, _ given: Given, _ terms: Terms
    ) -> Evaluation.QuestionEvaluation {
        // A person's comments on answers are meant to be read.
        var shown = Evaluation.QuestionEvaluation(questionId: rated.questionId, correct: nil, comment: rated.comment)
        if given.verdicts {
            shown.correct = rated.correct
            shown.feedback = rated.feedback
            shown.translations = rated.translations
            // Points of all questions are the score.
            if given.score { (shown.points, shown.maximum) = (rated.points, rated.maximum) }
        }
        if given.correct, let question = terms.questionnaire?.question(rated.questionId) {
            let answers = terms.key.rightAnswers(to: question)
            shown.rightAnswers = answers.isEmpty ? nil : answers
        }
        if given.explanation {
            let explanation = terms.key.explanation(of: rated.questionId)
            shown.explanation = explanation.text
            for (tag, text) in explanation.translations {
                shown.translations[tag, default: KeyTexts()].explanation = text
            }
        }
        return shown
    }
}

extension Evaluation.QuestionEvaluation {
    /// Whether there is anything to give out.
    fileprivate var saysAnything: Bool {
        correct != nil || points != nil || comment != nil || feedback != nil || rightAnswers != nil
            || explanation != nil || !translations.isEmpty
    }
}
