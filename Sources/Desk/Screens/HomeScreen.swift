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
        var items = entries.map { entry in
            let own = [entry.id, entry.localId].compactMap { $0 }.compactMap { counts.removeValue(forKey: $0) }
            let sum = own.reduce(into: Counts()) {
                $0.tests += $1.tests
                $0.checking += $1.checking
                $0.rated += $1.rated
            }
            return item(entry.id, entry.title, entry.questionCount, sum)
        }
        // Tests stay when their questionnaire is deleted.
        for (id, count) in counts.sorted(by: { $0.key < $1.key }) {
            var item = item(id, count.title, nil, count)
            item["gone"] = context.language.text("not published any more")
            items.append(item)
        }
        return DeskScreens.Content(
            template: .home, title: context.language.text("Questionnaires"),
            model: ["items": items, "empty": items.isEmpty])
    }

    private func counts() throws -> [String: Counts] {
        var counts: [String: Counts] = [:]
        for test in try context.services.archive.list().tests {
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
