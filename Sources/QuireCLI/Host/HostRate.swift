import ArgumentParser
import Disk
import Host
import Logging
import SystemPackage

/// `quire host rate --data DIR TEST --score N --max N`
struct HostRate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate",
        abstract: "Write a rating into a test's receipt; the host may run meanwhile.",
        discussion: """
            Without --score and --checking the answer key rates, as it is now: for tests that came before their \
            questionnaire did. With --comment alone the rating stays, and the comment is added.
            """)

    @OptionGroup var folders: HostFolders

    @Argument(help: "The test's id, or as much of its beginning as tells it from the others.")
    var test: String

    @Option(help: ArgumentHelp("The points that the test is worth.", valueName: "n"))
    var score: Double?

    @Option(name: .customLong("max"), help: ArgumentHelp("The points of a perfect test.", valueName: "n"))
    var maximum: Double?

    @Option(name: .customLong("by"), help: ArgumentHelp("Who rates.", valueName: "name"))
    var ratedBy: String?

    @Option(help: ArgumentHelp("What the person is to read.", valueName: "text"))
    var comment: String?

    @Flag(help: "Say that somebody is reading the test; the rating follows.")
    var checking = false

    func validate() throws {
        if maximum != nil, score == nil { throw ValidationError("--max belongs to --score") }
        if checking, score != nil || comment != nil || ratedBy != nil {
            throw ValidationError("--checking stands alone: score and comment follow when the test was read")
        }
    }

    private var verdict: TeacherRating.Verdict {
        if checking { return .checking }
        if let score { return .score(score, maximum: maximum) }
        return comment == nil ? .byKey : .unchanged
    }

    func run() async throws {
        let rating = TeacherRating(verdict: verdict, ratedBy: ratedBy, comment: comment)
        let (configuration, test) = (folders.configuration, test)
        try await HostFailure.reported {
            let receipt = try await offload {
                let archive = try ReferenceHost.openArchive(
                    configuration, logger: Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) })
                return try archive.rate(try archive.test(startingWith: test), rating)
            }
            let points = receipt.evaluation.map { ", \(plain($0.score)) of \(plain($0.maximum))" } ?? ""
            try FileDescriptor.standardOutput.writeAll(
                "\(receipt.test): \(receipt.status?.rawValue ?? "sent")\(points)\n".utf8)
        }
    }

    /// Points without a needless `.0`.
    private func plain(_ value: Double) -> String { Int(exactly: value).map { String($0) } ?? String(value) }
}
