/// The texts of a questionnaire in one more language. What is not translated stays as the document has it.
///
/// Answers, conditions, constraints and keys name options and rows by the document's own texts, whatever language they
/// are read in.
package struct Translation: Hashable, Sendable {
    package struct SectionTexts: Hashable, Sendable {
        package var title: String?
        package var text: String?
        /// The label of an instance of a repeated section.
        package var label: String?
        /// The descriptions of its media, in the order of the document, as many as there.
        package var media: [String]?
    }

    package struct QuestionTexts: Hashable, Sendable {
        package var text: String?
        package var hint: String?
        package var unit: String?
        package var constraintMessage: String?
        /// In the order of the document, as many as there.
        package var options: [String]?
        package var rows: [String]?
        /// The words of a scale's steps, by the numbers.
        package var labels: [String: String]?
        /// The options of gaps, by the gaps' names.
        package var gaps: [String: [String]]?
        /// The descriptions of its media, in the order of the document, as many as there.
        package var media: [String]?
    }

    package var title: String?
    package var description: String?
    package var sections: [String: SectionTexts] = [:]
    package var questions: [String: QuestionTexts] = [:]

    /// All its texts, for search.
    var texts: [String] {
        var texts = [title, description].compactMap { $0 }
        for section in sections.values { texts += [section.title, section.text].compactMap { $0 } }
        for question in questions.values {
            texts +=
                [question.text, question.hint].compactMap { $0 } + (question.options ?? []) + (question.rows ?? [])
            texts += (question.gaps ?? [:]).values.joined()
        }
        return texts
    }
}

extension Translation: Decodable {
    private enum Key: String, CodingKey { case title, description, sections, questions }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        title = try? container.decodeIfPresent(String.self, forKey: .title)
        description = try? container.decodeIfPresent(String.self, forKey: .description)
        sections = (try? container.decodeIfPresent([String: SectionTexts].self, forKey: .sections)) ?? [:]
        questions = (try? container.decodeIfPresent([String: QuestionTexts].self, forKey: .questions)) ?? [:]
    }
}

extension Translation.SectionTexts: Decodable {
    private enum Key: String, CodingKey { case title, text, label, media }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        title = try? container.decodeIfPresent(String.self, forKey: .title)
        text = try? container.decodeIfPresent(String.self, forKey: .text)
        label = try? container.decodeIfPresent(String.self, forKey: .label)
        media = try? container.decodeIfPresent([String].self, forKey: .media)
    }
}

extension Translation.QuestionTexts: Decodable {
    private enum Key: String, CodingKey { case text, hint, unit, constraintMessage, options, rows, labels, gaps, media }

    private struct GapOptions: Decodable { var options: [String] }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        text = try? container.decodeIfPresent(String.self, forKey: .text)
        hint = try? container.decodeIfPresent(String.self, forKey: .hint)
        unit = try? container.decodeIfPresent(String.self, forKey: .unit)
        constraintMessage = try? container.decodeIfPresent(String.self, forKey: .constraintMessage)
        options = try? container.decodeIfPresent([String].self, forKey: .options)
        rows = try? container.decodeIfPresent([String].self, forKey: .rows)
        media = try? container.decodeIfPresent([String].self, forKey: .media)
        labels = try? container.decodeIfPresent([String: String].self, forKey: .labels)
        gaps = (try? container.decodeIfPresent([String: GapOptions].self, forKey: .gaps))?.mapValues(\.options)
    }
}

extension Questionnaire {
    /// The tags of the languages that it can be read in, its own first. Empty where there is no choice.
    package var languages: [String] {
        guard !translations.isEmpty else { return [] }
        let own = ownLocale ?? locale ?? ""
        return [own] + translations.keys.filter { $0 != own }.sorted()
    }

    /// The language to show it in.
    ///
    /// - Parameters:
    ///   - chosen: the person's choice for a test.
    ///   - language: that of the interface, which decides where nothing was chosen.
    package func language(chosen: String?, for language: Language) -> String? {
        let all = languages
        if let chosen, all.contains(chosen) { return chosen }
        return all.first { Self.primaryTag($0) == language.rawValue } ?? all.first
    }

    private static func primaryTag(_ tag: String) -> Substring { tag.lowercased().prefix { $0 != "-" && $0 != "_" } }

    /// The same in the language of a test, or of the interface.
    ///
    /// - Parameter record: the test, with the language that the person chose, and the instances of repeated sections.
    package func shown(in language: Language, for record: TestRecord? = nil) -> Questionnaire {
        let tag = self.language(chosen: record?.language, for: language)
        return hasInstances ? unrepeatedDocument.translated(to: tag).repeated(for: record) : translated(to: tag)
    }

    /// The document with the texts of a language; of a translated one only the language it is in. It keeps ids, options and rows, so that answers are the same in each language.
    package func translated(to tag: String?) -> Questionnaire {
        guard let tag, tag != locale, let translation = translations[tag] else { return self }
        var made = self
        made.ownLocale = ownLocale ?? locale ?? ""
        made.locale = tag
        made.title = translation.title ?? title
        made.description = translation.description ?? description
        for (place, section) in sections.enumerated() {
            guard let texts = translation.sections[section.id] else { continue }
            made.sections[place].title = texts.title ?? section.title
            made.sections[place].text = texts.text ?? section.text
            if let label = texts.label { made.sections[place].repetition?.label = label }
            made.sections[place].media = section.media.described(texts.media)
        }
        for (place, question) in questions.enumerated() {
            made.questions[place] = question.translated(translation.questions[question.id] ?? .init(), to: tag)
        }
        return made
    }
}

extension [Media] {
    /// The same with other descriptions.
    fileprivate func described(_ texts: [String]?) -> [Media] {
        guard let texts, texts.count == count else { return self }
        return zip(self, texts).map { medium, text in
            var medium = medium
            medium.alt = text
            return medium
        }
    }
}

extension Question {
    fileprivate func translated(_ texts: Translation.QuestionTexts, to language: String) -> Question {
        var made = inLanguage(language)
        // Without one of its gaps a text would leave it out.
        if let text = texts.text,
            kind.shape != .gaps || Set(GapText.names(in: text)) == Set(GapText.names(in: self.text))
        {
            made.text = text
        }
        made.hint = texts.hint ?? hint
        made.unit = texts.unit ?? unit
        made.media = media.described(texts.media)
        made.constraintMessage = texts.constraintMessage ?? constraintMessage
        if let labels = texts.labels, let scale {
            made.scale?.labels = scale.labels.merging(labels) { _, translated in translated }
            if kind.isScale { made.options = made.ownOptions }
        } else if optionValues != nil {
            // Words for values, which answers do not have.
            if let options = texts.options, options.count == made.options.count { made.options = options }
        } else {
            made.label(options, texts.options)
        }
        made.label(rows, texts.rows)
        for (name, options) in texts.gaps ?? [:] { made.gaps[name]?.label(options) }
        return made
    }

    private mutating func label(_ texts: [String], _ translated: [String]?) {
        guard let translated, translated.count == texts.count else { return }
        for (text, label) in zip(texts, translated) { labels[text] = label }
    }

    /// The words of an option or a row in the language that the question is shown in.
    package func label(of text: String) -> String { labels[text] ?? text }

    /// The options in those words, in the order of the document.
    package var optionLabels: [String] { labels.isEmpty ? options : options.map(label(of:)) }
}
