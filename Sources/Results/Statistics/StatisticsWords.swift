import Model

/// The words for figures, each with a plain explanation: the same at the terminal and on the desk.
package struct StatisticsWords: Sendable {
    /// A figure with its name and what it means.
    package struct Figure: Hashable, Sendable {
        package var name: String
        package var value: String
        package var about: String
    }

    package let language: Language

    package init(language: Language) { self.language = language }

    /// How many tests there are.
    package func counts(_ statistics: ResultStatistics) -> String {
        counts(
            tests: statistics.tests, rated: statistics.rated, waiting: statistics.waiting, late: statistics.late)
    }

    package func counts(tests: Int, rated: Int, waiting: Int, late: Int) -> String {
        var parts = [language.plural(tests, one: "1 test", other: "\(tests) tests", context: "results")]
        parts.append(language.text("\(rated) rated"))
        if waiting > 0 { parts.append(language.text("\(waiting) to be marked")) }
        if late > 0 { parts.append(language.text("\(late) late")) }
        return parts.joined(separator: ", ")
    }

    package func scores(_ scores: NumberSummary, _ most: Double?) -> [Figure] {
        let outOf = most.map { points(scores.mean, $0) }
        var figures = [
            Figure(
                name: language.text("Mean"), value: outOf ?? number(scores.mean),
                about: language.text("all scores added up, divided by the number of tests")),
            Figure(
                name: language.text("Median"), value: number(scores.median),
                about: language.text("half of the tests have less, half have more")),
        ]
        if let deviation = scores.standardDeviation {
            figures.append(
                Figure(
                    name: language.text("Standard deviation"), value: number(deviation),
                    about: language.text("how far scores usually are from the mean")))
        }
        figures.append(
            Figure(
                name: language.text("Range"), value: "\(number(scores.minimum))–\(number(scores.maximum))",
                about: language.text("the lowest and the best score")))
        return figures
    }

    package func reliability(_ reliability: Reliability) -> Figure {
        let about =
            switch reliability.degree {
            case .low: language.text("low: with other questions, many would get quite another score")
            case .fair: language.text("fair: enough to compare groups, not single persons")
            case .good: language.text("good: the questions measure the same thing")
            case .high: language.text("high: the score is very reliable; some questions may be needless")
            }
        return Figure(
            name: language.text("Reliability (Cronbach’s alpha)"), value: number(reliability.alpha), about: about)
    }

    /// A section as a line of a table.
    package struct SectionLine: Hashable, Sendable {
        package var section: SectionColumns
        package var name: String
        package var questions: String
        /// `2.5 of 3`
        package var mean: String
        /// `83 %`, and the same in both thirds.
        package var part: String
        package var strongest: String?
        package var weakest: String?
    }

    package func sections(_ statistics: ResultStatistics) -> [SectionLine] {
        statistics.sections.map { section in
            SectionLine(
                section: section.section, name: name(section.section), questions: "\(section.section.places.count)",
                mean: points(section.scores.mean, section.mostPoints), part: percent(section.part),
                strongest: section.strongest.map(percent), weakest: section.weakest.map(percent))
        }
    }

    /// Its title, or its number.
    package func name(_ section: SectionColumns) -> String {
        section.title.flatMap { $0.isEmpty ? nil : $0 } ?? language.text("Section \(section.number)")
    }

    private func percent(_ part: Double) -> String { "\(Int(bounded: (part * 100).rounded())) %" }

    /// How many answered.
    package func answers(_ question: QuestionStatistics) -> String {
        var parts = [language.text("\(question.answered) of \(question.asked) answered")]
        if question.waiting > 0 { parts.append(language.text("\(question.waiting) to be marked")) }
        if question.freeAnswers > 0 {
            parts.append(
                language.plural(
                    question.freeAnswers, one: "1 free answer", other: "\(question.freeAnswers) free answers"))
        }
        return parts.joined(separator: ", ")
    }

    package func figures(_ question: QuestionStatistics) -> [Figure] {
        var figures: [Figure] = []
        if let difficulty = question.difficulty {
            figures.append(
                Figure(
                    name: language.text("Difficulty"), value: number(difficulty),
                    about: difficulty < 0.3
                        ? language.text("hard: few got the points")
                        : difficulty > 0.9
                            ? language.text("easy: nearly everyone got the points")
                            : language.text("the part of the points that was reached, from 0 (hard) to 1 (easy)")))
        }
        if let discrimination = question.discrimination {
            figures.append(
                Figure(
                    name: language.text("Discrimination"), value: number(discrimination),
                    about: discrimination < 0
                        ? language.text("negative: weaker persons did better, so check the key and the wording")
                        : discrimination < 0.2
                            ? language.text("low: it hardly shows who did well in the rest")
                            : language.text("those who did well in the rest did well here")))
        }
        if let strongest = question.strongest, let weakest = question.weakest {
            figures.append(
                Figure(
                    name: language.text("Strongest and weakest third"),
                    value: "\(number(strongest)), \(number(weakest))",
                    about: language.text("the part of the points that each of them reached")))
        }
        if let numbers = question.numbers, numbers.count > 1 {
            figures.append(
                Figure(
                    name: language.text("Answers"), value: measured(numbers.mean),
                    about: language.text(
                        "their mean; median \(measured(numbers.median)), from \(measured(numbers.minimum)) to \(measured(numbers.maximum))"
                    )))
        }
        return figures
    }

    /// `2.5 of 3`
    package func points(_ points: Double, _ maximum: Double) -> String {
        language.text("\(number(points)) of \(number(maximum))", context: "points")
    }

    /// With at most two digits after the decimal sign of the language.
    package func number(_ number: Double) -> String { written(number, unit: 100) }

    /// The same with four digits of what is less than 1, which may be a measured length or a part of a gram.
    private func measured(_ number: Double) -> String {
        var unit = 100.0
        while abs(number) < 1, unit < 1e9, abs(number) * unit < 1000 { unit *= 10 }
        return written(number, unit: unit)
    }

    private func written(_ number: Double, unit: Double) -> String {
        let rounded = abs(number) < 1e12 ? (number * unit).rounded() / unit : number
        return CSVText.number(rounded).replacing(".", with: language.decimalSeparator).replacing("-", with: "−")
    }
}
