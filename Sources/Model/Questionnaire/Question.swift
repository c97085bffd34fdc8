/// One question of a questionnaire.
public struct Question: Hashable, Sendable {
    public var id: String
    public var text: String
    public var kind: Kind
    public var options: [String]
    public var required: Bool
    public var media: [Media]

    public init(
        id: String, text: String, kind: Kind, options: [String] = [], required: Bool = false, media: [Media] = []
    ) {
        self.id = id
        self.text = text
        self.kind = kind
        self.options = options
        self.required = required
        self.media = media
    }
}

extension Question: Codable {
    private enum Key: String, CodingKey { case id, text, kind, options, required, media, multiple }

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
        kind =
            stated.map { Kind(rawValue: $0) ?? .text }
            ?? (options.isEmpty ? .text : multiple ? .choices : .choice)
        if kind.hasOptions, options.isEmpty {
            throw DecodingError.dataCorruptedError(
                forKey: .options, in: container, debugDescription: "a question of kind “\(kind.rawValue)” needs options"
            )
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(text, forKey: .text)
        try container.encode(kind, forKey: .kind)
        if !options.isEmpty { try container.encode(options, forKey: .options) }
        if required { try container.encode(required, forKey: .required) }
        if !media.isEmpty { try container.encode(media, forKey: .media) }
    }
}
