import ArgumentParser
import Model
import OutboxStore
import Quire
import QuireWording
import Terminal

extension ConflictPolicy: ExpressibleByArgument {}

struct ConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "Show the questionnaires that were changed here and on the server, field by field.",
        discussion: """
            Each is settled with “quire resolve ID”. --rule sets what happens from now on without asking: client (what \
            was changed here wins), server (the server's version stays), duplicate (what was changed here becomes a \
            questionnaire of its own), or ask again. The other version is always moved to quarantine.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Option(help: "ask, client, server or duplicate: what happens to conflicts from now on.")
    var rule: ConflictPolicy?

    func run() throws {
        let store = try options.openStore()
        if let rule {
            try store.changeSettings { $0.conflicts = rule }
        }
        let conflicts = try store.conflicts()
        if format.json { return try Output.json(conflicts) }
        let language = Output.language
        let current = rule ?? store.settings.conflicts ?? .ask
        for conflict in conflicts { show(conflict, language) }
        if conflicts.isEmpty {
            options.say("No conflicts (rule: \(current.rawValue)).")
        }
    }

    private func show(_ conflict: QuestionnaireConflict, _ language: Language) {
        Output.write(Output.styled(terminalSafe(conflict.title), .bold) + "  \(conflict.id)\n")
        let here = language.text("here")
        let there = language.text("server")
        if conflict.action == .delete { Output.line("  " + here + ": " + ChangeAction.delete.words(language)) }
        if conflict.isDeletedThere { Output.line("  " + there + ": " + language.text("deleted")) }
        for difference in conflict.differences {
            Output.line("  " + terminalSafe(difference.field))
            for (side, value) in [(here, difference.mine), (there, difference.theirs)] {
                Output.line("    \(side): " + terminalSafe(value?.inWords ?? "–"))
            }
        }
        Output.line(
            "  quire resolve \(conflict.id) " + conflict.choices.map { "--" + $0.rawValue }.joined(separator: " | "))
    }
}

struct ResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Settle a conflict: take your version, the server's, or both.",
        discussion: "The other version is moved to quarantine.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(
        help: "The change's id, or its first characters, or the questionnaire's id.",
        completion: StoreCompletion.questionnaire)
    var id: String
    @Flag(help: "Your version replaces the server's.") var mine = false
    @Flag(help: "Keep the server's version.") var theirs = false
    @Flag(help: "Keep the server's version; yours becomes a separate questionnaire.") var both = false

    func validate() throws {
        if [mine, theirs, both].count(where: { $0 }) != 1 {
            throw ValidationError("choose a version: --mine, --theirs or --both")
        }
    }

    private struct Line: Encodable {
        var choice: ConflictChoice.RawValue
        @Nullable var change: TestID?
        @Nullable var questionnaire: String?
    }

    func run() throws {
        let store = try options.openStore()
        let choice: ConflictChoice = mine ? .mine : theirs ? .theirs : .both
        let made = try store.resolve(id, choice)
        if format.json {
            let line = Line(
                choice: choice.rawValue, change: made?.item.id, questionnaire: made?.change.questionnaire)
            return Output.write(try DocumentCoding.encodeLine(line))
        }
        switch choice {
        case .mine:
            options.say("Your version is sent with the next sync; the server's is in quarantine.")
        case .theirs:
            options.say("The server's version stays; yours is in quarantine. “quire pull” fetches the server's.")
        case .both:
            let id = made?.change.questionnaire ?? ""
            options.say("Yours is a separate questionnaire now: \(id)")
        }
    }
}
