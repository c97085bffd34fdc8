import ArgumentParser
import Disk
import Host
import Logging
import SystemPackage

/// `quire host rate --data DIR TEST [QUESTION] --points N`
struct HostRate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate",
        abstract: "Rate a test; the host can be running.",
        discussion: """
            With a question and --points, give points to one answer that the key cannot rate. The test is rated when every \
            question has points. --score rates the test as one, and --points for a question do not replace such a score.

            Without --points, --score and --checking the test is rated by the key of the version it was taken with, for \
            tests that arrived before their questionnaire. With --comment alone the rating stays, and the comment is added.

            --again rates all tests of a questionnaire again, each by the key of the version that it was taken with, as that \
            key is now: after a mistake in the key was fixed. What changes is printed first, person by person; it is done with \
            --yes or an answer at the terminal. Points and scores that persons gave stay.

            --return sends a test back to its person with --comment, to be corrected in a new test. --no-return withdraws that.
            """)

    @OptionGroup var folders: HostFolders

    @Argument(help: "The test's id, or its first characters.")
    var test: String?

    @Argument(help: "The id of the question that gets the points.")
    var question: String?

    @Option(help: ArgumentHelp("The points for the answer or, without a question, for the test.", valueName: "n"))
    var points: Double?

    @Option(help: ArgumentHelp("The points for the test.", valueName: "n"))
    var score: Double?

    @Option(
        name: .customLong("max"), help: ArgumentHelp("The most points that can be reached.", valueName: "n"))
    var maximum: Double?

    @Option(name: .customLong("by"), help: ArgumentHelp("Who rates.", valueName: "name"))
    var ratedBy: String?

    @Option(help: ArgumentHelp("A comment for the person who took the test.", valueName: "text"))
    var comment: String?

    @Flag(help: "Mark the test as being checked; the rating follows.")
    var checking = false

    @Option(help: ArgumentHelp("Rate all tests of this questionnaire again by their keys.", valueName: "id"))
    var again: String?

    @Flag(help: "With --again: print what would change, and change nothing.")
    var dryRun = false

    @Flag(help: "With --again: change it without asking.")
    var yes = false

    @Flag(help: "With --again: print JSON.")
    var json = false

    @Flag(inversion: .prefixedNo, help: "Send the test back to be corrected, with --comment, or withdraw that.")
    var `return`: Bool?

    func validate() throws {
        if again != nil {
            let isAlone =
                test == nil && points == nil && score == nil && maximum == nil && ratedBy == nil && comment == nil
                && !checking && `return` == nil
            if !isAlone {
                throw ValidationError(
                    "--again is for all tests of a questionnaire: only --dry-run, --yes and --json go with it")
            }
            return
        }
        if test == nil { throw ValidationError("name a test, or a questionnaire with --again") }
        if dryRun || yes || json { throw ValidationError("--dry-run, --yes and --json belong to --again") }
        if let `return` {
            if points != nil || score != nil || question != nil || checking {
                throw ValidationError("--return stands with --comment and --by alone")
            }
            if `return`, comment?.isEmpty != false {
                throw ValidationError("say with --comment what is to be corrected")
            }
        }
        if maximum != nil, score == nil, points == nil { throw ValidationError("--max belongs to --score or --points") }
        if score != nil, points != nil || question != nil {
            throw ValidationError("--score is for the test as one: give a question its points with --points")
        }
        if question != nil, points == nil { throw ValidationError("give the points for the answer with --points") }
        if checking, points != nil || score != nil || comment != nil || ratedBy != nil {
            throw ValidationError("--checking stands alone: score and comment follow when the test was read")
        }
    }

    private var verdict: TeacherRating.Verdict {
        if checking { return .checking }
        if let `return` { return `return` ? .returned : .returnWithdrawn }
        if let question, let points { return .points(question: question, points, maximum: maximum) }
        if let score = score ?? points { return .score(score, maximum: maximum) }
        return comment == nil ? .byKey : .unchanged
    }

    func run() async throws {
        if let again {
            return try await HostRatingAgain(folders: folders, json: json, dryRun: dryRun, yes: yes).run(again)
        }
        let rating = TeacherRating(verdict: verdict, ratedBy: ratedBy, comment: comment)
        let (configuration, test) = (try folders.configuration, test ?? "")
        try await HostFailure.reported {
            let receipt = try await offload {
                let archive = try ReferenceHost.openArchive(
                    configuration, logger: Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) })
                return try archive.ratings.rate(try archive.lists.test(startingWith: test), rating)
            }
            let status = receipt.status ?? .sent
            let points = HostTests.points(receipt.evaluation?.score, receipt.evaluation?.maximum, status)
            try FileDescriptor.standardOutput.writeAll(
                "\(receipt.test): \(status.rawValue)\(points)\(receipt.returned == nil ? "" : ", returned to be corrected")\n"
                    .utf8)
        }
    }
}
