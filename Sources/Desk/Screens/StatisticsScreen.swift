import Host
import Model
import Results

/// The figures, each with a plain explanation, and charts with their tables.
struct StatisticsScreen {
    let page: QuestionnairePage

    func content() throws -> DeskScreens.Content {
        let statistics = try page.context.services.archive.results.statistics(
            of: page.overview.id, attempts: page.attempts)
        let words = StatisticsWords(language: page.language)
        var model: [String: any Sendable] = [
            "attempts": page.attemptLinks("statistics"), "counts": words.counts(statistics),
            "questions": statistics.questions.enumerated().map { question($0, $1, statistics, words) },
        ]
        if let scores = statistics.scores {
            var figures = words.scores(scores, statistics.mostPoints)
            if let reliability = statistics.reliability { figures.append(words.reliability(reliability)) }
            let shown: [String: any Sendable] = [
                "figures": figures.map(figure), "chart": Charts.histogram(statistics.histogram, page.language),
                "bars": statistics.histogram.map { ["range": "\($0.from)–\($0.to) %", "count": "\($0.count)"] },
            ]
            model["scores"] = shown
        }
        if !statistics.sections.isEmpty { model["sections"] = sections(statistics, words) }
        return page.content(.statistics, "statistics", model)
    }

    private func figure(_ figure: StatisticsWords.Figure) -> [String: any Sendable] {
        ["name": figure.name, "value": figure.value, "about": figure.about]
    }

    private func sections(_ statistics: ResultStatistics, _ words: StatisticsWords) -> [String: any Sendable] {
        let rows = zip(statistics.sections, words.sections(statistics)).map { section, line -> [String: any Sendable] in
            [
                "name": page.line(line.section, line.name), "questions": line.questions, "mean": line.mean,
                "bar": Charts.share(section.part), "percent": line.part, "strongest": line.strongest ?? "",
                "weakest": line.weakest ?? "",
            ]
        }
        return ["hasThirds": statistics.third > 0, "rows": rows]
    }

    private func question(
        _ place: Int, _ question: QuestionStatistics, _ statistics: ResultStatistics,
        _ words: StatisticsWords
    ) -> [String: any Sendable] {
        let figures = words.figures(question)
        let asked = max(1, question.asked)
        var model: [String: any Sendable] = [
            "number": "\(place + 1)", "text": page.line(question.column), "answers": words.answers(question),
            "figures": figures.map(figure), "hasFigures": !figures.isEmpty, "hasChoices": !question.choices.isEmpty,
            "hasThirds": statistics.third > 0,
            "choicesTitle": page.language.text("Answers to question \(place + 1)"),
            "choices": question.choices.map { choice in
                [
                    "text": question.column.textFormat.line(of: choice.text), "count": "\(choice.count)",
                    "bar": Charts.share(Double(choice.count) / Double(asked)),
                    "percent": "\((choice.count * 100 + asked / 2) / asked) %", "strongest": "\(choice.strongest)",
                    "weakest": "\(choice.weakest)",
                ] as [String: any Sendable]
            },
        ]
        if question.choices.isEmpty, question.freeAnswers > 0 {
            let texts = question.texts
            model["free"] = true
            model["freeTitle"] = page.language.text("Show the answers")
            if FreeAnswers.isFree(question.column.question) {
                model["searchHref"] = page.href(
                    "answers",
                    [
                        ("attempt", page.attempts == .last ? nil : page.attempts.rawValue),
                        ("question", question.column.id),
                    ])
            }
            model["texts"] = texts.map { ["text": $0] }
        }
        return model
    }
}
