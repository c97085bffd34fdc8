import FoundationEssentials
import Model
import RichText

/// One question on paper: with room for its answer, or with the answer and what became of it.
struct PrintedQuestion: Sendable {
    let question: Question
    /// `nil` for a note.
    let number: Int?
    let record: TestRecord?
    let rated: Evaluation.QuestionEvaluation?
    /// In words.
    let points: String?
    let texts: PrintedTexts
    let language: Language
    let picture: @Sendable (Media) -> PrintedDocument.Picture?

    private var answer: Answer? { record?.answer(to: question.id).flatMap { $0.isBlank ? nil : $0 } }

    func write(to writer: inout HTMLWriter) {
        writer.element("section", [.init("class", "question")]) { writer in
            writeText(to: &writer)
            if let points { writer.element("p", [.init("class", "quiet points")], text: points) }
            if let hint = question.hint, !hint.isEmpty { texts.write(hint, "quiet", to: &writer) }
            PrintedMedia(media: question.media, language: language, picture: picture).write(to: &writer)
            guard question.kind.takesAnswer else { return }
            if question.kind.hasOptions {
                writeOptions(to: &writer)
            } else if record != nil {
                writeGiven(question.shown(answer), to: &writer)
            } else {
                writeRoom(to: &writer)
            }
            writeFiles(to: &writer)
            writeRated(to: &writer)
        }
    }

    private func writeText(to writer: inout HTMLWriter) {
        let front = number.map { "\($0). " } ?? ""
        guard let tree = texts.format.tree(of: question.textWithBlanks()).map(QuestionText.init) else {
            let isLong = question.text.utf16.count > QuestionText.longestHeading
            writer.element(
                isLong ? "p" : "h3", texts.attributes + [.init("class", "asked")],
                text: front + question.textWithBlanks()
            )
            return
        }
        writer.element(tree.heading == nil ? "p" : "h3", texts.attributes + [.init("class", "asked")]) { writer in
            writer.text(front)
            tree.heading?.writeInline(to: &writer)
        }
        if !tree.body.blocks.isEmpty {
            writer.element("div", texts.attributes + [.init("class", "formatted")]) {
                tree.body.write(to: &$0, headingLevel: 4)
            }
        }
    }

    private func writeOptions(to writer: inout HTMLWriter) {
        let match = question.match(answer)
        let (isMultiple, chosen) = (question.kind.isMultiple, Set(match.places))
        if isMultiple, record == nil {
            writer.element("p", [.init("class", "quiet")], text: language.text("Choose any number of them"))
        }
        writer.element("ul", [.init("class", "options")]) { writer in
            for (row, place) in question.optionPlaces.enumerated() {
                let isChosen = chosen.contains(place)
                writer.element("li", isChosen ? [.init("class", "chosen")] : []) { writer in
                    let sign = isMultiple ? isChosen ? "☒" : "☐" : isChosen ? "◉" : "○"
                    writer.element("span", [.init("class", "sign")], text: "\(sign) \(OptionLetter.text(row)) ")
                    writer.element("span", texts.attributes) {
                        texts.writeInline(question.optionLabels[place], to: &$0)
                    }
                }
            }
            if question.allowsOther, record == nil {
                writer.element("li") { writer in
                    writer.element("span", [.init("class", "sign")], text: isMultiple ? "☐ " : "○ ")
                    writer.text(language.text("Other answer") + ": ")
                    writer.element("span", [.init("class", "blank")], text: "")
                }
            }
        }
        if record != nil, !match.own.isEmpty || match.places.isEmpty { writeGiven(match.own, to: &writer) }
    }

    private func writeGiven(_ given: [String], to writer: inout HTMLWriter) {
        guard !given.isEmpty else {
            if record?.isAnswered(question.id) != true {
                writer.element("p", [.init("class", "quiet")], text: language.text("not answered"))
            }
            return
        }
        let unit = question.unit.map { " " + $0 } ?? ""
        writer.element(
            "p", [.init("class", "given"), .init("dir", "auto")], text: given.joined(separator: "\n") + unit)
    }

    /// Room to write, as much as the kind needs.
    private func writeRoom(to writer: inout HTMLWriter) {
        if !question.rows.isEmpty {
            return writer.element("table", [.init("class", "rows")]) { writer in
                for row in question.rows {
                    writer.element("tr") { writer in
                        writer.element("th", texts.attributes) { texts.writeInline(question.label(of: row), to: &$0) }
                        writer.element("td", text: question.optionLabels.joined(separator: " / "))
                    }
                }
            }
        }
        guard question.input == .text else {
            return writer.element("p") { writer in
                writer.element("span", [.init("class", "blank")], text: "")
                if let unit = question.unit { writer.text(" " + unit) }
            }
        }
        writer.element("div", [.init("class", question.multiline == false ? "line" : "lines")], text: "")
    }

    private func writeFiles(to writer: inout HTMLWriter) {
        let names = record?.attachments(to: question.id).map(\.name) ?? []
        guard !names.isEmpty else { return }
        let list = names.joined(separator: ", ")
        writer.element("p", [.init("class", "quiet"), .init("dir", "auto")], text: language.text("Attached: \(list)"))
    }

    private func writeRated(to writer: inout HTMLWriter) {
        guard let rated else { return }
        if let isCorrect = rated.correct {
            writer.element(
                "p", [.init("class", "mark")],
                text: isCorrect ? "✓ " + language.text("Correct") : "✗ " + language.text("Incorrect"))
        }
        if rated.correct != true, let answers = rated.rightAnswers, !answers.isEmpty {
            let right = answers.map { texts.format.line(of: question.line(of: $0)) }
                .joined(separator: language.text(" or "))
            writer.element(
                "p", [.init("class", "mark"), .init("dir", "auto")], text: language.text("Right answer: \(right)"))
        }
        if let feedback = rated.feedback, !feedback.isEmpty { texts.write(feedback, "comment", to: &writer) }
        if let comment = rated.comment, !comment.isEmpty {
            writer.element("p", [.init("class", "comment"), .init("dir", "auto")], text: comment)
        }
        if let explanation = rated.explanation, !explanation.isEmpty {
            texts.write(explanation, "explanation", to: &writer)
        }
    }
}

/// The letters of options: A to Z, then AA.
enum OptionLetter {
    static func text(_ place: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        return (place >= letters.count ? text(place / letters.count - 1) : "") + String(letters[place % letters.count])
    }
}

/// Pictures within the page; of a sound, a film, or what is not on this device, its description.
struct PrintedMedia: Sendable {
    let media: [Media]
    let language: Language
    let picture: @Sendable (Media) -> PrintedDocument.Picture?

    /// A page with longer pictures would be hard to open.
    private static let mostBytes = 4 << 20

    func write(to writer: inout HTMLWriter) {
        for medium in media {
            writer.element("figure") { writer in
                if let found = picture(medium), case .picture(let type) = MediaKind(found.mediaType),
                    found.bytes.count <= Self.mostBytes
                {
                    let source = "data:\(type);base64,\(Data(found.bytes).base64EncodedString())"
                    writer.empty("img", [.init("src", source), .init("alt", medium.alt ?? "")])
                } else {
                    let name = medium.alt.flatMap { $0.isEmpty ? nil : $0 } ?? medium.path
                    writer.element("figcaption", [.init("class", "quiet"), .init("dir", "auto")], text: "[\(name)]")
                }
            }
        }
    }
}
