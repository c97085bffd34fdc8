import Disk
import Model
import Results

/// Rates a test by the version that it was taken with, and no other: its points by the key, and its time by the limit.
struct KeyRating: Sendable {
    let catalog: QuestionnaireCatalog
    let clock: any StoreClock

    /// The result of the key for a test.
    enum Assessment {
        /// The questionnaire is not here, or the version has no key.
        case nothingToRate
        /// The questionnaire has a key, and the version that the test was taken with is not known here.
        case unknownVersion
        case evaluated(Evaluation)
    }

    /// Compares a test with the key of the version that it was taken with, and with no other.
    func assessment(of record: TestRecord) throws -> Assessment {
        guard let version = try catalog.version(of: record) else {
            let current = try catalog.document(id: record.questionnaire.id)?.published
            return current?.key.isEmpty == false ? .unknownVersion : .nothingToRate
        }
        let evaluation = Rating.evaluate(
            record.answers, attachments: record.attachments,
            to: version.questionnaire.arranged(for: record).withCountedInstances,
            by: version.key, at: clock.now)
        return evaluation.map { .evaluated($0) } ?? .nothingToRate
    }

    /// Says how long a test took, and whether that was longer than the limit of the version that was taken. What only the
    /// device's clock says is not proven.
    func noteTime(of record: TestRecord, in receipt: inout Receipt) throws {
        guard let taken = try catalog.version(of: record)?.questionnaire.timeTaken(by: record) else { return }
        receipt.timeTaken = taken
        receipt.late = receipt.late == true || taken.isLate
        if taken.isLate, taken.measuredBy == .deviceClock {
            receipt.reasonCode = receipt.reasonCode ?? .lateUnproven
        }
    }
}

extension QuestionnaireCatalog {
    /// The version that a test was taken with, and its key; `nil` when it is not known here.
    func version(of record: TestRecord) throws -> PublishedQuestionnaire? {
        try version(id: record.questionnaire.id, digest: record.questionnaire.digest)
    }
}

extension Receipt {
    /// Takes over an evaluation; the test is rated when no question waits for a person.
    mutating func take(_ evaluation: Evaluation) {
        self.evaluation = evaluation
        status = evaluation.isComplete ? .rated : .checking
        reasonCode = evaluation.isComplete ? nil : .unreadAnswers
    }
}
