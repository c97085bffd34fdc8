import Authoring
import Host
import Model
import Results
import Wording

/// Lists the tests of a questionnaire by person, each with its status, a page at a time.
struct HandedInScreen {
    let page: QuestionnairePage

    private static let mostMissing = 500

    func content() throws -> DeskScreens.Content {
        let language = page.language
        let order = TableOrder(page.context.request)
        let query = page.context.request.query
        let selection = TestSelection(
            page: page, screen: "", kept: [("sort", query["sort"]), ("order", query["order"])])
        let heads = [
            ("name", language.text("Name")), ("group", language.text("Group")), ("attempt", language.text("Attempt")),
            ("status", language.text("Status")), ("late", language.text("Late")), ("score", language.text("Score")),
            ("received", language.text("Received")),
        ].map { key, name in order.head(key, name) { page.href("", selection.members + $0) } }
        let missing = page.overview.missing(of: try page.context.services.people())
        let chosen = selection.entries(of: page.overview.entries)
        let (shown, links) = selection.pages(order.sorted(chosen))
        let chains = TestLists.revisionChains(of: page.overview.entries.map(\.summary))
        var model: [String: any Sendable] = [
            "hasMissing": !missing.isEmpty,
            "missing": missing.prefix(Self.mostMissing).map { ["name": $0.fullName] },
            "missingTitle": language.text("Not handed in yet: \(missing.count)"),
            "heads": heads, "rows": shown.map { row($0, chains[$0.test]) }, "counts": page.counts(chosen),
            "selection": selection.form(),
        ]
        model["pages"] = links
        return page.content(.handedin, "", model)
    }

    private func row(_ entry: ResultOverview.Entry, _ chain: RevisionChain?) -> [String: any Sendable] {
        let (context, summary) = (page.context, entry.summary)
        var model: [String: any Sendable] = [
            "href": "/desk/t/\(entry.test)", "name": summary.person?.name ?? page.name(entry),
            "group": summary.person?.group ?? "", "attempt": "\(entry.attempt)", "kind": summary.status.kind,
            "state": summary.status.words(page.language), "late": summary.late ? page.language.text("late") : "",
            "received": TimedText.model(summary.receivedAt), "score": "",
            "returned": entry.isReturned ? page.language.text("Returned to be corrected") : "",
            "isReturned": entry.isReturned,
        ]
        model["revision"] = chain?.mark(page.language)
        if let score = summary.score, let maximum = summary.maximum {
            model["score"] = context.points(score, maximum)
        }
        return model
    }
}
