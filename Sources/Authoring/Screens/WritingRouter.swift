import AuthorDrafts
import HTTPServing
import Model

/// The screens on which questionnaires are written. All of it blocks on the disk.
package struct WritingRouter {
    let context: AuthoringContext
    let screens: AuthoringScreens

    package init(context: AuthoringContext, screens: AuthoringScreens) {
        self.context = context
        self.screens = screens
    }

    private var request: AuthoringRequest { context.request }
    private var language: Language { context.language }
    private var drafts: DraftStore { context.services.drafts }

    /// - Parameter path: the components below the screens' address.
    /// - Throws: `AuthoringError`, `DocumentFault`, and the errors of the disk.
    package func answer(_ path: [String]) throws -> AuthoringReply {
        let isPost = request.method == .post
        if path.first == "of", path.count > 1 {
            return try WrittenVersionScreens(self, path[1]).answer(Array(path.dropFirst(2)))
        }
        switch (path.first, isPost) {
        case (nil, true), ("of", true): return try make(path)
        case ("new", false) where path.count == 1:
            return shown(NewDraftScreen(context: context).content())
        default: break
        }
        guard let id = path.first.flatMap({ TestID($0) }), let draft = try drafts.latest(id) else {
            throw path.first.flatMap { TestID($0) } == nil ? AuthoringError.notFound : .gone
        }
        let page = DraftPage(context, draft)
        let screen = path.count > 1 ? path[1] : ""
        return isPost ? try change(page, screen, path) : try show(page, screen, path)
    }

    func shown(_ content: AuthoringScreens.Content) -> AuthoringReply { .page(screens.page(content, context)) }

    private func show(_ page: DraftPage, _ screen: String, _ path: [String]) throws -> AuthoringReply {
        switch (screen, path.count) {
        case ("", 1): return shown(try DraftScreen(page: page).content())
        case ("settings", 2): return shown(try SettingsScreen(page: page).content())
        case ("publish", 2): return shown(try PublishScreen(page: page).content())
        case ("try", 2): return shown(try TrialScreen(page: page).content())
        case ("paste", 2): return shown(try PasteScreen(page: page).content())
        case ("q", 3):
            guard let question = page.document.question(path[2]) else { return .seeOther(page.href(said: "changed")) }
            return shown(try QuestionScreen(page: page, question: question).content())
        case ("q", 4) where path[3] == "preview":
            guard let question = page.document.question(path[2]) else { throw AuthoringError.gone }
            return .response(PreviewFrames(page: page).response(question, screens))
        case ("copy", 2): return shown(try CopyScreen(page: page).content())
        case ("q", 4) where path[3] == "media" && context.services.takesMedia:
            return try MediaRouter(writing: self).show(.question(path[2]), page)
        case ("s", 4) where path[3] == "media" && context.services.takesMedia:
            return try MediaRouter(writing: self).show(.section(path[2]), page)
        case ("file", 3...): return try MediaRouter(writing: self).file(Array(path.dropFirst(2)), page)
        case ("s", 3): return try SectionRouter(writing: self).show(path[2], page)
        default: throw AuthoringError.notFound
        }
    }

    private func change(_ page: DraftPage, _ screen: String, _ path: [String]) throws -> AuthoringReply {
        switch (screen, path.count) {
        case ("", 1): return try list(page)
        case ("settings", 2): return try FormRouter(writing: self).settings(page)
        case ("q", 3): return try FormRouter(writing: self).question(path[2], page)
        case ("q", 4) where path[3] == "media" && context.services.takesMedia:
            return try MediaRouter(writing: self).change(.question(path[2]), page)
        case ("s", 4) where path[3] == "media" && context.services.takesMedia:
            return try MediaRouter(writing: self).change(.section(path[2]), page)
        case ("s", 3): return try SectionRouter(writing: self).change(path[2], page)
        case ("try", 2): return shown(try TrialScreen(page: page).content())
        case ("paste", 2): return try paste(page)
        case ("copy", 2): return try copy(page)
        case ("undo", 2): return try undo(page)
        case ("publish", 2): return try publish(page)
        case ("discard", 2): return try discard(page)
        default: throw AuthoringError.notFound
        }
    }

    // MARK: Making drafts

    private func make(_ path: [String]) throws -> AuthoringReply {
        if path.isEmpty {
            let title = (request.form["title"] ?? "").trimmed
            guard !title.isEmpty else {
                let fault = language.text("Give the questionnaire a title.")
                return shown(NewDraftScreen(context: context, fault: fault).content())
            }
            let id = TestID.random()
            let document = DraftDocument(
                id: id.description, title: title, locale: request.form["locale"] ?? language.rawValue)
            return try open(AuthorDraft(of: document.json, id: id))
        }
        guard let id = request.form["questionnaire"], let original = try context.services.original(id) else {
            throw AuthoringError.notFound
        }
        let document = try DocumentCoding.decode(JSONValue.self, from: original.bytes)
        let draft = AuthorDraft(of: document, id: .random(), questionnaire: original.id, base: original.digest)
        guard let opened = try drafts.open(draft, by: request.author) else { throw AuthoringError.gone }
        return .seeOther(context.path(opened.id))
    }

    private func open(_ draft: AuthorDraft) throws -> AuthoringReply {
        guard try drafts.save(draft.next(draft.document), by: request.author) != nil else { throw AuthoringError.gone }
        return .seeOther(context.path(draft.id))
    }

    // MARK: Changing drafts

    /// Carries out an edit on the latest state.
    ///
    /// - Parameter part: what the edit is about. If it is another one than in the state that the author saw, someone else
    ///   changed it.
    /// - Returns: `nil` for such a conflict.
    func carryOut<Part: Equatable>(
        _ edit: DraftEdit, on page: DraftPage, of part: (DraftDocument) -> Part
    ) throws -> AuthorDraft? {
        guard try isUnchanged(page, part) else { return nil }
        let document = edit.applied(to: page.document)
        if document == page.document { return page.draft }
        return try drafts.save(page.draft.next(document.json), by: request.author)
    }

    /// Leads on after a form was saved. The address names the form for the script, which forgets what it kept of it.
    func saved(_ next: String) -> AuthoringReply {
        guard let form = request.form["form"], 1...40 ~= form.utf8.count,
            form.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return .seeOther(next) }
        return .seeOther(next + (next.contains("?") ? "&" : "?") + "form=" + form)
    }

    private func isUnchanged<Part: Equatable>(_ page: DraftPage, _ part: (DraftDocument) -> Part) throws -> Bool {
        guard let seen = request.form["version"].flatMap({ Int($0) }) else { throw AuthoringError.notOurs }
        if seen == page.draft.version { return true }
        guard let state = try drafts.state(seen, of: page.draft.id) else { return false }
        return part(DraftDocument(state.document)) == part(page.document)
    }

    /// The draft as it is now.
    func latest(_ page: DraftPage) throws -> DraftPage {
        try drafts.latest(page.draft.id).map { DraftPage(context, $0) } ?? page
    }

    private struct QuestionPart: Equatable {
        var question: DraftQuestion?
        var key: [String: JSONValue]
        var section: String?

        init(_ id: String, _ document: DraftDocument) {
            section = document.section(of: id)?.id
            question = document.question(id)
            key = document.key(of: id)
        }
    }

    private func list(_ page: DraftPage) throws -> AuthoringReply {
        // A button's value is an action and a question's id, which may be any text.
        let parts = (request.form["do"] ?? "").split(separator: ":", maxSplits: 1).map(String.init)
        guard let action = parts.first else { return .seeOther(page.href()) }
        let id = parts.count > 1 ? parts[1] : ""
        let edit: DraftEdit
        var next = page.href()
        switch action {
        case "add":
            let kind = request.form["kind"].flatMap(Question.Kind.init(rawValue:)) ?? .choice
            let new = page.document.freeID()
            let section = request.form["section"].flatMap { $0.isEmpty ? nil : $0 }
            edit = .all([.add(kind, id: new, after: nil), .put(new, section: section)])
            next = page.href(question: new) + "?said=added"
        case "duplicate": edit = .duplicate(id, id: page.document.freeID())
        case "up", "down":
            edit = .move(id, by: action == "up" ? -1 : 1)
            next += "?at=\(PercentEncoding.encode(id))&by=\(action)"
        case "drop":
            edit = .drop(id, on: request.form["on"] ?? "")
            next += "?at=\(PercentEncoding.encode(id))"
        case "sectionup", "sectiondown":
            edit = .moveSection(id, by: action == "sectionup" ? -1 : 1)
            next += "?at=\(PercentEncoding.encode(id))&by=\(action)"
        case "addsection":
            let new = page.document.freeSectionID()
            edit = .addSection(new, title: (request.form["title"] ?? "").trimmed)
            next = page.href(section: new) + "?said=sectionadded"
        case "delete":
            edit = .delete(id)
            next = page.href(said: "deleted")
        default: throw AuthoringError.notFound
        }
        let isDone = try carryOut(edit, on: page) { document -> QuestionPart? in
            // Additions and moves disturb no one else's work; the question must still be there.
            switch action {
            case "add", "addsection", "sectionup", "sectiondown": return nil
            case "up", "down", "drop":
                let others = action == "drop" ? [request.form["on"] ?? ""] : []
                let isThere = ([id] + others).allSatisfy { document.question($0) != nil }
                return isThere ? QuestionPart(id, DraftDocument(.null)) : nil
            default: return QuestionPart(id, document)
            }
        }
        return .seeOther(isDone == nil ? page.href(said: "changed") : next)
    }

    private func paste(_ page: DraftPage) throws -> AuthoringReply {
        let text = request.form["rows"] ?? ""
        let pasted = PastedQuestions(text)
        guard pasted.faults.isEmpty, !pasted.items.isEmpty else {
            let screen = PasteScreen(page: page, text: text, faults: pasted.faults, isEmpty: pasted.faults.isEmpty)
            return shown(try screen.content())
        }
        let isDone = try carryOut(.paste(pasted.items), on: page) { _ in false }
        return .seeOther(page.href(said: isDone == nil ? "changed" : "pasted"))
    }

    private func copy(_ page: DraftPage) throws -> AuthoringReply {
        let copies = QuestionSearch.chosen(request.form.all("pick"), in: try QuestionSearch.sources(page))
        guard !copies.isEmpty else { return .seeOther(page.href("copy", said: "none")) }
        // Their pictures first: no state names a file that is not there.
        for copy in copies { try copy.keepMedia(in: page.draft.id, context.services.drafts) }
        let isDone = try carryOut(.copy(copies), on: page) { _ in false }
        return .seeOther(page.href(said: isDone == nil ? "changed" : "copied"))
    }

    private func undo(_ page: DraftPage) throws -> AuthoringReply {
        guard request.form["version"] == "\(page.draft.version)" else { return .seeOther(page.href(said: "changed")) }
        guard let previous = page.draft.previous, let earlier = try drafts.state(previous, of: page.draft.id) else {
            return .seeOther(page.href())
        }
        let saved = try drafts.save(page.draft.undoing(to: earlier), by: request.author)
        return .seeOther(page.href(said: saved == nil ? "changed" : "undone"))
    }

    private func discard(_ page: DraftPage) throws -> AuthoringReply {
        guard request.form["version"] == "\(page.draft.version)", try drafts.remove(page.draft) else {
            return .seeOther(page.href("publish", said: "changed"))
        }
        return .seeOther(context.services.home)
    }

    private func publish(_ page: DraftPage) throws -> AuthoringReply {
        guard request.form["version"] == "\(page.draft.version)" else {
            return .seeOther(page.href("publish", said: "changed"))
        }
        // What the check found is on the screen.
        guard try !DraftFinding.all(in: page).contains(where: \.isFault) else {
            return .seeOther(page.href("publish"))
        }
        switch try context.services.publish(page.draft, replaces: request.form["replaces"] == "1") {
        case .published(let id):
            return .seeOther(context.services.addressAfterPublishing(id))
        case .savedMeanwhile: return .seeOther(page.href("publish", said: "changed"))
        case .changedMeanwhile:
            var screen = PublishScreen(page: page)
            screen.isChangedMeanwhile = true
            return shown(try screen.content())
        }
    }
}
