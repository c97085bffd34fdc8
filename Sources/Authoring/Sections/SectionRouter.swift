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
        guard let section = page.document.section(id) else { return .seeOther(page.href(said: "changed")) }
        switch request.form["do"] ?? "save" {
        case "remove": return try delete(id, page, .deleteSection(id), said: "sectiondeleted")
        case "removeall":
            let edits = section.questions.map(DraftEdit.delete) + [.deleteSection(id)]
            return try delete(id, page, .all(edits), said: "sectionalldeleted")
        case let action: return try save(id, page, action)
        }
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

    private func save(_ id: String, _ page: DraftPage, _ action: String) throws -> AuthoringReply {
        let fields = SectionFields(request.form)
        let saved = try writing.carryOut(.changeSection(id, fields), on: page) { document in
            document.section(id).map(SectionFields.init)
        }
        guard saved != nil else {
            let latest = try writing.latest(page)
            guard let section = latest.document.section(id) else { return .seeOther(page.href(said: "changed")) }
            var screen = SectionScreen(page: latest, section: section)
            screen.fields = fields
            screen.isConflict = true
            return writing.shown(try screen.content())
        }
        if action == "media" { return writing.saved(page.href(section: id) + "/media") }
        return writing.saved(action == "done" ? page.href(said: "saved") : page.href(section: id) + "?said=saved")
    }
}
