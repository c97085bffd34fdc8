import Authoring
import Host
import Model
import Results
import WireFormat

/// Where each person of a class stands with a questionnaire, for a look while they take it.
struct WatchingScreen {
    let page: QuestionnairePage

    /// More rows are no overview: a group is chosen.
    private static let mostRows = 500
    private static let refreshSeconds = 20

    private enum State: CaseIterable {
        case missing, started, waiting, delivered, checking, rated, returned

        /// The state of a test that has arrived; of another one, the state that was reported last.
        init(_ entry: ResultOverview.Entry?, _ open: OpenTest?) {
            guard let entry else {
                switch open?.state {
                case nil: self = .missing
                case .started: self = .started
                case .waiting: self = .waiting
                }
                return
            }
            if entry.isReturned {
                self = .returned
                return
            }
            switch entry.summary.status {
            case .checking: self = .checking
            case .rated: self = .rated
            default: self = .delivered
            }
        }

        var kind: String {
            switch self {
            case .missing: ""
            case .started, .delivered: "calm"
            case .waiting, .checking, .returned: "newer"
            case .rated: "good"
            }
        }

        func words(_ language: Language) -> String {
            switch self {
            case .missing: language.text("not handed in")
            case .started: language.text("is at it")
            case .waiting: language.text("waits at a hub")
            case .delivered: language.text("delivered")
            case .checking: language.text("being checked")
            case .rated: language.text("rated")
            case .returned: language.text("returned to be corrected")
            }
        }
    }

    private struct Line {
        var person: Person
        /// Their last test.
        var entry: ResultOverview.Entry?
        /// The test that they opened last, of those that have not arrived.
        var open: HeardTest?
        var isListed: Bool
        var state: State { State(entry, open?.test) }
    }

    func content() throws -> DeskScreens.Content {
        let (language, query) = (page.language, page.context.request.query)
        let listed = try page.context.services.people()
        let group = query["group"].flatMap { $0.isEmpty ? nil : $0 }
        let all = lines(listed, try page.context.services.openTests(of: page.overview))
        let lines = group.map { group in all.filter { $0.person.group == group } } ?? all
        let isRefreshed = query["refresh"] != nil
        let groups = Set(all.compactMap(\.person.group)).sorted()
        func choice(_ value: String, _ name: String) -> [String: any Sendable] {
            ["value": value, "name": name, "selected": value == group ?? ""]
        }
        var model: [String: any Sendable] = [
            "empty": all.isEmpty, "rows": lines.prefix(Self.mostRows).map(row), "action": page.href("watching"),
            "hasGroups": groups.count > 1,
            "groups": [choice("", language.text("All groups"))] + groups.map { choice($0, $0) },
            "isRefreshed": isRefreshed,
            "refreshed": language.text("Load it again every \(Self.refreshSeconds) s"),
            "counts": State.allCases.map { state in
                [
                    "kind": state.kind, "name": state.words(language),
                    "count": "\(lines.count { $0.state == state })",
                ]
            },
            "asOf": TimedText.model(page.context.services.clock.now) { language.text("As of \($0)") },
        ]
        if lines.count > Self.mostRows { model["more"] = language.text("and \(lines.count - Self.mostRows) more") }
        var content = page.content(.watching, "watching", model)
        if isRefreshed { content.refresh = Self.refreshSeconds }
        return content
    }

    /// The people of the class lists in their order, then others whose tests are here.
    private func lines(_ listed: [Person], _ openTests: [HeardTest]) -> [Line] {
        var last: [String: ResultOverview.Entry] = [:]
        var open: [String: HeardTest] = [:]
        var others: [Person] = []
        var ids = Set(listed.map(\.id))
        for entry in page.overview.choosing(.last) {
            guard let person = entry.summary.person else { continue }
            if ids.insert(person.id).inserted { others.append(person) }
            last[person.id] = entry
        }
        for heard in openTests.sorted(by: { $0.since < $1.since }) {
            let person = heard.test.person
            if ids.insert(person.id).inserted { others.append(person) }
            open[person.id] = heard
        }
        func line(_ person: Person, isListed: Bool) -> Line {
            Line(person: person, entry: last[person.id], open: open[person.id], isListed: isListed)
        }
        return listed.map { line($0, isListed: true) } + others.map { line($0, isListed: false) }
    }

    /// Since when a test is open, and when the host heard so: nothing is known of what happened since.
    private func times(_ heard: HeardTest) -> [[String: any Sendable]] {
        let language = page.language
        return [
            TimedText.model(heard.since) { language.text("since \($0)") },
            TimedText.model(heard.heard) { language.text("heard \($0)") },
        ]
    }

    private func row(_ line: Line) -> [String: any Sendable] {
        let (context, language) = (page.context, page.language)
        var facts: [String] = []
        if let entry = line.entry {
            if entry.summary.late { facts.append(language.text("late")) }
            if !entry.isOfCurrentVersion { facts.append(language.text("an earlier version")) }
            if entry.summary.verified == false { facts.append(language.text("person not proven")) }
        }
        if line.entry == nil, line.open?.isOfCurrentVersion == false {
            facts.append(language.text("an earlier version"))
        }
        if !line.isListed { facts.append(language.text("not on the class list")) }
        var row: [String: any Sendable] = [
            "name": line.person.name, "group": line.person.group ?? "", "kind": line.state.kind,
            "state": line.state.words(language), "attempt": line.entry.map { "\($0.attempt)" } ?? "",
            "facts": facts.joined(separator: ", "), "received": TimedText.model(line.entry?.summary.receivedAt),
            "score": "", "link": false, "hub": false, "next": false, "times": [[String: any Sendable]](),
        ]
        if let open = line.open {
            if let hub = open.test.hub { row["hub"] = hub }
            row["times"] = times(open)
            // The person has handed in a test, and works on another attempt or a correction.
            if line.entry != nil { row["next"] = State(nil, open.test).words(language) }
        }
        if let entry = line.entry { row["link"] = ["href": "/desk/t/\(entry.test)"] }
        if let score = line.entry?.summary.score, let maximum = line.entry?.summary.maximum {
            row["score"] = context.points(score, maximum)
        }
        return row
    }
}
