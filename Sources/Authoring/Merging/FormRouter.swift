import AuthorDrafts
import Model

/// Saves the forms of a question, a section and the settings, and shows where two authors changed one field at once.
struct FormRouter {
    let writing: WritingRouter

    private var request: AuthoringRequest { writing.context.request }

    // MARK: A question

    func question(_ id: String, _ page: DraftPage) throws -> AuthoringReply {
        let action = request.form["do"] ?? "save"
        let typed = QuestionFields(request.form).doing(action)
        let section = request.form["section"]
        let save = MergedSave<QuestionState>(
            writing: writing, fields: { QuestionState(id, in: $0) },
            mine: { base, theirs, document in
                QuestionState(typed, section: section ?? (base ?? theirs).section)
                    .fitted(to: theirs, from: base, in: document)
            }, parts: QuestionState.parts, edit: { Self.edit(id, $0) })
        switch try save.save(page) {
        case .saved(let draft, let isMerged): return saved(question: id, action, draft, page, isMerged)
        case .conflicts(let conflicts, let latest):
            let screen = MergeScreen(
                page: latest, conflicts: conflicts, action: latest.href(question: id), screen: "q",
                kind: latest.document.question(id)?.kind)
            return writing.shown(try screen.content())
        case .gone(let base, let latest):
            let mine = QuestionState(typed, section: section ?? "")
            return try restored(
                latest, "wholequestion", base?.question(id)?.text, mine.fields.text, at: latest.href(question: id)
            ) {
                let question = base?.question(id) ?? DraftQuestion(id: id, kind: typed.kind ?? .text)
                let before = base?.questions.prefix { $0.id != id }.last { latest.document.question($0.id) != nil }
                return .all([
                    .restore(question, key: base?.key(of: id) ?? [:], after: before?.id), Self.edit(id, mine),
                ])
            }
        }
    }

    private static func edit(_ id: String, _ state: QuestionState) -> DraftEdit {
        .all([.change(id, state.fields), .put(id, section: state.section.isEmpty ? nil : state.section)])
    }

    private func saved(
        question id: String, _ action: String, _ draft: AuthorDraft, _ page: DraftPage, _ isMerged: Bool
    ) -> AuthoringReply {
        let said = isMerged ? "merged" : "saved"
        let here = page.href(question: id)
        switch action {
        case "done": return writing.saved(page.href(said: said))
        case "more": return writing.saved(here + "?said=\(said)&more=1")
        case "media": return writing.saved(here + "/media")
        case "next":
            let questions = DraftDocument(draft.document).questions
            let place = questions.firstIndex { $0.id == id } ?? 0
            return writing.saved(
                place + 1 < questions.count ? page.href(question: questions[place + 1].id) : page.href(said: said))
        default: return writing.saved(here + "?said=\(said)")
        }
    }

    // MARK: A section

    func section(_ id: String, _ page: DraftPage, _ action: String) throws -> AuthoringReply {
        let typed = SectionFields(request.form)
        let save = MergedSave<SectionFields>(
            writing: writing, fields: { $0.section(id).map(SectionFields.init) },
            mine: { base, theirs, document in typed.fitted(from: base ?? theirs, in: document) },
            parts: { _, _, _ in SectionFields.parts }, edit: { .changeSection(id, $0) })
        let here = page.href(section: id)
        switch try save.save(page) {
        case .saved(_, let isMerged):
            if action == "media" { return writing.saved(here + "/media") }
            let said = isMerged ? "merged" : "saved"
            return writing.saved(action == "done" ? page.href(said: said) : here + "?said=\(said)")
        case .conflicts(let conflicts, let latest):
            let screen = MergeScreen(page: latest, conflicts: conflicts, action: here, screen: "s")
            return writing.shown(try screen.content())
        case .gone(let base, let latest):
            let former = base?.section(id)
            return try restored(latest, "wholesection", former?.title, typed.title, at: here) {
                .all([.restoreSection(former ?? DraftSection(id: id, title: "")), .changeSection(id, typed)])
            }
        }
    }

    // MARK: The settings

    func settings(_ page: DraftPage) throws -> AuthoringReply {
        let typed = SettingsFields(request.form)
        let save = MergedSave<SettingsFields>(
            writing: writing, fields: { SettingsFields($0) },
            mine: { base, theirs, _ in typed.fitted(from: base ?? theirs) },
            parts: { _, _, _ in SettingsFields.parts }, edit: { .settings($0) })
        switch try save.save(page) {
        case .saved(_, let isMerged):
            return writing.saved(page.href("settings", said: isMerged ? "merged" : "saved"))
        case .conflicts(let conflicts, let latest):
            let screen = MergeScreen(
                page: latest, conflicts: conflicts, action: latest.href("settings"), screen: "settings")
            return writing.shown(try screen.content())
        case .gone(_, let latest): return .seeOther(latest.href("settings", said: "changed"))
        }
    }

    // MARK: What was deleted meanwhile

    /// Asks whether what another author deleted comes back with what was typed; does what was chosen.
    private func restored(
        _ page: DraftPage, _ name: String, _ base: String?, _ mine: String, at action: String, edit: () -> DraftEdit
    ) throws -> AuthoringReply {
        switch request.form["pick.\(name)"] {
        case "theirs": return writing.saved(page.href())
        case "mine":
            let document = edit().applied(to: page.document)
            let saved = try writing.context.services.drafts.save(
                page.draft.next(document.json), by: request.author)
            if saved != nil { return writing.saved(page.href(said: "saved")) }
        // Another author saved between the look and the write: the choice is shown again.
        default: break
        }
        let conflict = FieldConflict(name: name, base: base.map { .text($0) }, theirs: .deleted, mine: .text(mine))
        let screen = MergeScreen(
            page: try writing.latest(page), conflicts: [conflict], action: action,
            screen: name == "wholesection" ? "s" : "q")
        return writing.shown(try screen.content())
    }
}
