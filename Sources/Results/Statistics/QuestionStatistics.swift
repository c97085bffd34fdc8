import Model

/// The figures of one question.
package struct QuestionStatistics: Sendable {
    /// How often an option was chosen.
    package struct Choice: Hashable, Sendable {
        package var text: String
        /// Among all that were asked, those of the strongest, and those of the weakest third.
        package var count = 0
        package var strongest = 0
        package var weakest = 0
        /// Whether it is an own text, or an option of an earlier version.
        package var isOther = false
    }

    package var column: ResultTable.Column
    /// The tests that asked it, that answered it, and whose answers wait for a person.
    package var asked: Int
    package var answered: Int
    package var waiting: Int
    /// The mean part of the points, from 0 (no one has them) to 1 (everyone has all); `nil` without points.
    package var difficulty: Double?
    /// The correlation of its points with those of all other questions.
    package var discrimination: Double?
    /// The mean part of the points in the strongest, and in the weakest third.
    package var strongest: Double?
    package var weakest: Double?
    package var choices: [Choice]
    /// Of numbers and steps of scales.
    package var numbers: NumberSummary?
    /// Texts that people wrote themselves.
    package var freeAnswers: Int
    /// The first of the answers as people read them, where there is no list to count.
    package var texts: [String]

    private static let mostTexts = 300

    init(_ place: Int, _ column: ResultTable.Column, _ rows: [ResultTable.Row], _ thirds: Thirds) {
        self.column = column
        let cells = rows.map { $0.cells[place] }
        asked = cells.count { $0.isAsked }
        answered = cells.count { $0.isAnswered }
        waiting = cells.count { $0.waits }
        // Those that were left blank have their points first, and would make the question look hard.
        let isMarked = waiting * 2 <= asked
        difficulty = isMarked ? Self.meanPart(cells) : nil
        strongest = isMarked ? Self.meanPart(thirds.strongest.map { $0.cells[place] }) : nil
        weakest = isMarked ? Self.meanPart(thirds.weakest.map { $0.cells[place] }) : nil
        let rated = rows.filter { $0.status == .rated && $0.score != nil && $0.cells[place].points != nil }
        discrimination = NumberSummary.correlation(
            rated.map { $0.cells[place].points ?? 0 },
            rated.map { ($0.score ?? 0) - ($0.cells[place].points ?? 0) })
        choices = Self.choices(place, column.question, rows, thirds)
        let answers = cells.flatMap(\.answers).filter { !$0.isBlank }
        let digits = answers.map { $0.digits(of: column.question) }
        numbers = NumberSummary(digits.compactMap { $0.flatMap(Double.init) })
        let hasList = column.question.kind.hasOptions && !column.question.isAskedAsText
        texts = choices.isEmpty ? Array(cells.lazy.flatMap(\.texts).prefix(Self.mostTexts)) : []
        freeAnswers =
            hasList
            ? choices.filter(\.isOther).reduce(0) { $0 + $1.count }
            : zip(answers, digits).count { if case .one = $0.value { $1 == nil } else { false } }
    }

    /// Of those that got points, however many their version gave.
    private static func meanPart(_ cells: [ResultTable.Cell]) -> Double? {
        let parts = cells.compactMap { cell -> Double? in
            guard let points = cell.points, let maximum = cell.maximum, maximum > 0 else { return nil }
            return points / maximum
        }
        return parts.isEmpty ? nil : NumberSummary.mean(parts)
    }

    private static func choices(
        _ place: Int, _ question: Question, _ rows: [ResultTable.Row], _ thirds: Thirds
    ) -> [Choice] {
        let known = names(of: question)
        if known.isEmpty { return [] }
        var all = counts(rows, place, question)
        let strongest = counts(thirds.strongest, place, question)
        let weakest = counts(thirds.weakest, place, question)
        var choices = known.map { name in
            Choice(
                text: name, count: all.removeValue(forKey: name) ?? 0, strongest: strongest[name] ?? 0,
                weakest: weakest[name] ?? 0)
        }
        for (name, count) in all.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            choices.append(
                Choice(
                    text: name, count: count, strongest: strongest[name] ?? 0, weakest: weakest[name] ?? 0,
                    isOther: true))
        }
        return choices
    }

    /// What can be chosen; of several rows each has its options. Empty for a question that is answered freely.
    private static func names(of question: Question) -> [String] {
        if question.isAskedAsText, question.kind.shape != .rows { return [] }
        switch question.kind.shape {
        case .rows: return question.rows.flatMap { row in question.options.map { "\(row): \($0)" } }
        case .option, .options: return question.options
        default: return question.kind.hasOptions ? question.options : []
        }
    }

    private static func counts(
        _ rows: [ResultTable.Row], _ place: Int, _ question: Question
    ) -> [String: Int] {
        var counts: [String: Int] = [:]
        for answer in rows.flatMap({ $0.cells[place].answers }) where !answer.isBlank {
            for text in Set(texts(of: answer, to: question)) { counts[text, default: 0] += 1 }
        }
        return counts
    }

    private static func texts(of answer: Answer, to question: Question) -> [String] {
        guard case .object(let members) = answer.value else { return question.shown(answer) }
        return members.flatMap { row, value in
            let values = if case .array(let all) = value { all } else { [value] }
            return values.map { "\(row): \(RuleValue.text($0))" }
        }
    }
}

/// The third of the tests with the best scores, and the one with the lowest.
struct Thirds {
    var strongest: [ResultTable.Row] = []
    var weakest: [ResultTable.Row] = []

    /// Of fewer than three rated tests there are none.
    init(_ rated: [ResultTable.Row]) {
        let sorted = rated.filter { $0.fraction != nil }
            .sorted { ($0.fraction ?? 0, $0.test) < ($1.fraction ?? 0, $1.test) }
        let size = sorted.count / 3
        weakest = Array(sorted.prefix(size))
        strongest = Array(sorted.suffix(size))
    }
}
