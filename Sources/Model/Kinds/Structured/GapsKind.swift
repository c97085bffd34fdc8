extension QuestionRules {
    /// A text with gaps, each with a value of its own kind.
    static let gaps = parts(.gaps)
}

extension Question {
    /// What belongs in a gap of a text.
    package struct Gap: Hashable, Sendable {
        /// A kind that is answered by one value.
        package var kind: Kind
        package var options: [String]
        /// The words of the options in the language that the question is shown in, where that is not the document's own.
        private(set) var labels: [String: String] = [:]

        /// A kind that cannot stand in a gap is answered as text.
        package init(kind: Kind = .text, options: [String] = []) {
            self.kind = kind.fitsGap && (kind != .choice || !options.isEmpty) ? kind : .text
            self.options = kind == .boolean && options.count != 2 ? [] : options
        }

        mutating func label(_ translated: [String]) {
            guard translated.count == options.count else { return }
            for (text, label) in zip(options, translated) { labels[text] = label }
        }
    }
}

extension Question.Gap: Codable {
    private enum Key: String, CodingKey { case kind, options }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let options = try container.decodeIfPresent([String].self, forKey: .options) ?? []
        let stated = try container.decodeIfPresent(String.self, forKey: .kind)
        self.init(
            kind: Question.Kind(stated: stated, hasOptions: !options.isEmpty, isMultiple: false), options: options)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind, forKey: .kind)
        if !options.isEmpty { try container.encode(options, forKey: .options) }
    }
}

extension GapText {
    /// What an empty gap looks like where a text is read and not filled in.
    package static let blank = "____"

    /// The text with the words of its gaps; a gap without any is a line to write on.
    package static func filled(_ text: String, _ words: (String) -> String?) -> String {
        pieces(of: text).map { piece in
            switch piece {
            case .text(let text): text
            case .gap(let name): words(name) ?? blank
            }
        }.joined()
    }
}
