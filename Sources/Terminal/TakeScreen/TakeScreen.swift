import Model
import RichText

/// The test on the screen, as a value: keys go in, effects come out, and `frame` shows it. No terminal is needed.
///
/// The record is always up to date; the caller saves it when an effect or `isDirty` requires it.
struct TakeScreen {
    enum Place: Hashable, Sendable {
        case question(Int)
        case review
    }

    enum Effect: Hashable, Sendable {
        case save
        /// The person is done; only once the record is saved.
        case finish
        /// The time is over, and the test is handed in as it is; only once the record is saved.
        case end
        /// The person wants to leave; only once the record is saved.
        case leave
        /// The person wants to leave though the record is not saved.
        case leaveUnsaved
        case suspend
        case redraw
        case bell
    }

    enum Confirmation: Hashable, Sendable {
        case leavingUnsaved
        case finishingWithGaps
        /// What to do with an instance of a repeated section; `nil` where there is none yet.
        case instance(String, Int?)
        case removingInstance(String, Int)
    }

    struct Message: Hashable, Sendable {
        var text: String
        var isError = true
    }

    /// In the language that the person reads it in.
    private(set) var questionnaire: Questionnaire
    /// In its own language.
    private let document: Questionnaire
    let words: TakeWords
    let notice: String?
    /// The lines about the pictures of each question, by the id that it has in the document.
    private let pictures: [String: [String]]
    /// The same of each section.
    private let sectionPictures: [String: [String]]
    /// No symbols beyond ASCII; words are words.
    let isPlain: Bool

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
    let localOffset: (Timestamp) -> Int
    var place: Place = .review
    /// The option, or the row of the review, on which the person is.
    var highlight = 0
    var field = TextField()
    /// The rows or gaps of the question, and the one on which the person is.
    var parts: [Question] = []
    var part = 0
    /// An option of a ranking that the arrow keys move.
    var isMoving = false
    /// The answers to the question from before each change, the last one at the end.
    var undoable: [Answer] = []
    /// The passage of the question's section is above it.
    var showsPassage = false
    /// How many times the person asked for it.
    var passageTurns = 0
    /// How many times the language was changed.
    private(set) var languageTurns = 0
    /// The person writes an answer that is none of the options.
    var writesOther = false
    /// Rows of the content above the first visible one.
    var scroll = 0
    /// The first digit of a possible two-digit number.
    var pendingDigit: Int?
    var message: Message?
    var confirmation: Confirmation?
    var content = QuestionContent()
    var lastQuestion = 0

    /// As it was when it was last saved.
    private(set) var savedRecord: TestRecord
    private(set) var saveFault: String?
    private(set) var size: ScreenSize
    private(set) var now: Timestamp
    private(set) var timeWasOver = false
    /// The seconds of the last warning before the end.
    private var warned = Int.max
    /// The author's formatted texts as lines of words: a review has many, and is drawn often.
    private var lines: [String: String] = [:]
    var buttonTitle: String
    var networkState: String?

    init(_ request: TakeRequest, size: ScreenSize, isPlain: Bool = false) {
        document = request.questionnaire
        questionnaire = document.shown(in: request.language, for: request.record)
        words = TakeWords(language: request.language)
        notice = request.notice
        self.isPlain = isPlain
        let words = words
        // An instance that is added later has the pictures of the others.
        let document = request.questionnaire.unrepeatedDocument
        func lines(_ media: [Media]) -> [String] {
            media.map { TakeScreen.describe($0, path: request.mediaPath($0), words) }
        }
        pictures = Dictionary(document.questions.map { ($0.id, lines($0.media)) }) { first, _ in first }
        sectionPictures = Dictionary(document.sections.map { ($0.id, lines($0.media)) }) { first, _ in first }
        record = request.record
        visibility = request.questionnaire.visibility
        hidden = visibility?.hidden(by: request.record.answers, request.record.attachments) ?? []
        visible = request.questionnaire.places(without: hidden)
        localOffset = request.localOffset
        savedRecord = request.record
        self.size = size
        now = request.now()
        buttonTitle = request.buttonTitle()
        networkState = request.networkState()
        restore(request.record.resume)
        warned = timeLeft.flatMap(Questionnaire.timeWarning(left:)) ?? warned
        if timeLeft == 0 {
            timeWasOver = true
            message = Message(text: words.timeIsOverAtLength)
        }
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

    // MARK: Events from the driver

    /// There is something that was not saved yet.
    var isDirty: Bool { record != savedRecord }

    mutating func wasSaved(_ saved: TestRecord) {
        keepingFocus { screen in
            screen.savedRecord = saved
            screen.saveFault = nil
            if screen.confirmation == .leavingUnsaved { screen.confirmation = nil }
        }
    }

    mutating func wasNotSaved(_ reason: String) { keepingFocus { $0.saveFault = terminalSafe(reason) } }

    /// Files were attached or removed by another command, which has saved that.
    mutating func attach(_ attachments: [Attachment]) {
        guard attachments != record.attachments else { return }
        keepingFocus { screen in
            screen.record.attachments = attachments
            screen.savedRecord.attachments = attachments
            screen.layOut()
        }
    }

    mutating func confirmLeaving() { confirmation = .leavingUnsaved }

    mutating func resize(_ size: ScreenSize) {
        guard size != self.size else { return }
        keepingFocus { screen in
            screen.size = size
            screen.layOut()
        }
    }

    /// Updates the time.
    mutating func tick(_ now: Timestamp) -> [Effect] {
        self.now = now
        // Whether it can be saved is tried again each second.
        if questionnaire.isEnded(record, now: now) { return [.end] }
        if let left = timeLeft, let warning = Questionnaire.timeWarning(left: left), warning < warned {
            warned = warning
            keepingFocus { screen in
                screen.message = Message(text: screen.words.language.timeWarning(warning), isError: false)
            }
            return []
        }
        guard timeLeft == 0, !timeWasOver else { return [] }
        keepingFocus { screen in
            screen.timeWasOver = true
            screen.message = Message(text: screen.words.timeIsOverAtLength)
        }
        return [.save, .bell]
    }

    var timeLeft: Int? { questionnaire.timeLeft(since: record.dateStarted, now: now) }

    /// Takes over the instances that the record has by now.
    mutating func rearrange() {
        questionnaire = questionnaire.repeated(for: record)
        visibility = questionnaire.visibility
        hidden = visibility?.hidden(by: record.answers, record.attachments) ?? []
    }

    /// Shows the questionnaire in its next language. Answers stay as they are.
    mutating func switchLanguage() -> [Effect] {
        let languages = document.languages
        guard let now = languages.firstIndex(of: questionnaire.locale ?? "") else { return [.bell] }
        let next = languages[(now + 1) % languages.count]
        record.language = next
        questionnaire = document.shown(in: words.language, for: record)
        lines = [:]
        languageTurns += 1
        if case .question(let index) = place { parts = questionnaire.questions[index].parts } else { readLines() }
        layOut()
        return [.save]
    }

    /// Flags the question to come back to, or takes the flag away.
    mutating func toggleFlag() -> [Effect] {
        let ids = questionnaire.questions.map(\.id)
        let index: Int
        switch place {
        case .question(let place): index = place
        case .review:
            guard visible.indices.contains(highlight) else { return [.bell] }
            index = visible[highlight]
        }
        record.toggleFlag(ids[index])
        let isFlagged = record.flagged.contains(ids[index])
        message = Message(
            text: isFlagged ? words.text("Flagged: come back later") : words.text("Flag removed"), isError: false)
        return [.save]
    }

    // MARK: Where the person is

    var question: Question? {
        guard case .question(let index) = place else { return nil }
        return questionnaire.questions[index]
    }

    /// The person writes here, so letters are no commands.
    var isWriting: Bool { active.map { writesOther || $0.input.isWritten } ?? false }

    /// An author's text as one line of words.
    func line(_ text: String) -> String {
        lines[text] ?? (questionnaire.textFormat == .plain ? text : questionnaire.textFormat.line(of: text))
    }

    private mutating func readLines() {
        guard questionnaire.textFormat != .plain, lines.isEmpty else { return }
        for text in questionnaire.questions.flatMap({ [$0.text] + $0.optionLabels + $0.rows.map($0.label(of:)) }) {
            lines[text] = questionnaire.textFormat.line(of: text)
        }
    }

    mutating func enter(_ place: Place) {
        self.place = place
        scroll = 0
        writesOther = false
        isMoving = false
        undoable = []
        parts = []
        if case .question(let index) = place {
            lastQuestion = index
            showsPassage = isFirstOfSection(index)
            parts = questionnaire.questions[index].parts
            enterPart(openPart)
            if part > 0 { reveal() }
        } else {
            enterPart(0)
            readLines()
            let rows = visible
            highlight = rows.firstIndex { state(of: questionnaire.questions[$0]) != .answered } ?? rows.count
            reveal()
        }
    }

    func layOutContent(at index: Int) -> QuestionContent {
        let question = questionnaire.questions[index]
        let isHere = place == .question(index)
        let section = showsPassage ? questionnaire.sectionPlaces[questionnaire.questions[index].id] : nil
        let passage = section.map { place in
            questionnaire.sections[place].rows(
                questionnaire.textFormat, pictures: sectionPictures[questionnaire.sections[place].documentID] ?? [],
                size: size, isPlain: isPlain)
        }
        return QuestionContent(
            question, asked: isHere ? active ?? question : question,
            order: question.input == .order ? rankedOptions : nil, above: isHere ? linesAbove : [],
            heading: isHere ? headingHeight : 0, below: isHere ? linesBelow : [],
            description: index == 0 ? questionnaire.description : "",
            passage: passage ?? [],
            format: questionnaire.textFormat,
            pictures: (pictures[QuestionInstance(question.id).question] ?? []) + fileLines(question),
            words: words, size: size, isPlain: isPlain)
    }

    mutating func layOut() {
        guard case .question(let index) = place else {
            content = QuestionContent()
            return
        }
        content = layOutContent(at: index)
    }

    // MARK: Resuming

    private mutating func restore(_ resume: ResumePosition?) {
        let questions = questionnaire.questions
        let known = resume?.question.flatMap { id in questions.firstIndex { $0.id == id } }
        if resume?.focus == "review" || questions.isEmpty {
            enter(.review)
            lastQuestion = known ?? max(0, questions.count - 1)
            if let row = resume?.cursor { highlight = min(max(0, row), visible.count) }
        } else if let known, !hidden.contains(questions[known].id) {
            enter(.question(known))
            if let part = resume?.focus.flatMap(TakeScreen.part(focus:)), parts.indices.contains(part) {
                enterPart(part)
            }
            if let cursor = resume?.cursor {
                if isWriting {
                    field = TextField(
                        field.text, cursor: max(0, cursor), isNumber: field.isNumber, isOneLine: field.isOneLine)
                } else {
                    highlight = min(max(0, cursor), max(0, (active?.options.count ?? 0) - 1))
                }
            }
        } else {
            let rows = visible
            let open = rows.first { record.answer(to: questions[$0].id) == nil }
            enter((open ?? rows.first).map(Place.question) ?? .review)
            return
        }
        // The place of another program may be in pixels: one that does not fit is none of ours. (A message that was
        // shown then may have taken some rows.)
        if let rows = resume?.scroll, rows >= 0, rows <= Double(lastScroll + 3) {
            scroll = min(Int(rows), lastScroll)
        } else {
            reveal()
        }
    }

    /// The focus on a part, followed by its index.
    private static let partFocus = "part."

    private static func part(focus: String) -> Int? {
        focus.hasPrefix(partFocus) ? Int(focus.dropFirst(partFocus.count)) : nil
    }

    /// Keeps the place in the record.
    mutating func noteResume() {
        var resume = ResumePosition(scroll: Double(scroll))
        switch place {
        case .question(let index):
            resume.question = questionnaire.questions[index].id
            resume.cursor = isWriting ? field.cursor : highlight
            resume.focus = parts.isEmpty ? isWriting ? "text" : "options" : TakeScreen.partFocus + "\(part)"
        case .review:
            resume.question =
                questionnaire.questions.indices.contains(lastQuestion)
                ? questionnaire.questions[lastQuestion].id : nil
            resume.cursor = highlight
            resume.focus = "review"
        }
        record.resume = resume
    }
}
