import HTTPServing
import Model
import Quire

/// The instances of repeated sections: their buttons, and the question before one with answers is removed.
struct InstanceScreen {
    let context: ScreenContext
    let draft: TestScreen.Draft

    private var words: PageWords { context.words }
    private var language: Language { draft.questionnaire.language ?? words.language }
    private var texts: AuthorTexts { AuthorTexts(draft.questionnaire) }

    /// The buttons of the instance that a section is; `nil` for a section that is asked once.
    func buttons(of section: Section?) -> [String: any Sendable]? {
        guard let instance = section?.instance, let document = draft.questionnaire.repeatedSection(instance.section)
        else { return nil }
        let name = texts.line(instance.name)
        func button(_ action: InstanceButton.Action) -> String {
            InstanceButton(action, instance.number, of: document.id).value
        }
        var model: [String: any Sendable] = [
            "name": name, "place": words.text("\(name) of \(instance.count)"), "dir": texts.direction,
        ]
        if instance.count > document.fewestInstances {
            model["remove"] = ["value": button(.remove), "words": words.text("Remove: \(name)")]
        }
        if !instance.isFirst { model["up"] = ["value": button(.up), "words": words.text("Move up: \(name)")] }
        if !instance.isLast { model["down"] = ["value": button(.down), "words": words.text("Move down: \(name)")] }
        return model
    }

    /// The buttons that add an instance behind one of these questions: behind the last one of the section, and of a section without
    /// an instance where its questions would be.
    ///
    /// - Parameter visible: the places of all questions that are shown.
    func adding(behind places: [Int], _ visible: [Int]) -> [[String: any Sendable]] {
        let sections = draft.questionnaire.documentRepeats
        return zip(sections, adding).filter { section, _ in
            anchor(of: section, visible).map(places.contains) ?? false
        }.map { $0.1 }
    }

    private func anchor(of section: Section, _ visible: [Int]) -> Int? {
        let questionnaire = draft.questionnaire
        let questions = questionnaire.questions
        let last = visible.last { questionnaire.section(of: questions[$0].id)?.instance?.section == section.id }
        if let last { return last }
        let document = questionnaire.unrepeatedDocument.questions.map(\.id)
        let before = Set(document.prefix { !section.questions.contains($0) })
        return visible.last { before.contains(QuestionInstance(questions[$0].id).question) } ?? visible.first
    }

    /// The buttons that add an instance, one for each section that is repeated.
    var adding: [[String: any Sendable]] {
        draft.questionnaire.documentRepeats.map { section in
            let word = texts.line(section.instanceWord(language))
            let count = section.instances(in: draft.stored.record).count
            return [
                "value": InstanceButton(.add, of: section.id).value, "words": words.text("Add: \(word)"),
                "section": section.id, "count": "\(word): \(count)", "dir": texts.direction,
                "isFull": count >= section.mostInstances,
                "isHidden": !draft.questionnaire.isShown(section, to: draft.stored.record),
            ]
        }
    }

    /// The ids of the sections whose conditions hide them.
    var hidden: [String] {
        draft.questionnaire.documentRepeats
            .filter { !draft.questionnaire.isShown($0, to: draft.stored.record) }.map(\.id)
    }

    /// Asks before an instance with answers is removed.
    func confirmation(_ value: String?) -> Screens.Content? {
        guard let button = InstanceButton(value), let section = draft.questionnaire.repeatedSection(button.section),
            let place = section.instances(in: draft.stored.record).firstIndex(of: button.number)
        else { return nil }
        let name = texts.line(section.name(ofInstance: place + 1, language))
        let questions = draft.questionnaire.questions.filter {
            draft.stored.record.belongs($0.id, toInstance: button.number, of: section)
                && draft.stored.record.isAnswered($0.id)
        }
        let title = words.text("Remove “\(name)”?")
        var model: [String: any Sendable] = [
            "title": draft.questionnaire.name, "action": "/t/\(draft.id)", "heading": title, "dir": texts.direction,
            "value": InstanceButton(.erase, button.number, of: section.id).value,
            "answers": questions.map { question in
                [
                    "text": question.textWithBlanks { texts.line($0) },
                    "given": texts.line(draft.stored.record.answer(to: question.id), to: question)
                        ?? draft.stored.record.attachments(to: question.id).map(\.name).joined(separator: ", "),
                ]
            },
        ]
        model["locale"] = draft.questionnaire.locale
        return Screens.Content(template: .instance, title: title, model: model)
    }

    /// The address of that question.
    static func address(_ id: TestID, _ button: InstanceButton) -> String {
        "/t/\(id)/instance?go=\(PercentEncoding.encode(button.value))"
    }

    /// The place of the first question of an instance that is shown.
    static func place(of number: Int, in section: String, _ draft: TestScreen.Draft) -> Int? {
        let id = QuestionInstance(question: section, number: number).id
        return draft.questionnaire.places(without: draft.hidden).first {
            draft.questionnaire.section(of: draft.questionnaire.questions[$0].id)?.id == id
        }
    }
}
