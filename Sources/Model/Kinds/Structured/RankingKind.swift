extension QuestionRules {
    /// All options in an order. A draft may have only the first ones.
    static let ranking = QuestionRules(
        input: .order,
        answer: { question, value throws(AnswerFault) in
            let texts: [String] =
                switch value {
                case .several(let all): all
                case .object, .number, .truth: throw question.rankingFault
                case .one(let text): [text]
                }
            let given = texts.filter { !$0.isEmpty }
            if case .one = value, !given.isEmpty, question.options.count > 1 { throw question.rankingFault }
            var places: [Int] = []
            for text in given { places.append(try question.optionIndex(of: text, except: places)) }
            return question.answer(ranking: places)
        },
        keyFault: { texts, question in
            if let fault = unknownOption(texts, question) { return fault }
            return Set(texts).count == texts.count && texts.count == question.options.count
                ? nil : "must have each of the question's options once"
        },
        isRight: { $0.texts == $1 })
}

extension Question {
    /// A ranking as far as a person has got with it.
    package struct Ranking: Hashable, Sendable {
        /// The options that have a place, in the person's order, by their indexes.
        package var places: [Int]
        /// The options that have none yet, in the order shown: that of the document may be the right one.
        package var rest: [Int]
        /// Texts of the answer that match no option of this version, or one that already has a place.
        package var own: [String]

        package init(places: [Int], rest: [Int], own: [String]) {
            self.places = places
            self.rest = rest
            self.own = own
        }
    }

    /// Reads an answer to a question that is answered by an order. Options are matched by their texts.
    package func ranking(of answer: Answer?) -> Ranking {
        var ranking = Ranking(places: [], rest: optionPlaces, own: [])
        guard case .several(let texts)? = answer?.value else { return ranking }
        for text in texts where !text.isEmpty {
            let found =
                ranking.rest.firstIndex { options[$0].utf8.elementsEqual(text.utf8) }
                ?? ranking.rest.firstIndex { options[$0] == text }
            if let found { ranking.places.append(ranking.rest.remove(at: found)) } else { ranking.own.append(text) }
        }
        return ranking
    }

    /// The answer that has the options at these indexes in this order.
    package func answer(ranking places: [Int]) -> Answer {
        Answer(questionId: id, value: .several(places.filter(options.indices.contains).map { options[$0] }))
    }

    fileprivate var rankingFault: AnswerFault {
        AnswerFault(questionId: id, reason: .notRanking)
    }
}
