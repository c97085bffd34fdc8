/// A questionnaire as its server publishes it: the fields that Quire reads. The bytes are kept beside it, so unknown
/// fields survive.
public struct Questionnaire: Hashable, Sendable {
    public var id: String
    /// The id from the device that created it, where a server has given it another one.
    package var localId: String?
    public var title: String
    public var description: String
    /// A language tag (RFC 5646) such as `ru`, if stated.
    public var locale: String?
    public var updatedAt: Timestamp?
    /// The time limit of a test, if there is one.
    public var timeLimitSeconds: Int?
    /// Whether a test is handed in by itself when its time limit is over.
    package var finishesAtTimeLimit = false
    /// What it is about, for lists and filters.
    package var topics = Topics()
    public var questions: [Question]
    /// How its texts are written: those of the author, never an answer.
    package var textFormat = TextFormat.plain
    /// Groups of questions with a passage, a condition or a pool of their own.
    package var sections: [Section] = []
    /// When it may be taken, and how often; `nil` for always.
    package var availability: Availability?
    package var shuffle = Shuffle()
    /// The fraction of the maximum from which a test is passed.
    package var passScore: Double?
    /// When takers see what became of their tests.
    package var release = Release()
    package var closesAt: Timestamp? { availability?.closesAt }
    /// Its texts in other languages, by language tags (RFC 5646).
    package var translations: [String: Translation] = [:]
    /// The language of the document, where it is shown in another one.
    var ownLocale: String?
    /// The ids of the questions that a test did not draw; empty in the document itself.
    package var notDrawn: Set<String> = []
    /// The repeated sections of the document, where this has their instances.
    package var repeats: [Section] = []
    /// The same without their instances: from it other instances are made.
    var unrepeated: [Questionnaire] = []
    /// Whether it is arranged for a test.
    var isArrangedAlready = false

    public init(
        id: String, title: String, description: String = "", locale: String? = nil, updatedAt: Timestamp? = nil,
        timeLimitSeconds: Int? = nil, questions: [Question]
    ) {
        self.id = id
        self.title = title
        self.description = description
        self.locale = locale
        self.updatedAt = updatedAt
        self.timeLimitSeconds = timeLimitSeconds
        self.questions = questions
    }

    /// Reads a questionnaire.
    ///
    /// - Throws: `DocumentFault` that names the field.
    public init(json: [UInt8]) throws(DocumentFault) {
        self = try DocumentCoding.decode(Questionnaire.self, from: json)
    }

    /// The longest accepted document, decompressed: it is decoded in memory, where it takes several times as much.
    public static let maximumBytes = 4 << 20

    /// The longest accepted id, in bytes of UTF-8.
    package static let maximumIDLength = 512

    /// The fault of an unusable id: empty, too long, or with control characters; `nil` for a valid one.
    package static func fault(inID id: String) -> String? {
        if id.isEmpty { return "is empty" }
        if id.utf8.count > maximumIDLength { return "is longer than \(maximumIDLength) bytes" }
        if id.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) {
            return "has a control character"
        }
        if id == "." || id == ".." { return "is “\(id)”, which a URL cannot carry" }
        return nil
    }

    /// The time limit of a test, in seconds; `nil` without one. A limit that is not positive is none.
    package var timeLimit: Int? { timeLimitSeconds.flatMap { $0 > 0 ? $0 : nil } }

    /// The rest of the time limit in seconds, rounded up; 0 when it is over, `nil` without a limit. A clock that was
    /// set back never gives more than the limit.
    package func timeLeft(since start: Timestamp, now: Timestamp) -> Int? {
        guard let timeLimit else { return nil }
        let left = Double(timeLimit) - max(0, now.seconds(since: start))
        return max(0, Int(exactly: left.rounded(.up)) ?? timeLimit)
    }

    /// The question of an id. A document has the question of each instance, too.
    package func question(_ id: String) -> Question? {
        if let question = questions.first(where: { $0.id == id }) { return question }
        let place = QuestionInstance(id)
        guard place.number != nil, unrepeated.isEmpty, section(of: place.question)?.repetition != nil,
            var question = questions.first(where: { $0.id == place.question })
        else { return nil }
        question.id = id
        return question
    }

    /// Everything that search looks at besides the title.
    package var searchableText: String {
        var parts = [description] + topics.words
        for section in sections { parts += [section.title, section.text].compactMap { $0 } }
        for question in questions {
            parts.append(question.text)
            if question.optionValues == nil { parts += question.options }
            parts += question.rows + question.gaps.values.flatMap(\.options)
        }
        for (_, translation) in translations.sorted(by: { $0.key < $1.key }) { parts += translation.texts }
        return parts.joined(separator: "\n")
    }

    /// The searchable text, folded.
    package var foldedText: String { TextFolding.fold(searchableText) }

    public var media: [Media] { questions.flatMap(\.media) + sections.flatMap(\.media) }
}

extension Questionnaire: Codable {
    private enum Key: String, CodingKey {
        case id, localId, title, description, locale, language, updatedAt, timeLimitSeconds, questions, textFormat
        case finishAtTimeLimit, sections, shuffle, passScore, release, availability, translations
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(String.self, forKey: .id)
        if let fault = Questionnaire.fault(inID: id) {
            throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: fault)
        }
        // A value of any other type is the author's own member.
        localId = (try? container.decodeIfPresent(TestID.self, forKey: .localId))?.description
        title = try container.decode(String.self, forKey: .title)
        description = try container.decodeIfPresent(String.self, forKey: .description) ?? ""
        // Many sources say “language”; the field's own name is “locale”.
        locale =
            try container.decodeIfPresent(String.self, forKey: .locale)
            ?? container.decodeIfPresent(String.self, forKey: .language)
        updatedAt = try container.decodeIfPresent(Timestamp.self, forKey: .updatedAt)
        timeLimitSeconds = try container.decodeIfPresent(Int.self, forKey: .timeLimitSeconds)
        // Of another type they are the author's own members.
        finishesAtTimeLimit = (try? container.decodeIfPresent(Bool.self, forKey: .finishAtTimeLimit)) ?? false
        topics = (try? Topics(from: decoder)) ?? Topics()
        let language = locale
        questions = try container.decode([Question].self, forKey: .questions).map { $0.inLanguage(language) }
        // Of another type they are the author's own member; `QuestionnaireCheck` says so to authors.
        sections = (try? container.decodeIfPresent([Section].self, forKey: .sections)) ?? []
        // As for sections.
        availability = try? container.decodeIfPresent(Availability.self, forKey: .availability)
        shuffle = (try? container.decodeIfPresent(Shuffle.self, forKey: .shuffle)) ?? Shuffle()
        translations = (try? container.decodeIfPresent([String: Translation].self, forKey: .translations)) ?? [:]
        passScore = try? container.decodeIfPresent(Double.self, forKey: .passScore)
        release = Release(lenient: container, .release)
        // A format from the future is shown as it is written.
        let stated = try? container.decodeIfPresent(String.self, forKey: .textFormat)
        textFormat = stated.flatMap(TextFormat.init) ?? .plain
        var seen: Set<String> = []
        for question in questions where !seen.insert(question.id).inserted {
            throw DecodingError.dataCorruptedError(
                forKey: .questions, in: container, debugDescription: "two questions have the id “\(question.id)”")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(localId, forKey: .localId)
        try container.encode(title, forKey: .title)
        try container.encode(description, forKey: .description)
        try container.encodeIfPresent(locale, forKey: .locale)
        try container.encodeIfPresent(updatedAt, forKey: .updatedAt)
        try container.encodeIfPresent(timeLimitSeconds, forKey: .timeLimitSeconds)
        if finishesAtTimeLimit { try container.encode(true, forKey: .finishAtTimeLimit) }
        try topics.encode(to: encoder)
        if textFormat != .plain { try container.encode(textFormat, forKey: .textFormat) }
        try container.encode(questions, forKey: .questions)
        if !sections.isEmpty { try container.encode(sections, forKey: .sections) }
        try container.encodeIfPresent(availability, forKey: .availability)
        if shuffle != Shuffle() { try container.encode(shuffle, forKey: .shuffle) }
        try container.encodeIfPresent(passScore, forKey: .passScore)
        if release != Release() { try container.encode(release, forKey: .release) }
    }
}

/// A picture, sound or video that belongs to a question.
public struct Media: Hashable, Sendable, Codable {
    /// Relative to the questionnaire's own URL.
    public var path: String
    /// Media type (RFC 6838).
    public var type: String?
    /// A description for people who cannot see it.
    public var alt: String?

    public init(path: String, type: String? = nil, alt: String? = nil) {
        self.path = path
        self.type = type
        self.alt = alt
    }
}
