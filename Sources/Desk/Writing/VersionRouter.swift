import AuthorDrafts
import Authoring
import HTTPServing
import Host
import Model

/// The screens of published versions, at `/desk/write/of/<id>`, and what their buttons do.
struct VersionRouter {
    let context: DeskContext
    let screens: DeskScreens

    private var request: DeskRequest { context.request }

    /// - Parameter path: the components after `of`.
    func answer(_ path: [String]) throws -> DeskReply {
        guard let id = path.first, path.count <= 2 else { throw DeskError.notFound(context.language) }
        let versions = try VersionScreens(context, id)
        switch (path.count > 1 ? path[1] : "", request.method == .post) {
        case ("", false): return screens.page(try versions.list(), request)
        case ("close", true), ("reopen", true): return try setOpen(versions, closes: path[1] == "close")
        case (let hex, false): return screens.page(try versions.one(hex), request)
        case (let hex, true): return try makeDraft(of: hex, versions)
        }
    }

    /// A version becomes a draft; nothing is published by it.
    private func makeDraft(of hex: String, _ versions: VersionScreens) throws -> DeskReply {
        let services = context.services
        guard let version = versions.versions.first(where: { $0.digest.hex == hex }),
            let original = try services.original(versions.id)
        else { throw DeskError.notFound(context.language) }
        var taken = try versions.document(version)
        // Closed now, it stays closed: the old version's times are over.
        let current = try DraftDocument(bytes: original.bytes)
        taken.members["availability"] = current.members["availability"]
        let document = taken.json
        let known = try services.drafts.all().first { $0.questionnaire == original.id }
        let (draft, isSaved) = try services.drafts.take(
            document, known, of: original, by: request.session.name)
        return .seeOther(DeskAuthoring.path(draft) + "?said=" + (isSaved ? "versiontaken" : "changed"))
    }

    private func setOpen(_ versions: VersionScreens, closes: Bool) throws -> DeskReply {
        let services = context.services
        guard let original = try services.original(versions.id) else { throw DeskError.notFound(context.language) }
        let now = services.clock.now
        let late = request.form["late"].flatMap { Availability.Late(rawValue: $0) }?.rawValue
        func changed(_ document: DraftDocument) -> DraftDocument {
            var document = document
            // Pressed twice it is closed since the first time.
            if closes, !document.isClosed(at: now) {
                document.close(at: now, late: late)
            } else if !closes {
                document.reopen()
            }
            return document
        }
        let former = try DraftDocument(bytes: original.bytes)
        let next = changed(former)
        let done = VersionScreens.path(versions.id) + (closes ? "?said=closed" : "?said=reopened")
        if next == former { return .seeOther(done) }
        let draft = AuthorDraft(
            of: next.json, id: .random(), questionnaire: original.id, base: original.digest)
        guard case .published = try services.publish(draft, by: request.session.name) else {
            // Someone published meanwhile: the page shows what there is now.
            return .seeOther(VersionScreens.path(versions.id))
        }
        // A draft of it is based on the new version from now on, and is closed as that is.
        if var waiting = try services.drafts.all().first(where: { $0.questionnaire == original.id }),
            waiting.base == original.digest, let current = try services.original(original.id)
        {
            waiting = waiting.next(changed(DraftDocument(waiting.document)).json)
            waiting.base = current.digest
            // Undoing an edit must not open it, nor close it.
            waiting.previous = nil
            _ = try services.drafts.save(waiting, by: request.session.name)
        }
        return .seeOther(done)
    }
}
