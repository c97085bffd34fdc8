import Host
import Model
import Results

/// Free answers, found by words, with the words that most of them have.
struct AnswersScreen {
    let page: QuestionnairePage

    private static let mostShown = 100
    private static let longestQuery = 200

    private var language: Language { page.language }
    private var query: String { String((page.context.request.query["search"] ?? "").trimmed.prefix(Self.longestQuery)) }
    private var chosen: String? { page.context.request.query["question"].flatMap { $0.isEmpty ? nil : $0 } }

    func content() throws -> DeskScreens.Content {
        let (free, languages) = try page.context.services.archive.results.freeAnswers(
            of: page.overview.id, attempts: page.attempts)
        let search = AnswerSearch(query, languages: languages)
        let kept = [("attempt", page.attempts == .last ? nil : page.attempts.rawValue), ("names", names)]
        let shown = chosen == nil ? free.questions : free.questions.filter { $0.column.id == chosen }
        let model: [String: any Sendable] = [
            "attempts": page.attemptLinks("answers", [("search", query.isEmpty ? nil : query), ("question", chosen)]),
            "action": page.href("answers"), "search": query, "isSearched": !search.isEmpty,
            "kept": kept.compactMap { name, value in value.map { ["name": name, "value": $0] } },
            "hasNone": free.questions.isEmpty, "hasSeveral": free.questions.count > 1,
            "questions": [choice("", language.text("All questions"))]
                + free.questions.map {
                    choice($0.column.id, "\(number($0.column)). \(page.line($0.column).prefix(80))")
                },
            "all": page.href("answers", kept + [("question", chosen)]),
            "found": shown.map { question($0, search, kept) },
        ]
        return page.content(.answers, "answers", model)
    }

    private var names: String? { page.context.request.hidesNames ? "hidden" : nil }

    private func choice(_ id: String, _ name: String) -> [String: any Sendable] {
        ["value": id, "name": name, "selected": id == chosen ?? ""]
    }

    private func number(_ column: ResultTable.Column) -> Int { (page.overview.place(of: column.id) ?? 0) + 1 }

    private func question(
        _ question: FreeAnswers.Of, _ search: AnswerSearch, _ kept: [(String, String?)]
    ) -> [String: any Sendable] {
        let hits = search.hits(in: question.answers)
        let words = search.words(of: hits)
        return [
            "number": "\(number(question.column))", "text": page.line(question.column),
            "counts": search.isEmpty
                ? language.plural(hits.count, one: "1 answer", other: "\(hits.count) answers")
                : language.found(hits.count, of: question.answers.count),
            "hasWords": !words.isEmpty,
            "words": words.map { word in
                [
                    "text": word.text, "count": "\(word.count)",
                    "href": page.href(
                        "answers", kept + [("question", question.column.id), ("search", word.text)]),
                ]
            },
            "answers": hits.prefix(Self.mostShown).map { answer -> [String: any Sendable] in
                [
                    "text": answer.text, "href": "/desk/t/\(answer.test)" + (names == nil ? "" : "?names=hidden"),
                    "name": names == nil
                        ? answer.person?.fullName
                            ?? language.text("Without a name") + " · " + answer.test.description.prefix(8)
                        : language.text("The complete test"),
                ]
            },
            "rest": hits.count > Self.mostShown
                ? language.text("The first \(Self.mostShown) are shown. Search for a word to see others.") : "",
        ]
    }
}
