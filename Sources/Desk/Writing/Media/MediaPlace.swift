import Model

/// Where pictures and sounds stand in a draft.
enum MediaPlace: Hashable, Sendable {
    case question(String)
    case section(String)
}

/// A change of the pictures and sounds of a place.
enum MediaEdit: Hashable, Sendable {
    case add(path: String, type: String, alt: String)
    /// By their places; what is not named stays.
    case describe([Int: String])
    case remove(Int)
    case up(Int)
}

extension DraftDocument {
    /// The members of each picture or sound; `nil` where there is no such question or section.
    func media(at place: MediaPlace) -> [[String: JSONValue]]? {
        switch place {
        case .question(let id): question(id).map { Self.media($0.members) }
        case .section(let id): section(id).map { Self.media($0.members) }
        }
    }

    private static func media(_ members: [String: JSONValue]) -> [[String: JSONValue]] {
        (members["media"]?.elements ?? []).map { $0.members ?? [:] }
    }

    mutating func change(mediaAt place: MediaPlace, _ edit: MediaEdit) {
        guard var media = media(at: place) else { return }
        switch edit {
        case .add(let path, let type, let alt):
            var medium: [String: JSONValue] = ["path": .string(path), "type": .string(type)]
            medium.set("alt", text: alt)
            media.append(medium)
        case .describe(let texts):
            for (number, text) in texts where media.indices.contains(number) { media[number].set("alt", text: text) }
        case .remove(let number): if media.indices.contains(number) { media.remove(at: number) }
        case .up(let number): if number > 0, media.indices.contains(number) { media.swapAt(number, number - 1) }
        }
        let value: JSONValue? = media.isEmpty ? nil : .array(media.map(JSONValue.object))
        switch place {
        case .question(let id):
            var questions = questions
            for number in questions.indices where questions[number].id == id {
                questions[number].members["media"] = value
            }
            self.questions = questions
        case .section(let id):
            var sections = sections
            for number in sections.indices where sections[number].id == id { sections[number].members["media"] = value }
            self.sections = sections
        }
    }
}
