import ArgumentParser
import Model
import OutboxStore
import Quire
import Terminal
import Wording

struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what a newer version of a questionnaire changes for a draft that keeps its own.",
        discussion: """
            “quire take ID --update” moves the draft to the newer version: answers that fit are carried over, also where a \
            spelling was corrected; the others stay in the old draft.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The questionnaire's id, or a draft's.", completion: StoreCompletion.questionnaireOrDraft)
    var id: String

    func run() async throws {
        try await Session.run(options) { session in
            let store = session.store
            let draft = try Self.draft(id, store)
            let newest = try await store.open(
                id: draft.record.questionnaire.id, remote: session.remote, isOffline: session.isOffline)
            let update = try store.versionUpdate(of: draft.record, to: newest)
            if format.json { return try Output.json(update) }
            guard let update else {
                return options.say("The draft has the newest version.")
            }
            Self.show(update, answers: draft.record.answers.count)
        }
    }

    /// The draft with this id, or of the questionnaire with this id.
    static func draft(_ id: String, _ store: QuireStore) throws -> StoredTest {
        guard let draft = try store.draft(named: id) else {
            throw Failure(Exit.badData, "there is no draft of “\(id)”: see “quire tests”")
        }
        return draft
    }

    static func show(_ update: VersionUpdate, answers: Int) {
        let language = Output.language
        let before = language.text("draft")
        let now = language.text("newer")
        for difference in update.differences {
            Output.line(terminalSafe(difference.field))
            for (side, value) in [(before, difference.mine), (now, difference.theirs)] {
                Output.line("  \(side): " + terminalSafe(value?.inWords ?? "–"))
            }
        }
        Output.line(
            language.plural(
                answers, one: "\(update.carried.count) of 1 answer would be carried over.",
                other: "\(update.carried.count) of \(answers) answers would be carried over."))
        showDetails(update)
    }

    /// The points to review: differences around answers that are carried over, and answers that are not.
    static func showDetails(_ update: VersionUpdate) {
        let language = Output.language
        for change in update.changes {
            for line in change.words(language) {
                Output.line("  \(QuestionInstance.written(change.questionId)): " + terminalSafe(line))
            }
        }
        for answer in update.left {
            let reason =
                update.reasons[QuestionInstance.written(answer.questionId)].map { " (\($0.words(language)))" } ?? ""
            Output.line(
                "  " + language.text("stays: ")
                    + terminalSafe(
                        "\(QuestionInstance.written(answer.questionId)): \(answer.texts.joined(separator: ", "))\(reason)"
                    ))
        }
    }
}
