import Disk
import Model
import Results

/// The ratings of tests, written into their receipts: a teacher's, and the key's of all tests of a questionnaire again.
package struct TestRatings: Sendable {
    let received: ReceivedTests
    let lists: TestLists
    let keys: KeyRating
    private var clock: any StoreClock { keys.clock }

    init(received: ReceivedTests, lists: TestLists, keys: KeyRating) {
        self.received = received
        self.lists = lists
        self.keys = keys
    }

    /// Writes a rating into a test's receipt, durably. The host may run meanwhile.
    ///
    /// - Returns: the current receipt.
    /// - Throws: `HostError.cannotRate` with the reason, `HostError.ratedMeanwhile`.
    @discardableResult
    package func rate(_ id: TestID, _ rating: TeacherRating) throws -> Receipt {
        // Two teachers at once: each one's word is added to the receipt that the other has left.
        try received.files.lockedReceipts {
            // Where there are no locks, another host may be quicker: then its receipt is what the mark is added to.
            while true { if let receipt = try rateOnce(id, rating) { return receipt } }
        }
    }

    /// - Returns: `nil` where another writer was quicker.
    private func rateOnce(_ id: TestID, _ rating: TeacherRating) throws -> Receipt? {
        guard let (record, stored, version) = try received.storedVersion(of: id) else {
            throw HostError.unknownTest(id.description)
        }
        if let base = rating.basedOn, try base != stored.state(question: rating.verdict.question) {
            throw HostError.ratedMeanwhile(test: id.description)
        }
        var receipt = try rated(stored, record, rating).noting(formerRatingOf: stored)
        // It may have come before its questionnaire did.
        if receipt.late == nil { try keys.noteTime(of: record, in: &receipt) }
        if receipt == stored {
            // Its writer may have failed before the receipt was durable.
            try received.files.confirmReceipts()
            return receipt
        }
        return try received.replace(version, by: receipt) ? receipt : nil
    }

    private func rated(_ stored: Receipt, _ record: TestRecord, _ rating: TeacherRating) throws -> Receipt {
        var receipt = stored
        switch rating.verdict {
        case .returned:
            guard let comment = rating.comment, !comment.isEmpty else {
                throw cannotRate(record, .returnWithoutComment)
            }
            let known = stored.returned
            if known?.comment == comment, known?.by == rating.ratedBy { return stored }
            // By the clock that corrections arrive by: those before it are none of it.
            let now = try received.files.time(clock.now)
            receipt.returned = Receipt.Return(at: now, by: rating.ratedBy, comment: comment)
            return receipt
        case .returnWithdrawn:
            receipt.returned = nil
            return receipt
        case .checking:
            if receipt.status == .rated {
                throw cannotRate(record, .alreadyRated)
            }
            receipt.status = .checking
            return receipt
        case .score(let score, let maximum):
            receipt.evaluation = try evaluation(of: record, score, maximum, before: stored.evaluation)
            receipt.status = .rated
            receipt.reasonCode = nil
        case .unchanged:
            guard stored.evaluation != nil else {
                throw cannotRate(record, .notRatedYet)
            }
        case .byKey: try take(try evaluationByKey(of: record, before: stored.evaluation), &receipt, record)
        case .points(let question, let points, let maximum):
            var evaluation = try questions(of: record, before: stored.evaluation)
            if stored.status == .rated, let before = stored.evaluation {
                try check(before, isSumOf: evaluation, record)
            }
            try give(points, maximum, to: question, &evaluation, record, rating)
            try take(evaluation, &receipt, record)
            receipt.evaluation?.ratedBy =
                rating.ratedBy ?? stored.evaluation?.ratedBy.flatMap { $0 == Rating.keyName ? nil : $0 }
            return receipt
        }
        if let name = rating.ratedBy { receipt.evaluation?.ratedBy = name }
        if let comment = rating.comment { receipt.evaluation?.comment = comment }
        return receipt
    }

    private func cannotRate(_ record: TestRecord, _ reason: RatingRefusal) -> HostError {
        .cannotRate(test: record.id.description, reason)
    }

    /// A rated test does not wait for a person again.
    private func take(_ evaluation: Evaluation, _ receipt: inout Receipt, _ record: TestRecord) throws {
        if receipt.status == .rated, !evaluation.isComplete {
            let waiting = evaluation.questions.filter { $0.points == nil }
                .map { QuestionInstance.written($0.questionId) }
            throw cannotRate(record, .questionsWithoutPoints(waiting))
        }
        receipt.take(evaluation)
    }

    /// Points for a question change the score by as much. A score that a person gave for the test as one has no such sum, and
    /// would be lost.
    private func check(_ before: Evaluation, isSumOf questions: Evaluation, _ record: TestRecord) throws {
        let isSum = [questions.totalled(), questions.counted.totalled()].contains { $0.isWorth(as: before) }
        guard isSum else { throw cannotRate(record, .ratedAsOne) }
    }

    // MARK: Evaluations

    /// A score for the whole test.
    private func evaluation(
        of record: TestRecord, _ score: Double, _ maximum: Double?, before: Evaluation?
    ) throws -> Evaluation {
        guard let maximum = maximum ?? before?.maximum else { throw cannotRate(record, .maximumUnknown) }
        guard maximum <= AnswerKey.mostPoints else { throw cannotRate(record, .maximumTooLarge) }
        guard score.isFinite, maximum.isFinite, score >= 0, maximum >= 0, score <= maximum else {
            throw cannotRate(record, .scoreOutOfRange(maximum: maximum))
        }
        // The key's verdicts on single questions stay: the teacher rated the test as a whole.
        return Evaluation(
            score: score, maximum: maximum, ratedAt: clock.now, comment: before?.comment,
            questions: before?.questions ?? [])
    }

    /// The evaluation by key, with the points that a person gave before.
    private func evaluationByKey(of record: TestRecord, before: Evaluation?) throws -> Evaluation {
        switch try keys.assessment(of: record) {
        case .nothingToRate: throw cannotRate(record, .nothingToRateBy)
        case .unknownVersion: throw cannotRate(record, .keyUnknown)
        case .evaluated(let evaluation): return Rating.again(evaluation, keeping: before)
        }
    }

    /// The questions of a test with the points that they have by now.
    private func questions(of record: TestRecord, before: Evaluation?) throws -> Evaluation {
        var evaluation = before ?? Evaluation(score: 0, maximum: 0)
        if evaluation.questions.isEmpty {
            if let version = try keys.catalog.version(of: record) {
                evaluation.questions = Rating.verdicts(
                    record.answers, attachments: record.attachments,
                    to: version.questionnaire.arranged(for: record).withCountedInstances, by: version.key)
            } else {
                let answered = record.answers.filter { !$0.isBlank }.map(\.questionId)
                let attached = Set(record.attachments.map(\.questionId)).subtracting(answered).sorted()
                evaluation.questions = (answered + attached).map { .init(questionId: $0, correct: nil, maximum: 1) }
            }
        }
        for index in evaluation.questions.indices where evaluation.questions[index].maximum == nil {
            // As hosts wrote it before questions had points.
            evaluation.questions[index].maximum = 1
            evaluation.questions[index].points = evaluation.questions[index].correct.map { $0 ? 1 : 0 }
        }
        return evaluation
    }

    private func give(
        _ points: Double, _ maximum: Double?, to question: String, _ evaluation: inout Evaluation,
        _ record: TestRecord, _ rating: TeacherRating
    ) throws {
        let ids = evaluation.questions.map(\.questionId)
        guard let index = QuestionInstance.id(writtenAs: question, among: ids).flatMap(ids.firstIndex(of:)) else {
            throw cannotRate(record, .unknownQuestion(question, known: ids.map(QuestionInstance.written)))
        }
        let maximum = maximum ?? evaluation.questions[index].maximum ?? 1
        guard maximum <= AnswerKey.mostPoints else { throw cannotRate(record, .maximumTooLarge) }
        guard points.isFinite, maximum.isFinite, points >= 0, points <= maximum else {
            throw cannotRate(record, .pointsOutOfRange(maximum: maximum))
        }
        evaluation.questions[index].points = points
        evaluation.questions[index].maximum = maximum
        evaluation.questions[index].correct = points == maximum ? true : points == 0 ? false : nil
        // An empty comment takes the former one away.
        if let comment = rating.comment { evaluation.questions[index].comment = comment.isEmpty ? nil : comment }
        if let reason = rating.reason { evaluation.questions[index].reason = reason.isEmpty ? nil : reason }
        evaluation.questions[index].ratedBy = rating.ratedBy
        evaluation.questions[index].ratedAt = clock.now
        evaluation.ratedAt = clock.now
        evaluation = evaluation.totalled()
    }
}
