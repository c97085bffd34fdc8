import Model

/// A comment that is kept for other answers.
package struct SavedComment: Hashable, Sendable {
    /// Whose list it is in.
    package enum Owner: Hashable, Sendable {
        /// The marker with this key; `nil` on a host that asks for no key.
        case marker(key: String?)
        /// Everyone who marks: the list is their rubric.
        case everyone
    }

    package static let longestText = 4000

    package var id: TestID
    package var text: String
    /// The question that it is for; `nil` for all of them.
    package var question: String?
    /// Added to the points of an answer that gets it.
    package var points: Double?
    package var isForEveryone: Bool

    package init(
        id: TestID = .random(), text: String, question: String? = nil, points: Double? = nil,
        isForEveryone: Bool = false
    ) {
        self.id = id
        self.text = text
        self.question = question
        self.points = points
        self.isForEveryone = isForEveryone
    }

    /// Whether it can be chosen for an answer to a question.
    ///
    /// - Parameter question: the id; of a repeated section, with the instance.
    package func fits(_ question: String) -> Bool {
        self.question == nil || self.question == QuestionInstance(question).question
    }
}

extension SavedComment {
    /// The file of a list.
    struct List: Codable, Sendable {
        struct Item: Codable, Sendable {
            var id: TestID
            var text: String
            var question: String?
            var points: Double?
        }

        var comments: [Item]
    }
}
