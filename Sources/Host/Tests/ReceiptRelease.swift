import Model

/// The parts of a receipt that takers see: a score and verdicts when the test is rated, and verdicts only if the host
/// releases them.
///
/// The stored receipt has all of it.
package struct ReceiptRelease: Hashable, Sendable {
    /// When the verdict on each question is given out.
    package enum Verdicts: String, Hashable, Sendable, CaseIterable {
        case rated
        /// The score alone is.
        case never
    }

    package var verdicts: Verdicts

    package init(verdicts: Verdicts = .rated) { self.verdicts = verdicts }

    /// - Parameter stored: the bytes of a receipt's file.
    /// - Returns: the same bytes where nothing is kept back.
    func bytes(of stored: [UInt8]) throws -> [UInt8] {
        let receipt = try DocumentCoding.decode(Receipt.self, from: stored)
        let released = released(receipt)
        return released == receipt ? stored : try DocumentCoding.encode(released)
    }

    func released(_ receipt: Receipt) -> Receipt {
        guard receipt.action == nil, let evaluation = receipt.evaluation else { return receipt }
        var released = receipt
        released.evaluation = receipt.status == .rated ? self.released(evaluation) : nil
        return released
    }

    private func released(_ evaluation: Evaluation) -> Evaluation {
        guard verdicts == .never else { return evaluation }
        var released = evaluation
        // A person's comments on answers are meant to be read.
        released.questions = evaluation.questions.filter { $0.comment != nil }.map {
            Evaluation.QuestionEvaluation(questionId: $0.questionId, correct: nil, comment: $0.comment)
        }
        return released
    }
}
