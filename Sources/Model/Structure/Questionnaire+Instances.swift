import Localization

extension Questionnaire {
    package var repeatedSections: [Section] {
        let questions = Set(questions.map(\.id))
        return sections.filter { section in
            section.repetition != nil && section.instance == nil
                && section.questions.contains(where: questions.contains)
        }
    }

    /// Whether it asks some of its questions once for each of several.
    package var hasRepeatedSections: Bool { !repeatedSections.isEmpty }

    /// The questionnaire with the questions of each instance that a test has. The questions are those of a test already.
    ///
    /// Conditions inside look at their own instance. Another program's answer without an instance belongs to the first one.
    package func repeated(for record: TestRecord?) -> Questionnaire {
        if let document = unrepeated.first { return document.repeated(for: record) }
        let repeated = repeatedSections
        guard !repeated.isEmpty else { return self }
        let language = language ?? .english
        let places = sectionPlaces
        var made = self
        made.sections = []
        made.questions = []
        var instances: [Int: [Section]] = [:]
        var ids: [Int: [Int: [String: String]]] = [:]
        for (place, section) in sections.enumerated() {
            guard repeated.contains(section) else { continue }
            let own = section.questions.filter { places[$0] == place }
            let numbers = section.instances(in: record)
            var named: [Int: [String: String]] = [:]
            for number in numbers {
                for id in own {
                    let full = QuestionInstance(question: id, number: number).id
                    let isPlain =
                        number == numbers.first && record?.has(answerTo: id) == true
                        && record?.has(answerTo: full) == false
                    named[number, default: [:]][id] = isPlain ? id : full
                }
            }
            ids[place] = named
            instances[place] = section.instances(numbers, ids: named, language)
        }
        made.sections = sections.indices.flatMap { instances[$0] ?? [sections[$0]] }
        var done: Set<Int> = []
        for question in questions {
            guard let place = places[question.id], let parts = instances[place] else {
                made.questions.append(question)
                continue
            }
            guard done.insert(place).inserted else { continue }
            let members = questions.filter { places[$0.id] == place }
            for part in parts {
                let named = part.instance.flatMap { ids[place]?[$0.number] } ?? [:]
                made.questions += members.map { $0.named(by: named) }
            }
        }
        made.repeats = repeated
        made.unrepeated = [self]
        return made
    }

    /// The questions that a test is rated by: without the instances beyond those that a section may have. Another program may have
    /// added them; their answers are kept and shown, and worth nothing.
    package var withCountedInstances: Questionnaire {
        let surplus = sections.filter { section in section.instance.map { $0.place > section.mostInstances } ?? false }
        if surplus.isEmpty { return self }
        let ids = Set(surplus.map(\.id))
        let questions = Set(surplus.flatMap(\.questions))
        var counted = self
        counted.sections.removeAll { ids.contains($0.id) }
        counted.questions.removeAll { questions.contains($0.id) }
        return counted
    }

    /// The questionnaire without the instances that a test has.
    package var unrepeatedDocument: Questionnaire { unrepeated.first ?? self }

    /// The language of its own texts; `nil` where it says none.
    package var language: Language? { locale.map(Language.init(locale:)) }

    /// Whether a repeated section is shown to a person with these answers, also where it has no instance.
    package func isShown(_ section: Section, to record: TestRecord) -> Bool {
        guard let condition = section.condition else { return true }
        let hidden = hiddenQuestions(by: record.answers, record.attachments)
        let known = Set(questions.map(\.id))
        return condition.holds { id in
            known.contains(id) && !hidden.contains(id) ? record.answer(to: id)?.value.json : nil
        }
    }

    /// The repeated sections as the document has them.
    package var documentRepeats: [Section] { unrepeated.isEmpty ? repeatedSections : repeats }

    /// Whether it has the instances of a test.
    package var hasInstances: Bool { !unrepeated.isEmpty }

    /// A repeated section of the document, by its id.
    package func repeatedSection(_ id: String) -> Section? { documentRepeats.first { $0.id == id } }

    /// The repeated section that a question belongs to, by the question's id in memory.
    package func repeatedSection(ofQuestion id: String) -> Section? {
        let question = QuestionInstance(id).question
        return documentRepeats.first { $0.questions.contains(question) }
    }

    /// The question that a person means by its id: of a repeated section `name[2]`, and `name` in the first instance.
    package func question(writtenAs text: String) -> Question? {
        let ids = questions.map(\.id)
        if let id = QuestionInstance.id(writtenAs: text, among: ids) { return question(id) }
        return questions.first { QuestionInstance($0.id).question == text }
    }

    /// Whether an answer to a question that this has not is left out when the test is finished: it was not drawn, or its instance was
    /// removed.
    package func leavesOut(answerTo id: String) -> Bool {
        let place = QuestionInstance(id)
        return notDrawn.contains(place.question) || place.number != nil && repeatedSection(ofQuestion: id) != nil
    }
}

extension Question {
    fileprivate func named(by ids: [String: String]) -> Question {
        var question = self
        question.id = ids[id] ?? id
        question.condition = condition?.renaming { ids[$0] ?? $0 }
        return question
    }
}

extension Condition {
    /// The same about questions of other ids.
    func renaming(_ name: (String) -> String) -> Condition {
        var renamed = self
        renamed.form =
            switch form {
            case .question(let id, let test): .question(name(id), test)
            case .all(let conditions): .all(conditions.map { $0.renaming(name) })
            case .any(let conditions): .any(conditions.map { $0.renaming(name) })
            case .not(let condition): .not(condition.renaming(name))
            }
        return renamed
    }
}
