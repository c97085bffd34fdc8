import Model
import OutboxStore
import Quire

/// The files of one answer: attached here, and taken away again.
struct FilesScreen {
    let context: ScreenContext
    let draft: TestScreen.Draft
    /// The index of the question.
    let index: Int

    static func address(_ test: TestID, _ index: Int) -> String { "/t/\(test)/files/\(index + 1)" }

    /// - Parameter fault: why the sent file is not attached.
    func content(fault: PageProblem? = nil) -> Screens.Content {
        let words = context.words
        let question = draft.questionnaire.questions[index]
        let heading = words.text("Files of answer \(index + 1)")
        let most = ByteCount.format(Attachment.maximumBytes, words.language)
        var model: [String: any Sendable] = [
            "heading": heading, "text": AuthorTexts(draft.questionnaire).line(question.text),
            "action": Self.address(draft.id, index),
            "back": "/t/\(draft.id)?n=\(index + 1)#q\(index)",
            "crumb": words.place(index + 1, of: draft.questionnaire.questions.count),
            "most": "\(Attachment.maximumBytes)", "tooLong": words.tooLong("%"),
            "about": words.text(
                "Each file can have at most \(most). Files are kept on this device and sent after the test."),
        ]
        model["locale"] = draft.questionnaire.locale
        model["fault"] = fault?.detail
        FileRows(draft.stored.record, context).add(question.id, to: &model, removableAt: index + 1)
        return Screens.Content(template: .attach, title: heading, model: model, status: fault?.status ?? .ok)
    }
}
