import ArgumentParser
import Model
import OutboxStore
import Quire

/// `quire outbox forget --delivered --older-than TIME`
struct OutboxForget: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove tests that were delivered long ago, with their files and receipts.",
        discussion: """
            They go to quarantine, from where they can be put back; with --really they are gone. What is not delivered, is \
            still being checked, or has no valid receipt of the server stays, and so does a test that a draft continues. \
            The server keeps what it has.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Flag(help: "Those that the server acknowledged; nothing else can be forgotten.") var delivered = false
    @Option(help: ArgumentHelp("Delivered and rated longer ago than this, such as 90d.", valueName: "time"))
    var olderThan: TimeInput
    @Flag(help: "Remove them for good, and not to quarantine.") var really = false
    @Flag(help: "Only print which.") var dryRun = false

    private struct Result: Encodable {
        var forgotten: [TestID]
        var kept: [String: OutboxRetention.ForgetRefusal]
    }

    func validate() throws {
        if !delivered { throw ValidationError("say what to forget: --delivered") }
    }

    func run() throws {
        let store = try options.openStore()
        let moment = store.clock.now.adding(seconds: -olderThan.seconds)
        let report = try store.outbox.retention.forget(
            deliveredBefore: moment, to: really ? .nowhere : .quarantine, isDryRun: dryRun)
        if !dryRun { for id in report.forgotten { store.journal.record("forgotten", test: id) } }
        if format.json {
            let kept = Dictionary(uniqueKeysWithValues: report.kept.map { ("\($0.key)", $0.value) })
            return try Output.json(Result(forgotten: report.forgotten, kept: kept))
        }
        let count = report.forgotten.count
        let language = Output.language
        if dryRun {
            for id in report.forgotten { Output.line("\(id)") }
            options.say("\(count) would be forgotten.")
        } else if really {
            options.say(line: language.plural(count, one: "1 test is gone.", other: "\(count) tests are gone."))
        } else {
            options.say(
                line: language.plural(
                    count, one: "1 test is in quarantine now.", other: "\(count) tests are in quarantine now."))
        }
        for (id, reason) in report.kept.sorted(by: { $0.key < $1.key }) {
            options.say("\(id) stays: \(Self.words(reason, language))")
        }
    }

    private static func words(_ reason: OutboxRetention.ForgetRefusal, _ language: Language) -> String {
        switch reason {
        case .unproven: language.text("no valid receipt proves that the server has it")
        case .checking: language.text("it is being checked")
        case .needed: language.text("a test that is not delivered refers to it")
        case .undeliveredFiles: language.text("one of its files is not delivered")
        }
    }
}
