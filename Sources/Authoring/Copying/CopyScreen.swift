import Model
import Wording

/// The search for questions of other questionnaires, and the form that copies them.
struct CopyScreen {
    let page: DraftPage

    func content() throws -> AuthoringScreens.Content {
        let language = page.language
        let text = (page.context.request.query["q"] ?? "").trimmed
        let hits = QuestionSearch.hits(text, in: try QuestionSearch.sources(page))
        var model: [String: any Sendable] = [
            "action": page.href("copy"), "query": text, "searched": !text.isEmpty, "hasHits": !hits.isEmpty,
            "nothing": !text.isEmpty && hits.isEmpty,
            "hits": hits.prefix(QuestionSearch.mostHits).enumerated().map { place, hit -> [String: any Sendable] in
                let line = hit.source.document.textFormat.line(of: hit.question.text)
                return [
                    "n": "\(place)", "value": hit.value, "text": String(line.prefix(300)),
                    "from": hit.source.document.title,
                    "kind": hit.question.unknownKind ?? hit.question.kind.name(language),
                    "key": hit.source.document.key(of: hit.question.id)["accept"] != nil,
                    "condition": hit.question.members["condition"] != nil,
                    "options": hit.question.options.prefix(10).map { ["text": String($0.prefix(100))] },
                ]
            },
        ]
        if hits.count > QuestionSearch.mostHits {
            model["more"] = language.text("There are more than \(QuestionSearch.mostHits): search for more words.")
        }
        model["none"] = page.context.request.query["said"] == "none"
        return try page.content(.draftcopy, "copy", model)
    }
}
