import HTTPServing
import Host
import Model
import Results

/// The comments of a questionnaire that a marker chooses from: each can be changed and deleted.
struct CommentsScreen {
    let page: QuestionnairePage

    /// A form that was not saved, and why.
    private struct Typed {
        var comment: SavedComment
        var points: String
        var isNew: Bool
        var fault: String
    }

    func content() throws -> DeskScreens.Content {
        var content = try content(nil)
        if page.context.request.query["saved"] != nil { content.said = ("good", page.language.text("Saved.")) }
        return content
    }

    /// Saves or deletes the comment of a form.
    func change() throws -> Mark.Outcome {
        let (request, language) = (page.context.request, page.language)
        let (services, identity) = (page.context.services, request.session.identity)
        let known = request.form["id"].flatMap { TestID($0) }
        if request.form["do"] == "delete", let known {
            try services.removeComment(known, for: identity, questionnaire: page.overview.id)
            return .saved(next: page.href("comments"))
        }
        let question = request.form["question"].flatMap { $0.isEmpty ? nil : $0 }
        let text = request.form["points"] ?? ""
        var comment = SavedComment(
            id: known ?? .random(), text: request.comment, question: question,
            isForEveryone: request.form["everyone"] != nil)
        func refused(_ fault: String) throws -> Mark.Outcome {
            var content = try content(Typed(comment: comment, points: text, isNew: known == nil, fault: fault))
            content.status = .unprocessableContent
            return .shown(content)
        }
        if comment.text.allSatisfy(\.isWhitespace) { return try refused(language.text("Write a comment.")) }
        if !text.allSatisfy(\.isWhitespace) {
            guard let points = DeskContext.number(typed: text) else {
                return try refused(language.text("The points are a number, such as 1 or 0.5."))
            }
            comment.points = points
        }
        guard try services.save(comment, for: identity, questionnaire: page.overview.id) else {
            return try refused(language.text("This list of comments is full. Delete some of them, then save again."))
        }
        return .saved(next: page.href("comments", [("saved", "1")]))
    }

    private func content(_ typed: Typed?) throws -> DeskScreens.Content {
        let identity = page.context.request.session.identity
        let saved = try page.context.services.savedComments(for: identity, questionnaire: page.overview.id)
        var forms = saved.enumerated().map { place, comment in
            let isTyped = typed?.isNew == false && typed?.comment.id == comment.id
            return form(
                isTyped ? typed?.comment ?? comment : comment, "c\(place + 1)",
                heading: page.language.text("Comment \(place + 1)"), isTyped ? typed : nil, isNew: false)
        }
        let isTyped = typed?.isNew == true
        forms.append(
            form(
                isTyped ? typed?.comment ?? SavedComment(text: "") : SavedComment(text: ""), "new",
                heading: page.language.text("New comment"), isTyped ? typed : nil, isNew: true))
        return page.content(
            .comments, "marking",
            [
                "forms": forms, "newline": "\n", "action": page.href("comments"), "marking": page.href("marking"),
            ])
    }

    private func form(
        _ comment: SavedComment, _ anchor: String, heading: String, _ typed: Typed?, isNew: Bool
    ) -> [String: any Sendable] {
        var questions: [[String: any Sendable]] = [
            ["value": "", "name": page.language.text("All questions"), "selected": comment.question == nil]
        ]
        var known: Set<String> = []
        for column in page.overview.columns {
            // The instances of a repeated section share their comments.
            let id = QuestionInstance(column.id).question
            guard known.insert(id).inserted else { continue }
            questions.append(["value": id, "name": page.line(column), "selected": comment.question == id])
        }
        if let question = comment.question, !known.contains(question) {
            questions.append(["value": question, "name": question, "selected": true])
        }
        var form: [String: any Sendable] = [
            "anchor": anchor, "heading": heading, "text": comment.text, "isNew": isNew, "questions": questions,
            "points": typed?.points ?? comment.points.map(page.context.written) ?? "",
            "everyone": comment.isForEveryone,
        ]
        if !isNew { form["id"] = comment.id.description }
        form["fault"] = typed?.fault
        return form
    }
}
