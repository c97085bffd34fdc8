import HTTPServing
import Model
import Quire
import RichText
import Wording

/// The questions of a draft as the templates want them.
struct QuestionCards {
    let context: ScreenContext
    let draft: TestScreen.Draft
    /// Whether the screen has one question alone.
    private let isSole: Bool
    /// The ids of the questions that a condition hides.
    private let hidden: Set<String>
    /// The places of the others, which are shown.
    let visible: [Int]
    /// The number of each question among those that are shown.
    private let numbers: [Int]
    private let files: FileRows
    private let texts: AuthorTexts

    init(context: ScreenContext, draft: TestScreen.Draft, isSole: Bool = true) {
        self.context = context
        self.isSole = isSole
        self.draft = draft
        let hidden = draft.hidden
        self.hidden = hidden
        visible = draft.questionnaire.places(without: hidden)
        var last = 0
        numbers = draft.questionnaire.questions.map { question in
            last += hidden.contains(question.id) ? 0 : 1
            return last
        }
        files = FileRows(draft.stored.record, context)
        texts = AuthorTexts(draft.questionnaire)
    }

    private var questions: [Question] { draft.questionnaire.questions }
    private var words: PageWords { context.words }

    var askedCount: Int { visible.count { questions[$0].kind.takesAnswer } }

    var answeredCount: Int {
        visible.count { questions[$0].kind.takesAnswer && draft.stored.record.isAnswered(questions[$0].id) }
    }

    /// Whether a text is a passage to read and no heading, as `title` of the app has it, too.
    static func isLong(_ text: String) -> Bool { text.utf16.count > QuestionText.longestHeading }

    private func isHidden(_ index: Int) -> Bool { hidden.contains(questions[index].id) }

    /// The number of a question among those that are shown.
    func number(_ index: Int) -> Int { max(1, numbers[index]) }

    /// - Parameter given: what the sent form has for the question.
    func card(
        _ index: Int, outcome: AnswerForm.Outcome? = nil, given: AnswerForm.Given? = nil
    ) -> [String: any Sendable] {
        let question = questions[index]
        let stored = draft.stored.record.answer(to: question.id)
        let isConflict = outcome?.kind == .conflict
        let fields = AnswerFields(question)
        // The person's input stays on the screen, also after a conflict.
        let shown = isConflict ? fields.restored(given?.values ?? [], from: stored) : fields.values(of: stored)
        let own = isConflict && question.allowsOther ? shown.filter(AnswerFields.isOwn) : fields.own(stored)
        var card = QuestionCard(
            question, index: "\(index)", number: number(index), place: words.place(number(index), of: visible.count),
            texts: texts, language: words.language, values: shown, own: own
        ).model()
        card["isHidden"] = isHidden(index)
        card["was"] = AnswerForm.mark(stored)
        // Its place changes with the instances.
        card["isNamed"] = !draft.questionnaire.documentRepeats.isEmpty
        card["media"] = media(.question(index))
        card["flagPressed"] = draft.stored.record.flagged.contains(question.id) ? "true" : "false"
        addFiles(question, index, to: &card)
        if isConflict {
            card["elsewhere"] = true
            let theirs = texts.line(stored, to: question) ?? ""
            card["theirs"] = theirs.isEmpty ? words[.notAnswered] : theirs
        }
        let seen = isConflict ? try? fields.answer(shown, keeping: stored) : stored
        let fileFault = question.problem(withFiles: draft.stored.record.attachments(to: question.id).count)
        card["fault"] =
            isConflict && question.kind.hasOptions
            ? nil : words.fault(seen, question) ?? fileFault.map { question.words(for: $0, words.language) }
        // Questions of several instances have the same text: the name of each distinguishes their cards.
        card["ofInstance"] = draft.questionnaire.section(of: question.id)?.instance.map { texts.line($0.name) }
        if outcome?.kind == .notShown {
            card["notShown"] = true
            // No field of this version shows it.
            if let given, given.isOtherVersion, let typed = TypedAnswers.readable(given, question)?.text,
                typed != texts.line(stored, to: question)
            {
                card["typed"] = typed
            }
        }
        if question.input.isStructured { card["ownWords"] = question.ownText(of: stored) }
        return card
    }

    /// The files of an answer: a field where they are the answer, else a way to the screen of files. Without a script that is the way, too, where
    /// sending a form of files would lose what is typed into the other questions.
    private func addFiles(_ question: Question, _ index: Int, to card: inout [String: any Sendable]) {
        let isAnswer = question.input == .files
        files.add(question.id, to: &card, form: isAnswer ? "detach\(index)" : nil, isScripted: !isSole)
        if isAnswer {
            card["isFiles"] = true
            card["filesAction"] = FilesScreen.address(draft.id, index)
            card["filePlace"] = "\(index + 1)"
            let count = draft.stored.record.attachments(to: question.id).count
            card["isFull"] = question.mostFiles.map { count >= $0 } ?? false
            card["given"] = texts.line(draft.stored.record.answer(to: question.id), to: question)
            FileRows.addField(question, words, to: &card)
        }
        guard question.kind.takesAnswer, !(isAnswer && isSole) else { return }
        let attach =
            card["hasFiles"] as? Bool == true
            ? words.text("Add or remove files…")
            : words.text("Attach a file…")
        card["attachWords"] = attach
        card["attachLabel"] = attach + " " + words.place(number(index), of: visible.count)
    }

    /// What is read above the questions of a section.
    ///
    /// - Parameter isOpen: whether it is unfolded.
    func passage(of section: Section?, isOpen: Bool) -> [String: any Sendable]? {
        let place = section.flatMap { section in draft.questionnaire.sections.firstIndex { $0.id == section.id } }
        return SectionPassages(draft.questionnaire, words).model(
            of: section, isOpen: isOpen, media: place.map { media(.section($0)) } ?? [])
    }

    private func media(_ owner: MediaEndpoint.Owner) -> [[String: any Sendable]] {
        owner.media(in: draft.questionnaire).enumerated().map { medium($1, owner, $0) }
    }

    private func medium(
        _ medium: Media, _ owner: MediaEndpoint.Owner, _ place: Int
    ) -> [String: any Sendable] {
        let id = draft.questionnaire.id
        let isHere = MediaEndpoint(storeContext: context.storeContext).isHere(medium, in: draft.shown)
        let kind = MediaKind(MediaType.of(fileName: medium.path, stated: medium.type))
        let alt = medium.alt ?? ""
        guard isHere else {
            let what = alt.isEmpty ? "" : ": \(alt)"
            return MediumModel.missing(words.text("Not on this device\(what)"))
        }
        let address = MediaEndpoint.address(draft.digest, owner, medium: place, questionnaire: id, test: draft.id)
        var size: (width: Int, height: Int)?
        if case .picture = kind {
            size = MediaEndpoint(storeContext: context.storeContext).size(of: medium, questionnaire: id)
                .map { ($0.width, $0.height) }
        }
        return MediumModel.model(kind, src: address, alt: alt, size: size, words.language)
    }

    /// Whether the test cannot be finished with the answer.
    private func isFaulty(_ question: Question) -> Bool {
        let record = draft.stored.record
        return words.fault(record.answer(to: question.id), question) != nil
            || question.problem(withFiles: record.attachments(to: question.id).count) != nil
    }

    func map(current: Int?) -> [[String: any Sendable]] {
        questions.indices.map { index in
            let spot = spot(index)
            return [
                "index": "\(index)", "number": "\(number(index))", "isHidden": isHidden(index),
                "current": index == current, "classes": spot.classes, "label": spot.label,
            ]
        }
    }

    /// How a question stands among all questions.
    struct Spot: Encodable {
        var classes: String
        var label: String
    }

    func spot(_ index: Int) -> Spot {
        let record = draft.stored.record
        let isAnswered = record.isAnswered(questions[index].id)
        let isFlagged = record.flagged.contains(questions[index].id)
        let isInvalid = isFaulty(questions[index])
        let classes = [(isAnswered, "answered"), (isFlagged, "flagged"), (isInvalid, "invalid")]
        return Spot(
            classes: classes.filter(\.0).map(\.1).joined(separator: " "),
            label: words.mapLabel(number(index), isAnswered: isAnswered, isFlagged: isFlagged, isInvalid: isInvalid))
    }
}
