import Model
import RichText
import Wording

/// A question with its fields, as the template of all pages shows it. The taker’s page fills it from a draft, the desk from the
/// values of its own form.
package struct QuestionCard {
    package let question: Question
    /// Of its fields: `a.3`.
    package let index: String
    package let number: Int
    /// `Question 2 of 7`
    package let place: String
    package let texts: AuthorTexts
    package let language: Language
    /// The values of its fields, as `AnswerFields` has them.
    package let values: [String]
    /// Own texts that are stored and have no field, which stay as they are.
    package let own: [String]

    package init(
        _ question: Question, index: String, number: Int, place: String, texts: AuthorTexts, language: Language,
        values: [String], own: [String] = []
    ) {
        self.question = question
        self.index = index
        self.number = number
        self.place = place
        self.texts = texts
        self.language = language
        self.values = values
        self.own = own
    }

    package func model() -> [String: any Sendable] {
        var card: [String: any Sendable] = [
            "index": index, "id": question.id, "number": "\(number)", "isHidden": false,
            "isLong": question.text.utf16.count > QuestionText.longestHeading, "required": question.required,
            "choices": question.kind.isMultiple, "hasOptions": question.kind.hasOptions,
            "isText": question.input == .text, "isNumber": question.input == .decimal, "newline": "\n",
            "value": question.kind.hasOptions ? "" : values.first ?? "", "direction": direction, "place": place,
            "isNote": !question.kind.takesAnswer, "isChoice": question.input == .option,
            "clearable": !values.isEmpty,
        ]
        texts.add(question: question.text, to: &card)
        if case .moment(let form) = question.input { addMoment(form, values.first ?? "", to: &card) }
        if question.input == .location { addLocation(to: &card) }
        card["hint"] = question.hint
        card["formattedHint"] = question.hint.flatMap(texts.html(text:))
        card["unit"] = question.unit
        if question.isAskedAsText {
            card["askedAsText"] = language.askedAsText(question)
        }
        if question.isOneLine, !(values.first ?? "").contains(where: \.isNewline) {
            card["isLine"] = true
            card["isText"] = false
        }
        if question.input.isStructured {
            StructuredFields(question: question, index: index, values: values, texts: texts, language: language)
                .add(to: &card)
        }
        addOptions(to: &card)
        return card
    }

    private func addOptions(to card: inout [String: any Sendable]) {
        let type = question.kind.isMultiple ? "checkbox" : "radio"
        func option(_ value: String, _ text: String, isOwn: Bool) -> [String: any Sendable] {
            var option: [String: any Sendable] = [
                "place": value, "text": text, "checked": values.contains(value), "type": type, "own": isOwn,
            ]
            if !isOwn { option["html"] = texts.html(option: text) }
            return option
        }
        var own = own
        if question.allowsOther, question.kind.hasOptions {
            // One own text has its field; further ones stay as they are.
            let value = own.isEmpty ? "=" : own.removeFirst()
            let other: [String: any Sendable] = [
                "place": value, "type": type, "checked": values.contains(value), "text": AnswerFields.ownText(value),
                "words": language.text("Other answer"),
            ]
            card["other"] = other
        }
        card["options"] =
            (question.kind.hasOptions ? question.optionPlaces : []).map {
                option("\($0)", question.optionLabels[$0], isOwn: false)
            }
            + (question.kind.hasOptions ? own.map { option($0, AnswerFields.ownText($0), isOwn: true) } : [])
    }

    /// A browser's own field for dates and times, where it can show what is stored.
    private func addMoment(_ form: WrittenDate.Order.Form, _ value: String, to card: inout [String: any Sendable]) {
        card["isMoment"] = true
        let type = AnswerFields.fieldType(form, value)
        card["type"] = type ?? "text"
        card["momentWords"] =
            type == AnswerFields.localType
            ? language.text("Date and time by this device’s clock") : form.words(language)
        // Without seconds the field offers none.
        if value.filter({ $0 == ":" }).count == 2, type != nil { card["step"] = "1" }
    }

    private func addLocation(to card: inout [String: any Sendable]) {
        let fields = LocationFields(values)
        card["isLocation"] = true
        card["latitude"] = fields.latitude
        card["longitude"] = fields.longitude
        card["measured"] = fields.measured
        card["accuracy"] = fields.accuracy.map { language.text("Accurate to \($0) m") }
    }

    /// The direction of the options: the language's, or that of the first text that has a letter.
    private var direction: String {
        let stated = TextDirection(of: texts.locale)
        return (stated ?? TextDirection(of: [question.text] + question.optionLabels)).rawValue
    }
}
