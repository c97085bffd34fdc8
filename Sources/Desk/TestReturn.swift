import HTTPServing
import Host
import Model

/// Sends a test back to be corrected, or withdraws that.
struct TestReturn {
    let context: DeskContext

    func change(_ test: TestID) throws -> Mark.Outcome {
        let (request, language) = (context.request, context.language)
        let comment = request.comment
        func refused(_ fault: String, _ status: Int) throws -> Mark.Outcome {
            var content = try TestScreen(context: context).content(
                test.description, returning: (comment, fault))
            content.status = .init(code: status)
            return .shown(content)
        }
        guard let state = request.form["state"].flatMap({ Digest(hex: $0) }) else { throw DeskError.notOurs(language) }
        let withdraws = request.form["withdraw"] != nil
        if !withdraws, comment.allSatisfy(\.isWhitespace) {
            return try refused(language.text("Write what is to be corrected."), 422)
        }
        let name = request.session.name
        let rating = TeacherRating(
            verdict: withdraws ? .returnWithdrawn : .returned, ratedBy: name.isEmpty ? nil : name,
            comment: withdraws ? nil : comment, basedOn: state)
        do {
            try context.services.archive.ratings.rate(test, rating)
        } catch HostError.ratedMeanwhile {
            let returned = try context.services.archive.handedIn(test)?.receipt.returned
            // The form was sent twice.
            let isDone = withdraws ? returned == nil : returned?.comment == rating.comment
            if !isDone {
                return try refused(
                    language.text(
                        "The test changed meanwhile, so nothing was done. Look at it, then send it back again."),
                    409)
            }
        } catch HostError.cannotRate(_, let refusal) {
            return try refused(RefusalWords(language: language).text(refusal), 422)
        }
        return .saved(next: "/desk/t/\(test)" + (request.form["names"] == "hidden" ? "?names=hidden" : ""))
    }
}
