import ArgumentParser
import Disk
import Model
import OutboxStore
import Quire
import SystemPackage

/// `quire outbox export FILE.tar`
struct OutboxExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Pack the tests and their receipts into a tar archive, for another machine.",
        discussion: """
            They stay here too. Both machines may send them: the server has each test once, and both end with the same \
            receipts. A drive may be the way to another machine's network: “quire outbox import FILE” there.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Option(help: "Only those of this status; may be given several times.") var status: [TestStatus] = []
    @Option(
        help: ArgumentHelp("Only those finished since: a span like 7d, or a date like 2026-11-20.", valueName: "time"))
    var since: SinceInput?
    @Argument(help: "The archive; - is standard output.", completion: .file(), transform: FileArgument.named)
    var file: String

    private struct Result: Encodable {
        var exported, changes: [TestID]
        var unreadable: [String]
    }

    func run() throws {
        let store = try options.openStore()
        let filter = OutboxTransfer.ExportFilter(statuses: Set(status), since: since?.moment(store.clock.now))
        let report: OutboxTransfer.ExportReport
        if file == "-" {
            report = try store.outbox.transfer.export(filter) { Output.write($0) }
        } else {
            report = try WrittenFile(file, acceptsDash: true).write { take in
                try store.outbox.transfer.export(filter, to: take)
            }
        }
        for fault in report.unreadable { Output.complain("\(fault), and is left out: see “quire doctor”") }
        if file == "-" { return }
        if format.json {
            return try Output.json(
                Result(exported: report.tests, changes: report.changes, unreadable: report.unreadable))
        }
        let (tests, changes) = (report.tests.count, report.changes.count)
        let language = Output.language
        var content = language.plural(tests, one: "1 test", other: "\(tests) tests")
        if changes > 0 {
            content += language.text(" and ") + language.plural(changes, one: "1 change", other: "\(changes) changes")
        }
        options.say("\(content) in \(file). Elsewhere: quire outbox import \(file)")
    }
}

/// `quire outbox import FILE.tar`
struct OutboxImport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a tar archive of another machine's outbox.",
        discussion: """
            It is one that “quire outbox export” made, or “tar -cf FILE.tar outbox” in a store. It is imported completely or, \
            if anything in it is wrong, not at all; importing it again changes nothing. A test that is here too counts by \
            its most advanced status; where the bytes differ both are kept, one of them in conflict/.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The archive; - is standard input.", completion: .file(), transform: FileArgument.named)
    var file: String

    private struct Result: Encodable {
        var taken, advanced: [TestID]
        var known: Int
        var conflicts, newerHere: [TestID]
    }

    func run() throws {
        let store = try options.openStore()
        let input = try InputFile(file)
        let report = try store.outbox.transfer.importTests { try input.read(into: $0) }
        let news = report.taken.count + report.advanced.count + report.conflicts.count
        if news > 0 {
            store.journal.record(
                "imported",
                detail:
                    "\(report.taken.count) new, \(report.advanced.count) further, \(report.conflicts.count) in conflict"
            )
        }
        if format.json {
            return try Output.json(
                Result(
                    taken: report.taken, advanced: report.advanced, known: report.known, conflicts: report.conflicts,
                    newerHere: report.newer))
        }
        let language = Output.language
        let known = report.known + report.newer.count
        var parts = [
            language.text("\(report.taken.count) new, \(report.advanced.count) further than here, \(known) known")
        ]
        if !report.conflicts.isEmpty {
            parts.append(
                language.text(
                    "\(report.conflicts.count) with other answers here: both are kept, see “quire tests”"))
        }
        options.say(line: parts.joined(separator: ", ") + ".")
    }
}

/// A moment in the past: `7d` ago, or a date.
struct SinceInput: ExpressibleByArgument {
    private let seconds: Double?
    private let date: Timestamp?

    init?(argument: String) {
        seconds = TimeSpan.parse(argument)
        date = Timestamp(argument)
        if seconds == nil, date == nil { return nil }
    }

    func moment(_ now: Timestamp) -> Timestamp { date ?? now.adding(seconds: -(seconds ?? 0)) }
}
