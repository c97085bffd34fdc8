/// Questions that stand together: those of a section, or some that are of none.
package struct QuestionGroup: Hashable, Sendable {
    package var section: Section?
    /// The places of its questions among those of the questionnaire.
    package var places: [Int]
}

extension Section {
    /// Whether there is anything to read above its questions.
    package var hasPassage: Bool { !(title ?? "").isEmpty || !(text ?? "").isEmpty || !media.isEmpty }
}

extension Questionnaire {
    /// The section that each question belongs to, by the question's id; a question that several sections name belongs to the first.
    package var sectionPlaces: [String: Int] {
        var places: [String: Int] = [:]
        for (index, section) in sections.enumerated() {
            for id in section.questions where places[id] == nil { places[id] = index }
        }
        return places
    }

    package func section(of question: String) -> Section? { sections.first { $0.questions.contains(question) } }

    /// Questions as they stand together.
    ///
    /// - Parameter places: of the questions that are shown, in order.
    package func groups(_ places: [Int]) -> [QuestionGroup] {
        let sectionPlaces = sections.isEmpty ? [:] : sectionPlaces
        var groups: [QuestionGroup] = []
        var last: Int?
        for place in places {
            let section = sectionPlaces[questions[place].id]
            if groups.isEmpty || section != last {
                groups.append(QuestionGroup(section: section.map { sections[$0] }, places: []))
            }
            groups[groups.count - 1].places.append(place)
            last = section
        }
        return groups
    }
}
