import AuthorDrafts
import Model

/// A question as it is copied into another questionnaire: with its key and its translations.
struct CopiedQuestion: Hashable, Sendable {
    var question: DraftQuestion
    var key: [String: JSONValue]
    /// Its texts by language.
    var translations: [String: JSONValue]
    /// The draft that its pictures lie with; `nil` for those of a published questionnaire.
    var draft: TestID?

    init(_ question: DraftQuestion, in document: DraftDocument, of draft: TestID?) {
        self.draft = draft
        self.question = question
        key = document.key(of: question.id)
        translations = (document.members["translations"]?.members ?? [:]).compactMapValues {
            $0.members?["questions"]?.members?[question.id]
        }
        // It asks about a question that stays behind.
        self.question.members["condition"] = nil
    }

    /// Puts the pictures of another draft's question into the folder of the one that gets the copy.
    func keepMedia(in target: TestID, _ drafts: DraftStore) throws {
        guard let draft else { return }
        for path in DraftDocument.media(question.members).compactMap(\.contentPath) {
            guard let bytes = try drafts.media(path, of: draft) else { continue }
            _ = try drafts.keep(bytes, type: MediaType.of(fileName: path.fileName), of: target)
        }
    }
}

extension DraftDocument {
    /// Adds copies at the end, each under an id of its own. Translations come along for the languages that there are.
    mutating func add(_ copies: [CopiedQuestion]) {
        for copy in copies {
            let id = freeID()
            var question = copy.question
            question.members["id"] = .string(id)
            insert(question, after: nil)
            setKey(copy.key, of: id)
            guard let known = members["translations"]?.members else { continue }
            members["translations"] = .object(
                Dictionary(
                    uniqueKeysWithValues: known.map { language, translation in
                        guard let text = copy.translations[language], var texts = translation.members else {
                            return (language, translation)
                        }
                        texts.change("questions") { $0[id] = text }
                        return (language, .object(texts))
                    }))
        }
    }
}
