import AuthorDrafts
import HTTPServing
import Model

/// Saves a form of a draft, also over a state that its author did not see.
struct MergedSave<Fields: Equatable> {
    let writing: WritingRouter
    /// The fields of a document; `nil` where what the form is about is gone.
    let fields: (DraftDocument) -> Fields?
    /// What was typed, fitted to the state that it is saved over.
    ///
    /// Its arguments are the state that the author saw, where it is kept, the later one, and its document.
    let mine: (_ base: Fields?, _ theirs: Fields, _ document: DraftDocument) -> Fields
    let parts: (_ base: Fields?, _ theirs: Fields, _ mine: Fields) -> [FieldPart<Fields>]
    let edit: (Fields) -> DraftEdit

    enum Outcome {
        /// - Parameter isMerged: whether another author's change is in it, too.
        case saved(AuthorDraft, isMerged: Bool)
        case conflicts([FieldConflict], DraftPage)
        /// Another author deleted what the form is about.
        ///
        /// - Parameter base: the document that the author saw; `nil` where it is not kept any more.
        case gone(base: DraftDocument?, DraftPage)
    }

    private var form: FormFields { writing.context.request.form }

    func save(_ first: DraftPage) throws -> Outcome {
        guard let seen = form["version"].flatMap({ Int($0) }) else {
            throw AuthoringError.notOurs
        }
        var page = first
        while true {
            let base = try self.document(seen, page)
            guard let theirs = fields(page.document) else { return .gone(base: base, page) }
            let former = base.flatMap(fields)
            let mine = self.mine(former, theirs, page.document)
            let shown = try form["saw"].flatMap { Int($0) }.flatMap { try self.document($0, page) }.flatMap(fields)
            let merge = FieldMerge(base: former, theirs: theirs, mine: mine, parts: self.parts(former, theirs, mine)) {
                part in
                // A choice between these two, and no later state.
                guard let shown, part.isSame(shown, theirs) else { return nil }
                return form["pick.\(part.name)"].flatMap(MergeSide.init(rawValue:))
            }
            guard merge.conflicts.isEmpty else { return .conflicts(merge.conflicts, page) }
            let document = edit(merge.fields).applied(to: page.document)
            if document == page.document { return .saved(page.draft, isMerged: merge.hasOtherChanges) }
            let next = page.draft.next(document.json)
            if let saved = try writing.context.services.drafts.save(next, by: writing.context.request.author) {
                return .saved(saved, isMerged: merge.hasOtherChanges)
            }
            // Another author saved between the look and the write.
            guard let latest = try writing.context.services.drafts.latest(page.draft.id) else {
                throw AuthoringError.gone
            }
            page = DraftPage(writing.context, latest)
        }
    }

    private func document(_ version: Int, _ page: DraftPage) throws -> DraftDocument? {
        if version == page.draft.version { return page.document }
        return try writing.context.services.drafts.state(version, of: page.draft.id).map { DraftDocument($0.document) }
    }
}
