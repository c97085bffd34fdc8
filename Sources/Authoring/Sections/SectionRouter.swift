import HTTPServing
import Model

/// The form of a section: what it shows, and what its buttons do.
struct SectionRouter {
    let writing: WritingRouter

    private var request: AuthoringRequest { writing.context.request }

    func show(_ id: String, _ page: DraftPage) throws -> AuthoringReply {
        guard let section = page.document.section(id) else { return .seeOther(page.href(said: "changed")) }
        return writing.shown(try SectionScreen(page: page, section: section).content())
    }

    func change(_ id: String, _ page: DraftPage) throws -> AuthoringReply {
        let action = request.form["do"] ?? "save"
        guard ["remove", "removeall"].contains(action) else {
            return try FormRouter(writing: writing).section(id, page, action)
        }
        guard let section = page.document.section(id) else { return .seeOther(page.href(said: "changed")) }
        if action == "remove" { return try delete(id, page, .deleteSection(id), said: "sectiondeleted") }
        let edits = section.questions.map(DraftEdit.delete) + [.deleteSection(id)]
        return try delete(id, page, .all(edits), said: "sectionalldeleted")
    }

    private func delete(_ id: String, _ page: DraftPage, _ edit: DraftEdit, said: String) throws -> AuthoringReply {
        // Its questions, too: another author may have written one into it.
        let saved = try writing.carryOut(edit, on: page) { document -> [JSONValue] in
            guard let section = document.section(id) else { return [] }
            return [.object(section.members)]
                + section.questions.compactMap { document.question($0).map { .object($0.members) } }
        }
        return .seeOther(page.href(said: saved == nil ? "changed" : said))
    }
}
