import Model

/// Changes of sections, and of the places of questions in them.
extension DraftDocument {
    /// Gives the questions the order in which people see them, so that those of a section stand together.
    mutating func arrange() {
        // Two questions of one id are a fault that the author must see.
        let ids = questions.map(\.id)
        guard Set(ids).count == ids.count else { return }
        questions = blocks.flatMap(\.questions)
    }

    /// Moves a question by one place up (-1) or down (1), as people see it. At the edge of a section it leaves the section, and a
    /// question beside a section enters it.
    mutating func move(_ id: String, by step: Int) {
        arrange()
        guard let place = place(of: id) else { return }
        let target = place + step
        let home = section(of: id)?.id
        let neighbour = questions.indices.contains(target) ? section(of: questions[target].id)?.id : nil
        if home != nil, home != neighbour { return put(id, into: nil, isFirst: step < 0) }
        if home == nil, let neighbour { return put(id, into: neighbour, isFirst: step > 0) }
        guard questions.indices.contains(target) else { return }
        var questions = questions
        questions.swapAt(place, target)
        self.questions = questions
        sortSections()
    }

    /// Moves a question to the place of another one, into its section; those between them move by one.
    mutating func drop(_ id: String, on other: String) {
        guard id != other, question(id) != nil, question(other) != nil else { return }
        arrange()
        guard let source = place(of: id), let target = place(of: other) else { return }
        changeSections { ids in
            ids.removeAll { $0 == id }
            if ids.contains(other) { ids.append(id) }
        }
        var questions = questions
        questions.insert(questions.remove(at: source), at: target)
        self.questions = questions
        sortSections()
    }

    /// Moves a section with its questions over its neighbour.
    mutating func move(section id: String, by step: Int) {
        arrange()
        var blocks = blocks.filter { !$0.questions.isEmpty }
        guard let place = blocks.firstIndex(where: { $0.section?.id == id }), blocks.indices.contains(place + step)
        else { return }
        blocks.swapAt(place, place + step)
        questions = blocks.flatMap(\.questions)
    }

    /// Puts a question into a section, or out of all.
    ///
    /// - Parameter isFirst: before the section's other questions, and not behind them; out of a section, before it and not behind it.
    mutating func put(_ id: String, into target: String?, isFirst: Bool = false) {
        guard question(id) != nil, target == nil || section(target ?? "") != nil else { return }
        let former = section(of: id)
        guard former?.id != target else { return }
        arrange()
        changeSections { $0.removeAll { $0 == id } }
        var sections = sections
        // Where it stands: beside the questions of the section that it enters or leaves.
        let mates = Set(sections.first { $0.id == target ?? former?.id }?.questions ?? [])
        if let section = sections.firstIndex(where: { $0.id == target }) {
            var ids = sections[section].questions
            ids.insert(id, at: isFirst ? 0 : ids.count)
            sections[section].questions = ids
            self.sections = sections
        }
        guard !mates.isEmpty, let place = place(of: id) else { return }
        var questions = questions
        let question = questions.remove(at: place)
        let edge =
            isFirst
            ? questions.firstIndex { mates.contains($0.id) }
            : questions.lastIndex { mates.contains($0.id) }.map { $0 + 1 }
        questions.insert(question, at: edge ?? place)
        self.questions = questions
    }

    /// Removes a section; its questions stay where they are.
    mutating func remove(section id: String) {
        sections.removeAll { $0.id == id }
        changeTranslations(of: "sections") { $0[id] = nil }
    }
}
