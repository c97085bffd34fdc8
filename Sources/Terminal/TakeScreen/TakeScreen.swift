import Model
import Wording

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

    var test: TakenTest
    let notice: String?
    /// No symbols beyond ASCII; words are words.
    let isPlain: Bool

    private(set) var place: Place = .review
    /// The question on the screen, as it is being answered.
    var editor = QuestionEditor()
    private(set) var content = QuestionContent()
    /// The row of the review on which the person is.
    var reviewRow = 0
    private var lastQuestion = 0
    /// The passage of the question's section is above it.
    private(set) var showsPassage = false
    /// How many times the person asked for it.
    private(set) var passageTurns = 0
    /// How many times the language was changed.
    private(set) var languageTurns = 0
    /// Rows of the content above the first visible one.
    var scroll = 0
    var message: Message?
    var confirmation: Confirmation?

    /// As it was when it was last saved.
    private(set) var savedRecord: TestRecord
    private(set) var saveFault: String?
    private(set) var size: ScreenSize
    private var now: Timestamp
    private var timeWasOver = false
    /// The seconds of the last warning before the end.
    private var warned = Int.max
    var buttonTitle: String
    var networkState: String?

    init(_ request: TakeRequest, size: ScreenSize, isPlain: Bool = false) {
        test = TakenTest(request)
        notice = request.notice
        self.isPlain = isPlain
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

    var words: TakeWords { test.words }
    var layout: ScreenLayout { ScreenLayout(self) }
    var frame: Frame { layout.frame }

    // MARK: Events from the driver

    /// There is something that was not saved yet.
    var isDirty: Bool { test.record != savedRecord }

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
        guard attachments != test.record.attachments else { return }
        keepingFocus { screen in
            screen.test.record.attachments = attachments
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
        if test.questionnaire.isEnded(test.record, now: now) { return [.end] }
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

    var timeLeft: Int? { test.timeLeft(now: now) }

    // MARK: Where the person is

    /// The place of the question on which the person is, also in the review.
    var questionHere: Int? {
        switch place {
        case .question(let index): index
        case .review: test.visible.indices.contains(reviewRow) ? test.visible[reviewRow] : nil
        }
    }

    mutating func enter(_ place: Place) {
        self.place = place
        scroll = 0
        switch place {
        case .question(let index):
            lastQuestion = index
            showsPassage = test.isFirstOfSection(index)
            let question = test.questionnaire.questions[index]
            editor = QuestionEditor(question, answer: test.record.answer(to: question.id))
            layOut()
            if editor.part > 0 { reveal() }
        case .review:
            editor = QuestionEditor()
            layOut()
            test.readLines()
            let rows = test.visible
            reviewRow =
                rows.firstIndex { test.state(of: test.questionnaire.questions[$0]) != .answered } ?? rows.count
            reveal()
        }
    }

    mutating func enter(part: Int) {
        editor.enter(part: part)
        layOut()
    }

    mutating func layOut() {
        guard case .question(let index) = place else {
            content = QuestionContent()
            return
        }
        content = QuestionContent(
            of: test, at: index, editor, showsPassage: showsPassage, size: size, isPlain: isPlain)
    }

    /// Changes the answer to the question on the screen, or where in it the person is.
    @discardableResult
    mutating func edit<Result>(_ change: (inout QuestionEditor) -> Result) -> Result {
        let hadWords = editor.answerInWords != nil
        let result = change(&editor)
        if let question = editor.question {
            test.store(editor.answer, to: question.id)
            if question.input == .order || hadWords { layOut() }
        }
        return result
    }

    /// Shows the passage above the question, or puts it away.
    mutating func turnPassage() -> [Effect] {
        guard test.passage(of: editor.question) != nil else { return [.bell] }
        showsPassage.toggle()
        passageTurns += 1
        layOut()
        scroll = 0
        if !showsPassage { reveal() }
        return []
    }

    /// Shows the questionnaire in its next language. Answers stay as they are.
    mutating func switchLanguage() -> [Effect] {
        guard test.switchLanguage() else { return [.bell] }
        languageTurns += 1
        if case .question(let index) = place {
            editor.translate(test.questionnaire.questions[index])
        } else {
            test.readLines()
        }
        layOut()
        return [.save]
    }

    // MARK: Resuming

    private mutating func restore(_ resume: ResumePosition?) {
        let questions = test.questionnaire.questions
        let known = resume?.question.flatMap { id in questions.firstIndex { $0.id == id } }
        if resume?.focus == "review" || questions.isEmpty {
            enter(.review)
            lastQuestion = known ?? max(0, questions.count - 1)
            if let row = resume?.cursor { reviewRow = min(max(0, row), test.visible.count) }
        } else if let known, !test.hidden.contains(questions[known].id) {
            enter(.question(known))
            if let part = resume?.focus.flatMap(TakeScreen.part(focus:)), editor.parts.indices.contains(part) {
                enter(part: part)
            }
            if let cursor = resume?.cursor { editor.restore(cursor: cursor) }
        } else {
            let rows = test.visible
            let open = rows.first { test.record.answer(to: questions[$0].id) == nil }
            enter((open ?? rows.first).map(Place.question) ?? .review)
            return
        }
        // The place of another program may be in pixels: one that does not fit is none of ours. (A message that was
        // shown then may have taken some rows.)
        let lastScroll = layout.viewport.lastTop
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
        let questions = test.questionnaire.questions
        var resume = ResumePosition(scroll: Double(scroll))
        switch place {
        case .question(let index):
            resume.question = questions[index].id
            resume.cursor = editor.isWriting ? editor.field.cursor : editor.highlight
            resume.focus =
                editor.parts.isEmpty
                ? editor.isWriting ? "text" : "options" : TakeScreen.partFocus + "\(editor.part)"
        case .review:
            resume.question = questions.indices.contains(lastQuestion) ? questions[lastQuestion].id : nil
            resume.cursor = reviewRow
            resume.focus = "review"
        }
        test.record.resume = resume
    }
}
