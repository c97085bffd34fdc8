import Authoring
import Host
import Model

/// Whom a new version of a questionnaire affects, in sentences. What was handed in is for those who may see tests.
struct AffectedWords {
    let context: DeskContext

    private var language: Language { context.language }

    /// - Parameter difference: between the published version and the one that takes its place; `nil` where it is not known.
    func sentences(
        _ id: String, _ document: DraftDocument, _ difference: VersionDifference?
    ) throws -> [String] {
        var sentences = context.request.canMark ? try counts(id, document) : []
        if difference?.isOfKeyOnly == true {
            sentences.append(
                language.text(
                    "Only the key is different, so it stays the same version: tests can be rated again by the new key.")
            )
        } else {
            sentences.append(
                language.text(
                    "Tests that are under way are finished on the version they began with; those that begin later get the new one."
                ))
            sentences.append(
                language.text("How many are under way is known on the devices only, until they are handed in."))
        }
        return sentences
    }

    private func counts(_ id: String, _ document: DraftDocument) throws -> [String] {
        let attempts = Int(SettingsFields(document).attempts).flatMap { $0 > 0 ? $0 : nil }
        let counts = try context.services.handedIn(of: id, attempts: attempts)
        var sentences = [
            counts.tests == 0
                ? language.text("No tests have been handed in yet.")
                : language.plural(
                    counts.tests,
                    one: "1 test was handed in on the published version. It keeps its answers and its points.",
                    other:
                        "\(counts.tests) tests were handed in on the published versions. They keep their answers and their points."
                )
        ]
        if counts.people > 0 {
            sentences.append(
                language.plural(counts.people, one: "It is of 1 person.", other: "They are of \(counts.people) people.")
            )
        }
        if counts.checking > 0 {
            sentences.append(
                language.plural(
                    counts.checking, one: "1 test still waits for marks.",
                    other: "\(counts.checking) tests still wait for marks."))
        }
        if let attempts, counts.tests > 0 {
            let used = counts.withoutAttempts ?? 0
            sentences.append(
                used == 0
                    ? language.text("Everyone has an attempt left.")
                    : language.plural(
                        used, one: "1 person has no attempt left: each has \(attempts).",
                        other: "\(used) people have no attempt left: each has \(attempts)."))
        }
        return sentences
    }
}
