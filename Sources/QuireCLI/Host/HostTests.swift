import ArgumentParser
import Disk
import Host
import Logging
import Model
import SystemPackage
import Terminal
import Wording

/// `quire host tests --data DIR`
struct HostTests: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tests", abstract: "List the host's tests; the host can be running.")

    @OptionGroup var folders: HostFolders

    @Option(help: ArgumentHelp("Only tests that are sent, checking or rated.", valueName: "status"))
    var status: String?

    @Flag(help: "Print a JSON array.")
    var json = false

    /// All tests, with the number of each among those of its person, and of them what was asked for.
    private static func tests(_ archive: TestArchive, _ filter: TestLists.Filter) throws -> [TestSummary] {
        let all = try archive.lists.list().tests
        let attempts = TestLists.attempts(of: all)
        let chains = TestLists.revisionChains(of: all)
        return all.filter { filter.status == nil || $0.status == filter.status }.map {
            var test = $0
            test.attempt = $0.attempt ?? attempts[$0.id]
            test.revision = chains[$0.id]?.number
            test.first = chains[$0.id]?.earlier.first
            return test
        }
    }

    private func filter() throws -> TestLists.Filter {
        guard let status else { return TestLists.Filter() }
        guard let wanted = TestStatus(rawValue: status), wanted.isDelivered else {
            throw ValidationError("--status must be sent, checking or rated")
        }
        return TestLists.Filter(status: wanted)
    }

    func validate() throws { _ = try filter() }

    func run() async throws {
        let (configuration, filter) = (try folders.configuration, try filter())
        try await HostFailure.reported {
            let tests = try await offload {
                let archive = try ReferenceHost.openArchive(
                    configuration, logger: Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) })
                return try Self.tests(archive, filter)
            }
            let output = json ? try DocumentCoding.encode(tests) : Array(tests.map(line).joined().utf8)
            try FileDescriptor.standardOutput.writeAll(output)
        }
    }

    private static func late(_ taken: TimeTaken?) -> String {
        let words = Output.language.text("late")
        guard let taken else { return words }
        func exact(_ seconds: Double) -> String { TimeSpan.exact(seconds: seconds, Output.language) }
        let (took, limit) = (taken.tookSeconds.rounded(.up), Double(taken.limitSeconds))
        return words + ": "
            + Output.language.text("\(exact(took)) of \(exact(limit))")
    }

    /// `, 4 of 5`; marked if it is not final.
    static func points(_ score: Double?, _ maximum: Double?, _ status: TestStatus) -> String {
        guard let score, let maximum else { return "" }
        func plain(_ value: Double) -> String { Int(exactly: value).map { String($0) } ?? String(value) }
        let language = Output.language
        let points = language.text(", \(plain(score)) of \(plain(maximum))")
        return status == .rated ? points : points + language.text(" so far")
    }

    /// `  (revision 3 of <previous>, first version <first>)`
    private static func revision(_ test: TestSummary) -> String {
        guard let number = test.revision, let first = test.first, let previous = test.parent else { return "" }
        return first == previous
            ? Output.language.text("  (revision \(number) of \(previous))")
            : Output.language.text("  (revision \(number) of \(previous), first version \(first))")
    }

    private static func onOneLine(_ text: String) -> String {
        terminalSafe(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private func line(_ test: TestSummary) -> String {
        let status = test.status.rawValue.padding(toLength: 8)
        let received = test.receivedAt?.description ?? "-"
        // Titles and names come from the sender of the test: they must not control the terminal or start a line.
        let title = Self.onOneLine(test.questionnaire.title)
        let person = test.person.map { "  " + Self.onOneLine($0.fullName) } ?? ""
        let missing = test.media?.missing ?? 0
        let files =
            missing > 0 ? Output.language.text("  (files missing: \(missing))") : ""
        let late = test.late ? "  (" + Self.late(test.timeTaken) + ")" : ""
        let points = Self.points(test.score, test.maximum, test.status)
        return "\(test.id)  \(status)  \(received)  \(title)\(person)\(points)\(files)\(late)\(Self.revision(test))\n"
    }
}

extension String {
    fileprivate func padding(toLength length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}
