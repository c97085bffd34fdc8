import Model
import RichText

/// The test that a person takes: the questions in the language that they read, and the answers so far.
struct TakenTest {
    /// In the language that the person reads it in.
    private(set) var questionnaire: Questionnaire
    /// In its own language.
    private let document: Questionnaire
    let words: TakeWords
    let localOffset: (Timestamp) -> Int
    /// The lines about the pictures of each question, by the id that it has in the document.
    private let pictures: [String: [String]]
    /// The same of each section.
    private let sectionPictures: [String: [String]]

    var record: TestRecord {
        didSet {
            guard let visibility, record.answers != oldValue.answers || record.attachments != oldValue.attachments
            else { return }
            hidden = visibility.hidden(by: record.answers, record.attachments)
        }
    }
    /// The questions that are hidden by the answers, by their ids.
    private(set) var hidden: Set<String> { didSet { visible = questionnaire.places(without: hidden) } }
    /// The places of the others, which are shown, in order.
    private(set) var visible: [Int]
    private var visibility: Visibility?
    /// The author's formatted texts as lines of words: a review has many, and is drawn often.
    private var lines: [String: String] = [:]

    init(_ request: TakeRequest) {
        document = request.questionnaire
        questionnaire = document.shown(in: request.language, for: request.record)
        words = TakeWords(language: request.language)
        localOffset = request.localOffset
        let words = words
        // An instance that is added later has the pictures of the others.
        let document = request.questionnaire.unrepeatedDocument
        func lines(_ media: [Media]) -> [String] {
            media.map { TakenTest.describe($0, path: request.mediaPath($0), words) }
        }
        pictures = Dictionary(document.questions.map { ($0.id, lines($0.media)) }) { first, _ in first }
        sectionPictures = Dictionary(document.sections.map { ($0.id, lines($0.media)) }) { first, _ in first }
        record = request.record
        visibility = request.questionnaire.visibility
        hidden = visibility?.hidden(by: request.record.answers, request.record.attachments) ?? []
        visible = request.questionnaire.places(without: hidden)
    }

    private static func describe(_ media: Media, path: String?, _ words: TakeWords) -> String {
        let kind =
            switch media.type?.split(separator: "/").first {
            case "image": words.picture
            case "audio": words.sound
            case "video": words.film
            default: media.type == nil ? words.picture : words.attachment
            }
        let alt = media.alt.flatMap { $0.isEmpty ? nil : $0 }
        guard let path else { return "\(kind): " + (alt ?? media.path) }
        return "\(kind): \(path)" + (alt.map { " (\($0))" } ?? "")
    }

    /// Seconds; `nil` where the time is not limited.
    func timeLeft(now: Timestamp) -> Int? { questionnaire.timeLeft(since: record.dateStarted, now: now) }

    // MARK: What is shown

    /// Takes over the instances that the record has by now.
    mutating func rearrange() {
        questionnaire = questionnaire.repeated(for: record)
        visibility = questionnaire.visibility
        hidden = visibility?.hidden(by: record.answers, record.attachments) ?? []
    }

    /// Shows the questionnaire in its next language. Answers stay as they are.
    ///
    /// - Returns: `false` when it has no other.
    mutating func switchLanguage() -> Bool {
        let languages = document.languages
        guard let now = languages.firstIndex(of: questionnaire.locale ?? "") else { return false }
        record.language = languages[(now + 1) % languages.count]
        questionnaire = document.shown(in: words.language, for: record)
        lines = [:]
        return true
    }

    /// An author's text as one line of words.
    func line(_ text: String) -> String {
        lines[text] ?? (questionnaire.textFormat == .plain ? text : questionnaire.textFormat.line(of: text))
    }

    /// Reads the lines of all questions, for a review.
    mutating func readLines() {
        guard questionnaire.textFormat != .plain, lines.isEmpty else { return }
        for text in questionnaire.questions.flatMap({ [$0.text] + $0.optionLabels + $0.rows.map($0.label(of:)) }) {
            lines[text] = questionnaire.textFormat.line(of: text)
        }
    }

    /// The lines about a question's pictures and files.
    func mediaLines(of question: Question) -> [String] {
        (pictures[QuestionInstance(question.id).question] ?? []) + fileLines(question)
    }

    /// The files of an answer, and how files are attached where they are the answer.
    private func fileLines(_ question: Question) -> [String] {
        let attached = attachedWords(question).map { [$0] } ?? []
        guard question.input == .files else { return attached }
        return attached + [
            words.howToAttach(
                "quire attach \(record.id) \(QuestionInstance.typed(question.id))", most: question.mostFiles)
        ]
    }

    /// The files that belong to a question's answer, in a word each.
    func attachedWords(_ question: Question) -> String? {
        let files = record.attachments(to: question.id)
        return files.isEmpty ? nil : words.attached(files.map(\.name))
    }

    // MARK: Sections

    /// The section of a question, if there is anything to read in it.
    func passage(of question: Question?) -> Section? {
        guard let question, let section = questionnaire.section(of: question.id), section.hasPassage else { return nil }
        return section
    }

    /// The rows of the section above a question; none where it has no section.
    func passageRows(of question: Question, size: ScreenSize, isPlain: Bool) -> [Line] {
        guard let place = questionnaire.sectionPlaces[question.id] else { return [] }
        let section = questionnaire.sections[place]
        return section.rows(
            questionnaire.textFormat, pictures: sectionPictures[section.documentID] ?? [], size: size,
            isPlain: isPlain)
    }

    /// Whether a question is the first of its section that is shown: there the passage is read.
    func isFirstOfSection(_ place: Int) -> Bool {
        let section = questionnaire.section(of: questionnaire.questions[place].id)
        let first = visible.first { questionnaire.section(of: questionnaire.questions[$0].id)?.id == section?.id }
        return section != nil && first == place
    }

    // MARK: Answers

    enum AnswerState: Hashable, Sendable {
        case answered
        case open
        /// Required, and not answered.
        case missing
        /// Not a number or a date where one belongs, or against the constraint.
        case wrong
    }

    func state(of question: Question) -> AnswerState {
        guard question.kind.takesAnswer else { return .answered }
        guard record.isAnswered(question.id) else { return question.required ? .missing : .open }
        guard let problem = record.problem(with: question) else { return .answered }
        return problem.isIncomplete ? .missing : .wrong
    }

    func isNotNumber(_ question: Question) -> Bool {
        switch question.problem(with: record.answer(to: question.id)) {
        case .notNumber, .ambiguous: question.input == .decimal
        default: false
        }
    }

    /// An unchanged answer keeps its place among the others, so that nothing is saved that did not change.
    ///
    /// - Parameter answer: `nil` to clear it.
    mutating func store(_ answer: Answer?, to question: String) {
        guard record.answer(to: question) != answer else { return }
        record.record(answer ?? Answer(questionId: question, value: .one("")))
    }

    /// The questions that are shown and take an answer, by their places.
    private var asked: [Int] { visible.filter { questionnaire.questions[$0].kind.takesAnswer } }
    var askedCount: Int { asked.count }
    var answeredCount: Int { asked.count { state(of: questionnaire.questions[$0]) == .answered } }

    /// Numbers, counted from 1 among those that are shown, of the questions in a state.
    func numbers(in state: AnswerState) -> [Int] {
        let rows = visible
        return rows.indices.filter { self.state(of: questionnaire.questions[rows[$0]]) == state }.map { $0 + 1 }
    }
}

extension Section {
    /// The rows of what is read above the questions, and one of space.
    fileprivate func rows(_ format: TextFormat, pictures: [String], size: ScreenSize, isPlain: Bool) -> [Line] {
        let formatted = FormattedRows(size: size, isPlain: isPlain)
        var rows: [Line] = []
        if let title, !title.isEmpty {
            rows += wrap(format.line(of: title), width: size.textWidth).map { Line($0, .strong) }
        }
        if let text, !text.isEmpty {
            rows +=
                format.tree(of: text).map { formatted.rows(of: $0) }
                ?? QuestionContent.prose(text, size: size, style: .plain)
        }
        for picture in pictures { rows += wrap(picture, width: size.textWidth).map { Line($0) } }
        let rule = String(repeating: isPlain ? "-" : "─", count: min(size.textWidth, 24))
        return rows.isEmpty ? [] : rows + [Line(rule, .faint)]
    }
}
