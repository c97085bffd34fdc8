import Model
import Results
import RichText
import Wording

/// The results of a class as a page for paper: persons with their points, who is missing, figures, and each question.
///
/// Several classes are one below the other, each with its own figures and from a new sheet on.
package struct PrintedReport: Sendable {
    /// The results of one class.
    struct Part: Sendable {
        /// `nil` for people without a class, and where there are no classes.
        var group: String?
        var table: ResultTable
        /// Those of the class list who have handed in nothing.
        var missing: [Person]
    }

    let title: String
    let parts: [Part]
    let language: Language
    /// When it was made, in words.
    let time: String

    /// With more questions, the points of each do not fit beside the persons.
    private static let mostColumns = 12

    /// - Parameters:
    ///   - table: with the attempts that count.
    ///   - group: the class; `nil` for all of them.
    ///   - people: those of the class lists.
    ///   - time: when it is made, in words.
    package init(
        _ table: ResultTable, group: String? = nil, people: [Person], language: Language, time: String
    ) {
        title = table.title
        self.language = language
        self.time = time
        let missing = table.missing(of: people)
        if let group {
            let present = Set(table.rows.compactMap { $0.person?.id })
            let absent = people.filter { $0.group == group && !present.contains($0.id) }
            parts = [Part(group: group, table: table.ofGroup(group), missing: absent)]
            return
        }
        let groups = Set(table.rows.map { $0.person?.group }).union(missing.map(\.group))
        // People without a class are behind the others.
        let sorted = groups.compactMap(\.self).sorted() + (groups.contains(nil) ? [nil] : [])
        parts =
            sorted.count < 2
            ? [Part(group: sorted.first ?? nil, table: table, missing: missing)]
            : sorted.map { group in
                Part(group: group, table: table.ofGroup(group), missing: missing.filter { $0.group == group })
            }
    }

    package var html: String {
        var body = HTMLWriter()
        for part in parts {
            body.element("section", [.init("class", "part")]) { write(part, to: &$0) }
        }
        return PrintedPage.html(title: title, language: language.rawValue, body)
    }

    private func write(_ part: Part, to writer: inout HTMLWriter) {
        let words = StatisticsWords(language: language)
        let statistics = ResultStatistics(part.table)
        writer.element("header") { writer in
            writer.element("h1", [.init("dir", "auto")], text: title)
            let facts = [part.group.map { language.text("Group") + ": " + $0 }, time]
            writer.element("p", [.init("class", "person")], text: facts.compactMap(\.self).joined(separator: " · "))
            writer.element("p", text: words.counts(statistics))
        }
        writePersons(part.table, words, to: &writer)
        if !part.missing.isEmpty {
            writer.element("p") { writer in
                writer.element("strong", text: language.text("Not handed in yet: \(part.missing.count)"))
                writer.text(" — " + part.missing.map(\.name).joined(separator: ", "))
            }
        }
        guard !part.table.rows.isEmpty else { return }
        if let scores = statistics.scores {
            var figures = words.scores(scores, statistics.mostPoints)
            if let reliability = statistics.reliability { figures.append(words.reliability(reliability)) }
            writeTable(
                language.text("Scores"), [], figures.map { [.head($0.name), .figure($0.value), .text($0.about)] },
                to: &writer)
        }
        if part.table.hasPoints {
            writeSections(statistics, words, to: &writer)
            writeQuestions(statistics, words, to: &writer)
        } else {
            for (place, question) in statistics.questions.enumerated() {
                writeAnswers(question, number: place + 1, words, to: &writer)
            }
        }
    }

    // MARK: Tables

    private enum Cell {
        case head(String)
        case text(String)
        case figure(String)
    }

    private func writeTable(_ caption: String, _ heads: [Cell], _ rows: [[Cell]], to writer: inout HTMLWriter) {
        guard !rows.isEmpty else { return }
        writer.element("table", [.init("class", "rows list")]) { writer in
            writer.element("caption", [.init("dir", "auto")], text: caption)
            if !heads.isEmpty {
                writer.element("thead") { writer in
                    writer.element("tr") { writer in
                        for head in heads { write(head, "th", [.init("scope", "col")], to: &writer) }
                    }
                }
            }
            writer.element("tbody") { writer in
                for row in rows {
                    writer.element("tr") { writer in
                        for cell in row {
                            if case .head = cell {
                                write(cell, "th", [.init("scope", "row")], to: &writer)
                            } else {
                                write(cell, "td", [], to: &writer)
                            }
                        }
                    }
                }
            }
        }
    }

    private func write(
        _ cell: Cell, _ element: StaticString, _ attributes: [HTMLWriter.Attribute], to writer: inout HTMLWriter
    ) {
        switch cell {
        case .head(let text), .text(let text):
            writer.element(element, attributes + [.init("dir", "auto")], text: text)
        case .figure(let text): writer.element(element, attributes + [.init("class", "figure")], text: text)
        }
    }

    private func writePersons(_ table: ResultTable, _ words: StatisticsWords, to writer: inout HTMLWriter) {
        let hasAttempts = table.rows.contains { $0.attempt > 1 }
        let hasPoints = table.hasPoints
        let hasVerdict = table.rows.contains { $0.isPassed != nil }
        let showsQuestions = hasPoints && table.columns.count <= Self.mostColumns
        var heads: [Cell] = [.head(language.text("Name"))]
        if hasAttempts { heads.append(.figure(language.text("Attempt"))) }
        heads.append(.head(language.text("Status")))
        if showsQuestions { heads += table.columns.indices.map { .figure("\($0 + 1)") } }
        if hasPoints { heads += [.figure(language.text("Score")), .figure("%")] }
        if hasVerdict { heads.append(.head(language.text("Verdict", context: "on paper"))) }
        let rows = table.rows.map { row in
            var cells: [Cell] = [.head(row.person?.name ?? language.text("Without a name"))]
            if hasAttempts { cells.append(.figure("\(row.attempt)")) }
            let status = row.status.words(language) + (row.late ? ", " + language.text("late") : "")
            cells.append(.text(status))
            if showsQuestions { cells += row.cells.map { .figure(points($0, words)) } }
            if hasPoints {
                let score = row.score.flatMap { score in row.maximum.map { words.points(score, $0) } }
                // A score is not final while an answer waits.
                cells.append(
                    .figure(row.status == .rated ? score ?? "" : score.map { $0 + language.text(" so far") } ?? ""))
                cells.append(.figure(row.percent.map { "\($0)" } ?? ""))
            }
            if hasVerdict {
                cells.append(
                    .text(row.isPassed.map { $0 ? language.text("Passed") : language.text("Not passed") } ?? ""))
            }
            return cells
        }
        writeTable(language.text("Persons", context: "on paper"), heads, rows, to: &writer)
        if showsQuestions {
            writer.element("p", [.init("class", "quiet")], text: language.text("? waits for a person, · was not asked"))
        }
    }

    private func points(_ cell: ResultTable.Cell, _ words: StatisticsWords) -> String {
        if !cell.isAsked { return "·" }
        return cell.waits ? "?" : cell.points.map(words.number) ?? ""
    }

    private func writeSections(_ statistics: ResultStatistics, _ words: StatisticsWords, to writer: inout HTMLWriter) {
        let heads: [Cell] = [
            .head(language.text("Section")), .figure(language.text("Questions", context: "of a section")),
            .figure(language.text("Mean")), .figure(language.text("Part of the points")),
        ]
        let rows = words.sections(statistics).map { line -> [Cell] in
            [
                .head(line.section.textFormat.line(of: line.name)), .figure(line.questions), .figure(line.mean),
                .figure(line.part),
            ]
        }
        writeTable(language.text("Sections", context: "results"), heads, rows, to: &writer)
    }

    private func writeQuestions(
        _ statistics: ResultStatistics, _ words: StatisticsWords, to writer: inout HTMLWriter
    ) {
        let heads: [Cell] = [
            .figure("№"), .head(language.text("Question", context: "on paper")), .figure(language.text("Difficulty")),
            .figure(language.text("Discrimination")), .head(language.text("Answers")),
        ]
        let rows = statistics.questions.enumerated().map { place, question -> [Cell] in
            [
                .figure("\(place + 1)"), .head(line(question)), .figure(question.difficulty.map(words.number) ?? ""),
                .figure(question.discrimination.map(words.number) ?? ""), .text(words.answers(question)),
            ]
        }
        writeTable(language.text("Questions", context: "on paper"), heads, rows, to: &writer)
        writer.element(
            "p", [.init("class", "quiet")],
            text: language.text(
                "Difficulty is the part of the points that was reached, from 0 (hard) to 1 (easy). Discrimination near 0 does not distinguish strong from weak; below 0, check the key."
            ))
    }

    /// What people answered, where there are no points.
    private func writeAnswers(
        _ question: QuestionStatistics, number: Int, _ words: StatisticsWords, to writer: inout HTMLWriter
    ) {
        writer.element("section", [.init("class", "question")]) { writer in
            writer.element("h3", [.init("dir", "auto")], text: "\(number). " + line(question))
            writer.element("p", [.init("class", "quiet")], text: words.answers(question))
            for figure in words.figures(question) {
                writer.element("p", text: "\(figure.name): \(figure.value) (\(figure.about))")
            }
            let asked = max(1, question.asked)
            writeTable(
                language.text("Answers"), [],
                question.choices.map { choice in
                    [
                        .text(question.column.textFormat.line(of: choice.text)), .figure("\(choice.count)"),
                        .figure("\((choice.count * 100 + asked / 2) / asked) %"),
                    ]
                }, to: &writer)
        }
    }

    private func line(_ question: QuestionStatistics) -> String {
        question.column.textFormat.line(of: question.column.question.text)
    }
}
