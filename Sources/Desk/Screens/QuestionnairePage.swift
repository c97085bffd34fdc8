import Host
import Model
import Results

/// The title and tabs that all screens of a questionnaire share.
struct QuestionnairePage {
    let context: DeskContext
    let overview: ResultOverview

    static func path(_ id: String) -> String { "/desk/q/" + PercentEncoding.encode(id) }

    var language: Language { context.language }

    /// Which attempts count, as the address says.
    var attempts: AttemptChoice {
        context.request.query["attempt"].flatMap(AttemptChoice.init(rawValue:)) ?? .last
    }

    /// An address of one of its screens.
    ///
    /// - Parameter query: without what is `nil`.
    func href(_ screen: String = "", _ query: [(String, String?)] = []) -> String {
        var path = Self.path(overview.id)
        if !screen.isEmpty { path += "/" + screen }
        let pairs = query.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
        return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    /// The model with the frame of its screens.
    func content(
        _ template: DeskScreens.Template, _ screen: String, _ model: [String: any Sendable]
    ) -> DeskScreens.Content {
        var model = model
        model["title"] = overview.title
        model["empty"] = model["empty"] ?? overview.entries.isEmpty
        let waiting = overview.waiting
        func tab(_ key: String, _ name: String, _ badge: Int = 0) -> [String: any Sendable] {
            var tab: [String: any Sendable] = ["href": href(key), "name": name, "current": key == screen]
            if badge > 0 { tab["badge"] = "\(badge)" }
            return tab
        }
        model["tabs"] = [
            tab("watching", language.text("Class")), tab("", language.text("Handed in")),
            tab("results", language.text("Results")),
            tab("statistics", language.text("Statistics")), tab("answers", language.text("Free answers")),
            tab("marking", language.text("Marking"), waiting),
        ]
        return DeskScreens.Content(template: template, title: overview.title, model: model)
    }

    func name(_ row: ResultTable.Row) -> String { name(row.person, row.test) }

    func name(_ entry: ResultOverview.Entry) -> String { name(entry.summary.person, entry.test) }

    private func name(_ person: Person?, _ test: TestID) -> String {
        person?.fullName ?? language.text("Without a name") + " · " + test.description.prefix(8)
    }

    /// How many tests there are, from the index.
    func counts(_ entries: [ResultOverview.Entry]) -> String {
        StatisticsWords(language: language).counts(
            tests: entries.count, rated: entries.count { $0.summary.status == .rated },
            waiting: entries.count { $0.summary.status == .checking }, late: entries.count { $0.summary.late })
    }

    /// The links that choose attempts.
    func attemptLinks(_ screen: String, _ rest: [(String, String?)] = []) -> [[String: any Sendable]] {
        let names: [(AttemptChoice, String)] = [
            (.last, language.text("Last attempts")), (.best, language.text("Best attempts")),
            (.first, language.text("First attempts")), (.all, language.text("All attempts")),
        ]
        return names.map {
            [
                "href": href(screen, [("attempt", $0 == .last ? nil : $0.rawValue)] + rest), "name": $1,
                "current": $0 == attempts,
            ]
        }
    }

    /// A section's name on one line.
    func line(_ section: SectionColumns, _ name: String) -> String { section.textFormat.line(of: name) }

    /// A question's text on one line.
    func line(_ column: ResultTable.Column) -> String { column.textFormat.line(of: column.question.text) }
}

/// The order of a table, chosen by links in its head.
struct TableOrder {
    let key: String
    let isDescending: Bool

    init(_ request: DeskRequest) {
        key = request.query["sort"] ?? "name"
        isDescending = request.query["order"] == "desc"
    }

    /// A head whose link sorts by it, or turns the order around.
    func head(
        _ key: String, _ name: String, title: String = "", _ href: ([(String, String?)]) -> String
    ) -> [String: any Sendable] {
        let isCurrent = key == self.key
        var head: [String: any Sendable] = [
            "name": name, "title": title.isEmpty ? name : title,
            "href": href([("sort", key), ("order", isCurrent && !isDescending ? "desc" : nil)]),
        ]
        if isCurrent { head["sort"] = isDescending ? "descending" : "ascending" }
        return head
    }

    /// Sorts tests; equal ones stay in their order, and those without a value are last either way.
    func sorted<Value: Comparable>(
        _ entries: [ResultOverview.Entry], by value: (ResultOverview.Entry) -> Value?
    ) -> [ResultOverview.Entry] {
        let keyed = entries.enumerated().map { (place: $0, entry: $1, value: value($1)) }
        return keyed.sorted { left, right in
            switch (left.value, right.value) {
            case (nil, nil): return left.place < right.place
            case (nil, _): return false
            case (_, nil): return true
            case (let first?, let second?):
                if first == second { return left.place < right.place }
                return isDescending ? first > second : first < second
            }
        }.map(\.entry)
    }

    /// Sorts by what every list has: name, group, attempt, status, late, score, time of arrival.
    func sorted(_ entries: [ResultOverview.Entry]) -> [ResultOverview.Entry] {
        switch key {
        case "group": return sorted(entries) { $0.summary.person?.group }
        case "attempt": return sorted(entries) { $0.attempt }
        case "status": return sorted(entries) { $0.summary.status.rawValue }
        case "late": return sorted(entries) { $0.summary.late ? 0 : 1 }
        case "score": return sorted(entries) { $0.summary.score }
        case "received": return sorted(entries) { $0.summary.receivedAt?.millisecondsSinceEpoch }
        // They are in the order of names.
        default: return isDescending ? entries.reversed() : entries
        }
    }
}
