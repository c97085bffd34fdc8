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
        let count = media.count
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
        changeTranslatedDescriptions(at: place, of: count, edit)
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

    /// The translated descriptions stand in the order of the media. Where their number is another one, they stay as they are.
    private mutating func changeTranslatedDescriptions(at place: MediaPlace, of count: Int, _ edit: MediaEdit) {
        let (name, id) =
            switch place {
            case .question(let id): ("questions", id)
            case .section(let id): ("sections", id)
            }
        guard let translations = members["translations"]?.members else { return }
        members["translations"] = .object(
            translations.mapValues { translation in
                guard var texts = translation.members, var places = texts[name]?.members,
                    var members = places[id]?.members, var descriptions = members["media"]?.elements,
                    descriptions.count == count
                else { return translation }
                switch edit {
                // Until it is translated, people read the one of the document.
                case .add(_, _, let alt): descriptions.append(.string(alt))
                case .describe: return translation
                case .remove(let number):
                    if descriptions.indices.contains(number) { descriptions.remove(at: number) }
                case .up(let number):
                    if number > 0, descriptions.indices.contains(number) { descriptions.swapAt(number, number - 1) }
                }
                members["media"] = descriptions.isEmpty ? nil : .array(descriptions)
                places[id] = .object(members)
                texts[name] = .object(places)
                return .object(texts)
            })
    }
}
