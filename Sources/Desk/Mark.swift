import HTTPServing
import Host
import Model

/// Gives the points of a form.
struct Mark {
    let context: DeskContext

    /// The input of a mark that was not saved, and the reason; without one a comment was inserted.
    struct Typed: Sendable {
        var question: String
        var points: String
        var comment: String
        var reason: String
        var keepsComment: Bool
        /// The state that the form was based on: marks since then are not overwritten. `nil` once they were shown.
        var state: String?
        var fault: String?
    }

    enum Outcome {
        case saved(next: String)
        /// The form again: it was refused, or a comment was inserted into it.
        case shown(DeskScreens.Content)
    }

    func give(to question: String, of test: TestID) throws -> Outcome {
        let (request, language) = (context.request, context.language)
        let text = request.form["points"] ?? ""
        let comment = request.comment
        let keepsComment = request.form["keep"] != nil
        let reason = request.form["reason"].map { String($0.prefix(500)) }
        var typed = Typed(
            question: question, points: text, comment: comment, reason: reason ?? "", keepsComment: keepsComment,
            state: request.form["state"])
        if request.form["do"] == "insert" {
            try insert(request.form["pick"] ?? "", into: &typed, test)
            return .shown(try content(typed, of: test))
        }
        func refused(_ fault: String, _ status: Int) throws -> Outcome {
            typed.fault = fault
            var content = try content(typed, of: test)
            content.status = .init(code: status)
            return .shown(content)
        }
        func saved() throws -> Outcome {
            if keepsComment, !comment.allSatisfy(\.isWhitespace), try !keep(comment, for: question, test) {
                typed.state = nil
                return try refused(
                    language.text("The points are saved. Your list of comments is full: delete some to keep this one."),
                    200)
            }
            return .saved(next: request.back ?? "/desk/")
        }
        guard let points = DeskContext.number(typed: text) else {
            return try refused(language.text("The points are a number, such as 1 or 0.5."), 422)
        }
        guard let state = request.form["state"].flatMap({ Digest(hex: $0) }) else { throw DeskError.notOurs(language) }
        let name = request.session.name
        let rating = TeacherRating(
            verdict: .points(question: question, points, maximum: nil), ratedBy: name.isEmpty ? nil : name,
            comment: comment, reason: reason, basedOn: state)
        do {
            try context.services.archive.ratings.rate(test, rating)
        } catch HostError.ratedMeanwhile {
            // Sent twice, it is saved once.
            if try isGiven(points, comment, name, to: question, of: test) { return try saved() }
            // They are shown now.
            typed.state = nil
            return try refused(
                language.text(
                    "Someone else marked this answer meanwhile. Their points are shown above; yours were not saved. Save again to replace them."
                ), 409)
        } catch HostError.cannotRate(_, let refusal) {
            return try refused(RefusalWords(language: language).text(refusal), 422)
        }
        return try saved()
    }

    /// The screen that the form came from, with what was typed.
    private func content(_ typed: Typed, of test: TestID) throws -> DeskScreens.Content {
        if context.request.form["queue"] != nil, let record = try context.services.archive.handedIn(test)?.record {
            let overview = try context.services.archive.results.overview(of: record.questionnaire.id)
            let screen = MarkScreen(page: QuestionnairePage(context: context, overview: overview))
            if let content = try screen.content(typed, of: test) { return content }
        }
        return try TestScreen(context: context).content(test.description, typed: typed)
    }

    /// Adds a saved comment, and its points, to what was typed.
    private func insert(_ id: String, into typed: inout Typed, _ test: TestID) throws {
        let saved = try questionnaire(of: test).map {
            try context.services.savedComments(for: context.request.session.identity, questionnaire: $0)
        }
        guard let comment = saved?.first(where: { $0.id.description == id }) else { return }
        let text = typed.comment + (typed.comment.isEmpty ? "" : "\n") + comment.text
        guard text.count <= SavedComment.longestText else {
            typed.fault = context.language.text("With this comment the text would be too long. Shorten it first.")
            return
        }
        typed.comment = text
        guard let more = comment.points else { return }
        let before = DeskContext.number(typed: typed.points) ?? 0
        typed.points = context.written(before + more)
    }

    private func keep(_ comment: String, for question: String, _ test: TestID) throws -> Bool {
        guard let questionnaire = try questionnaire(of: test) else { return true }
        return try context.services.save(
            SavedComment(text: comment, question: QuestionInstance(question).question),
            for: context.request.session.identity, questionnaire: questionnaire)
    }

    private func questionnaire(of test: TestID) throws -> String? {
        try context.services.archive.handedIn(test)?.record.questionnaire.id
    }

    /// Whether the form was sent twice, and the first time was accepted.
    private func isGiven(
        _ points: Double, _ comment: String, _ name: String, to question: String, of test: TestID
    ) throws -> Bool {
        let receipt = try context.services.archive.handedIn(test)?.receipt
        guard let verdict = receipt?.evaluation?.questions.first(where: { $0.questionId == question }) else {
            return false
        }
        return verdict.points == points && (verdict.comment ?? "") == comment && (verdict.ratedBy ?? "") == name
    }
}
