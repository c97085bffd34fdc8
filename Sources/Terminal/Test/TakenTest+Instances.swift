import Model

// Instances of repeated sections: found, named, added, removed and moved.

extension TakenTest {
    enum InstanceChange: Hashable, Sendable {
        case add, remove, earlier, later
    }

    /// What became of a change.
    enum InstanceOutcome {
        /// Shows this instance; with none left, the review.
        case changed(Int?, String)
        /// With the reason, if it is not plain.
        case refused(String?)
    }

    /// The repeated section and the instance of a question. Elsewhere a section that can have a first or a further one.
    ///
    /// - Parameter index: the place of the question.
    func instance(at index: Int?) -> (section: Section, instance: Section.Instance?)? {
        if let index, let section = questionnaire.section(of: questionnaire.questions[index].id),
            let instance = section.instance, let document = questionnaire.repeatedSection(instance.section)
        {
            return (document, instance)
        }
        let shown = questionnaire.documentRepeats.filter { questionnaire.isShown($0, to: record) }
        return (shown.first { $0.instances(in: record).isEmpty } ?? shown.first).map { ($0, nil) }
    }

    /// The word for an instance of a section, in the author's language.
    func instanceWord(of section: Section) -> String { section.instanceWord(authorLanguage) }

    private var authorLanguage: Language { questionnaire.language ?? words.language }

    func name(_ section: Section, _ number: Int) -> String {
        let place = (section.instances(in: record).firstIndex(of: number) ?? 0) + 1
        return line(section.name(ofInstance: place, authorLanguage))
    }

    /// The place of the first question that is shown of an instance.
    func firstQuestion(of section: Section, _ number: Int) -> Int? {
        let id = QuestionInstance(question: section.id, number: number).id
        return visible.first { questionnaire.section(of: questionnaire.questions[$0].id)?.id == id }
    }

    mutating func addInstance(of section: Section) -> InstanceOutcome {
        guard let number = record.addInstance(of: section) else {
            let most = section.mostInstances
            return .refused(words.text("There may be \(most) at most."))
        }
        rearrange()
        return .changed(number, words.text("\(name(section, number)) was added."))
    }

    mutating func removeInstance(_ number: Int, of section: Section) -> InstanceOutcome {
        let numbers = section.instances(in: record)
        let (former, place) = (name(section, number), numbers.firstIndex(of: number) ?? 0)
        guard record.removeInstance(number, of: section) else {
            let fewest = section.fewestInstances
            return .refused(words.text("There must be \(fewest) at least."))
        }
        rearrange()
        let left = section.instances(in: record)
        let shown = left.isEmpty ? nil : left[min(place, left.count - 1)]
        return .changed(shown, words.text("\(former) was removed."))
    }

    mutating func moveInstance(_ number: Int, by offset: Int, of section: Section) -> InstanceOutcome {
        let former = name(section, number)
        let before = section.instances(in: record)
        record.moveInstance(number, by: offset, of: section)
        guard section.instances(in: record) != before else { return .refused(nil) }
        rearrange()
        return .changed(number, words.text("\(former) is now \(name(section, number))."))
    }
}
