import Host
import Model
import Results

/// The title and tabs that all screens of a questionnaire share.
struct QuestionnairePage {
    let context: DeskContext
    let table: ResultTable

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
        var path = Self.path(table.id)
        if !screen.isEmpty { path += "/" + screen }
        let pairs = query.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
        return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    /// The model with the frame of its screens.
    func content(
        _ template: DeskScreens.Template, _ screen: String, _ model: [String: any Sendable]
    ) -> DeskScreens.Content {
        var model = model
        model["title"] = table.title
        model["empty"] = model["empty"] ?? table.rows.isEmpty
        let waiting = table.rows.count { $0.status == .checking }
        func tab(_ key: String, _ name: String, _ badge: Int = 0) -> [String: any Sendable] {
            var tab: [String: any Sendable] = ["href": href(key), "name": name, "current": key == screen]
            if badge > 0 { tab["badge"] = "\(badge)" }
            return tab
        }
        model["tabs"] = [
            tab("", language.text("Handed in")), tab("results", language.text("Results")),
            tab("statistics", language.text("Statistics")), tab("marking", language.text("Marking"), waiting),
        ]
        return DeskScreens.Content(template: template, title: table.title, model: model)
    }

    func name(_ row: ResultTable.Row) -> String {
        row.person?.fullName ?? language.text("Without a name") + " · " + row.test.description.prefix(8)
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

    /// Sorts rows; equal ones stay in their order, and those without a value are last either way.
    func sorted<Value: Comparable>(
        _ rows: [ResultTable.Row], by value: (ResultTable.Row) -> Value?
    ) -> [ResultTable.Row] {
        let keyed = rows.enumerated().map { (place: $0, row: $1, value: value($1)) }
        return keyed.sorted { left, right in
            switch (left.value, right.value) {
            case (nil, nil): return left.place < right.place
            case (nil, _): return false
            case (_, nil): return true
            case (let first?, let second?):
                if first == second { return left.place < right.place }
                return isDescending ? first > second : first < second
            }
        }.map(\.row)
    }
}
