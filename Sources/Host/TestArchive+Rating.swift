import Disk
import Model

/// What a teacher says about a test.
public struct TeacherRating: Hashable, Sendable {
    /// What is to become of the test's rating.
    public enum Verdict: Hashable, Sendable {
        /// Somebody is reading it: nothing is rated yet.
        case checking
        /// Points, and how many there could have been; without the latter it stays what it was.
        case score(Double, maximum: Double?)
        /// The answer key as it is now; what a test needs that came before its questionnaire did.
        case byKey
        /// The rating stays as it is.
        case unchanged
    }

    public var verdict: Verdict
    public var ratedBy: String?
    public var comment: String?

    public init(verdict: Verdict, ratedBy: String? = nil, comment: String? = nil) {
        self.verdict = verdict
        self.ratedBy = ratedBy
        self.comment = comment
    }
}

extension TestArchive {
    /// Writes a rating into a test's receipt, durably. The host may run meanwhile.
    ///
    /// - Returns: the receipt as it is now.
    /// - Throws: `HostError.cannotRate` with the reason.
    @discardableResult
    public func rate(_ id: TestID, _ rating: TeacherRating) throws -> Receipt {
        // Two teachers at once: each one's word is added to the receipt that the other has left.
        let lock = try LockFile.acquire(HostLayout.ratingLock, in: fileSystem, wait: true)
        defer { withExtendedLifetime(lock) {} }
        guard let (record, stored) = try stored(id) else { throw HostError.unknownTest(id.description) }
        var receipt = stored
        // It may have come before its questionnaire did.
        if receipt.late == nil { try noteTime(of: record, in: &receipt) }
        if rating.verdict == .checking {
            if receipt.status == .rated { throw HostError.cannotRate(test: id.description, reason: isRatedAlready) }
            receipt.status = .checking
        } else {
            receipt.evaluation = try evaluation(of: record, rating, before: receipt.evaluation)
            receipt.status = .rated
        }
        _ = try write(receipt, replacing: true)
        return receipt
    }

    private var isRatedAlready: String {
        "it has a rating, which the person may have seen; give a new one with --score"
    }

    private func evaluation(
        of record: TestRecord, _ rating: TeacherRating, before: Evaluation?
    ) throws -> Evaluation {
        let id = record.id.description
        var evaluation: Evaluation
        switch rating.verdict {
        case .score(let score, let maximum):
            guard let maximum = maximum ?? before?.maximum else {
                throw HostError.cannotRate(test: id, reason: "nobody knows the best score yet; add --max")
            }
            guard score.isFinite, maximum.isFinite, score >= 0, maximum >= 0, score <= maximum else {
                throw HostError.cannotRate(
                    test: id, reason: "the score must be between 0 and the best score, \(maximum)")
            }
            // What the key said about the single questions stays: the teacher judged the whole.
            evaluation = Evaluation(
                score: score, maximum: maximum, ratedAt: clock.now, comment: before?.comment,
                questions: before?.questions ?? [])
        case .byKey:
            guard let byKey = try evaluationByKey(of: record) else {
                throw HostError.cannotRate(
                    test: id, reason: "its questionnaire is not here or has no answer key; give --score and --max")
            }
            evaluation = byKey
        case .unchanged, .checking:
            guard let before else {
                throw HostError.cannotRate(test: id, reason: "it has no rating yet; give --score and --max")
            }
            evaluation = before
        }
        evaluation.ratedBy = rating.ratedBy ?? evaluation.ratedBy
        evaluation.comment = rating.comment ?? evaluation.comment
        return evaluation
    }
}
