import Authoring
import HTTPServing
import Host
import Model
import Results
import RichText
import Wording

/// One answer: the question, what was given, its points, and the form that gives points.
struct AnswerCard {
    let context: DeskContext
    let record: TestRecord
    let receipt: Receipt
    let column: ResultTable.Column
    let cell: ResultTable.Cell
    let number: Int
    var feedbackOf: Questionnaire?
    /// Where the form leads after it was saved.
    var back = "/desk/"
    /// Where the answer is left for later.
    var skip: String?
    /// Whether one answer after the other is marked.
    var isInQueue = false
    /// The comments that can be chosen.
    var saved: [SavedComment] = []
    /// Where they are changed.
    var commentsHref: String?
    /// The refused input, shown again.
    var typed: Mark.Typed?

    private var language: Language { context.language }

    func model() throws -> [String: any Sendable] {
        var model: [String: any Sendable] = ["anchor": "a\(number)", "number": "\(number)"]
        add(question: column.question.text, to: &model)
        if cell.isAsked {
            model["texts"] = cell.texts.map {
                ["text": column.textFormat.line(of: $0, isOption: column.question.options.contains($0))]
            }
            if !cell.isAnswered { model["blank"] = language.text("Not answered") }
        } else {
            model["notAsked"] = language.text("This question was not asked.")
        }
        model["files"] = try cell.files.map(file)
        addVerdict(to: &model)
        if cell.isAsked || cell.isAnswered { model["form"] = try form() }
        return model
    }

    private func add(question text: String, to model: inout [String: any Sendable]) {
        guard let tree = column.textFormat.tree(of: text) else {
            model["question"] = HTMLWriter.escaped(text)
            return
        }
        let question = QuestionText(tree)
        model["formatted"] = true
        model["question"] = question.heading?.inlineHTML() ?? ""
        if !question.body.blocks.isEmpty { model["body"] = question.body.html() }
    }

    private func file(_ file: Attachment) throws -> [String: any Sendable] {
        let isHere = try context.services.hasArrived(file)
        let size = ByteCount.format(file.sizeBytes, language)
        let href = "/desk/t/\(record.id)/files/\(file.id)"
        var model: [String: any Sendable] = [
            "name": file.name, "here": isHere, "href": href,
            "about": isHere ? size : language.text("\(size), has not arrived yet"),
        ]
        guard isHere else { return model }
        // An image runs no script, not even an SVG one.
        let type = file.mediaType.lowercased()
        if case .picture = MediaKind(type) {
            model["picture"] = ["href": href, "name": file.name]
        } else if type.hasPrefix("audio/") {
            model["sound"] = ["href": href]
        } else if type.hasPrefix("video/") {
            model["film"] = ["href": href]
        }
        return model
    }

    private func addVerdict(to model: inout [String: any Sendable]) {
        let verdict = receipt.evaluation?.questions.first { $0.questionId == column.id }
        if cell.waits {
            model["verdict"] = language.text("Waits for marks")
            model["kind"] = ""
        } else if let points = cell.points, let maximum = cell.maximum {
            model["verdict"] = context.points(points, maximum)
            model["kind"] = cell.correct.map { $0 ? "good" : "bad" } ?? ""
            if let name = verdict?.ratedBy {
                model["by"] = TimedText.model(verdict?.ratedAt) { language.text("by \(name), \($0)") }
            } else if verdict?.ratedAt == nil, cell.correct != nil {
                model["by"] = TimedText.plain(language.text("by the key"))
            }
        }
        if let reason = verdict?.reason { model["reasonGiven"] = language.text("Reason: \(reason)") }
        model["commentGiven"] = verdict?.comment
        model["feedback"] = verdict?.feedback
    }

    /// Whether the key gave the points: a person who changes them says why.
    private var isOfKey: Bool {
        let verdict = receipt.evaluation?.questions.first { $0.questionId == column.id }
        return verdict?.points != nil && verdict?.ratedAt == nil && cell.isAnswered
    }

    private func form() throws -> [String: any Sendable] {
        let maximum = cell.maximum ?? column.question.points ?? 1
        let verdict = receipt.evaluation?.questions.first { $0.questionId == column.id }
        var form: [String: any Sendable] = [
            // Where names are hidden they stay so when the points are refused.
            "action": "/desk/t/\(record.id)/marks/\(PercentEncoding.encode(column.id))"
                + (context.request.hidesNames ? "?names=hidden" : ""),
            "state": try typed?.state ?? receipt.state(question: column.id).hex, "back": back,
            "label": language.text("Points, from 0 to \(context.number(maximum))"),
            "points": typed?.points ?? cell.points.map(context.written) ?? "",
            "comment": typed?.comment ?? verdict?.comment ?? "", "asksReason": isOfKey,
            "reason": typed?.reason ?? verdict?.reason ?? "", "queue": isInQueue,
            // After a comment was inserted the cursor is in it.
            "focusPoints": isInQueue ? typed == nil || typed?.fault != nil : typed?.fault != nil,
            "newline": "\n", "focusComment": typed != nil && typed?.fault == nil, "keeps": typed?.keepsComment ?? false,
            "save": skip != nil ? language.text("Save and next") : language.text("Save the points"),
            "folded": !cell.waits, "open": typed != nil,
        ]
        let fitting = saved.filter { $0.fits(column.id) }
        form["saved"] = fitting.map { ["id": $0.id.description, "text": SavedCommentWords(context: context).line($0)] }
        form["hasSaved"] = !fitting.isEmpty
        form["comments"] = commentsHref
        form["skipHref"] = skip
        form["fault"] = typed?.fault
        return form
    }
}

extension TextFormat {
    /// An option as a line of words; an own text as it was written.
    fileprivate func line(of text: String, isOption: Bool) -> String { isOption ? line(of: text) : text }
}
