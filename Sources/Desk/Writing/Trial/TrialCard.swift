import HTTPServing
import Model
import RichText

/// A question as the taker's page shows it: the values of that page's own template.
struct TrialCard {
    let question: Question
    /// Of its fields: `a.3`.
    let index: String
    let number: Int
    let format: TextFormat
    let locale: String?
    let language: Language
    /// The values of its fields.
    var values: [String] = []
    var fault: String?
    var media: [[String: any Sendable]] = []

    func model() -> [String: any Sendable] {
        let answer = try? AnswerFields(question).answer(values, keeping: nil)
        var card: [String: any Sendable] = [
            "index": index, "id": question.id, "number": question.kind.takesAnswer ? "\(number)" : "",
            "isHidden": false,
            "isLong": question.text.utf16.count > QuestionText.longestHeading, "required": question.required,
            "was": "-",
            "choices": question.kind.isMultiple, "hasOptions": question.kind.hasOptions,
            "isText": question.input == .text, "isNumber": question.input == .decimal, "newline": "\n",
            "value": question.kind.hasOptions ? "" : values.first ?? "", "media": media, "direction": "auto",
            "place": language.text("Question \(number)"), "isNote": !question.kind.takesAnswer,
            "isChoice": question.input == .option, "clearable": !values.isEmpty, "text": question.text, "dir": "auto",
        ]
        // A template looks for what is missing in the page around it.
        for name in [
            "locale", "fault", "formatted", "hint", "formattedHint", "unit", "askedAsText", "isLine", "isMoment",
            "isLocation", "isOrder", "isMatching", "isMatrix", "isGaps", "isStructured", "isFiles", "ownWords", "other",
            "notShown", "elsewhere", "attachWords", "hasFiles", "step", "isUnplaced",
        ] { card[name] = false }
        if let locale { card["locale"] = locale }
        if let fault { card["fault"] = fault }
        if let tree = format.tree(of: question.text) {
            let text = QuestionText(tree)
            var formatted: [String: any Sendable] = [:]
            formatted["heading"] = text.heading?.inlineHTML()
            if !text.body.blocks.isEmpty { formatted["body"] = text.body.html() }
            card["formatted"] = formatted
        }
        if let hint = question.hint {
            card["hint"] = hint
            card["formattedHint"] = format.tree(of: hint)?.html(headingLevel: 2) ?? false
        }
        if let unit = question.unit { card["unit"] = unit }
        if question.isAskedAsText { card["askedAsText"] = language.askedAsText(question) }
        if question.isOneLine, !(values.first ?? "").contains(where: \.isNewline) {
            card["isLine"] = true
            card["isText"] = false
        }
        if question.kind.hasOptions { addOptions(answer, to: &card) }
        switch question.input {
        case .moment(let form):
            card["isMoment"] = true
            card["type"] = AnswerFields.fieldType(form, values.first ?? "") ?? "text"
            card["momentWords"] = form.words(language)
        case .location:
            let fields = LocationFields(values)
            card["isLocation"] = true
            (card["latitude"], card["longitude"]) = (fields.latitude, fields.longitude)
        case .files: card["askedAsText"] = language.text("People attach files here. Trying it out stores none.")
        case .order: addOrder(to: &card)
        case .rows(let isMultiple): addRows(isMultiple, to: &card)
        case .gaps: addGaps(to: &card)
        default: break
        }
        if question.input.isStructured {
            card["isStructured"] = true
        }
        return card
    }

    private func html(_ text: String) -> String? { format.tree(of: text)?.inlineHTML() }

    private func label(_ text: String, to row: inout [String: any Sendable]) {
        row["text"] = text
        row["html"] = html(text) ?? false
        row["line"] = format.line(of: text)
    }

    private func addOptions(_ answer: Answer?, to card: inout [String: any Sendable]) {
        let type = question.kind.isMultiple ? "checkbox" : "radio"
        card["options"] = question.optionPlaces.map { place -> [String: any Sendable] in
            var option: [String: any Sendable] = [
                "place": "\(place)", "checked": values.contains("\(place)"), "type": type, "own": false,
            ]
            label(question.options[place], to: &option)
            return option
        }
        guard question.allowsOther else { return }
        let value = values.first { $0.hasPrefix("=") } ?? "="
        let other: [String: any Sendable] = [
            "place": value, "type": type, "checked": values.contains(value), "text": String(value.dropFirst()),
            "words": language.text("Other answer"),
        ]
        card["other"] = other
    }

    private func addOrder(to card: inout [String: any Sendable]) {
        let placed = values.compactMap { Int($0) }.filter(question.options.indices.contains)
        let order = placed + question.optionPlaces.filter { !placed.contains($0) }
        card["isOrder"] = true
        card["isUnplaced"] = placed.count < question.options.count
        card["ranked"] = order.enumerated().map { rank, option -> [String: any Sendable] in
            let name = format.line(of: question.options[option])
            var row: [String: any Sendable] = [
                "option": "\(option)", "rank": "\(rank + 1)", "isPlaced": rank < placed.count, "isFirst": rank == 0,
                "isLast": rank == order.count - 1, "up": language.text("Move up: \(name)"),
                "down": language.text("Move down: \(name)"),
            ]
            label(question.options[option], to: &row)
            return row
        }
    }

    private func addRows(_ isMultiple: Bool, to card: inout [String: any Sendable]) {
        card[question.kind.isTable ? "isMatrix" : "isMatching"] = true
        card["type"] = isMultiple ? "checkbox" : "radio"
        card["columns"] = question.options.enumerated().map { place, text -> [String: any Sendable] in
            var column: [String: any Sendable] = ["column": "\(place)"]
            label(text, to: &column)
            return column
        }
        card["rows"] = AnswerFields(question).parts.map { part -> [String: any Sendable] in
            let chosen = part.own(values)
            var row: [String: any Sendable] = ["row": "\(part.place)"]
            label(part.question.text, to: &row)
            row["cells"] = question.options.enumerated().map { place, text -> [String: any Sendable] in
                var cell: [String: any Sendable] = ["column": "\(place)", "checked": chosen.contains("\(place)")]
                label(text, to: &cell)
                return cell
            }
            return row
        }
    }

    /// The question's text with a field in place of each marker.
    private func addGaps(to card: inout [String: any Sendable]) {
        let parts = AnswerFields(question).parts
        let byName = Dictionary(parts.map { ($0.question.id, $0) }) { first, _ in first }
        let tree = format.tree(of: question.text) ?? FormattedText(plain: question.text)
        var writer = HTMLWriter()
        tree.write(to: &writer, headingLevel: 3) { name, writer in
            guard let part = byName[name] else { return false }
            write(part, of: parts.count, to: &writer)
            return true
        }
        card["formatted"] = ["body": writer.html]
        card["isGaps"] = true
    }

    private func write(_ part: AnswerFields.Part, of count: Int, to writer: inout HTMLWriter) {
        let given = part.own(values)
        var attributes: [HTMLWriter.Attribute] = [
            .init("class", "gap"), .init("name", "a.\(index).\(part.place)"), .init("id", "a\(index)-\(part.place)"),
            .init("aria-label", language.text("Gap \(part.place + 1) of \(count)")),
        ]
        guard part.question.kind.hasOptions else {
            attributes += [.init("value", given.first ?? ""), .init("maxlength", "1000"), .init("dir", "auto")]
            return writer.empty("input", attributes)
        }
        writer.element("select", attributes) { writer in
            writer.element("option", [.init("value", "")], text: "…")
            for (place, text) in part.question.options.enumerated() {
                var attributes: [HTMLWriter.Attribute] = [.init("value", "\(place)")]
                if given.contains("\(place)") { attributes.append(.init("selected", "")) }
                writer.element("option", attributes, text: format.line(of: text))
            }
        }
    }
}
