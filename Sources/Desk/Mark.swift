import HTTPServing
import Host
import Model

/// Gives the points of a form.
struct Mark {
    let context: DeskContext

    /// The input of a refused mark, and the reason.
    struct Typed: Sendable {
        var question: String
        var points: String
        var comment: String
        var reason: String
        var fault: String
    }

    enum Outcome {
        case saved(next: String)
        case refused(DeskScreens.Content)
    }

    private static let longestComment = 4000

    func give(to question: String, of test: TestID) throws -> Outcome {
        let (request, language) = (context.request, context.language)
        let text = request.form["points"] ?? ""
        // Browsers send line breaks as CR LF.
        let comment = String((request.form["comment"] ?? "").replacing("\r\n", with: "\n").prefix(Self.longestComment))
        let reason = request.form["reason"].map { String($0.prefix(500)) }
        func refused(_ fault: String, _ status: Int) throws -> Outcome {
            let typed = Typed(question: question, points: text, comment: comment, reason: reason ?? "", fault: fault)
            var content = try TestScreen(context: context).content(test.description, typed: typed)
            content.status = .init(code: status)
            return .refused(content)
        }
        guard let points = WrittenNumber(text).plain.flatMap(Double.init), points.isFinite else {
            return try refused(language.text("The points are a number, such as 1 or 0.5."), 422)
        }
        guard let state = request.form["state"].flatMap({ Digest(hex: $0) }) else { throw DeskError.notOurs(language) }
        let name = request.session.name
        let rating = TeacherRating(
            verdict: .points(question: question, points, maximum: nil), ratedBy: name.isEmpty ? nil : name,
            comment: comment, reason: reason, basedOn: state)
        do {
            try context.services.archive.rate(test, rating)
        } catch HostError.ratedMeanwhile {
            if try isGiven(points, comment, name, to: question, of: test) {
                return .saved(next: request.back ?? "/desk/")
            }
            return try refused(
                language.text(
                    "Someone else marked this answer meanwhile. Their points are shown above; yours were not saved. Save again to replace them."
                ), 409)
        } catch HostError.cannotRate(_, let refusal) {
            return try refused(RefusalWords(language: language).text(refusal), 422)
        }
        return .saved(next: request.back ?? "/desk/")
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
