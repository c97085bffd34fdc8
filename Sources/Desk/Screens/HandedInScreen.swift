import Model
import Results

/// Lists the tests of a questionnaire by person, each with its status.
struct HandedInScreen {
    let page: QuestionnairePage

    func content() throws -> DeskScreens.Content {
        let language = page.language
        let order = TableOrder(page.context.request)
        let heads = [
            ("name", language.text("Name")), ("group", language.text("Group")), ("attempt", language.text("Attempt")),
            ("status", language.text("Status")), ("late", language.text("Late")), ("score", language.text("Score")),
            ("received", language.text("Received")),
        ].map { key, name in order.head(key, name) { page.href("", $0) } }
        let missing = page.table.missing(of: try page.context.services.people())
        return page.content(
            .handedin, "",
            [
                "hasMissing": !missing.isEmpty, "missing": missing.map { ["name": $0.fullName] },
                "missingTitle": language.text("Not handed in yet: \(missing.count)"),
                "heads": heads, "rows": sorted(order).map(row),
                "counts": StatisticsWords(language: language).counts(ResultStatistics(page.table)),
            ])
    }

    private func sorted(_ order: TableOrder) -> [ResultTable.Row] {
        let rows = page.table.rows
        switch order.key {
        case "group": return order.sorted(rows) { $0.person?.group }
        case "attempt": return order.sorted(rows) { $0.attempt }
        case "status": return order.sorted(rows) { $0.status.rawValue }
        case "late": return order.sorted(rows) { $0.late ? 0 : 1 }
        case "score": return order.sorted(rows) { $0.score }
        case "received": return order.sorted(rows) { $0.receivedAt?.millisecondsSinceEpoch }
        // They are in the order of names.
        default: return order.isDescending ? rows.reversed() : rows
        }
    }

    private func row(_ row: ResultTable.Row) -> [String: any Sendable] {
        let context = page.context
        var model: [String: any Sendable] = [
            "href": "/desk/t/\(row.test)", "name": row.person?.name ?? page.name(row),
            "group": row.person?.group ?? "", "attempt": "\(row.attempt)", "kind": row.status.kind,
            "state": row.status.words(page.language), "late": row.late ? page.language.text("late") : "",
            "time": row.receivedAt?.description ?? "", "timeWords": context.time(row.receivedAt), "score": "",
        ]
        if let score = row.score, let maximum = row.maximum {
            model["score"] = context.points(score, maximum)
        }
        return model
    }
}
