import Model

extension ResultStatistics {
    /// The figures as scripts read them. What is not known is left out.
    package struct Document: Encodable {
        struct Question: Encodable {
            struct Option: Encodable {
                var text: String
                var count: Int
                /// Among those that were asked.
                var fraction: Double?
                var strongest, weakest: Int
                var own: Bool?
            }
            struct Thirds: Encodable {
                var strongest, weakest: Double?
            }
            var id, text, kind: String
            var asked, answered, waiting, freeAnswers: Int
            var difficulty, discrimination: Double?
            var thirds: Thirds?
            var options: [Option]?
            var numbers: NumberSummary?
        }
        struct Section: Encodable {
            var id: String
            var title: String?
            var questions: [String]
            var scores: NumberSummary
            var mostPoints, fraction: Double
            var thirds: Question.Thirds?
        }
        var questionnaire: TestSubject
        var attempts: String
        var tests, rated, waiting, late, third: Int
        var scores: NumberSummary?
        var mostPoints: Double?
        var histogram: [Bar]
        var reliability: Reliability?
        /// Those with points; left out where there are none.
        var sections: [Section]?
        var questions: [Question]
    }

    package struct TestSubject: Encodable {
        var id, title: String
    }

    package func document(of table: ResultTable, _ attempts: AttemptChoice) -> Document {
        Document(
            questionnaire: TestSubject(id: table.id, title: table.title), attempts: attempts.rawValue, tests: tests,
            rated: rated, waiting: waiting, late: late, third: third, scores: scores, mostPoints: mostPoints,
            histogram: histogram, reliability: reliability,
            sections: sections.isEmpty ? nil : sections.map { $0.document(of: table) },
            questions: questions.map(\.document))
    }
}

extension SectionStatistics {
    fileprivate func document(of table: ResultTable) -> ResultStatistics.Document.Section {
        .init(
            id: section.id, title: section.title, questions: section.places.map { table.columns[$0].writtenID },
            scores: scores, mostPoints: mostPoints, fraction: part,
            thirds: strongest == nil && weakest == nil ? nil : .init(strongest: strongest, weakest: weakest))
    }
}

extension QuestionStatistics {
    fileprivate var document: ResultStatistics.Document.Question {
        .init(
            id: column.writtenID, text: column.question.text,
            kind: column.question.unknownKind ?? column.question.kind.rawValue,
            asked: asked, answered: answered, waiting: waiting, freeAnswers: freeAnswers, difficulty: difficulty,
            discrimination: discrimination,
            thirds: strongest == nil && weakest == nil ? nil : .init(strongest: strongest, weakest: weakest),
            options: choices.isEmpty
                ? nil
                : choices.map { choice in
                    .init(
                        text: choice.text, count: choice.count,
                        fraction: asked > 0 ? Double(choice.count) / Double(asked) : nil,
                        strongest: choice.strongest, weakest: choice.weakest, own: choice.isOther ? true : nil)
                },
            numbers: numbers)
    }
}
