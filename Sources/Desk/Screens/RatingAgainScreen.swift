import Host
import Model
import Results
import Wording

/// Rating all tests again after the key was changed: who gets other points, and the button that does it.
struct RatingAgainScreen {
    let page: QuestionnairePage

    /// More rows make no one wiser.
    private static let mostRows = 200

    /// - Parameter fault: why nothing was done.
    func content(fault: String? = nil) throws -> DeskScreens.Content {
        let (language, archive) = (page.language, page.context.services.archive)
        let again = try archive.ratings.rateAgain(questionnaire: page.overview.id, writes: false)
        let changed = again.changed
        var model: [String: any Sendable] = [
            "empty": again.lines.isEmpty, "action": page.href("again"), "state": try again.state.hex,
            "counts": RatingAgainWords(language: language).counts(again).map { ["text": $0] },
            "rows": changed.prefix(Self.mostRows).map(row), "hasRows": !changed.isEmpty,
            "do": language.plural(
                changed.count, one: "Change the rating of 1 test", other: "Change the ratings of \(changed.count) tests"
            ),
        ]
        if changed.count > Self.mostRows {
            model["more"] = language.text("and \(changed.count - Self.mostRows) more")
        }
        model["fault"] = fault
        if page.context.request.query["done"] != nil, changed.isEmpty {
            model["said"] = language.text("Everything is rated by the key as it is now.")
        }
        return page.content(.again, "results", model)
    }

    /// Does it, if it is what the form showed.
    func rate() throws -> Mark.Outcome {
        let (language, archive) = (page.language, page.context.services.archive)
        let preview = try archive.ratings.rateAgain(questionnaire: page.overview.id, writes: false)
        guard try preview.changed.isEmpty || preview.state.hex == page.context.request.form["state"] else {
            var content = try content(
                fault: language.text(
                    "Tests, marks or the key changed meanwhile, so nothing was done. Look at what would change now."))
            content.status = .conflict
            return .shown(content)
        }
        _ = try archive.ratings.rateAgain(questionnaire: page.overview.id, writes: true)
        return .saved(next: page.href("again", [("done", "1")]))
    }

    private func row(_ line: RatingAgain.Line) -> [String: any Sendable] {
        let (context, language) = (page.context, page.language)
        let changes = line.changes.map { change in
            let number = page.overview.place(of: change.question).map { "\($0 + 1)" } ?? change.question
            return "\(number): \(points(change.before)) → \(points(change.after))"
        }
        return [
            "href": "/desk/t/\(line.test)",
            "name": line.person?.fullName ?? language.text("Without a name") + " · " + line.test.description.prefix(8),
            "attempt": line.attempt.map { "\($0)" } ?? "", "before": score(line.before, context),
            "after": score(line.after, context),
            "changes": changes.isEmpty ? language.text("only remarks of the key") : changes.joined(separator: "; "),
        ]
    }

    private func points(_ points: Double?) -> String { points.map(page.context.number) ?? "?" }

    private func score(_ receipt: Receipt, _ context: DeskContext) -> String {
        guard let evaluation = receipt.evaluation else { return (receipt.status ?? .sent).words(page.language) }
        let words = context.points(evaluation.score, evaluation.maximum)
        return receipt.status == .rated ? words : words + page.language.text(" so far")
    }
}
