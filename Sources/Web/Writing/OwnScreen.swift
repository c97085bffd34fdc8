import AuthorDrafts
import Authoring
import HTTPServing
import Model
import OutboxStore
import Quire

/// The questionnaires that were made or changed on this device, with the states of their changes, and the drafts.
struct OwnScreen {
    let context: ScreenContext

    func content() throws -> Screens.Content {
        let (store, words) = (context.store, context.words)
        let readable = try store.authoring.drafts().readable()
        let drafts = readable.drafts.sorted { $0.savedAt > $1.savedAt }
        let conflicts = Dictionary(
            try store.conflicts().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let known = try store.localQuestionnaires().all
        let ofPublished = Dictionary(
            drafts.compactMap { draft in draft.questionnaire.map { ($0, draft) } },
            uniquingKeysWith: { first, _ in first })
        // A deletion that the server has is nothing to see any more.
        let changed = known.values.filter { !$0.isDeletion || !$0.status.isDelivered }.sorted {
            ($0.stored.change.dateChanged, $0.stored.item.id) > ($1.stored.change.dateChanged, $1.stored.item.id)
        }
        let listed = Set(changed.map(\.stored.change.questionnaire))
        // One of a merged store may be the second draft of a questionnaire.
        var items = try drafts.filter { draft in
            draft.questionnaire.map { !listed.contains($0) || ofPublished[$0]?.id != draft.id } ?? true
        }.map(row)
        items += try changed.map { local in
            try row(local, conflicts[local.stored.item.id], ofPublished[local.stored.change.questionnaire])
        }
        return Screens.Content(
            template: .own, title: words.text("My questionnaires"),
            model: [
                "heading": words.text("My questionnaires"),
                "about": words.text(
                    "Questionnaires that are written on this device, without a connection, too. What you publish is sent with the next sync."
                ),
                "newHref": StoreAuthoring.root + "/new", "newName": words.text("New questionnaire"),
                "empty": items.isEmpty, "nothing": words.text("Nothing was written here yet."), "items": items,
                "edit": words.text("Edit"), "goOn": words.text("Continue the draft"),
                "delete": words.text("Delete"),
                "damaged": readable.damaged.map { ["text": words.text("A draft cannot be read: \($0.description)")] },
                "deleteAbout": words.text("It is deleted here, and at the server with the next sync."),
            ])
    }

    /// A draft of which nothing is published here.
    private func row(_ draft: AuthorDraft) throws -> [String: any Sendable] {
        let language = context.request.language
        return [
            "title": DraftPage.title(draft, language), "kind": "draft",
            "state": try DraftPage.state(draft, language, context.store.authoring.original),
            "time": draft.savedAt.description, "timeWords": draft.savedAt.inWords,
            "draft": ["href": StoreAuthoring.root + "/\(draft.id)", "name": DraftPage.title(draft, language)],
            "questions": context.words.questions(DraftDocument(draft.document).questionCount),
        ]
    }

    private func row(
        _ local: LocalQuestionnaires.Local, _ conflict: QuestionnaireConflict?, _ draft: AuthorDraft?
    ) throws -> [String: any Sendable] {
        let language = context.request.language
        var row = try ChangeList(context: context).row(local.stored, conflict)
        let id = local.stored.change.questionnaire
        row["isDeletion"] = local.isDeletion
        row["id"] = id
        row["editable"] = !local.isDeletion && draft == nil
        if !local.isDeletion {
            row["versions"] = [
                "href": StoreAuthoring.root + "/of/" + PercentEncoding.encode(id),
                "name": context.words.text("Versions"),
            ]
        }
        if !local.isDeletion, let here = try context.store.documents.openHere(id: id) {
            row["deletable"] = ["version": here.digest.description]
        }
        if let draft {
            row["draftState"] = try DraftPage.state(draft, language, context.store.authoring.original)
            row["draft"] = [
                "href": StoreAuthoring.root + "/\(draft.id)", "name": DraftPage.title(draft, language),
            ]
        }
        return row
    }
}
