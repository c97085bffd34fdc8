import AuthorDrafts
import HTTPServing
import Host
import Model

/// The screens on which questionnaires are written, at `/desk/write/`. All of it blocks on the disk.
struct WritingRouter {
    let context: DeskContext
    let screens: DeskScreens

    private var request: DeskRequest { context.request }
    private var language: Language { context.language }
    private var drafts: DraftStore { context.services.drafts }

    /// - Parameter path: the components after `write`.
    func answer(_ path: [String]) throws -> DeskReply {
        let isPost = request.method == .post
        if path.first == "of", path.count > 1 {
            return try VersionRouter(writing: self).answer(Array(path.dropFirst()))
        }
        switch (path.first, isPost) {
        case (nil, true), ("of", true): return try make(path)
        case ("new", false) where path.count == 1:
            return screens.page(NewDraftScreen(context: context).content(), request)
        default: break
        }
        guard let id = path.first.flatMap({ TestID($0) }), let draft = try drafts.latest(id) else {
            throw path.first.flatMap { TestID($0) } == nil ? DeskError.notFound(language) : gone
        }
        let page = DraftPage(context, draft)
        let screen = path.count > 1 ? path[1] : ""
        return isPost ? try change(page, screen, path) : try show(page, screen, path)
    }

    private var gone: DeskError {
        DeskError(
            status: .notFound, heading: language.text("This draft is gone"),
            detail: language.text(
                "Someone published or deleted it meanwhile. The list of questionnaires has what there is."))
    }

    private func show(_ page: DraftPage, _ screen: String, _ path: [String]) throws -> DeskReply {
        switch (screen, path.count) {
        case ("", 1): return screens.page(try DraftScreen(page: page).content(), request)
        case ("settings", 2): return screens.page(try SettingsScreen(page: page).content(), request)
        case ("publish", 2): return screens.page(try PublishScreen(page: page).content(), request)
        case ("try", 2): return screens.page(try TrialScreen(page: page).content(), request)
        case ("paste", 2): return screens.page(try PasteScreen(page: page).content(), request)
        case ("q", 3):
            guard let question = page.document.question(path[2]) else { return .seeOther(page.href(said: "changed")) }
            return screens.page(try QuestionScreen(page: page, question: question).content(), request)
        case ("copy", 2): return screens.page(try CopyScreen(page: page).content(), request)
        case ("q", 4) where path[3] == "media": return try MediaRouter(writing: self).show(.question(path[2]), page)
        case ("s", 4) where path[3] == "media": return try MediaRouter(writing: self).show(.section(path[2]), page)
        case ("file", 3...): return try MediaRouter(writing: self).file(Array(path.dropFirst(2)), page)
        case ("s", 3): return try SectionRouter(writing: self).show(path[2], page)
        default: throw DeskError.notFound(language)
        }
    }

    private func change(_ page: DraftPage, _ screen: String, _ path: [String]) throws -> DeskReply {
        switch (screen, path.count) {
        case ("", 1): return try list(page)
        case ("settings", 2): return try settings(page)
        case ("q", 3): return try question(path[2], page)
        case ("q", 4) where path[3] == "media": return try MediaRouter(writing: self).change(.question(path[2]), page)
        case ("s", 4) where path[3] == "media": return try MediaRouter(writing: self).change(.section(path[2]), page)
        case ("s", 3): return try SectionRouter(writing: self).change(path[2], page)
        case ("try", 2): return screens.page(try TrialScreen(page: page).content(), request)
        case ("paste", 2): return try paste(page)
        case ("copy", 2): return try copy(page)
        case ("undo", 2): return try undo(page)
        case ("publish", 2): return try publish(page)
        case ("discard", 2): return try discard(page)
        default: throw DeskError.notFound(language)
        }
    }

    // MARK: Making drafts

    private func make(_ path: [String]) throws -> DeskReply {
        if path.isEmpty {
            let title = (request.form["title"] ?? "").trimmed
            guard !title.isEmpty else {
                return screens.page(
                    NewDraftScreen(context: context, fault: language.text("Give the questionnaire a title.")).content(),
                    request)
            }
            let id = TestID.random()
            let document = DraftDocument(
                id: id.description, title: title, locale: request.form["locale"] ?? language.rawValue)
            return try open(AuthorDraft(of: document.json, id: id))
        }
        guard let id = request.form["questionnaire"], let original = try context.services.original(id) else {
            throw DeskError.notFound(language)
        }
        if let known = try drafts.all().first(where: { $0.questionnaire == original.id }) {
            return .seeOther(DraftPage.path(known.id))
        }
        let document = try DocumentCoding.decode(JSONValue.self, from: original.bytes)
        return try open(
            AuthorDraft(of: document, id: .random(), questionnaire: original.id, base: original.digest))
    }

    private func open(_ draft: AuthorDraft) throws -> DeskReply {
        guard try drafts.save(draft.next(draft.document), by: request.session.name) != nil else { throw gone }
        return .seeOther(DraftPage.path(draft.id))
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
        return try drafts.save(page.draft.next(document.json), by: request.session.name)
    }

    /// Leads on after a form was saved. The address names the form for the script, which forgets what it kept of it.
    func saved(_ next: String) -> DeskReply {
        guard let form = request.form["form"], 1...40 ~= form.utf8.count,
            form.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return .seeOther(next) }
        return .seeOther(next + (next.contains("?") ? "&" : "?") + "form=" + form)
    }

    private func isUnchanged<Part: Equatable>(_ page: DraftPage, _ part: (DraftDocument) -> Part) throws -> Bool {
        guard let seen = request.form["version"].flatMap({ Int($0) }) else { throw DeskError.notOurs(language) }
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

    private func list(_ page: DraftPage) throws -> DeskReply {
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
        default: throw DeskError.notFound(language)
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

    private func question(_ id: String, _ page: DraftPage) throws -> DeskReply {
        guard let question = page.document.question(id) else { return .seeOther(page.href(said: "changed")) }
        let action = request.form["do"] ?? "save"
        let fields = QuestionFields(request.form).doing(action)
        var edit = DraftEdit.change(id, fields)
        let section = request.form["section"]
        if let section { edit = .all([edit, .put(id, section: section.isEmpty ? nil : section)]) }
        let saved = try carryOut(edit, on: page) { QuestionPart(id, $0) }
        guard let saved else {
            // Another author may have saved between the look and the write.
            let latest = try latest(page)
            var screen = QuestionScreen(page: latest, question: latest.document.question(id) ?? question)
            screen.section = section
            screen.theirs = latest.draft.savedBy ?? ""
            screen.fields = fields
            return screens.page(try screen.content(), request)
        }
        let here = page.href(question: id)
        switch action {
        case "done": return self.saved(page.href(said: "saved"))
        case "more": return self.saved(here + "?said=saved&more=1")
        case "media": return self.saved(here + "/media")
        case "next":
            let questions = DraftDocument(saved.document).questions
            let place = questions.firstIndex { $0.id == id } ?? 0
            return self.saved(
                place + 1 < questions.count ? page.href(question: questions[place + 1].id) : page.href(said: "saved"))
        default: return self.saved(here + "?said=saved")
        }
    }

    private func settings(_ page: DraftPage) throws -> DeskReply {
        let fields = SettingsFields(request.form)
        guard try carryOut(.settings(fields), on: page, of: { SettingsFields($0) }) != nil else {
            var screen = SettingsScreen(page: try latest(page))
            screen.fields = fields
            screen.isConflict = true
            return screens.page(try screen.content(), request)
        }
        return saved(page.href("settings", said: "saved"))
    }

    private func paste(_ page: DraftPage) throws -> DeskReply {
        let text = request.form["rows"] ?? ""
        let pasted = PastedQuestions(text)
        guard pasted.faults.isEmpty, !pasted.items.isEmpty else {
            let screen = PasteScreen(page: page, text: text, faults: pasted.faults, isEmpty: pasted.faults.isEmpty)
            return screens.page(try screen.content(), request)
        }
        let isDone = try carryOut(.paste(pasted.items), on: page) { _ in false }
        return .seeOther(page.href(said: isDone == nil ? "changed" : "pasted"))
    }

    private func copy(_ page: DraftPage) throws -> DeskReply {
        let copies = QuestionSearch.chosen(request.form.all("pick"), in: try QuestionSearch.sources(page))
        guard !copies.isEmpty else { return .seeOther(page.href("copy", said: "none")) }
        // Their pictures first: no state names a file that is not there.
        for copy in copies { try copy.keepMedia(in: page.draft.id, context.services.drafts) }
        let isDone = try carryOut(.copy(copies), on: page) { _ in false }
        return .seeOther(page.href(said: isDone == nil ? "changed" : "copied"))
    }

    private func undo(_ page: DraftPage) throws -> DeskReply {
        guard request.form["version"] == "\(page.draft.version)" else { return .seeOther(page.href(said: "changed")) }
        guard let previous = page.draft.previous, let earlier = try drafts.state(previous, of: page.draft.id) else {
            return .seeOther(page.href())
        }
        let saved = try drafts.save(page.draft.undoing(to: earlier), by: request.session.name)
        return .seeOther(page.href(said: saved == nil ? "changed" : "undone"))
    }

    private func discard(_ page: DraftPage) throws -> DeskReply {
        guard request.form["version"] == "\(page.draft.version)", try drafts.remove(page.draft) else {
            return .seeOther(page.href("publish", said: "changed"))
        }
        return .seeOther("/desk/")
    }

    private func publish(_ page: DraftPage) throws -> DeskReply {
        guard request.form["version"] == "\(page.draft.version)" else {
            return .seeOther(page.href("publish", said: "changed"))
        }
        // What the check found is on the screen.
        guard try !DraftFinding.all(in: page).contains(where: \.isFault) else {
            return .seeOther(page.href("publish"))
        }
        switch try context.services.publish(
            page.draft, by: request.session.name, replaces: request.form["replaces"] == "1")
        {
        case .published(let id):
            return .seeOther("/desk/?published=" + PercentEncoding.encode(id))
        case .savedMeanwhile: return .seeOther(page.href("publish", said: "changed"))
        case .changedMeanwhile:
            var screen = PublishScreen(page: page)
            screen.isChangedMeanwhile = true
            return screens.page(try screen.content(), request)
        }
    }
}
