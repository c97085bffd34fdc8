import Disk
import Model
import Results

/// The changes that rating all tests of a questionnaire again makes, or has made.
package struct RatingAgain: Sendable {
    package enum Outcome: String, Hashable, Sendable, CaseIterable, Codable {
        case changed
        case same
        /// A person gave a score for the test as one, which stays.
        case ratedAsOne
        /// The version that the test was taken with is not known here, and so not its key.
        case unknownVersion
        /// There is no key.
        case nothingToRate
    }

    /// The points of one question that change.
    package struct Change: Hashable, Sendable {
        package var question: String
        /// `nil` while a person has to read the answer.
        package var before: Double?
        package var after: Double?
        package var maximum: Double?
    }

    /// One test.
    package struct Line: Sendable {
        package var test: TestID
        package var person: Person?
        package var attempt: Int?
        package var outcome: Outcome
        package var before: Receipt
        package var after: Receipt

        /// The questions whose points differ.
        package var changes: [Change] {
            let former = Dictionary(
                (before.evaluation?.questions ?? []).map { ($0.questionId, $0) },
                uniquingKeysWith: { first, _ in first })
            return (after.evaluation?.questions ?? []).compactMap { now in
                let was = former[now.questionId]
                if was?.points == now.points, was?.maximum == now.maximum { return nil }
                return Change(question: now.questionId, before: was?.points, after: now.points, maximum: now.maximum)
            }
        }

        /// Whether its person gets another score, and not only other remarks.
        package var changesPoints: Bool {
            before.status != after.status || before.evaluation?.score != after.evaluation?.score
                || before.evaluation?.maximum != after.evaluation?.maximum
        }
    }

    package var questionnaire: String
    package var title: String
    /// In the order of names; all tests.
    package var lines: [Line]
    /// How many tests were taken with an earlier version than the published one: its own key rates them.
    package var ofEarlierVersions: Int

    package func count(_ outcome: Outcome) -> Int { lines.count { $0.outcome == outcome } }

    /// The tests that change.
    package var changed: [Line] { lines.filter { $0.outcome == .changed } }

    /// What a preview showed: whether the same would be done now.
    package var state: Digest {
        get throws {
            let parts = try changed.map { line in
                // The time of rating is not a part of what is shown.
                var after = line.after
                after.evaluation?.ratedAt = nil
                return try DocumentCoding.encode(line.before) + DocumentCoding.encode(after)
            }
            return Digest(sha256Of: Array(parts.joined()))
        }
    }
}

extension TestRatings {
    /// Rates all tests of a questionnaire again, each by the key of the version that it was taken with, as that key is now.
    ///
    /// Points and scores that persons gave stay. Each receipt is replaced in one step, and what it was before is kept; so the same
    /// again after a crash finishes the rest, and changes nothing twice.
    ///
    /// - Parameters:
    ///   - id: the host's id of the questionnaire, or the one of the device that made it.
    ///   - writes: whether it is done, and not only previewed.
    /// - Throws: `HostError.unknownQuestionnaire`, `FileError`.
    package func rateAgain(questionnaire id: String, writes: Bool) throws -> RatingAgain {
        let current = try keys.catalog.document(id: id)
        var summaries: [TestSummary] = []
        for name in Set([current?.entry.id ?? id, current?.entry.localId].compactMap { $0 }).sorted() {
            summaries += try lists.summaries(.init(questionnaire: name))
        }
        guard current != nil || !summaries.isEmpty else { throw HostError.unknownQuestionnaire(id) }
        let attempts = TestLists.attempts(of: summaries)
        var again = RatingAgain(
            questionnaire: current?.entry.id ?? id,
            title: current?.published.questionnaire.title ?? summaries.last?.questionnaire.title ?? id, lines: [],
            ofEarlierVersions: 0)
        let sorted = summaries.sorted { Self.byName($0) < Self.byName($1) }
        // One after the other writes; all cores read.
        let all =
            writes
            ? try sorted.map { try rateAgain($0, writes: true) }
            : try sorted.concurrentMap { try self.rateAgain($0, writes: false) }
        // The same again after a failure finds receipts as they should be, which need not be durable yet.
        if writes, all.contains(where: { $0?.line.outcome == .same }) { try received.files.confirmReceipts() }
        for (summary, found) in zip(sorted, all) {
            guard let (found, version) = found else { continue }
            var line = found
            line.attempt = line.attempt ?? attempts[summary.id]
            again.lines.append(line)
            if let current, version != current.published.digest { again.ofEarlierVersions += 1 }
        }
        return again
    }

    /// Rates a test again by the key of the version that it was taken with, as that key is now.
    ///
    /// - Returns: the test's line, and the version that it was taken with; `nil` when there is no such test.
    private func rateAgain(
        _ summary: TestSummary, writes: Bool
    ) throws -> (line: RatingAgain.Line, version: Digest)? {
        writes
            ? try received.files.lockedReceipts { try ratedAgain(summary, writes: true) }
            : try ratedAgain(summary, writes: false)
    }

    private func ratedAgain(
        _ summary: TestSummary, writes: Bool
    ) throws -> (line: RatingAgain.Line, version: Digest)? {
        let id = summary.id
        guard let (record, stored, version) = try received.storedVersion(of: id) else { return nil }
        let outcome: RatingAgain.Outcome
        var receipt = stored
        switch try keys.assessment(of: record) {
        case .nothingToRate: outcome = .nothingToRate
        case .unknownVersion: outcome = .unknownVersion
        case .evaluated(let evaluation):
            if stored.status == .rated, let before = stored.evaluation, !Self.isOfQuestions(before) {
                outcome = .ratedAsOne
                break
            }
            let again = Rating.again(evaluation, keeping: stored.evaluation)
            if stored.status == .rated, !again.isComplete {
                // A rated test does not wait for a person again.
                outcome = .ratedAsOne
                break
            }
            if again != stored.evaluation {
                receipt.take(again)
                receipt = receipt.noting(formerRatingOf: stored)
                // It may have come before its questionnaire did.
                if receipt.late == nil { try keys.noteTime(of: record, in: &receipt) }
            }
            outcome = receipt == stored ? .same : .changed
        }
        // Another host was quicker: what it left is rated again.
        if writes, receipt != stored, try !received.replace(version, by: receipt) {
            return try ratedAgain(summary, writes: true)
        }
        let line = RatingAgain.Line(
            test: id, person: summary.person, attempt: summary.attempt, outcome: outcome, before: stored, after: receipt
        )
        return (line, record.questionnaire.digest)
    }

    /// Whether an evaluation is the sum of points for questions, and not a person's score for the test as one.
    private static func isOfQuestions(_ evaluation: Evaluation) -> Bool {
        if evaluation.ratedBy == Rating.keyName { return true }
        return (evaluation.isSum || evaluation.counted.isSum) && evaluation.questions.contains { $0.isByPerson }
    }

    private static func byName(_ summary: TestSummary) -> (String, Int, TestID) {
        (summary.person.map { "0" + TextFolding.fold($0.name) } ?? "1", summary.attempt ?? 0, summary.id)
    }
}
