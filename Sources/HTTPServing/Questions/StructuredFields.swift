import Model
import RichText

/// The fields of orders, rows and gaps as the templates want them.
struct StructuredFields {
    let question: Question
    let index: String
    /// The values of the fields, as `AnswerFields` has them.
    let values: [String]
    let texts: AuthorTexts
    let language: Language

    func add(to card: inout [String: any Sendable]) {
        switch question.input {
        case .order: addOrder(to: &card)
        case .rows(let isMultiple): addRows(isMultiple, to: &card)
        case .gaps: addGaps(to: &card)
        default: return
        }
        card["isStructured"] = true
        card["clearable"] = !values.isEmpty
    }

    private func label(_ text: String, to row: inout [String: any Sendable]) {
        row["text"] = text
        row["html"] = texts.html(option: text)
    }

    // MARK: Orders

    private func addOrder(to card: inout [String: any Sendable]) {
        let placed = values.compactMap { Int($0) }.filter(question.options.indices.contains)
        let order = placed + question.optionPlaces.filter { !placed.contains($0) }
        card["isOrder"] = true
        card["isUnplaced"] = placed.count < question.options.count
        card["ranked"] = order.enumerated().map { rank, option -> [String: any Sendable] in
            let name = texts.line(question.optionLabels[option])
            var row: [String: any Sendable] = [
                "option": "\(option)", "rank": "\(rank + 1)", "isPlaced": rank < placed.count,
                "isFirst": rank == 0, "isLast": rank == order.count - 1,
                "up": language.text("Move up: \(name)"), "down": language.text("Move down: \(name)"),
            ]
            label(question.optionLabels[option], to: &row)
            return row
        }
        card["ownRanked"] = values.filter(AnswerFields.isOwn).map { ["value": $0, "text": AnswerFields.ownText($0)] }
    }

    // MARK: Rows

    private func addRows(_ isMultiple: Bool, to card: inout [String: any Sendable]) {
        card[question.kind.isTable ? "isMatrix" : "isMatching"] = true
        card["type"] = isMultiple ? "checkbox" : "radio"
        card["columns"] = question.optionLabels.enumerated().map { place, text -> [String: any Sendable] in
            var column: [String: any Sendable] = ["column": "\(place)"]
            label(text, to: &column)
            return column
        }
        card["rows"] = AnswerFields(question).parts.map { part -> [String: any Sendable] in
            let chosen = part.own(values)
            var row: [String: any Sendable] = ["row": "\(part.place)"]
            label(part.question.text, to: &row)
            let labels = question.optionLabels
            row["cells"] = question.optionPlaces.map { place -> [String: any Sendable] in
                let text = labels[place]
                var cell: [String: any Sendable] = ["column": "\(place)", "checked": chosen.contains("\(place)")]
                label(text, to: &cell)
                // An option of a select has no elements.
                cell["line"] = texts.line(text)
                return cell
            }
            row["own"] = chosen.filter(AnswerFields.isOwn).map { ["value": $0, "text": AnswerFields.ownText($0)] }
            return row
        }
    }

    // MARK: Gaps

    /// The question's text with a field in place of each marker. Fields that have no place there follow it.
    private func addGaps(to card: inout [String: any Sendable]) {
        let parts = AnswerFields(question).parts
        let byName = Dictionary(parts.map { ($0.question.id, $0) }) { first, _ in first }
        var shown: Set<Int> = []
        func place(_ name: String, _ writer: inout HTMLWriter) -> Bool {
            guard let part = byName[name] else { return false }
            guard shown.insert(part.place).inserted else {
                writer.element("span", [.init("class", "gap")], text: part.own(values).first ?? GapText.blank)
                return true
            }
            write(part, of: parts.count, to: &writer)
            return true
        }
        let tree = texts.tree(question.text)
        var writer = HTMLWriter()
        tree.write(to: &writer, headingLevel: 3, gap: place)
        for part in parts where !shown.contains(part.place) {
            writer.element("p") { writer in
                writer.text(part.question.id + ": ")
                self.write(part, of: parts.count, to: &writer)
            }
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
            switch part.question.input {
            case .decimal: attributes.append(.init("inputmode", "decimal"))
            case .moment(let form):
                attributes.append(.init("type", AnswerFields.fieldType(form, given.first ?? "") ?? "text"))
            default: break
            }
            return writer.empty("input", attributes)
        }
        writer.element("select", attributes) { writer in
            writer.element("option", [.init("value", "")], text: "…")
            for (place, text) in part.question.optionLabels.enumerated() {
                option("\(place)", texts.line(text), given, to: &writer)
            }
            for own in given where AnswerFields.isOwn(own) {
                option(own, AnswerFields.ownText(own), given, to: &writer)
            }
        }
    }

    private func option(_ value: String, _ text: String, _ chosen: [String], to writer: inout HTMLWriter) {
        var attributes: [HTMLWriter.Attribute] = [.init("value", value)]
        if chosen.contains(value) { attributes.append(.init("selected", "")) }
        writer.element("option", attributes, text: text)
    }
}
