import ArgumentParser
import Disk
import Host
import Logging
import Model
import Printing
import Results
import SystemPackage
import Terminal

/// `quire host results ID --data DIR`
struct HostResults: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "results",
        abstract: "Print the results of a questionnaire: persons and questions; the host can be running.",
        discussion: """
            --csv prints one row a test and one column a question, in UTF-8 with a byte order mark, so that spreadsheets show \
            every script. A text that a spreadsheet would calculate (it begins with =, +, - or @) has an apostrophe before it. \
            The columns of questions have their ids as names; --code-book writes what each of them means.

            --html prints a report of each class for paper: persons, who is missing, figures and questions, in one HTML file.

            A score is not final unless the status is rated. In the table “?” marks an answer that waits for a person, and “·” \
            a question that was not asked.
            """)

    @OptionGroup var folders: HostFolders
    @OptionGroup var choice: AttemptOption

    @Argument(help: "The questionnaire's id.")
    var id: String

    @Flag(help: "Print comma-separated values (RFC 4180).")
    var csv = false

    @Flag(help: "Print a JSON array with person, attempt, score, answers and points.")
    var json = false

    @Flag(help: "Print the same objects as JSON Lines: one a line.")
    var jsonLines = false

    @Flag(help: "Print a report of each class as a page for paper.")
    var html = false

    @Option(help: "With --html: the class.")
    var group: String?

    @Option(help: "With --csv: what the cells of questions show, answers or points.")
    var cells: ResultTable.Content = .answers

    @Option(help: "With --csv: comma, semicolon (for spreadsheets whose decimal sign is a comma) or tab.")
    var separator: CSVText.Separator = .comma

    @Option(help: ArgumentHelp("Write what each column means to this file, as CSV.", valueName: "file"))
    var codeBook: String?

    @Option(
        help: ArgumentHelp(
            "Print the free answers that have all of these words, also in other forms; with --json an array.",
            valueName: "words"))
    var search: String?

    func validate() throws {
        if let search {
            if AnswerSearch(search, languages: []).isEmpty { throw ValidationError("--search needs a word") }
            if csv || html || jsonLines || codeBook != nil { throw ValidationError("--search goes with --json alone") }
        }
        if [csv, json, jsonLines, html].count(where: { $0 }) > 1 {
            throw ValidationError("give one of --csv, --json, --json-lines and --html")
        }
        if !html, group != nil { throw ValidationError("--group belongs to --html") }
        if !csv, cells != .answers || separator != .comma {
            throw ValidationError("--cells and --separator belong to --csv")
        }
        if codeBook?.isEmpty == true { throw ValidationError("--code-book needs a file") }
    }

    func run() async throws {
        let (configuration, id, attempts) = (try folders.configuration, id, choice.attempt)
        if let search { return try await find(search) }
        try await HostFailure.reported {
            let table = try await offload { try HostResults.table(configuration, id, attempts) }
            if let codeBook {
                let bytes = table.codeBook(separator: separator)
                try WrittenFile(codeBook, acceptsDash: false).write { try $0(bytes) }
            }
            if json {
                try FileDescriptor.standardOutput.writeAll(
                    try DocumentCoding.encode(table.rows.map { $0.document(table.columns) }))
            } else if jsonLines {
                try FileDescriptor.standardOutput.writeAll(try table.jsonLines())
            } else if html {
                let people = try await offload { try HostResults.people(configuration) }
                let report = PrintedReport(
                    table, group: group, people: people, language: Output.language,
                    time: LocalTime.inWords(SystemClock().now))
                try FileDescriptor.standardOutput.writeAll(Array(report.html.utf8))
            } else if csv {
                try FileDescriptor.standardOutput.writeAll(table.csv(cells, separator: separator))
            } else {
                Output.write(ResultText(table: table, language: Output.language).text)
            }
        }
    }

    private func find(_ words: String) async throws {
        let (configuration, id, attempts) = (try folders.configuration, id, choice.attempt)
        try await HostFailure.reported {
            let (free, languages) = try await offload {
                try HostResults.archive(configuration).results.freeAnswers(of: id, attempts: attempts)
            }
            let found = FoundAnswers(
                free: free, search: AnswerSearch(words, languages: languages), language: Output.language)
            if json {
                try FileDescriptor.standardOutput.writeAll(try DocumentCoding.encode(found.documents))
            } else {
                Output.write(found.text)
            }
        }
    }

    static func table(
        _ configuration: HostConfiguration, _ id: String, _ attempts: AttemptChoice
    ) throws -> ResultTable {
        try archive(configuration).results.table(of: id, attempts: attempts)
    }

    private static func archive(_ configuration: HostConfiguration) throws -> TestArchive {
        try ReferenceHost.openArchive(
            configuration, logger: Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) })
    }

    private static func people(_ configuration: HostConfiguration) throws -> [Person] {
        // A host over a bucket has no class list.
        configuration.bucket == nil
            ? try PeopleStore(opening: configuration.data, clock: SystemClock()).list().people : []
    }
}

/// Which attempts count.
struct AttemptOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Of each person's tests: the last, the best (the rated one with the greatest part of its points), the first, "
                + "or all.",
            valueName: "last|best|first|all"))
    var attempt: AttemptChoice = .last
}

extension AttemptChoice: ExpressibleByArgument {}
extension CSVText.Separator: ExpressibleByArgument {}
extension ResultTable.Content: ExpressibleByArgument {}
