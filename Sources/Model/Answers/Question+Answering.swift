extension Question {
    /// Converts a person's or a script's input to an answer to this question.
    ///
    /// Options are matched by their exact text first, then by their folded text.
    ///
    /// - Parameter localOffset: the offset of a date with a time that states none, in minutes east of UTC at a moment.
    /// - Throws: `AnswerFault` for an unknown option, a value that is not a number, or several values for a single
    ///   answer.
    package func answer(
        _ value: Answer.Value, localOffset: ((Timestamp) -> Int)? = nil
    ) throws(AnswerFault) -> Answer {
        switch (value, localOffset) {
        case (.one(let text), let localOffset?) where rules.isLocal:
            let complete = WrittenDate.dateTime(text, localOffset: localOffset).text
            return try rules.answer(self, .one(complete ?? text))
        case (.object(var members), let localOffset?) where input == .gaps:
            for part in parts where part.rules.isLocal {
                // What is no date with a time stays as it is, and is refused by the rules.
                guard case .string(let text)? = members[part.id],
                    let complete = WrittenDate.dateTime(text, localOffset: localOffset).text
                else { continue }
                members[part.id] = .string(complete)
            }
            return try rules.answer(self, .object(members))
        default: return try rules.answer(self, value)
        }
    }

    /// The options that a document leaves to the kind; empty for those that the document lists.
    var ownOptions: [String] { kind.rules.options?(self) ?? [] }

    /// The value of each option, where it is not the option's text.
    var optionValues: [Answer.Value]? { kind.rules.values?(self) }

    /// An answer as people read it: the words of an option for a value that stands for it, a ranking with numbers, a line
    /// for each row, the text with its gaps filled in.
    ///
    /// - Parameter author: what becomes of the author's texts: options, rows, and the text around gaps. The person's own are
    ///   shown as they are.
    package func shown(_ answer: Answer?, author: (String) -> String = { $0 }) -> [String] {
        guard let answer, !answer.isBlank else { return [] }
        if input == .location, let location = Location(answer) { return [location.text] }
        func words(_ text: String, _ question: Question) -> String {
            question.options.contains(text) ? author(question.label(of: text)) : text
        }
        switch (input, answer.value) {
        case (.order, .several(let texts)):
            return texts.enumerated().map { "\($0 + 1). \(words($1, self))" }
        case (.rows, .object(let members)), (.gaps, .object(let members)):
            let parts = parts
            let given = Dictionary(parts.map { ($0.id, $0.line(self.answer(of: $0, in: answer), author: author)) }) {
                first, _ in first
            }
            // Rows and gaps of another version.
            let others = members.keys.filter { given[$0] == nil }.sorted().map { name in
                "\(name) → \(Answer.Value(json: members[name] ?? .null)?.texts.joined(separator: ", ") ?? "")"
            }
            if input == .gaps {
                return [GapText.filled(author(text)) { given[$0].flatMap { $0.isEmpty ? nil : $0 } }] + others
            }
            return parts.compactMap { part in
                given[part.id].flatMap { $0.isEmpty ? nil : "\(author(part.text)) → \($0)" }
            } + others
        default: break
        }
        if let place = optionValues?.firstIndex(of: answer.value), options.indices.contains(place) {
            return [author(options[place])]
        }
        return kind.hasOptions ? answer.texts.map { words($0, self) } : answer.texts
    }

    /// An answer as people read it, on one line.
    package func line(_ answer: Answer?, author: (String) -> String = { $0 }) -> String {
        shown(answer, author: author).joined(separator: separator)
    }

    /// What stands between the texts of an answer on one line.
    package var separator: String { if case .rows = input { "; " } else { ", " } }

    /// The answer made of the options at these indexes.
    package func answer(choosing indexes: [Int]) -> Answer {
        let places = Set(indexes).filter(options.indices.contains).sorted()
        if let values = optionValues {
            let place = places.first.flatMap { values.indices.contains($0) ? $0 : nil }
            return Answer(questionId: id, value: place.map { values[$0] } ?? .one(""))
        }
        let texts = places.map { options[$0] }
        return Answer(
            questionId: id, value: kind.isMultiple ? .several(texts) : .one(texts.first ?? ""), optionIndexes: places)
    }

    /// The one text of a value.
    func single(_ value: Answer.Value) throws(AnswerFault) -> String {
        switch value {
        case .one(let text): return text
        case .several(let texts):
            guard texts.count <= 1 else {
                throw AnswerFault(questionId: id, reason: .severalAnswers(texts.count))
            }
            return texts.first ?? ""
        case .number, .truth: return value.texts.first ?? ""
        case .object: throw AnswerFault(questionId: id, reason: .objectGiven)
        }
    }

    /// The index of an option; `nil` for a text of the person's own, where the question allows that.
    func place(of text: String, except taken: [Int]) throws(AnswerFault) -> Int? {
        do throws(AnswerFault) {
            return try optionIndex(of: text, except: taken)
        } catch {
            if allowsOther { return nil }
            throw error
        }
    }

    /// The index of the option with this text, except those already chosen.
    func optionIndex(of text: String, except taken: [Int]) throws(AnswerFault) -> Int {
        let free = options.indices.filter { !taken.contains($0) }
        if let exact = free.first(where: { options[$0].utf8.elementsEqual(text.utf8) }) { return exact }
        if let equivalent = free.first(where: { options[$0] == text }) { return equivalent }
        let wanted = TextFolding.fold(text)
        let similar = free.filter { !wanted.isEmpty && TextFolding.fold(options[$0]) == wanted }
        if similar.count == 1, let index = similar.first { return index }
        let isTwice = taken.contains {
            options[$0] == text || !wanted.isEmpty && TextFolding.fold(options[$0]) == wanted
        }
        throw AnswerFault(questionId: id, reason: isTwice ? .optionTwice(text) : .notOption(text))
    }
}
