extension Questionnaire {
    /// Whether a test may show the questions, or their options, in another order than the document's, or not all of them.
    package var isArranged: Bool {
        sections.contains { !$0.questions.isEmpty } || shuffle.questions || shuffle.options
    }

    /// How many of the questions a test has: the same for each.
    package var countInTest: Int { isArranged ? arranged(for: .random()).questions.count : questions.count }

    /// The questionnaire as a test shows it: the questions that the test has, in its order, with the order of their options.
    ///
    /// It follows from the test's UUID (`TestOrder`), so every interface, device and host makes the same of it. Options stay
    /// in the order of the document, as answers name them by their places; `Question.optionOrder` is the order shown. Repeated
    /// sections have the instances of the test; another arrangement for the changed test gives it those of then.
    package func arranged(for record: TestRecord) -> Questionnaire {
        arranged(for: record.orderID).repeated(for: record)
    }

    /// The same with repeated sections as they are in the document.
    package func arranged(for test: TestID) -> Questionnaire {
        guard isArranged, !isArrangedAlready else { return self }
        let order = TestOrder(test)
        let ids = order.questions(
            questions.map { .init(id: $0.id, isFixed: !$0.kind.takesAnswer) }, sections: sections,
            isShuffled: shuffle.questions)
        var places: [String: Int] = [:]
        for (place, question) in questions.enumerated() { places[question.id] = place }
        var arranged = self
        arranged.isArrangedAlready = true
        arranged.questions = ids.compactMap { places[$0].map { questions[$0] } }
        if arranged.questions.count < questions.count {
            arranged.notDrawn = Set(questions.map(\.id)).subtracting(ids)
        }
        guard shuffle.options else { return arranged }
        for (place, question) in arranged.questions.enumerated() where question.kind.shufflesOptions {
            arranged.questions[place].optionOrder = order.options(
                question.options, keepLast: question.keepLast, of: question.id)
        }
        return arranged
    }
}

extension Question {
    /// The places of the options in the order shown.
    package var optionPlaces: [Int] { optionOrder ?? Array(options.indices) }

    /// The answer made of the options at these places in the order shown, and of own texts.
    package func answer(choosingShown places: [Int], keeping own: [String] = []) -> Answer {
        let shown = optionPlaces
        return answer(choosing: places.filter(shown.indices.contains).map { shown[$0] }, keeping: own)
    }

    /// The places, in the order shown, of options that are named by their places in the document.
    package func shownPlaces(of options: [Int]) -> [Int] {
        guard let optionOrder else { return options }
        return optionOrder.indices.filter { options.contains(optionOrder[$0]) }
    }
}
