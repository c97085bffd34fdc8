import Host
import Model
import Results
import Wording

/// Lists the answers that still need marks, by question and by test.
struct MarkingScreen {
    let page: QuestionnairePage

    private static let mostTests = 200

    func content() -> DeskScreens.Content {
        let (context, overview) = (page.context, page.overview)
        let names = context.request.hidesNames ? "hidden" : nil
        let waiting = overview.entries.filter { $0.summary.status == .checking }
        let counts = overview.entries.reduce(into: [String: Int]()) { counts, entry in
            for question in entry.points.waitingQuestions { counts[question, default: 0] += 1 }
        }
        let questions: [[String: any Sendable]] = overview.columns.compactMap { column in
            guard let count = counts[column.id] else { return nil }
            return [
                "href": Self.href(page, column.id, names: names), "text": page.line(column),
                "waiting": context.waiting(count),
            ]
        }
        let tests: [[String: any Sendable]] = waiting.prefix(Self.mostTests).enumerated().map { place, entry in
            let count = entry.points.waiting
            return [
                "href": "/desk/t/\(entry.test)" + (names == nil ? "" : "?names=hidden"),
                "name": names == nil ? page.name(entry) : context.language.text("Test \(place + 1)"),
                "waiting": count > 0 ? context.waiting(count) : entry.summary.status.words(context.language),
            ]
        }
        var model: [String: any Sendable] = [
            "empty": waiting.isEmpty && questions.isEmpty, "questions": questions, "tests": tests,
            "counts": page.counts(overview.entries),
            "namesHref": page.href("marking", [("names", names == nil ? "hidden" : nil)]),
            "comments": page.href("comments"),
            "namesWords": Self.namesWords(context),
        ]
        if waiting.count > Self.mostTests {
            model["more"] = context.language.text("and \(waiting.count - Self.mostTests) more")
        }
        return page.content(.marking, "marking", model)
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
        guard page.overview.place(of: question) != nil else { throw DeskError.notFound(page.language) }
        let waiting = waiting(question)
        let last = id.flatMap { TestID($0) }
        let next = waiting.first { entry in last.map { entry.test > $0 } ?? true } ?? waiting.first
        return try next.flatMap { try content(question, of: $0, waiting.count) }
    }

    /// The form of an answer that was not saved.
    ///
    /// - Returns: `nil` when the test is not there any more.
    func content(_ typed: Mark.Typed, of test: TestID) throws -> DeskScreens.Content? {
        guard page.overview.place(of: typed.question) != nil,
            let entry = page.overview.entries.first(where: { $0.test == test })
        else { return nil }
        return try content(typed.question, of: entry, waiting(typed.question).count, typed: typed)
    }

    /// In the order of ids, which says nothing about the persons.
    private func waiting(_ question: String) -> [ResultOverview.Entry] {
        page.overview.entries.filter { $0.points.waits(question) }.sorted { $0.test < $1.test }
    }

    private func content(
        _ question: String, of entry: ResultOverview.Entry, _ waiting: Int, typed: Mark.Typed? = nil
    ) throws -> DeskScreens.Content? {
        let (context, archive) = (page.context, page.context.services.archive)
        guard let (record, receipt, version) = try archive.handedIn(entry.test) else { return nil }
        let table = try archive.results.table(of: page.overview, tests: [entry])
        guard let place = table.place(of: question), let row = table.rows.first else { return nil }
        let names = context.request.hidesNames ? "hidden" : nil
        let here = MarkingScreen.href(page, question, names: names)
        var card = AnswerCard(
            context: context, record: record, receipt: receipt, column: table.columns[place], cell: row.cells[place],
            number: place + 1)
        card.feedbackOf = version?.questionnaire
        card.saved = try context.services.savedComments(
            for: context.request.session.identity, questionnaire: page.overview.id)
        card.commentsHref = page.href("comments")
        card.back = MarkingScreen.href(page, question, names: names, after: row.test)
        card.isInQueue = true
        card.typed = typed
        if waiting > 1 { card.skip = MarkingScreen.href(page, question, names: names, after: row.test) }
        var model: [String: any Sendable] = [
            "answer": try card.model(), "left": context.waiting(waiting),
            "who": names == nil ? page.name(row) : "",
            "namesHref": names == nil ? here + "?names=hidden" : MarkingScreen.href(page, question, names: nil),
            "namesWords": MarkingScreen.namesWords(context), "empty": false,
        ]
        if names == nil { model["test"] = "/desk/t/\(row.test)" }
        return page.content(.mark, "marking", model)
    }
}
