import HTTPServing
import Model
import Wording

/// What a form has that is not part of its test: shown to a person without a script, whose text would be lost otherwise.
struct TypedAnswers: Sendable {
    struct Line: Sendable {
        /// The question among those of the form.
        var index: Int
        var text: String
    }

    var lines: [Line]

    /// The answers of a form that differ from those of a test.
    init(_ form: AnswerForm, _ questionnaire: Questionnaire, differingFrom record: TestRecord) {
        lines = form.given.compactMap { given in
            let question = questionnaire.questions[given.index]
            if given.isOtherVersion { return Self.readable(given, question) }
            let (fields, stored) = (AnswerFields(question), record.answer(to: question.id))
            let values = fields.restored(given.values, from: stored)
            if values == fields.values(of: stored) { return nil }
            // As the form showed it: it was changed elsewhere.
            if let answer = try? fields.answer(values, keeping: stored), AnswerForm.mark(answer) == given.was {
                return nil
            }
            return Self.text(values, question, keeping: stored).map { Line(index: given.index, text: $0) }
        }
        lines += TypedAnswers(lost: form).lines
    }

    /// The answers of a form to questions of instances that are gone.
    init(lost form: AnswerForm) { lines = form.lost.map { Line(index: $0.index, text: $0.text) } }

    /// What the fields hold, as people read it; `nil` where that is nothing.
    static func text(_ values: [String], _ question: Question, keeping stored: Answer?) -> String? {
        guard let answer = try? AnswerFields(question).answer(values, keeping: stored) else { return plain(values) }
        return answer.isBlank ? nil : question.line(answer)
    }

    /// The texts of a form of another version: what its options were is not known.
    static func readable(_ given: AnswerForm.Given, _ question: Question) -> Line? {
        let texts: [String]
        switch question.input {
        case .text, .decimal, .moment: texts = given.values
        case .gaps:
            let parts = AnswerFields(question).parts.filter { !$0.question.kind.hasOptions }
            texts = parts.flatMap { $0.own(given.values) }
        case .location: texts = [LocationFields(given.values).text]
        case .option, .options, .order, .rows, .files, .nothing: texts = given.values.filter(AnswerFields.isOwn)
        }
        return plain(texts).map { Line(index: given.index, text: $0) }
    }

    private static func plain(_ values: [String]) -> String? {
        let texts = values.map { AnswerFields.isOwn($0) ? AnswerFields.ownText($0) : $0 }
        let text = texts.joined(separator: ", ")
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    func model(_ language: Language) -> [[String: any Sendable]] {
        lines.map { ["question": language.text("Question \($0.index + 1)"), "text": $0.text] }
    }
}
