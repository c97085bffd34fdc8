/// The person's position in a test. Offsets in text count Unicode scalars.
public struct ResumePosition: Hashable, Sendable {
    package struct Selection: Hashable, Sendable, Codable {
        package var start: Int
        package var end: Int

        package init(start: Int, end: Int) {
            self.start = start
            self.end = end
        }
    }

    /// The id of the question on the screen.
    package var question: String?
    /// The scroll offset of the content, in the unit of the program that wrote it (lines or pixels).
    package var scroll: Double?
    /// The text cursor, or in a list of options the highlighted one.
    package var cursor: Int?
    package var selection: Selection?
    /// The name of the focused control.
    package var focus: String?

    package init(
        question: String? = nil, scroll: Double? = nil, cursor: Int? = nil, selection: Selection? = nil,
        focus: String? = nil
    ) {
        self.question = question
        self.scroll = scroll
        self.cursor = cursor
        self.selection = selection
        self.focus = focus
    }
}

extension ResumePosition: Codable {
    private enum Key: String, CodingKey { case question, instance, scroll, cursor, selection, focus }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let number = try? container.decodeIfPresent(Int.self, forKey: .instance)
        question = try container.decodeIfPresent(String.self, forKey: .question).map { id in
            number.map { QuestionInstance(question: id, number: $0 > 0 ? $0 : nil).id } ?? id
        }
        scroll = try container.decodeIfPresent(Double.self, forKey: .scroll)
        cursor = try container.decodeIfPresent(Int.self, forKey: .cursor)
        selection = try container.decodeIfPresent(Selection.self, forKey: .selection)
        focus = try container.decodeIfPresent(String.self, forKey: .focus)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let place = question.map(QuestionInstance.init)
        try container.encodeIfPresent(place?.question, forKey: .question)
        try container.encodeIfPresent(place?.number, forKey: .instance)
        try container.encodeIfPresent(scroll, forKey: .scroll)
        try container.encodeIfPresent(cursor, forKey: .cursor)
        try container.encodeIfPresent(selection, forKey: .selection)
        try container.encodeIfPresent(focus, forKey: .focus)
    }
}
