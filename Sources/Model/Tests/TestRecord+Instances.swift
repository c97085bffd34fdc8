/// The instances of repeated sections: adding, removing, moving.
extension TestRecord {
    /// Whether there is an answer of this id, also a blank one, or a file.
    func has(answerTo id: String) -> Bool {
        answers.contains { $0.questionId == id } || attachments.contains { $0.questionId == id }
    }

    /// The numbers of a section's instances that have answers or files, in rising order.
    func instanceNumbers(of section: Section) -> [Int] {
        let questions = Set(section.questions)
        let numbers = (answers.map(\.questionId) + attachments.map(\.questionId)).compactMap { id -> Int? in
            let place = QuestionInstance(id)
            return questions.contains(place.question) ? place.number : nil
        }
        return Set(numbers).sorted()
    }

    /// Whether an answer or a file belongs to an instance. Those without an instance belong to the first one.
    package func belongs(_ id: String, toInstance number: Int, of section: Section) -> Bool {
        let place = QuestionInstance(id)
        guard section.questions.contains(place.question) else { return false }
        return place.number.map { $0 == number } ?? (section.instances(in: self).first == number)
    }

    /// Whether an instance has an answer or a file.
    package func hasAnswers(inInstance number: Int, of section: Section) -> Bool {
        answers.contains { !$0.isBlank && belongs($0.questionId, toInstance: number, of: section) }
            || attachments.contains { belongs($0.questionId, toInstance: number, of: section) }
    }

    /// Adds an instance behind the others.
    ///
    /// - Returns: its number; `nil` where the section has as many as it may have.
    @discardableResult package mutating func addInstance(of section: Section) -> Int? {
        let numbers = section.instances(in: self)
        guard numbers.count < section.mostInstances else { return nil }
        let used = Set(numbers + instanceNumbers(of: section))
        let most = used.max() ?? 0
        // A file may have any number.
        guard let number = most < .max ? max(0, most) + 1 : (1...).first(where: { !used.contains($0) }) else {
            return nil
        }
        instances[section.id] = numbers + [number]
        return number
    }

    /// Removes an instance with its answers and files.
    ///
    /// - Returns: whether it was there, and the section may have one less.
    @discardableResult package mutating func removeInstance(_ number: Int, of section: Section) -> Bool {
        let numbers = section.instances(in: self)
        guard numbers.contains(number), numbers.count > section.fewestInstances else { return false }
        // Those without an instance belong to the first one, which may be another one afterwards.
        nameFirstInstance(of: section)
        let questions = Set(section.questions)
        func isOfIt(_ id: String) -> Bool {
            let place = QuestionInstance(id)
            return place.number == number && questions.contains(place.question)
        }
        answers.removeAll { isOfIt($0.questionId) }
        attachments.removeAll { isOfIt($0.questionId) }
        instances[section.id] = numbers.filter { $0 != number }
        return true
    }

    /// Moves an instance by so many places among the others.
    package mutating func moveInstance(_ number: Int, by offset: Int, of section: Section) {
        var numbers = section.instances(in: self)
        guard let place = numbers.firstIndex(of: number) else { return }
        nameFirstInstance(of: section)
        numbers.remove(at: place)
        numbers.insert(number, at: min(max(0, place + offset), numbers.count))
        instances[section.id] = numbers
    }

    /// Gives the answers of another program the number of the instance that they belong to.
    mutating func nameFirstInstance(of section: Section) {
        guard let first = section.instances(in: self).first else { return }
        let questions = Set(section.questions)
        rename { place in
            if place.number == nil, questions.contains(place.question) { place.number = first }
        }
    }

    /// The same for all repeated sections.
    package mutating func nameInstances(of questionnaire: Questionnaire) {
        for section in questionnaire.documentRepeats { nameFirstInstance(of: section) }
    }

    /// Numbers the instances by their order, from 1, and removes answers of instances that there are no more: so a finished test has
    /// them.
    mutating func numberInstances(of sections: [Section]) {
        for section in sections {
            nameFirstInstance(of: section)
            let numbers = section.instances(in: self)
            let questions = Set(section.questions)
            func isGone(_ id: String) -> Bool {
                let place = QuestionInstance(id)
                return questions.contains(place.question) && !numbers.contains(place.number ?? 0)
            }
            answers.removeAll { isGone($0.questionId) }
            attachments.removeAll { isGone($0.questionId) }
            let places = Dictionary(numbers.enumerated().map { ($1, $0 + 1) }) { first, _ in first }
            rename { place in
                if questions.contains(place.question) { place.number = place.number.flatMap { places[$0] } }
            }
            instances[section.id] = Array(1..<(numbers.count + 1))
        }
    }

    private mutating func rename(_ change: (inout QuestionInstance) -> Void) {
        func renamed(_ id: String) -> String {
            var place = QuestionInstance(id)
            change(&place)
            return place.id
        }
        for index in answers.indices { answers[index].questionId = renamed(answers[index].questionId) }
        for index in attachments.indices { attachments[index].questionId = renamed(attachments[index].questionId) }
        if let question = resume?.question { resume?.question = renamed(question) }
    }
}
