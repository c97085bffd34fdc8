// Questions that consist of parts: the rows of a matching or a matrix, the gaps of a text.

extension Question {
    /// The parts in the order of the document, each as a question of its own: its id is the row's text or the gap's name,
    /// and that is its name in the stored object. Empty for questions that have no parts.
    ///
    /// A part is asked like any question of its kind, by `input`, `match`, `answer(choosing:)`, `answer(_:)` and `shown`:
    ///
    ///     for part in question.parts {
    ///         let chosen = part.match(question.answer(of: part, in: stored)).places
    ///     }
    ///     stored = question.answer(stored, setting: part.answer(choosing: [2]))
    package var parts: [Question] {
        switch input {
        case .rows(let isMultiple):
            return rows.map { row in
                var part = Question(
                    id: row, text: label(of: row), kind: isMultiple ? .choices : .choice, options: options,
                    required: required)
                part.labels = labels
                part.optionOrder = optionOrder
                return part
            }
        case .gaps:
            var seen: Set<String> = []
            return GapText.names(in: text).filter { seen.insert($0).inserted }.map { name in
                let gap = gaps[name] ?? Gap()
                var part = Question(id: name, text: name, kind: gap.kind, options: gap.options, required: required)
                if part.optionValues == nil {
                    part.labels = gap.labels
                } else {
                    part.options = part.options.map { gap.labels[$0] ?? $0 }
                }
                return part.inLanguage(language)
            }
        default: return []
        }
    }

    /// The answer to a part; `nil` for none.
    package func answer(of part: Question, in answer: Answer?) -> Answer? {
        guard case .object(let members)? = answer?.value else { return nil }
        return members[part.id].flatMap(Answer.Value.init(json:)).map { Answer(questionId: part.id, value: $0) }
    }

    /// The answer with that of one part replaced; a blank one removes it. Other parts stay, also those of another version.
    /// An answer in words is replaced.
    ///
    /// The encoder writes the members of the object in its own order: the order of the parts is that of `parts`.
    package func answer(_ answer: Answer?, setting part: Answer) -> Answer {
        var members: [String: JSONValue] = [:]
        if case .object(let known)? = answer?.value { members = known }
        members[part.questionId] = part.isBlank ? nil : part.value.json
        var made = Answer(questionId: id, value: .object(members))
        made.otherMembers = answer?.otherMembers ?? [:]
        return made
    }

    /// An answer in words to a question that is answered in another form, as older programs and those that do not know the
    /// kind store it. It stays the person's own until they give another one, and waits for a person to rate it.
    package func ownText(of answer: Answer?) -> String? {
        guard let answer, !answer.isBlank, !kind.fits(answer.value), !isAskedAsText else { return nil }
        return answer.texts.joined(separator: "\n")
    }

    /// The answer of a script: an object with the parts by their names, complete or not.
    func answer(parts value: Answer.Value) throws(AnswerFault) -> Answer {
        guard case .object(let given) = value else {
            let blank = Answer(questionId: id, value: value)
            if blank.isBlank { return Answer(questionId: id, value: .object([:])) }
            throw AnswerFault(questionId: id, reason: .notParts(partKind))
        }
        let parts = parts
        var made = Answer(questionId: id, value: .object([:]))
        var known: Set<String> = []
        for (name, json) in given.sorted(by: { $0.key < $1.key }) where json != .null {
            guard let part = Question.part(name, of: parts) else {
                throw AnswerFault(questionId: id, reason: .noPart(partKind, name))
            }
            guard known.insert(part.id).inserted else {
                throw AnswerFault(questionId: id, reason: .partTwice(partKind, part.id))
            }
            do throws(AnswerFault) {
                guard let value = Answer.Value(json: json) else {
                    throw AnswerFault(questionId: id, reason: .notTexts)
                }
                made = answer(made, setting: try part.answer(value))
            } catch {
                throw AnswerFault(questionId: id, reason: .inPart(partKind, part.id, error.reason))
            }
        }
        return made
    }

    private var partKind: AnswerFault.Part { input == .gaps ? .gap : .row }

    /// By its name, else by the only one that is the same when folded.
    private static func part(_ name: String, of parts: [Question]) -> Question? {
        if let exact = parts.first(where: { $0.id == name }) { return exact }
        let wanted = TextFolding.fold(name)
        let similar = parts.filter { !wanted.isEmpty && TextFolding.fold($0.id) == wanted }
        return similar.count == 1 ? similar[0] : nil
    }
}

extension Question {
    /// The question's text with a line to write on in place of each marker of a gap: for headings, lists and reviews.
    ///
    /// - Parameter author: what becomes of the text before that. Markdown would read such a line as its own.
    package func textWithBlanks(author: (String) -> String = { $0 }) -> String {
        kind.shape == .gaps ? GapText.filled(author(text)) { _ in nil } : author(text)
    }
}

extension Answer.Value {
    /// A value as documents have it; `nil` for null, and for a list of anything but texts.
    init?(json: JSONValue) {
        switch json {
        case .null: return nil
        case .bool(let truth): self = .truth(truth)
        case .integer(let number): self = .number(Double(number))
        case .number(let number): self = .number(number)
        case .string(let text): self = .one(text)
        case .array(let values):
            let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            if texts.count < values.count { return nil }
            self = .several(texts)
        case .object(let members): self = .object(members)
        }
    }
}
