import Wording

/// The test as a conversation of lines: prints prompts and interprets the answered lines. Without a terminal.
struct LineConversation {
    private(set) var session: TakeSession
    private var shownPlace: TakeScreen.Place?
    private var shownPart = 0
    private var passageTurns = 0
    private var languageTurns = 0

    init(session: TakeSession) { self.session = session }

    /// The text to print before the next line is read: the question if it changed, and the error.
    mutating func prompt() -> String {
        let screen = session.screen
        let words = screen.words
        var lines: [String] = []
        if let fault = screen.saveFault {
            lines.append(screen.confirmation == .leavingUnsaved ? words.leaveUnsaved(fault) : words.notSaved(fault))
        }
        if let message = screen.message { lines.append(message.text) }
        let isTurned = passageTurns != screen.passageTurns || languageTurns != screen.languageTurns
        if shownPlace != screen.place || shownPart != screen.editor.part || isTurned {
            let isNewQuestion = shownPlace != screen.place || isTurned
            if shownPlace == nil {
                lines.append(screen.test.questionnaire.title)
                if let notice = screen.notice { lines.append(notice) }
            }
            if isNewQuestion { lines += ["", placeLine(screen)] }
            lines += printedLines(screen, isNewQuestion: isNewQuestion).map(\.text)
            lines.append(hint(screen))
            shownPlace = screen.place
            shownPart = screen.editor.part
            passageTurns = screen.passageTurns
            languageTurns = screen.languageTurns
        }
        // The lines hold a remote's words: this is where they reach the terminal.
        return terminalSafe(lines.map { $0 + "\n" }.joined()) + "> "
    }

    /// The question, or the next of its parts.
    private func printedLines(_ screen: TakeScreen, isNewQuestion: Bool) -> [Line] {
        guard let page = screen.layout.page, let question = screen.editor.question else {
            return screen.layout.contentLines
        }
        let content = page.content
        guard question.input == .order else {
            return Array(content.head.dropFirst(isNewQuestion ? 0 : content.partStart)) + page.askedLines
        }
        let test = screen.test
        let options = question.optionLabels.enumerated().flatMap { index, option in
            wrap("\(index + 1) \(test.line(option))", width: screen.size.textWidth).map { Line($0) }
        }
        let order =
            screen.editor.ranking.places.isEmpty
            ? [] : [Line(screen.words.order(question.line(screen.editor.answer, author: test.line)))]
        return content.head + options + order + page.ownLines
    }

    private func placeLine(_ screen: TakeScreen) -> String {
        var parts = [screen.words.review]
        if case .question(let index) = screen.place {
            let rows = screen.test.visible
            parts = [screen.words.place(rows.count { $0 <= index }, of: rows.count)]
        }
        if let left = screen.timeLeft {
            parts.append(left == 0 ? screen.words.timeIsOver : screen.words.timeLeft(left))
        }
        if let network = screen.networkState { parts.append(network) }
        return "-- " + parts.joined(separator: " -- ")
    }

    private func hint(_ screen: TakeScreen) -> String {
        let words = screen.words
        let commands = words.text(":b = back, :n = go on, :r = review, :q = leave")
        let answer =
            switch screen.editor.active?.input {
            case .option: words.text("The number of your answer")
            case .options: words.text("The numbers of your answers")
            case .order: words.text("The numbers of all options in your order, such as 2 1 3")
            case .text, .rows, .gaps: words.text("Your answer on one line")
            case .decimal: words.text("A number")
            case .moment(let form):
                words.text("A \(form.words(words.language))")
            case .location: words.text("Coordinates like 55.75, 37.62")
            case .files, .nothing: words.text("Enter = go on")
            case nil: words.text("A question's number") + ", :s = " + screen.buttonTitle
            }
        let passage = screen.test.passage(of: screen.editor.question) == nil ? "" : words.text(", :t = the text")
        let instances = screen.instanceWords == nil ? "" : words.text(", :i = add or remove an entry")
        let language = screen.test.questionnaire.languages.isEmpty ? "" : words.text(", :l = language")
        return "(\(answer); \(commands)\(passage)\(instances)\(words.text(", :f = flag"))\(language))"
    }

    /// Processes a line.
    mutating func take(_ line: String) throws -> TakeOutcome? { try session.take(line: line) }

    /// The same of a line as the terminal sends it. One that is not UTF-8 is refused: with its bad bytes replaced it would be
    /// another answer.
    mutating func take(bytes: some Sequence<UInt8>) throws -> TakeOutcome? {
        guard let line = String(validating: bytes, as: UTF8.self) else {
            session.refuseLine()
            return nil
        }
        return try take(line)
    }

    /// Something that happens to the session without a line.
    mutating func update<Result>(_ change: (inout TakeSession) throws -> Result) rethrows -> Result {
        try change(&session)
    }
}
