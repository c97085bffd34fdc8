import AuthorDrafts
import Model

/// Questions of other questionnaires, found by their words.
struct QuestionSearch {
    /// A questionnaire that questions come from.
    struct Source: Hashable, Sendable {
        /// `p/<id>` of a published one, `d/<uuid>` of a draft.
        var name: String
        var document: DraftDocument
        /// `nil` for a published one.
        var draft: TestID?
    }

    struct Hit: Hashable, Sendable {
        var source: Source
        var question: DraftQuestion

        /// Names the question in a form.
        var value: String { source.name + "/" + question.id }
    }

    static let mostHits = 50

    /// The published questionnaires and the drafts, without the draft itself and what is published of it.
    static func sources(_ page: DraftPage) throws -> [Source] {
        let services = page.context.services
        let drafts = try services.drafts.readable().drafts
        let published = try services.originals().filter { $0.id != page.draft.questionnaire }.map {
            Source(name: "p/" + $0.id, document: try DraftDocument(bytes: $0.bytes))
        }
        // A draft that changes a published questionnaire is left out: the published version is in the list.
        return published
            + drafts.filter { $0.id != page.draft.id && $0.questionnaire == nil }.map {
                Source(name: "d/\($0.id)", document: DraftDocument($0.document), draft: $0.id)
            }
    }

    /// The questions that have all words in their text, options, rows, or in the title of their questionnaire.
    static func hits(_ text: String, in sources: [Source]) -> [Hit] {
        let words = TextFolding.fold(text).split(separator: " ")
        guard !words.isEmpty else { return [] }
        var hits: [Hit] = []
        for source in sources {
            for question in source.document.questions {
                let texts = [question.text, source.document.title] + question.options + question.rows
                let folded = TextFolding.fold(texts.joined(separator: " "))
                guard words.allSatisfy({ folded.contains($0) }) else { continue }
                hits.append(Hit(source: source, question: question))
                if hits.count > mostHits { return hits }
            }
        }
        return hits
    }

    /// The chosen questions, in the order of their questionnaires.
    static func chosen(_ values: [String], in sources: [Source]) -> [CopiedQuestion] {
        let values = Set(values)
        return sources.flatMap { source in
            source.document.questions.filter { values.contains(Hit(source: source, question: $0).value) }.map {
                CopiedQuestion($0, in: source.document, of: source.draft)
            }
        }
    }
}
