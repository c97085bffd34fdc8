import Model

/// A change of a draft as a value: a document in, a document out.
indirect enum DraftEdit: Hashable, Sendable {
    /// - Parameter after: the question before it; `nil` for the end.
    case add(Question.Kind, id: String, after: String?)
    case duplicate(String, id: String)
    /// By so many places: -1 is one place up.
    case move(String, by: Int)
    /// To the place of another question, as a pointer drops it.
    case drop(String, on: String)
    case delete(String)
    case change(String, QuestionFields)
    /// Puts a deleted question back.
    ///
    /// - Parameter after: the question before it; `nil` for the end.
    case restore(DraftQuestion, key: [String: JSONValue], after: String?)
    case restoreSection(DraftSection)
    case settings(SettingsFields)
    /// Questions of a spreadsheet, behind the last one.
    case paste([PastedQuestions.Item])
    /// - Parameter title: may be empty.
    case addSection(String, title: String)
    case changeSection(String, SectionFields)
    /// Its questions stay.
    case deleteSection(String)
    case moveSection(String, by: Int)
    /// Puts a question behind the others of a section; `nil` for out of all sections.
    case put(String, section: String?)
    /// Copies of questions of other questionnaires, behind the last one.
    case copy([CopiedQuestion])
    case media(MediaPlace, MediaEdit)
    /// One after the other, saved as one.
    case all([DraftEdit])

    func applied(to document: DraftDocument) -> DraftDocument {
        var document = document
        switch self {
        case .add(let kind, let id, let after):
            document.insert(DraftQuestion(id: id, kind: kind), after: after)
        case .duplicate(let original, let id):
            guard var copy = document.question(original) else { break }
            copy.members["id"] = .string(id)
            document.insert(copy, after: original)
            document.setKey(document.key(of: original), of: id)
            document.changeTranslations { $0[id] = $0[original] }
        case .move(let id, let step):
            for _ in 0..<abs(step) { document.move(id, by: step.signum()) }
        case .drop(let id, let other): document.drop(id, on: other)
        case .delete(let id):
            document.questions.removeAll { $0.id == id }
            document.setKey([:], of: id)
            document.changeSections { $0.removeAll { $0 == id } }
            document.changeTranslations { $0[id] = nil }
        case .change(let id, let fields): fields.apply(to: id, in: &document)
        case .restore(let question, let key, let after):
            guard document.question(question.id) == nil else { break }
            document.insert(question, after: after)
            document.setKey(key, of: question.id)
        case .restoreSection(var section):
            guard document.section(section.id) == nil else { break }
            // Its questions went to other places, or are gone.
            section.questions.removeAll { document.question($0) == nil || document.section(of: $0) != nil }
            document.sections.append(section)
        case .settings(let fields): fields.apply(to: &document)
        case .paste(let items):
            for item in items {
                let id = document.freeID()
                document.insert(DraftQuestion(id: id, kind: item.kind), after: document.questions.last?.id)
                PastedQuestions.fields(item).apply(to: id, in: &document)
            }
        case .addSection(let id, let title): document.sections.append(DraftSection(id: id, title: title))
        case .changeSection(let id, let fields): fields.apply(to: id, in: &document)
        case .deleteSection(let id): document.remove(section: id)
        case .moveSection(let id, let step): document.move(section: id, by: step)
        case .put(let id, let section): document.put(id, into: section)
        case .copy(let copies): document.add(copies)
        case .media(let place, let edit): document.change(mediaAt: place, edit)
        case .all(let edits): for edit in edits { document = edit.applied(to: document) }
        }
        return document
    }
}

extension DraftDocument {
    /// Puts a question behind another one, into the same section.
    mutating func insert(_ question: DraftQuestion, after id: String?) {
        var questions = questions
        let place = id.flatMap { id in questions.firstIndex { $0.id == id } }
        questions.insert(question, at: place.map { $0 + 1 } ?? questions.count)
        self.questions = questions
        guard let id, place != nil else { return }
        changeSections { ids in
            if let place = ids.firstIndex(of: id) { ids.insert(question.id, at: place + 1) }
        }
    }

    /// Changes the lists of questions of all sections.
    mutating func changeSections(_ change: (inout [String]) -> Void) {
        guard let sections = members["sections"]?.elements else { return }
        members["sections"] = .array(
            sections.map { section in
                guard var members = section.members, let listed = members["questions"]?.elements else { return section }
                var ids = listed.compactMap(\.text)
                // A list of anything else is none of ours.
                guard ids.count == listed.count else { return section }
                change(&ids)
                members["questions"] = .array(ids.map(JSONValue.string))
                return .object(members)
            })
    }

    /// The questions of each section stand in the order of the questionnaire.
    mutating func sortSections() {
        let places = Dictionary(questions.enumerated().map { ($1.id, $0) }) { first, _ in first }
        changeSections { ids in
            guard ids.allSatisfy({ places[$0] != nil }) else { return }
            ids.sort { places[$0] ?? 0 < places[$1] ?? 0 }
        }
    }

    /// Changes the texts of questions, or of what else is translated by ids, in each language.
    mutating func changeTranslations(
        of name: String = "questions", _ change: (inout [String: JSONValue]) -> Void
    ) {
        guard let translations = members["translations"]?.members else { return }
        members["translations"] = .object(
            translations.mapValues { translation in
                guard var texts = translation.members, var parts = texts[name]?.members else { return translation }
                change(&parts)
                texts[name] = .object(parts)
                return .object(texts)
            })
    }
}
