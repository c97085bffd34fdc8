import AuthorDrafts
import Authoring
import Host
import Model
import WireFormat

/// The questionnaires, with what waits for marks.
struct HomeScreen {
    let context: DeskContext

    private struct Counts {
        var title = ""
        var tests = 0
        var checking = 0
        var rated = 0
    }

    func content() throws -> DeskScreens.Content {
        let entries = try context.services.questionnaires()
        // An author's key reads questionnaires, and nothing of tests.
        var counts = context.request.canMark ? try self.counts() : [:]
        let drafts = try context.services.drafts.all()
        let ofPublished = Dictionary(drafts.compactMap { draft in draft.questionnaire.map { ($0, draft) } }) {
            first, _ in first
        }
        var items = try drafts.filter { $0.questionnaire == nil }.sorted { $0.savedAt > $1.savedAt }.map(item)
        items += try entries.map { entry in
            let own = [entry.id, entry.localId].compactMap { $0 }.compactMap { counts.removeValue(forKey: $0) }
            let sum = own.reduce(into: Counts()) {
                $0.tests += $1.tests
                $0.checking += $1.checking
                $0.rated += $1.rated
            }
            var item = item(entry.id, entry.title, entry.questionCount, sum)
            item["edit"] = ["id": entry.id]
            item["versionsHref"] = VersionScreens.path(entry.id)
            item["versionsLabel"] = context.language.text("Versions: \(entry.title)")
            if let draft = ofPublished[entry.id] {
                item["draft"] = try state(draft)
                item["draftHref"] = DeskAuthoring.path(draft.id)
                item["edit"] = nil
            }
            return item
        }
        // Tests stay when their questionnaire is deleted.
        for (id, count) in counts.sorted(by: { $0.key < $1.key }) {
            var item = item(id, count.title, nil, count)
            item["gone"] = context.language.text("not published any more")
            items.append(item)
        }
        var content = DeskScreens.Content(
            template: .home, title: context.language.text("Questionnaires"),
            model: ["items": items, "empty": items.isEmpty])
        if let id = context.request.query["published"], let entry = entries.first(where: { $0.id == id }) {
            content.said = ("good", context.language.text("“\(entry.title)” is published."))
        }
        return content
    }

    /// A questionnaire that was never published.
    private func item(_ draft: AuthorDraft) throws -> [String: any Sendable] {
        let document = DraftDocument(draft.document)
        let count = document.questionCount
        return [
            "title": DraftPage.title(draft, context.language), "href": DeskAuthoring.path(draft.id),
            "questions": context.language.plural(count, one: "1 question", other: "\(count) questions"),
            "draft": try state(draft), "draftHref": DeskAuthoring.path(draft.id),
        ]
    }

    private func state(_ draft: AuthorDraft) throws -> String {
        try DraftPage.state(draft, context.language, context.services.original)
    }

    private func counts() throws -> [String: Counts] {
        var counts: [String: Counts] = [:]
        for test in try context.services.archive.lists.summaries() {
            var count = counts[test.questionnaire.id] ?? Counts(title: test.questionnaire.title)
            count.tests += 1
            if test.status == .checking { count.checking += 1 }
            if test.status == .rated { count.rated += 1 }
            counts[test.questionnaire.id] = count
        }
        return counts
    }

    private func item(_ id: String, _ title: String, _ questions: Int?, _ counts: Counts) -> [String: any Sendable] {
        let language = context.language
        var item: [String: any Sendable] = ["id": id, "title": title]
        if let questions {
            item["questions"] = language.plural(questions, one: "1 question", other: "\(questions) questions")
        }
        guard context.request.canMark else { return item }
        let href = QuestionnairePage.path(id)
        item["href"] = href
        item["tests"] = language.plural(counts.tests, one: "1 test", other: "\(counts.tests) tests", context: "results")
        if counts.rated > 0 { item["rated"] = language.text("\(counts.rated) rated") }
        if counts.checking > 0 {
            item["waiting"] = context.waiting(counts.checking)
            item["marking"] = href + "/marking"
        }
        return item
    }
}
