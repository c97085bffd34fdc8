import ArgumentParser
import Model
import Quire
import QuireWording
import Terminal
import Wording

struct ShowCommand: AsyncParsableCommand, CallingThreadCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a questionnaire; with --json its document as the server sent it.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var quota: QuotaOption
    @OptionGroup var format: JSONOption
    @Argument(help: "The questionnaire's id.", completion: StoreCompletion.questionnaire)
    var id: String

    nonisolated(nonsending) func perform() async throws {
        try await Session.run(options, quota: quota.quota) { session in
            let document = try await session.store.open(id: id, remote: session.remote, isOffline: session.isOffline)
            if format.json {
                // As the server sent it; only a terminal is spared what could steer it.
                let isTerminal = Output.traits.isTerminal
                return isTerminal
                    ? Output.write(terminalSafeJSON(String(decoding: document.bytes, as: UTF8.self)))
                    : Output.write(document.bytes)
            }
            let hasMedia = !document.questionnaire.media.isEmpty
            let attachments = session.store.questionnaireAttachments
            show(document, hasMedia ? try attachments.lines(of: document.permanentID) : [:]) { medium in
                try? session.store.shownMedia.arrivedBytes(of: medium, questionnaire: id, remote: session.remote)
            }
            if let draft = try session.store.draft(ofQuestionnaire: id)?.record,
                draft.questionnaire.digest != document.digest
            {
                Output.line()
                Output.line(
                    Output.language.text(
                        "A draft keeps an older version: “quire diff \(draft.id)” shows what is new, “quire take \(draft.id) --update” moves it to the newer one."
                    ))
            }
        }
    }

    /// - Parameter arrived: how much of a file came that is not here yet, and how long it is.
    private func show(
        _ document: OpenedDocument, _ attached: [String: QuireStore.AttachmentLine],
        _ arrived: (Media) -> (held: Int64, complete: Int64)?
    ) {
        let language = Output.language
        let questionnaire = document.questionnaire.shown(in: language)
        let width = min(max(30, Output.traits.columns - 2), 78)
        Output.write(Output.styled(questionnaire.title, .bold) + "\n")
        let format = questionnaire.textFormat
        for line in wrap(questionnaire.description, in: format, width: width) { Output.line(line) }
        var facts = [
            language.plural(
                questionnaire.questions.count, one: "1 question", other: "\(questionnaire.questions.count) questions",
                context: "list")
        ]
        facts = questionnaire.topics.words + facts
        if questionnaire.languages.count > 1 {
            facts.append(questionnaire.languages.map(Language.name(ofTag:)).joined(separator: ", "))
        }
        if let limit = questionnaire.timeLimit {
            let time = TimeSpan.format(seconds: Double(limit), language)
            facts.append(language.text("time limit \(time)"))
            if questionnaire.finishesAtTimeLimit { facts.append(language.endsByItself) }
        }
        facts += Self.order(of: questionnaire)
        if let updated = questionnaire.updatedAt {
            facts.append(language.text("version of \(updated.inWords)"))
        }
        if let local = document.local {
            facts.append(local.change.action.words(language))
            facts.append(
                local.status.words(language, reason: local.delivery?.reason(in: language), isKept: local.isKept))
        } else if document.entry?.edited != nil {
            facts.append(FreshnessState.edited.words(language))
        }
        if document.entry == nil, document.local == nil {
            facts.append(language.text("not kept on this device"))
        }
        if document.staleBySeconds > 0 {
            facts.append(FreshnessState.stale(seconds: Double(document.ageSeconds)).words(language))
        }
        Output.write(Output.styled(facts.joined(separator: " · "), .dim) + "\n")
        var sections = questionnaire.sectionPlaces.isEmpty ? [] : questionnaire.sections
        for (index, question) in questionnaire.questions.enumerated() {
            if let place = sections.firstIndex(where: { $0.questions.contains(question.id) }) {
                Self.showSection(sections.remove(at: place), format, width: width)
            }
            Output.line()
            let number = "\(index + 1). "
            let lines = wrap(question.text, in: format, width: width - number.count)
            for (row, line) in lines.enumerated() {
                let line = question.input == .gaps ? GapText.filled(line) { "[\($0)]" } : line
                Output.line((row == 0 ? number : String(repeating: " ", count: number.count)) + line)
            }
            if case .rows = question.input {
                for row in question.rows {
                    for line in wrap(question.label(of: row), in: format, width: width - 3) {
                        Output.line("   " + line)
                    }
                }
            }
            for part in question.parts where question.input == .gaps && !part.options.isEmpty {
                let options = "[\(part.text)]: " + part.optionLabels.joined(separator: "; ")
                for line in wrap(terminalSafe(options), width: width - 3) { Output.line("   " + line) }
            }
            for medium in question.media {
                let file = attached[medium.path]
                var text = language.text("Picture") + ": "
                text += medium.alt ?? file?.attachment.name ?? medium.path
                if let file, file.status?.isDelivered != true { text += " (\(file.state(language)))" }
                if let (held, complete) = arrived(medium) {
                    let (held, complete) = (ByteCount.format(held, language), ByteCount.format(complete, language))
                    text += language.text(" (not on this device yet: \(held) of \(complete) came)")
                }
                for line in wrap(terminalSafe(text), width: width - 3) { Output.line("   " + line) }
            }
            for option in question.optionLabels {
                for (row, line) in wrap(option, in: format, width: width - 5).enumerated() {
                    Output.line((row == 0 ? "   - " : "     ") + line)
                }
            }
        }
    }
}

struct FavoriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "favorite", abstract: "Mark a questionnaire as a favourite: listed first, never evicted.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The questionnaire's id.", completion: StoreCompletion.questionnaire)
    var id: String
    @Flag(help: "Remove the mark.") var off = false

    private struct Line: Encodable {
        var id: String
        var favorite: Bool
    }

    func run() throws {
        let store = try options.openStore()
        if let fault = Questionnaire.fault(inID: id) { throw Failure(Exit.usage, "the id \(fault)") }
        let item = try store.library().first { [$0.id, $0.serverId].contains(id) }
        guard off || item != nil else {
            throw Failure.noQuestionnaire(id)
        }
        try store.setFavorite(id, title: item?.title ?? id, !off)
        if format.json { return try Output.json(Line(id: id, favorite: !off)) }
        if off {
            options.say("“\(id)” is no favourite any more.")
        } else {
            options.say("“\(id)” is a favourite.")
        }
    }
}

/// Sets or takes away a mark.
func setMark(_ kind: Mark.Kind, id: String, isOff: Bool, _ options: StoreOptions) throws {
    let store = try options.openStore()
    if let fault = Questionnaire.fault(inID: id) { throw Failure(Exit.usage, "the id \(fault)") }
    if isOff { return try store.marks.unset(kind, id: id) }
    guard try store.library().contains(where: { [$0.id, $0.serverId].contains(id) }) else {
        throw Failure.noQuestionnaire(id)
    }
    try store.marks.set(kind, id: id)
}
