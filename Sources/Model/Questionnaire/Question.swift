/// One question of a questionnaire.
public struct Question: Hashable, Sendable {
    public var id: String
    public var text: String
    public var kind: Kind
    /// What a person chooses from. Of the kinds `boolean` and `scale`, the words for their values.
    public var options: [String]
    public var required: Bool
    public var media: [Media]
    /// What helps to answer, below the question.
    package var hint: String?
    /// What a number is measured in.
    package var unit: String?
    /// Whether a text may have several lines; `nil` where the document does not say.
    package var multiline: Bool?
    /// Whether a person may give a text that is none of the options.
    package var allowsOther = false
    package var scale: Scale?
    /// Of the kinds `matching` and `matrix`: what gets an option each.
    package var rows: [String] = []
    /// Whether a row of a matrix may have several options.
    package var multiple = false
    /// Of the kind `gaps`, by the names of their markers in the text.
    package var gaps: [String: Gap] = [:]
    /// The types of files that are offered, as a browser's field has them.
    package var accept: String?
    package var capture: Capture?
    package var maxFiles: Int?
    /// The options that stay at the end when the others are shuffled.
    package var keepLast: [String] = []
    /// The places of the options in the order that a test shows them in; `nil` where that is the document's.
    package var optionOrder: [Int]?
    package var points: Double?
    package var condition: Condition?
    package var constraint: Constraint?
    /// The author's words for an answer that violates the constraint.
    package var constraintMessage: String?
    /// What the document calls a kind from the future, which is answered as text.
    package var unknownKind: String?
    /// The language of the questionnaire, for words that the kind has itself.
    private(set) var language: String?
    /// The words of options and rows in the language that the question is shown in, where that is not the document's own.
    var labels: [String: String] = [:]

    public init(
        id: String, text: String, kind: Kind, options: [String] = [], required: Bool = false, media: [Media] = []
    ) {
        self.id = id
        self.text = text
        self.kind = kind
        self.options = options
        self.required = required
        self.media = media
        if options.isEmpty { self.options = ownOptions }
    }

    /// Whether it is answered as text because this program does not ask its kind.
    package var isAskedAsText: Bool {
        unknownKind != nil || !kind.isAsked || input == .text && kind.rules.input.isStructured
    }

    /// The same for a questionnaire in a language.
    func inLanguage(_ language: String?) -> Question {
        let isOwn = kind.hasOwnOptions && options == ownOptions
        guard language != nil, isOwn || kind.shape == .gaps else { return self }
        var question = self
        question.language = language
        if isOwn { question.options = question.ownOptions }
        return question
    }
}

extension Question: Codable {
    private enum Key: String, CodingKey {
        case id, text, kind, options, required, media, multiple, hint, unit, multiline, other, scale, rows, accept,
            capture,
            maxFiles, points, condition, constraint, constraintMessage, gaps, keepLast
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(String.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
        options = try container.decodeIfPresent([String].self, forKey: .options) ?? []
        required = try container.decodeIfPresent(Bool.self, forKey: .required) ?? false
        media = try container.decodeIfPresent([Media].self, forKey: .media) ?? []
        let multiple = try container.decodeIfPresent(Bool.self, forKey: .multiple) ?? false
        let stated = try container.decodeIfPresent(String.self, forKey: .kind)
        // A kind from the future is answered as text: better than being unable to take the test.
        kind = Kind(stated: stated, hasOptions: !options.isEmpty, isMultiple: multiple)
        if let stated, Kind(rawValue: stated) == nil { unknownKind = stated }
        self.multiple = multiple && kind.mayHaveSeveralPerRow
        decodeOptionalMembers(container)
        if kind.isScale || kind.valueForm == .truth && options.count != 2 { options = ownOptions }
        // A scale without steps, or with too many of them, takes a number.
        if kind.isScale, options.isEmpty { kind = .number }
        if kind.hasOptions, options.isEmpty {
            throw DecodingError.dataCorruptedError(
                forKey: .options, in: container, debugDescription: "a question of kind “\(kind.rawValue)” needs options"
            )
        }
    }

    /// A value of another type is the author's own member: documents that were readable before stay readable. Authors learn of it by
    /// `QuestionnaireCheck`.
    private mutating func decodeOptionalMembers(_ container: KeyedDecodingContainer<Key>) {
        hint = try? container.decodeIfPresent(String.self, forKey: .hint)
        unit = try? container.decodeIfPresent(String.self, forKey: .unit)
        multiline = try? container.decodeIfPresent(Bool.self, forKey: .multiline)
        allowsOther = (try? container.decodeIfPresent(Bool.self, forKey: .other)) ?? false
        scale = try? container.decodeIfPresent(Scale.self, forKey: .scale)
        rows = (try? container.decodeIfPresent([String].self, forKey: .rows)) ?? []
        if kind.shape == .gaps { gaps = (try? container.decodeIfPresent([String: Gap].self, forKey: .gaps)) ?? [:] }
        accept = try? container.decodeIfPresent(String.self, forKey: .accept)
        capture = try? container.decodeIfPresent(String.self, forKey: .capture).flatMap(Capture.init(rawValue:))
        maxFiles = (try? container.decodeIfPresent(Int.self, forKey: .maxFiles)).flatMap { $0 > 0 ? $0 : nil }
        keepLast = (try? container.decodeIfPresent([String].self, forKey: .keepLast)) ?? []
        points = try? container.decodeIfPresent(Double.self, forKey: .points)
        condition = try? container.decodeIfPresent(Condition.self, forKey: .condition)
        constraint = try? container.decodeIfPresent(Constraint.self, forKey: .constraint)
        constraintMessage = try? container.decodeIfPresent(String.self, forKey: .constraintMessage)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(text, forKey: .text)
        try container.encode(unknownKind ?? kind.rawValue, forKey: .kind)
        if !options.isEmpty, options != ownOptions { try container.encode(options, forKey: .options) }
        if required { try container.encode(required, forKey: .required) }
        if !media.isEmpty { try container.encode(media, forKey: .media) }
        try container.encodeIfPresent(hint, forKey: .hint)
        try container.encodeIfPresent(unit, forKey: .unit)
        try container.encodeIfPresent(multiline, forKey: .multiline)
        if allowsOther { try container.encode(allowsOther, forKey: .other) }
        try container.encodeIfPresent(scale, forKey: .scale)
        if !rows.isEmpty { try container.encode(rows, forKey: .rows) }
        if multiple { try container.encode(multiple, forKey: .multiple) }
        if !gaps.isEmpty { try container.encode(gaps, forKey: .gaps) }
        try container.encodeIfPresent(accept, forKey: .accept)
        try container.encodeIfPresent(capture?.rawValue, forKey: .capture)
        try container.encodeIfPresent(maxFiles, forKey: .maxFiles)
        if !keepLast.isEmpty { try container.encode(keepLast, forKey: .keepLast) }
        try container.encodeIfPresent(points, forKey: .points)
        try container.encodeIfPresent(condition, forKey: .condition)
        try container.encodeIfPresent(constraint, forKey: .constraint)
        try container.encodeIfPresent(constraintMessage, forKey: .constraintMessage)
    }
}
