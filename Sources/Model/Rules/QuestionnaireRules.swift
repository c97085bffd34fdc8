/// What a questionnaire says about conditions, constraints, order, pools and points: the members that the rules read, in a
/// form of their own.
///
/// Members that rules do not look at are left alone: a document is kept as its bytes.
package struct QuestionnaireRules: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package var id: String
        package var text: String
        package var form: Question.Kind
        /// What the document calls the kind, where it does.
        package var kind: String?
        package var options: [String] = []
        package var rows: [String] = []
        package var keepLast: [String] = []
        /// The files that it takes, if its answers are files.
        package var accept: String?
        package var allowsOther = false
        package var points: Double?
        package var condition: Condition?
        package var constraint: Constraint?
        package var scale: Scale?
        package var gaps: [String: Gap] = [:]
        /// What else of it is read, and translated.
        package var texts = Texts()
    }

    /// Texts that answers do not have. A value of another type is the author's own member.
    package struct Texts: Hashable, Sendable {
        package var hint: String?
        package var unit: String?
        package var constraintMessage: String?
        /// The words of a scale's steps, by the numbers.
        package var labels: [String: String] = [:]
        /// The descriptions of its media.
        package var alts: [String] = []
    }

    package struct Scale: Hashable, Sendable {
        package var min: JSONValue?
        package var max: JSONValue?
        package var step: JSONValue?
    }

    package struct Gap: Hashable, Sendable {
        package var form: Question.Kind
        package var options: [String]
    }

    /// The texts of one language, and what of it has to fit the questions.
    package struct LanguageTexts: Hashable, Sendable {
        package struct Texts: Hashable, Sendable, Decodable {
            package var options: [String]?
            package var rows: [String]?
        }

        package var questions: [String: Texts]
        package var sections: [String]
        package var texts: Translation
    }

    package var questions: [Item]
    package var sections: [Section]
    package var shufflesQuestions: Bool
    package var shufflesOptions: Bool
    package var availability: Availability?
    package var release: Release?
    package var translations: [String: LanguageTexts]
    package var locale: String?
    package var description: String?
    package var passScore: Double?
    package var timeLimitSeconds: Int?
    package var finishesAtTimeLimit = false
    /// By question id. The older members `answerKey` and `multiAnswerKey` are read into it.
    package var key: [String: QuestionKey]
    /// The member that each key stands in.
    package var keyMembers: [String: String]

    /// Reads the rules of a document.
    ///
    /// - Throws: `DocumentFault` that names the member.
    package init(json: [UInt8]) throws(DocumentFault) {
        self = try DocumentCoding.decode(QuestionnaireRules.self, from: json)
    }

    /// Which questions are shown: conditions of questions and of their sections.
    package var visibility: Visibility { Visibility(questions.map { ($0.id, $0.condition) }, sections) }

    /// The ids of a test's questions in the order shown.
    package func order(of test: TestID) -> [String] {
        TestOrder(test).questions(
            questions.map { .init(id: $0.id, isFixed: !$0.form.takesAnswer) }, sections: sections,
            isShuffled: shufflesQuestions)
    }

    /// The places of a question's options in the order that a test shows them in.
    package func optionOrder(of item: Item, in test: TestID) -> [Int] {
        guard shufflesOptions, item.form.shufflesOptions else { return Array(item.options.indices) }
        return TestOrder(test).options(item.options, keepLast: item.keepLast, of: item.id)
    }

    /// How the answer to a question gets its points; `nil` where a person gives them.
    package func points(of item: Item) -> PointsRule? {
        guard let key = key[item.id], item.form.hasKey, !key.accept.isEmpty else { return nil }
        return PointsRule(form: item.form, maximum: item.points ?? 1, key: key, gaps: item.gaps.mapValues(\.form))
    }
}

extension QuestionnaireRules: Decodable {
    private enum Key: String, CodingKey {
        case locale, language, description
        case questions, sections, shuffle, availability, release, translations, passScore, key, answerKey,
            multiAnswerKey, timeLimitSeconds, finishAtTimeLimit
    }

    private struct Shuffle: Decodable {
        var questions: Bool?
        var options: Bool?
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        questions = try container.decode([Item].self, forKey: .questions)
        sections = try container.decodeIfPresent([Section].self, forKey: .sections) ?? []
        let shuffle = try container.decodeIfPresent(Shuffle.self, forKey: .shuffle)
        shufflesQuestions = shuffle?.questions ?? false
        shufflesOptions = shuffle?.options ?? false
        availability = try container.decodeIfPresent(Availability.self, forKey: .availability)
        release = try container.decodeIfPresent(Release.self, forKey: .release)
        translations = try container.decodeIfPresent([String: LanguageTexts].self, forKey: .translations) ?? [:]
        locale =
            try container.decodeIfPresent(String.self, forKey: .locale)
            ?? container.decodeIfPresent(String.self, forKey: .language)
        description = try? container.decodeIfPresent(String.self, forKey: .description)
        passScore = try container.decodeIfPresent(Double.self, forKey: .passScore)
        timeLimitSeconds = try? container.decodeIfPresent(Int.self, forKey: .timeLimitSeconds)
        finishesAtTimeLimit = try container.decodeIfPresent(Bool.self, forKey: .finishAtTimeLimit) ?? false
        key = try container.decodeIfPresent([String: QuestionKey].self, forKey: .key) ?? [:]
        keyMembers = key.mapValues { _ in "key" }
        for member in [Key.answerKey, .multiAnswerKey] {
            let values = try container.decodeIfPresent([String: Answer.Value].self, forKey: member) ?? [:]
            for (id, value) in values where key[id] == nil {
                key[id] = Self.key(value, for: questions.first { $0.id == id }?.form)
                keyMembers[id] = member.rawValue
            }
        }
    }

    /// A key of today's documents: one right answer, or several; for `choices` all of them together.
    private static func key(_ value: Answer.Value, for form: Question.Kind?) -> QuestionKey {
        let texts = value.texts.map { text -> JSONValue in
            form?.isWrittenNumber == true ? .string(WrittenNumber(text).plain ?? text) : .string(text)
        }
        if form?.shape == .options || form?.shape == .order {
            return QuestionKey(accept: [.init(.value(.array(texts)))])
        }
        return QuestionKey(accept: texts.map { .init(.value($0)) })
    }
}

extension QuestionnaireRules.Item: Decodable {
    private enum Key: String, CodingKey {
        case id, text, kind, options, rows, keepLast, accept, other, points, condition, constraint, scale, gaps,
            multiple
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(String.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
        kind = try container.decodeIfPresent(String.self, forKey: .kind)
        options = try container.decodeIfPresent([String].self, forKey: .options) ?? []
        rows = try container.decodeIfPresent([String].self, forKey: .rows) ?? []
        keepLast = try container.decodeIfPresent([String].self, forKey: .keepLast) ?? []
        accept =
            Question.Kind(rawValue: kind ?? "")?.takesFiles == true
            ? try? container.decodeIfPresent(String.self, forKey: .accept) : nil
        allowsOther = try container.decodeIfPresent(Bool.self, forKey: .other) ?? false
        points = try container.decodeIfPresent(Double.self, forKey: .points)
        condition = try container.decodeIfPresent(Condition.self, forKey: .condition)
        constraint = try container.decodeIfPresent(Constraint.self, forKey: .constraint)
        scale = try container.decodeIfPresent(QuestionnaireRules.Scale.self, forKey: .scale)
        gaps = try container.decodeIfPresent([String: QuestionnaireRules.Gap].self, forKey: .gaps) ?? [:]
        let isMultiple = try container.decodeIfPresent(Bool.self, forKey: .multiple) ?? false
        form = Question.Kind(stated: kind, hasOptions: !options.isEmpty, isMultiple: isMultiple)
        texts = try QuestionnaireRules.Texts(from: decoder)
    }
}

extension QuestionnaireRules.Texts: Decodable {
    private enum Key: String, CodingKey { case hint, unit, constraintMessage, scale, media }

    private struct Labels: Decodable { var labels: [String: String] }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        hint = try? container.decodeIfPresent(String.self, forKey: .hint)
        unit = try? container.decodeIfPresent(String.self, forKey: .unit)
        constraintMessage = try? container.decodeIfPresent(String.self, forKey: .constraintMessage)
        labels = (try? container.decodeIfPresent(Labels.self, forKey: .scale))?.labels ?? [:]
        alts = ((try? container.decodeIfPresent([Media].self, forKey: .media)) ?? []).map { $0.alt ?? "" }
    }
}

extension QuestionnaireRules.Scale: Decodable {}

extension QuestionnaireRules.Gap: Decodable {
    private enum Key: String, CodingKey { case kind, options }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        options = try container.decodeIfPresent([String].self, forKey: .options) ?? []
        let kind = try container.decodeIfPresent(String.self, forKey: .kind)
        form = Question.Kind(stated: kind, hasOptions: !options.isEmpty, isMultiple: false)
    }
}

extension QuestionnaireRules.LanguageTexts: Decodable {
    private enum Key: String, CodingKey { case questions, sections }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        questions = try container.decodeIfPresent([String: Texts].self, forKey: .questions) ?? [:]
        sections = Array(try container.decodeIfPresent([String: JSONValue].self, forKey: .sections) ?? [:]).map(\.key)
            .sorted()
        texts = try Translation(from: decoder)
    }
}
