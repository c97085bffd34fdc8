import Model
import Results

/// Lists the answers that still need marks, by question and by test.
struct MarkingScreen {
    let page: QuestionnairePage

    func content() -> DeskScreens.Content {
        let (context, table) = (page.context, page.table)
        let names = context.request.hidesNames ? "hidden" : nil
        let waiting = table.rows.filter { $0.status == .checking }
        let questions: [[String: any Sendable]] = table.columns.enumerated().compactMap { place, column in
            let count = table.rows.count { $0.cells[place].waits }
            guard count > 0 else { return nil }
            return [
                "href": Self.href(page, column.id, names: names), "text": page.line(column),
                "waiting": context.waiting(count),
            ]
        }
        let tests: [[String: any Sendable]] = waiting.enumerated().map { place, row in
            let count = row.cells.count { $0.waits }
            return [
                "href": "/desk/t/\(row.test)" + (names == nil ? "" : "?names=hidden"),
                "name": names == nil ? page.name(row) : context.language.text("Test \(place + 1)"),
                "waiting": count > 0 ? context.waiting(count) : row.status.words(context.language),
            ]
        }
        return page.content(
            .marking, "marking",
            [
                "empty": waiting.isEmpty && questions.isEmpty, "questions": questions, "tests": tests,
                "counts": StatisticsWords(language: page.language).counts(ResultStatistics(table)),
                "namesHref": page.href("marking", [("names", names == nil ? "hidden" : nil)]),
                "namesWords": Self.namesWords(context),
            ])
    }

    static func href(_ page: QuestionnairePage, _ question: String, names: String?, after: TestID? = nil) -> String {
        page.href(
            "marking/" + PercentEncoding.encode(question), [("names", names), ("after", after?.description)])
    }

    static func namesWords(_ context: DeskContext) -> String {
        context.request.hidesNames ? context.language.text("Show names") : context.language.text("Hide names")
    }
}

/// One answer after the other to one question.
struct MarkScreen {
    let page: QuestionnairePage

    /// - Parameter id: the test that was skipped or marked last: the next one behind it is shown, or from the front again.
    /// - Returns: `nil` when no answer to the question waits.
    func content(_ question: String, after id: String?) throws -> DeskScreens.Content? {
        let (context, table) = (page.context, page.table)
        guard let place = table.place(of: question) else { throw DeskError.notFound(page.language) }
        // In the order of ids, which says nothing about the persons.
        let waiting = table.rows.filter { $0.cells[place].waits }.sorted { $0.test < $1.test }
        let last = id.flatMap { TestID($0) }
        guard let row = waiting.first(where: { row in last.map { row.test > $0 } ?? true }) ?? waiting.first,
            let (record, receipt, version) = try context.services.archive.handedIn(row.test)
        else { return nil }
        let names = context.request.hidesNames ? "hidden" : nil
        let here = MarkingScreen.href(page, question, names: names)
        var card = AnswerCard(
            context: context, record: record, receipt: receipt, column: table.columns[place], cell: row.cells[place],
            number: place + 1)
        card.feedbackOf = version?.questionnaire
        card.back = MarkingScreen.href(page, question, names: names, after: row.test)
        card.isFocused = true
        if waiting.count > 1 { card.skip = MarkingScreen.href(page, question, names: names, after: row.test) }
        var model: [String: any Sendable] = [
            "answer": try card.model(), "left": context.waiting(waiting.count),
            "who": names == nil ? page.name(row) : "",
            "namesHref": names == nil ? here + "?names=hidden" : MarkingScreen.href(page, question, names: nil),
            "namesWords": MarkingScreen.namesWords(context), "empty": false,
        ]
        if names == nil { model["test"] = "/desk/t/\(row.test)" }
        return page.content(.mark, "marking", model)
    }
}
