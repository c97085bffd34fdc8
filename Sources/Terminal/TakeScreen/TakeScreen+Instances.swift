import Model

// Instances of repeated sections: asked about, and shown after a change.

extension TakeScreen {
    /// What a key means when the person is asked about an instance.
    static func instanceChange(_ key: Key) -> TakenTest.InstanceChange? {
        switch key {
        case .character("+"), .character("="): .add
        case .character("-"), .character("–"), .delete, .backspace: .remove
        case .character("<"), .up: .earlier
        case .character(">"), .down: .later
        default: nil
        }
    }

    /// What a person can do with instances here, in a word or two; `nil` where nothing is repeated.
    var instanceWords: String? {
        guard let (section, instance) = test.instance(at: questionHere) else { return nil }
        if let instance { return instance.name + "…" }
        return test.instanceWord(of: section) + "…"
    }

    mutating func askAboutInstance() -> [Effect] {
        guard let (section, instance) = test.instance(at: questionHere) else { return [.bell] }
        confirmation = .instance(section.id, instance?.number)
        if let instance {
            message = Message(
                text: words.text(
                    "\(test.line(instance.name)) of \(instance.count): + adds one, - removes this one, < and > move it."
                ),
                isError: false)
        } else {
            message = Message(
                text: words.text("\(test.line(test.instanceWord(of: section))): + adds one."), isError: false)
        }
        return []
    }

    /// - Returns: `nil` where the key means something else.
    mutating func change(_ section: String, _ number: Int?, by change: TakenTest.InstanceChange?) -> [Effect]? {
        guard let change, let section = test.questionnaire.repeatedSection(section) else { return nil }
        message = nil
        // An answer that is being typed is settled first.
        settleAnswer()
        switch (change, number) {
        case (.add, _): return show(test.addInstance(of: section), of: section)
        case (.remove, let number?):
            if test.record.hasAnswers(inInstance: number, of: section) {
                confirmation = .removingInstance(section.id, number)
                message = Message(
                    text: words.text(
                        "Remove \(test.name(section, number)) with its answers? y = remove, any other key = keep"))
                return []
            }
            return removeInstance(section.id, number)
        case (.earlier, let number?): return show(test.moveInstance(number, by: -1, of: section), of: section)
        case (.later, let number?): return show(test.moveInstance(number, by: 1, of: section), of: section)
        case (_, nil): return [.bell]
        }
    }

    mutating func removeInstance(_ id: String, _ number: Int) -> [Effect] {
        guard let section = test.questionnaire.repeatedSection(id) else { return [.bell] }
        message = nil
        return show(test.removeInstance(number, of: section), of: section)
    }

    mutating func keptInstance() -> [Effect] {
        message = Message(text: words.text("Nothing was removed."), isError: false)
        return []
    }

    /// Goes to the first question of an instance, in the review to its row.
    private mutating func show(_ outcome: TakenTest.InstanceOutcome, of section: Section) -> [Effect] {
        switch outcome {
        case .refused(let reason):
            if let reason { message = Message(text: reason) }
            return [.bell]
        case .changed(let number, let text):
            if let first = number.flatMap({ test.firstQuestion(of: section, $0) }) {
                enter(place == .review ? .review : .question(first))
                if place == .review {
                    reviewRow = test.visible.firstIndex(of: first) ?? 0
                    reveal()
                }
            } else {
                enter(.review)
            }
            message = Message(text: text, isError: false)
            noteResume()
            return [.save]
        }
    }
}
