import Model
import OutboxStore
import Quire
import QuireWording

/// The tests on the server, and their ratings.
struct ResultsScreen {
    let context: ScreenContext

    static let pageSize = 50

    func content() throws -> Screens.Content {
        let words = context.words
        let lines = try context.tests().filter(\.item.status.isDelivered).reversed() as [QuireStore.TestLine]
        let (range, pages) = context.pages(count: lines.count, size: Self.pageSize, path: "/results", query: [])
        var summaries = AnswerSummaries(Array(lines[range]), context.store, context.request.language)
        var model: [String: any Sendable] = [
            "tests": lines[range].map { row($0, summaries.summary(of: $0)) }, "empty": lines.isEmpty,
        ]
        if let pages { model["pages"] = pages }
        return Screens.Content(template: .results, title: words[.results], model: model)
    }

    private func row(_ line: QuireStore.TestLine, _ first: String?) -> [String: any Sendable] {
        let words = context.words
        var row: [String: any Sendable] = [
            "href": "/t/\(line.item.id)", "title": line.record?.questionnaire.name ?? line.item.id.description,
            "kind": line.item.status.tone, "state": TestWords(line: line, context: context).state,
        ]
        if let moment = line.receipt?.receivedAt ?? line.record?.dateFinished {
            row["time"] = moment.description
            row["timeWords"] = moment.inWords
        }
        row["first"] = first
        row["revision"] = TestWords(line: line, context: context).revision
        if line.receipt?.late == true { row["late"] = words.text("time limit exceeded") }
        if line.receipt?.returned != nil { row["returned"] = words.text("Returned to be corrected") }
        if let evaluation = line.receipt?.rating {
            if line.receipt?.former != nil { row["changed"] = words.text("Rating changed") }
            row["score"] = words.number(evaluation.score)
            row["of"] = words.of(evaluation.maximum)
        }
        return row
    }
}
