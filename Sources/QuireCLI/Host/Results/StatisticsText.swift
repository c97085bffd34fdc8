import Model
import Results
import Terminal

/// The figures of results for people at a terminal.
struct StatisticsText {
    let table: ResultTable
    let statistics: ResultStatistics
    let language: Language

    private static let bar = 30

    var text: String {
        let words = StatisticsWords(language: language)
        var text = terminalSafe(table.title) + "\n"
        text += words.counts(statistics) + "\n"
        if let scores = statistics.scores {
            text +=
                "\n"
                + ResultText.lines(words.scores(scores, statistics.mostPoints).map { [$0.name, $0.value, $0.about] })
            text += "\n" + histogram
        }
        if let reliability = statistics.reliability {
            let row = words.reliability(reliability)
            text += "\n" + ResultText.lines([[row.name, row.value, row.about]])
        }
        text += sections(words)
        for (place, question) in statistics.questions.enumerated() {
            text += "\n" + self.question(place, question, words)
        }
        return text
    }

    private var histogram: String {
        let most = max(1, statistics.histogram.map(\.count).max() ?? 1)
        return ResultText.lines(
            statistics.histogram.map { bar in
                let length = (bar.count * Self.bar + most - 1) / most
                return ["\(bar.from)–\(bar.to) %", "\(bar.count)", String(repeating: "█", count: length)]
            })
    }

    private func sections(_ words: StatisticsWords) -> String {
        let sections = words.sections(statistics)
        guard !sections.isEmpty else { return "" }
        var heads = [
            language.text("Section"), language.text("Questions", context: "of a section"), language.text("Mean"),
            language.text("Part of the points"),
        ]
        if statistics.third > 0 { heads += [language.text("strongest third"), language.text("weakest third")] }
        let lines = sections.map { line in
            let name = clip(line.section.textFormat.line(of: line.name), width: 40)
            return [name, line.questions, line.mean, line.part] + [line.strongest, line.weakest].map { $0 ?? "" }
        }
        return "\n" + ResultText.lines([heads] + lines)
    }

    private func question(_ place: Int, _ question: QuestionStatistics, _ words: StatisticsWords) -> String {
        let title = clip(question.column.question.text, width: 76)
        var text = "\(place + 1). \(title)\n   " + words.answers(question) + "\n"
        let rows = words.figures(question).map { ["   " + $0.name, $0.value, $0.about] }
        text += ResultText.lines(rows)
        guard !question.choices.isEmpty else { return text }
        let asked = max(1, question.asked)
        var lines = question.choices.map { choice in
            let percent = "\((choice.count * 100 + asked / 2) / asked) %"
            let thirds = statistics.third > 0 ? ["\(choice.strongest)", "\(choice.weakest)"] : []
            return ["   " + clip(choice.text, width: 40), "\(choice.count)", percent] + thirds
        }
        let heads = ["", language.text("chosen"), ""]
        let thirds = statistics.third > 0 ? [language.text("strongest third"), language.text("weakest third")] : []
        lines.insert(["   " + heads[0], heads[1], heads[2]] + thirds, at: 0)
        return text + ResultText.lines(lines)
    }
}
