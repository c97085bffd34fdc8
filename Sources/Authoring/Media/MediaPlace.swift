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

    /// Whether a question or a section shows the picture, sound or film of a path.
    package func names(medium path: String) -> Bool {
        (questions.map(\.members) + sections.map(\.members)).contains { members in
            Self.media(members).contains { $0["path"]?.text == path }
        }
    }

    static func media(_ members: [String: JSONValue]) -> [[String: JSONValue]] {
        (members["media"]?.elements ?? []).map { $0.members ?? [:] }
    }

    mutating func change(mediaAt place: MediaPlace, _ edit: MediaEdit) {
        guard var media = media(at: place) else { return }
        let count = media.count
        var added: [String: JSONValue] = [:]
        switch edit {
        case .add(let path, let type, let alt):
            added = ["path": .string(path), "type": .string(type)]
            added.set("alt", text: alt)
        case .describe(let texts):
            for (number, text) in texts where media.indices.contains(number) { media[number].set("alt", text: text) }
        case .remove, .up: break
        }
        edit.apply(to: &media, adding: added)
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
        // Until a new one is translated, people read the one of the document.
        var added = ""
        switch edit {
        case .add(_, _, let alt): added = alt
        case .describe: return
        case .remove, .up: break
        }
        let (name, id) =
            switch place {
            case .question(let id): ("questions", id)
            case .section(let id): ("sections", id)
            }
        changeTranslations(of: name) { parts in
            guard var texts = parts[id]?.members, var descriptions = texts["media"]?.elements,
                descriptions.count == count
            else { return }
            edit.apply(to: &descriptions, adding: .string(added))
            texts["media"] = descriptions.isEmpty ? nil : .array(descriptions)
            parts[id] = .object(texts)
        }
    }
}

extension MediaEdit {
    /// Adds, removes or moves in a list that stands in the order of the media.
    fileprivate func apply<Element>(to list: inout [Element], adding added: Element) {
        switch self {
        case .add: list.append(added)
        case .describe: break
        case .remove(let number): if list.indices.contains(number) { list.remove(at: number) }
        case .up(let number): if number > 0, list.indices.contains(number) { list.swapAt(number, number - 1) }
        }
    }
}

extension [String: JSONValue] {
    /// The path of a picture or sound that is named by its content.
    var contentPath: ContentPath? { self["path"]?.text.flatMap(ContentPath.init) }
}
