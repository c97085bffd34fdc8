import Host
import Model
import Results

/// Which tests a list shows: by person, group, status and lateness, a page at a time, as the address says.
struct TestSelection {
    let page: QuestionnairePage
    /// The name of the screen in its address.
    let screen: String
    /// The rest of its address: attempts and order.
    let kept: [(String, String?)]

    static let pageSize = 100
    private static let mostOnPaper = 5000

    private var request: DeskRequest { page.context.request }
    private var language: Language { page.language }

    private func value(_ name: String) -> String? { request.query[name].flatMap { $0.isEmpty ? nil : $0 } }

    private var person: String? { value("person") }
    private var group: String? { value("group") }
    private var status: String? { value("status") }
    private var isLate: Bool { value("late") != nil }

    /// The query that keeps the selection in links.
    var members: [(String, String?)] {
        [("person", person), ("group", group), ("status", status), ("late", isLate ? "1" : nil)]
    }

    var isNarrowed: Bool { person != nil || group != nil || status != nil || isLate }

    func entries(of entries: [ResultOverview.Entry]) -> [ResultOverview.Entry] {
        guard isNarrowed else { return entries }
        let wanted = person.map(TextFolding.fold)
        return entries.filter { entry in
            let summary = entry.summary
            if let wanted {
                guard let name = summary.person?.name, TextFolding.fold(name).contains(wanted) else { return false }
            }
            if let group, summary.person?.group != group { return false }
            if isLate, !summary.late { return false }
            switch status {
            case nil: return true
            case "returned": return entry.isReturned
            case let status?: return summary.status.rawValue == status
            }
        }
    }

    /// One page of a list, with links to the others.
    func pages(
        _ entries: [ResultOverview.Entry]
    ) -> (shown: [ResultOverview.Entry], links: [String: any Sendable]?) {
        // For paper.
        if value("all") != nil { return (Array(entries.prefix(Self.mostOnPaper)), nil) }
        let pages = max(1, (entries.count + Self.pageSize - 1) / Self.pageSize)
        let number = min(max(value("page").flatMap { Int(place: $0) } ?? 1, 1), pages)
        let first = (number - 1) * Self.pageSize
        let shown = Array(entries[min(first, entries.count)..<min(first + Self.pageSize, entries.count)])
        guard pages > 1 else { return (shown, nil) }
        func href(_ number: Int) -> String {
            page.href(screen, kept + members + [("page", number == 1 ? nil : "\(number)")])
        }
        var links: [String: any Sendable] = [
            "place": language.text("\(first + 1)–\(first + shown.count) of \(entries.count)", context: "tests"),
            "label": language.text("Pages"),
        ]
        if number > 1 { links["previous"] = ["href": href(number - 1), "name": language.text("Previous")] }
        if number < pages { links["next"] = ["href": href(number + 1), "name": language.text("Next")] }
        return (shown, links)
    }

    /// The form that narrows a list.
    func form() -> [String: any Sendable] {
        func choice(_ value: String, _ name: String, _ current: String?) -> [String: any Sendable] {
            ["value": value, "name": name, "selected": value == current ?? ""]
        }
        return [
            "action": page.href(screen), "person": person ?? "", "isLate": isLate, "isNarrowed": isNarrowed,
            "all": page.href(screen, kept), "paper": page.href(screen, kept + members + [("all", "1")]),
            "kept": kept.compactMap { name, value in value.map { ["name": name, "value": $0] } },
            "hasGroups": page.overview.groups.count > 1,
            "groups": [choice("", language.text("All groups"), group)]
                + page.overview.groups.map { choice($0, $0, group) },
            "statuses": [choice("", language.text("Any status"), status)]
                + TestStatus.delivered.map { choice($0.rawValue, $0.words(language), status) }
                + [choice("returned", language.text("Returned to be corrected"), status)],
        ]
    }
}
