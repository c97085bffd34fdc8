import ArgumentParser
import Disk
import Host
import Logging
import Model
import Terminal
import Wording

/// Rates all tests of a questionnaire again: what changes first, then the change.
struct HostRatingAgain {
    let folders: HostFolders
    let json, dryRun, yes: Bool

    private struct Document: Encodable {
        struct Score: Encodable {
            var status: TestStatus
            @Nullable var score: Double?
            @Nullable var maximum: Double?

            init(_ receipt: Receipt) {
                status = receipt.status ?? .sent
                score = receipt.evaluation?.score
                maximum = receipt.evaluation?.maximum
            }
        }

        struct Question: Encodable {
            var id: String
            @Nullable var before: Double?
            @Nullable var after: Double?
            @Nullable var maximum: Double?
        }

        struct Line: Encodable {
            var test: TestID
            @Nullable var person: Person?
            @Nullable var attempt: Int?
            var before, after: Score
            var questions: [Question]
        }

        var questionnaire: String
        var changed: [Line]
        var same, ratedAsOne, unknownVersion, nothingToRate, ofEarlierVersions: Int
        var applied: Bool

        init(_ again: RatingAgain, applied: Bool) {
            questionnaire = again.questionnaire
            changed = again.changed.map { line in
                Line(
                    test: line.test, person: line.person, attempt: line.attempt, before: Score(line.before),
                    after: Score(line.after),
                    questions: line.changes.map {
                        Question(id: $0.question, before: $0.before, after: $0.after, maximum: $0.maximum)
                    })
            }
            same = again.count(.same)
            ratedAsOne = again.count(.ratedAsOne)
            unknownVersion = again.count(.unknownVersion)
            nothingToRate = again.count(.nothingToRate)
            ofEarlierVersions = again.ofEarlierVersions
            self.applied = applied
        }
    }

    func run(_ id: String) async throws {
        let configuration = try folders.configuration
        try await HostFailure.reported {
            let archive = try await offload {
                try ReferenceHost.openArchive(
                    configuration, logger: Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) })
            }
            let preview = try await offload { try archive.ratings.rateAgain(questionnaire: id, writes: false) }
            if !json { tell(preview) }
            var result = preview
            let applies = try !dryRun && !preview.changed.isEmpty && consents(to: preview)
            if applies { result = try await offload { try archive.ratings.rateAgain(questionnaire: id, writes: true) } }
            if json {
                try Output.json(Document(result, applied: applies))
            } else if applies {
                let count = result.changed.count
                Output.line(
                    Output.language.plural(
                        count, one: "1 test was rated again.", other: "\(count) tests were rated again."))
            }
            if !applies, !dryRun, !preview.changed.isEmpty { throw ExitCode(Exit.usage) }
        }
    }

    private func consents(to preview: RatingAgain) throws -> Bool {
        if yes { return true }
        if Output.isInteractive, !json {
            Output.write(Output.language.text("Rate them again? (y/N) "), to: 2)
            let answer = readLine()?.lowercased() ?? ""
            if [Output.language.text("y"), Output.language.text("yes"), "y", "yes"].contains(answer) { return true }
            HostFailure.tell("nothing was changed")
            return false
        }
        HostFailure.tell(
            "nothing was changed: the ratings of \(preview.changed.count) tests would; do it with --yes")
        return false
    }

    private func tell(_ preview: RatingAgain) {
        let language = Output.language
        for line in preview.changed {
            let name = line.person.map(HostPeople.line) ?? language.text("Without a name")
            let parts = line.changes.map {
                "\(terminalSafe($0.question)) \(Self.points($0.before)) → \(Self.points($0.after))"
            }
            let details = parts.isEmpty ? language.text("only remarks of the key") : parts.joined(separator: ", ")
            Output.line(
                "\(name)\t\(Self.score(line.before)) → \(Self.score(line.after))\t\(details)\t\(line.test)")
        }
        for text in RatingAgainWords(language: language).counts(preview) { Output.line(text) }
    }

    private static func points(_ points: Double?) -> String { points.map(number) ?? "?" }

    private static func number(_ number: Double) -> String {
        Evaluation(score: number, maximum: 0).summary.prefix { $0 != " " }.description
    }

    private static func score(_ receipt: Receipt) -> String {
        guard let evaluation = receipt.evaluation else { return "–" }
        let words = evaluation.summary(Output.language)
        return receipt.status == .rated ? words : words + Output.language.text(" so far")
    }
}
