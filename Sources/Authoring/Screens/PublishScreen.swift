import AuthorDrafts
import Model

/// The check of a draft, and the button that publishes it.
struct PublishScreen {
    let page: DraftPage
    /// Whether the published questionnaire is another one by now than the draft was made from.
    var isChangedMeanwhile = false

    func content() throws -> AuthoringScreens.Content {
        let language = page.language
        let findings = try DraftFinding.all(in: page)
        let difference = try difference()
        let isReady = !findings.contains(where: \.isFault)
        var model: [String: any Sendable] = [
            "action": page.href("publish"), "discard": page.href("discard"), "ready": isReady,
            "clean": findings.isEmpty, "changedMeanwhile": isChangedMeanwhile,
            "hasFindings": !findings.isEmpty,
            "findings": findings.map { finding -> [String: any Sendable] in
                [
                    "text": FindingWords(language: language).text(finding), "where": place(finding.place),
                    "href": href(finding.place), "kind": finding.isFault ? "bad" : "newer",
                    "what": finding.isFault ? language.text("must be changed") : language.text("look at it"),
                ]
            },
            "affected": try affected(difference).map { ["text": $0] }, "teacher": toMark(),
            "isChange": difference != nil, "unchanged": difference?.isEmpty ?? false,
            "differences": difference.map { DifferenceWords(language: language).model($0) } ?? [],
        ]
        model["versionsHref"] = page.draft.questionnaire.flatMap(page.context.services.versions)
        model["button"] =
            page.draft.questionnaire == nil ? language.text("Publish") : language.text("Publish the changes")
        model["discardWords"] =
            page.draft.questionnaire == nil ? language.text("Delete this draft") : language.text("Discard the changes")
        model["discardAbout"] =
            page.draft.questionnaire == nil
            ? language.text("The draft is deleted for everyone and cannot be returned.")
            : language.text("The draft is deleted; the published questionnaire stays as it is.")
        var content = try page.content(.draftpublish, "publish", model)
        if isChangedMeanwhile { content.status = .conflict }
        return content
    }

    /// Whom publishing affects.
    private func affected(_ difference: VersionDifference?) throws -> [String] {
        try page.context.services.affected(page.draft.questionnaire, page.document, difference)
    }

    /// The differences from the published version; `nil` where nothing is published.
    private func difference() throws -> VersionDifference? {
        guard let id = page.draft.questionnaire, let original = try page.context.services.original(id) else {
            return nil
        }
        let published = try DraftDocument(bytes: original.bytes)
        return VersionDifference(from: published, to: page.document)
    }

    /// A sentence on the questions that a teacher marks; `nil` where there are none.
    private func toMark() -> String? {
        let count = page.document.questions.count {
            $0.takesAnswer && page.document.key(of: $0.id)["accept"]?.elements?.isEmpty ?? true
        }
        guard count > 0 else { return nil }
        return page.language.plural(
            count, one: "1 question has no key: a teacher marks its answers.",
            other: "\(count) questions have no key: a teacher marks their answers.")
    }

    private func place(_ place: DraftFinding.Place) -> String {
        let language = page.language
        switch place {
        case .question(let id):
            let number = (page.document.place(of: id) ?? 0) + 1
            return language.text("Question \(number)")
        case .section(let number): return language.text("Section \(number + 1)")
        case .settings: return language.text("Settings")
        case .questions: return language.text("Questions")
        }
    }

    private func href(_ place: DraftFinding.Place) -> String {
        switch place {
        case .question(let id): page.href(question: id)
        case .settings: page.href("settings")
        case .section(let number):
            page.document.sections.indices.contains(number)
                ? page.href(section: page.document.sections[number].id) : page.href()
        case .questions: page.href()
        }
    }
}
