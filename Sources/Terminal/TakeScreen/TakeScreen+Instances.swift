import Model

// Instances of repeated sections: added, removed and moved.

extension TakeScreen {
    enum InstanceChange: Hashable, Sendable {
        case add, remove, earlier, later
    }

    static func instanceChange(_ key: Key) -> InstanceChange? {
        switch key {
        case .character("+"), .character("="): .add
        case .character("-"), .character("–"), .delete, .backspace: .remove
        case .character("<"), .up: .earlier
        case .character(">"), .down: .later
        default: nil
        }
    }

    /// The repeated section and the instance in which the person is. Elsewhere a section that can have a first or a further one.
    private var instanceHere: (section: Section, instance: Section.Instance?)? {
        let index: Int? =
            switch place {
            case .question(let index): index
            case .review: visible.indices.contains(highlight) ? visible[highlight] : nil
            }
        if let index, let section = questionnaire.section(of: questionnaire.questions[index].id),
            let instance = section.instance, let document = questionnaire.repeatedSection(instance.section)
        {
            return (document, instance)
        }
        let shown = questionnaire.documentRepeats.filter { questionnaire.isShown($0, to: record) }
        return (shown.first { $0.instances(in: record).isEmpty } ?? shown.first).map { ($0, nil) }
    }

    /// What a person can do with instances here, in a word or two; `nil` where nothing is repeated.
    var instanceWords: String? {
        guard let (section, instance) = instanceHere else { return nil }
        if let instance { return instance.name + "…" }
        return section.instanceWord(authorLanguage) + "…"
    }

    private var authorLanguage: Language { questionnaire.language ?? words.language }

    mutating func askAboutInstance() -> [Effect] {
        guard let (section, instance) = instanceHere else { return [.bell] }
        confirmation = .instance(section.id, instance?.number)
        if let instance {
            message = Message(
                text: words.text(
                    "\(line(instance.name)) of \(instance.count): + adds one, - removes this one, < and > move it."),
                isError: false)
        } else {
            message = Message(
                text: words.text("\(line(section.instanceWord(authorLanguage))): + adds one."), isError: false)
        }
        return []
    }

    /// - Returns: `nil` where the key means something else.
    mutating func change(_ section: String, _ number: Int?, by change: InstanceChange?) -> [Effect]? {
        guard let change, let section = questionnaire.repeatedSection(section) else { return nil }
        message = nil
        // An answer that is being typed is settled first.
        _ = settleAnswer()
        switch (change, number) {
        case (.add, _): return addInstance(section)
        case (.remove, let number?):
            if record.hasAnswers(inInstance: number, of: section) {
                confirmation = .removingInstance(section.id, number)
                message = Message(
                    text: words.text(
                        "Remove \(name(section, number)) with its answers? y = remove, any other key = keep"))
                return []
            }
            return removeInstance(section.id, number)
        case (.earlier, let number?): return move(section, number, by: -1)
        case (.later, let number?): return move(section, number, by: 1)
        case (_, nil): return [.bell]
        }
    }

    private func name(_ section: Section, _ number: Int) -> String {
        let place = (section.instances(in: record).firstIndex(of: number) ?? 0) + 1
        return line(section.name(ofInstance: place, authorLanguage))
    }

    private mutating func addInstance(_ section: Section) -> [Effect] {
        guard let number = record.addInstance(of: section) else {
            let most = section.mostInstances
            message = Message(text: words.text("There may be \(most) at most."))
            return [.bell]
        }
        rearrange()
        enterInstance(section, number)
        message = Message(text: words.text("\(name(section, number)) was added."), isError: false)
        noteResume()
        return [.save]
    }

    mutating func removeInstance(_ id: String, _ number: Int) -> [Effect] {
        guard let section = questionnaire.repeatedSection(id) else { return [.bell] }
        message = nil
        let numbers = section.instances(in: record)
        let (former, place) = (name(section, number), numbers.firstIndex(of: number) ?? 0)
        guard record.removeInstance(number, of: section) else {
            let fewest = section.fewestInstances
            message = Message(text: words.text("There must be \(fewest) at least."))
            return [.bell]
        }
        rearrange()
        let left = section.instances(in: record)
        if left.isEmpty {
            enter(.review)
        } else {
            enterInstance(section, left[min(place, left.count - 1)])
        }
        message = Message(text: words.text("\(former) was removed."), isError: false)
        noteResume()
        return [.save]
    }

    mutating func keptInstance() -> [Effect] {
        message = Message(text: words.text("Nothing was removed."), isError: false)
        return []
    }

    private mutating func move(_ section: Section, _ number: Int, by offset: Int) -> [Effect] {
        let former = name(section, number)
        let before = section.instances(in: record)
        record.moveInstance(number, by: offset, of: section)
        guard section.instances(in: record) != before else { return [.bell] }
        rearrange()
        enterInstance(section, number)
        message = Message(text: words.text("\(former) is now \(name(section, number))."), isError: false)
        noteResume()
        return [.save]
    }

    /// Goes to the first question of an instance, in the review to its row.
    private mutating func enterInstance(_ section: Section, _ number: Int) {
        let id = QuestionInstance(question: section.id, number: number).id
        let first = visible.first { questionnaire.section(of: questionnaire.questions[$0].id)?.id == id }
        guard let first else { return enter(.review) }
        if place == .review {
            enter(.review)
            highlight = visible.firstIndex(of: first) ?? 0
            reveal()
        } else {
            enter(.question(first))
        }
    }
}
