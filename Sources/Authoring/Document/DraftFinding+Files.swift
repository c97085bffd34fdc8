import AuthorDrafts
import Model

extension DraftFinding {
    /// The findings in the document of a draft, and its files that the host does not have.
    static func all(in page: DraftPage) throws -> [DraftFinding] {
        let document = page.document
        var findings = all(in: document)
        for question in document.questions {
            findings += try missingFiles(question.members, .question(question.id), page)
        }
        for (number, section) in document.sections.enumerated() {
            findings += try missingFiles(section.members, .section(number), page)
        }
        return sorted(findings, document)
    }

    private static func missingFiles(
        _ members: [String: JSONValue], _ place: Place, _ page: DraftPage
    ) throws -> [DraftFinding] {
        try DraftDocument.media(members).enumerated().compactMap { number, medium in
            guard let path = medium.contentPath, try !page.context.services.hasMedia(path, of: page.draft.id) else {
                return nil
            }
            return DraftFinding(problem: .noFile(number + 1), place: place)
        }
    }
}
