import Model
import RichText

/// A questionnaire, an answer sheet, or a test with its answers, as a page for paper.
///
/// What people wrote is only ever text (`HTMLWriter`). Its words are in the language of the document.
package struct PrintedDocument: Sendable {
    package enum Form: Hashable, Sendable {
        /// The questions, with room for answers; of a test with its answers.
        case questions
        /// Numbers and fields alone.
        case answerSheet
    }

    /// A picture on this device.
    package struct Picture: Sendable {
        package var mediaType: String
        package var bytes: [UInt8]

        package init(mediaType: String, bytes: [UInt8]) {
            self.mediaType = mediaType
            self.bytes = bytes
        }
    }

    /// As the document has it, or as a test shows it.
    package var questionnaire: Questionnaire
    package var form: Form
    /// The test with its answers; `nil` for an empty page.
    package var record: TestRecord?
    package var receipt: Receipt?
    /// The picture that a medium shows, where it is on this device.
    package var picture: @Sendable (Media) -> Picture?
    /// A time in words.
    private let time: @Sendable (Timestamp) -> String

    package init(
        _ questionnaire: Questionnaire, form: Form = .questions, record: TestRecord? = nil, receipt: Receipt? = nil,
        picture: @escaping @Sendable (Media) -> Picture? = { _ in nil },
        time: @escaping @Sendable (Timestamp) -> String = { $0.inWords }
    ) {
        // On paper there is room for the fewest instances of a section, and for one at least.
        self.questionnaire = questionnaire.hasInstances ? questionnaire : questionnaire.repeated(for: record)
        self.form = form
        self.record = record
        self.receipt = receipt
        self.picture = picture
        self.time = time
    }

    var language: Language { Language(locale: questionnaire.locale ?? "en") }

    package var html: String {
        var body = HTMLWriter()
        write(to: &body)
        return PrintedPage.html(
            title: questionnaire.title, language: questionnaire.locale ?? language.rawValue,
            direction: TextDirection(of: questionnaire), body)
    }

    // MARK: The page

    private var places: [Int] {
        guard let record else { return Array(questionnaire.questions.indices) }
        // Hidden questions were not asked.
        return questionnaire.places(without: questionnaire.hiddenQuestions(by: record.answers, record.attachments))
    }

    private func write(to writer: inout HTMLWriter) {
        let texts = PrintedTexts(questionnaire)
        writer.element("header") { writer in
            writer.element("h1", texts.attributes, text: questionnaire.title)
            if form == .questions, !questionnaire.description.isEmpty {
                texts.write(questionnaire.description, "lead", to: &writer)
            }
            writePerson(to: &writer)
            writeRating(to: &writer)
        }
        var number = 0
        var numbers: [Int: Int] = [:]
        for place in places where questionnaire.questions[place].kind.takesAnswer {
            number += 1
            numbers[place] = number
        }
        switch form {
        case .answerSheet:
            writer.element("ol", [.init("class", "sheet")]) { writer in
                for place in places where questionnaire.questions[place].kind.takesAnswer {
                    AnswerSheetRow(question: questionnaire.questions[place], number: numbers[place] ?? 0).write(
                        to: &writer)
                }
            }
        case .questions:
            let rated = receipt?.ratedQuestions(in: questionnaire.locale) ?? [:]
            for group in questionnaire.groups(places) {
                if let section = group.section, section.hasPassage { writePassage(section, texts, to: &writer) }
                for place in group.places {
                    let question = questionnaire.questions[place]
                    PrintedQuestion(
                        question: question, number: numbers[place], record: record, rated: rated[question.id],
                        points: points(question, rated[question.id]), texts: texts, language: language,
                        picture: picture
                    ).write(to: &writer)
                }
            }
        }
    }

    private func writePerson(to writer: inout HTMLWriter) {
        writer.element("p", [.init("class", "person")]) { writer in
            guard let record else {
                for name in [language.text("Name"), language.text("Date", context: "on paper")] {
                    writer.element("span") { writer in
                        writer.text(name + ": ")
                        writer.element("span", [.init("class", "blank")], text: "")
                    }
                }
                return
            }
            let facts = [record.person?.name, time(record.dateFinished ?? record.dateStarted), "\(record.id)"]
            // Each keeps its order in a line of the other direction.
            for (place, fact) in facts.compactMap(\.self).enumerated() {
                if place > 0 { writer.text(" · ") }
                writer.element("bdi", text: fact)
            }
        }
    }

    private func writeRating(to writer: inout HTMLWriter) {
        guard let evaluation = receipt?.rating else { return }
        var words = [language.text("Score: \(number(evaluation.score)) of \(number(evaluation.maximum))")]
        if let isPassed = evaluation.isPassed(questionnaire) {
            words.append(isPassed ? language.text("Passed") : language.text("Not passed"))
        }
        writer.element("p", [.init("class", "score")], text: words.joined(separator: " · "))
        if let comment = evaluation.comment, !comment.isEmpty {
            writer.element("p", [.init("class", "comment"), .init("dir", "auto")], text: comment)
        }
    }

    /// The points of a question in words: those that the answer got, or those that it can get, where the questionnaire states any.
    private func points(_ question: Question, _ rated: Evaluation.QuestionEvaluation?) -> String? {
        guard question.kind.takesAnswer else { return nil }
        if let points = rated?.points, let maximum = rated?.maximum {
            return language.text("\(number(points)) of \(number(maximum))", context: "points")
        }
        guard record == nil, questionnaire.questions.contains(where: { $0.points != nil }) else { return nil }
        let worth = question.points ?? 1
        return worth == 1
            ? language.text("1 point") : language.text("\(number(worth)) points", context: "of a question")
    }

    private func number(_ value: Double) -> String {
        (DecimalNumber(.number(value))?.description ?? "\(value)").replacing(".", with: language.decimalSeparator)
    }

    private func writePassage(_ section: Section, _ texts: PrintedTexts, to writer: inout HTMLWriter) {
        writer.element("section", [.init("class", "passage")]) { writer in
            if let title = section.title, !title.isEmpty {
                writer.element("h2", texts.attributes, text: questionnaire.textFormat.line(of: title))
            }
            if let text = section.text, !text.isEmpty { texts.write(text, "prose", to: &writer) }
            PrintedMedia(media: section.media, language: language, picture: picture).write(to: &writer)
        }
    }
}
