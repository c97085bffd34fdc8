import HTTPServing
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

    /// Where the files of a form lead when they are attached: where the form is.
    static func next(_ test: TestID, _ index: Int, of question: Question) -> String {
        question.input == .files ? "/t/\(test)?n=\(index + 1)#q\(index)" : address(test, index)
    }

    /// - Parameter fault: why the sent file is not attached.
    func content(fault: PageProblem? = nil) -> Screens.Content {
        let words = context.words
        let question = draft.questionnaire.questions[index]
        let heading = words.text("Files of answer \(index + 1)")
        var model: [String: any Sendable] = [
            "heading": heading, "text": AuthorTexts(draft.questionnaire).line(question.text),
            "action": Self.address(draft.id, index),
            "back": "/t/\(draft.id)?n=\(index + 1)#q\(index)",
            "crumb": words.place(index + 1, of: draft.questionnaire.questions.count),
        ]
        FileRows.addField(question, words, to: &model)
        model["about"] = model["aboutFiles"]
        model["locale"] = draft.questionnaire.locale
        model["fault"] = fault?.detail
        FileRows(draft.stored.record, context).add(question.id, to: &model, removableAt: index + 1)
        return Screens.Content(template: .attach, title: heading, model: model, status: fault?.status ?? .ok)
    }
}
