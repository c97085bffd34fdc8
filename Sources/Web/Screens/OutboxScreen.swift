import Disk
import Model
import OutboxStore
import Quire
import QuireWording

/// Everything that is not delivered: drafts, waiting items, and those that a person must decide about.
struct OutboxScreen {
    let context: ScreenContext

    func content() throws -> Screens.Content {
        let words = context.words
        let all = try context.tests()
        let lost = Set(try context.store.resending.missingTests().map(\.id))
        let lines = all.filter { !$0.item.status.isDelivered }
        let missing = all.filter { $0.item.status.isDelivered && lost.contains($0.item.id) }
        let retryAll: [String: any Sendable] = [
            "action": "/outbox/retry", "title": words.text("Try all again now"),
        ]
        var summaries = AnswerSummaries(all, context.store, context.request.language)
        let open = lines.filter { $0.fault != nil || $0.item.status == .rejected || $0.item.status == .conflict }
        let waiting = lines.filter { $0.fault == nil && $0.item.status.isWaiting }
        let drafts = lines.filter { $0.fault == nil && $0.item.status.isDraft }
        var groups: [[String: any Sendable]] = []
        func add(
            _ key: String, _ name: String, _ about: String?, _ lines: [QuireStore.TestLine],
            button: [String: any Sendable]? = nil
        ) throws {
            guard !lines.isEmpty else { return }
            var group: [String: any Sendable] = [
                "key": key, "name": name, "tests": try lines.reversed().map { try row($0, summaries.summary(of: $0)) },
            ]
            group["about"] = about
            group["button"] = button
            groups.append(group)
        }
        try add(
            "decide", words.text("You decide"),
            words.text("These were not accepted, or were changed elsewhere. They stay here until you decide."), open,
            button: open.contains { context.store.resending.isRefusedByStranger($0.item) } ? retryAll : nil)
        try add(
            "missing", words.text("No longer on the server"),
            words.text(
                "The server had these and no longer has them, perhaps because it was restored from an older backup. They are kept here and can be sent again."
            ),
            missing, button: ["action": "/outbox/resend", "title": words.text("Send all again")])
        try add(
            "waiting", words.text("Waiting to be sent"), nil, waiting,
            button: waiting.contains { $0.item.status == .done } ? retryAll : nil)
        let changes = try context.store.outbox.changes().map(\.item.status)
        groups += try ChangeList(context: context).groups()
        try add("drafts", words.text("Not finished"), nil, drafts)
        return Screens.Content(
            template: .outbox, title: words[.outbox],
            model: [
                "groups": groups, "empty": groups.isEmpty,
                // Drafts alone leave nothing to send.
                "canSend": !waiting.isEmpty || changes.contains { $0.isWaiting },
            ])
    }

    private func row(_ line: QuireStore.TestLine, _ first: String?) throws -> [String: any Sendable] {
        let words = context.words
        let status = line.item.status
        var row: [String: any Sendable] = [
            "href": "/t/\(line.item.id)", "title": line.record?.questionnaire.name ?? line.item.id.description,
            "kind": line.fault == nil ? status.tone : "bad", "state": TestWords(line: line, context: context).state,
            "answers": words.answers(line.record?.answers.count ?? 0), "draft": status.isDraft,
            "retry": line.fault == nil && status != .sending && !status.isDraft,
            "discard": line.fault == nil && status != .sending && !status.isDelivered,
        ]
        row["first"] = first
        row["revision"] = TestWords(line: line, context: context).revision
        if let moment = line.changed {
            row["time"] = moment.description
            row["timeWords"] = moment.inWords
        }
        if !status.isDraft || line.fault != nil {
            for (key, value) in try ReportScreen(context: context).next(line) { row[key] = value }
        }
        return row
    }
}
