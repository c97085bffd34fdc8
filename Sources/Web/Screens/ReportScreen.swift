import Disk
import HTTPServing
import Model
import OutboxStore
import Quire
import QuireWording
import RichText
import Wording

/// A finished test: its status, the next step, its rating and the proof of its delivery.
struct ReportScreen {
    let context: ScreenContext

    private var words: PageWords { context.words }

    func content(_ id: TestID) throws -> Screens.Content {
        let line = try context.store.outboxListing.test(id)
        if let record = line.record { try context.store.people.checkShown(record) }
        let status = line.item.status
        let isOpen = status == .rejected || status == .conflict
        let title = line.record?.questionnaire.name ?? id.description
        var model: [String: any Sendable] = [
            "title": title, "id": id.description, "action": "/t/\(id)", "kind": status.tone,
            "state": TestWords(line: line, context: context).state,
            "crumb": status.isDelivered ? "/results" : "/outbox",
            "crumbName": words[status.isDelivered ? .results : .outbox],
            "retry": isOpen || status == .done && !context.live.isSending
                || context.store.resending.isMissing(line.item),
            "discard": isOpen || status == .done,
            "reopen": isOpen || status == .done || status.isDelivered,
            "hasActions": status != .sending, "proofOpen": false,
            "reopenWords": line.receipt?.returned != nil
                ? words.text("Correct the answers")
                : status == .done && line.receipt?.delivery?.mayHaveArrived != true
                    ? words.text("Change the answers")
                    : words.text("Change the answers in a new revision"),
            "reopenKind": line.receipt?.returned != nil ? "main" : "plain",
            "proofTitle": status.isDelivered
                ? words.text("Proof of delivery")
                : words.text("History"),
        ]
        for (key, value) in try next(line) { model[key] = value }
        for (key, value) in try revisions(line) { model[key] = value }
        let questionnaire = try line.record.flatMap { record in
            try context.store.questionnaire(of: record)?.shown(in: words.language, for: record)
        }
        if let evaluation = line.receipt?.rating {
            var rating = rating(evaluation, questionnaire)
            rating["changed"] = line.receipt?.changeWords(words.language)
            model["rating"] = rating
        }
        if let back = line.receipt?.returned {
            let words = back.by.map { context.words.text("Returned to be corrected by \($0)") }
            model["returned"] = [
                "words": words ?? context.words.text("Returned to be corrected"), "comment": back.comment,
            ]
        }
        if let moment = line.receipt?.releasesAt, moment >= context.now {
            model["later"] = words.text("More of the result is shown after \(moment.inWords).")
        }
        model["facts"] = try facts(line)
        // The server's value; before its reply, this device's.
        let taken =
            line.receipt?.timeTaken
            ?? line.record.flatMap { record in line.receipt?.late == nil ? questionnaire?.timeTaken(by: record) : nil }
        if line.receipt?.late ?? taken?.isLate ?? false {
            model["late"] = taken?.words(words.language) ?? TimeTaken.exceeded(words.language)
        }
        model["locale"] = questionnaire?.locale
        model["direction"] = questionnaire.map { TextDirection(of: $0).rawValue } ?? "auto"
        if questionnaire != nil { model["print"] = words.text("Print") }
        model["groups"] = try groups(line, questionnaire)
        return Screens.Content(template: .report, title: title, model: model)
    }

    /// The next step, its time, and why not now.
    func next(_ line: QuireStore.TestLine) throws -> [String: any Sendable] {
        if let fault = line.fault { return ["next": fault] }
        if context.store.resending.isMissing(line.item) {
            return [
                "next": words.text("The server no longer has it. It can be sent again, and is never counted twice.")
            ]
        }
        var model: [String: any Sendable] = [:]
        let due = line.item.status == .done ? line.modified : nil
        let isDue = due.map { $0 <= context.now } ?? true
        let next = words.next(
            line.item, isKept: line.keptAt != nil, isDue: isDue, isOnline: context.live.isOnline,
            context.storeContext.way)
        if !next.isEmpty { model["next"] = next }
        if line.item.status == .done {
            model["when"] = words.retry(
                at: due, reason: line.receipt?.delivery?.reason(in: words.language), now: context.now,
                context.storeContext.way)
        }
        return model
    }

    /// The versions of a test that was revised, each with a link, and why it may not be revised now.
    private func revisions(_ line: QuireStore.TestLine) throws -> [String: any Sendable] {
        guard let record = line.record else { return [:] }
        let store = context.store
        var model: [String: any Sendable] = [:]
        let earlier = try store.revisions.chain(of: record).earlier
        let tests = try store.tests()
        let later =
            line.item.status.isDraft ? [] : Revisions.laterVersions(of: record.id, among: tests).map(\.item.id)
        let chain = earlier + [record.id] + later
        if chain.count > 1 {
            let known = Dictionary(tests.map { ($0.item.id, $0) }) { first, _ in first }
            let versions = chain.compactMap { id -> [String: any Sendable]? in
                guard let test = known[id] else { return nil }
                return [
                    "href": "/t/\(id)", "current": id == record.id,
                    "state": TestWords(line: test, context: context).state,
                    "name": TestWords(line: test, context: context).revision ?? words.text("first version"),
                ]
            }
            model["chain"] = ["name": words.text("Versions of this test"), "tests": versions] as [String: any Sendable]
        }
        let access = try store.revisions.accessToRevision(of: line.item, record, line.receipt)
        if let refusal = access.refusal(words.language) {
            model["reopen"] = false
            model["unavailable"] = refusal
        }
        return model
    }

    private func rating(_ evaluation: Evaluation, _ questionnaire: Questionnaire?) -> [String: any Sendable] {
        var model: [String: any Sendable] = [
            "score": words.number(evaluation.score), "of": words.of(evaluation.maximum),
            "maximum": "\(max(evaluation.maximum, 0.001))",
            "value": "\(min(max(evaluation.score, 0), max(evaluation.maximum, 0.001)))",
        ]
        if let isPassed = evaluation.isPassed(questionnaire) {
            model["passed"] = [
                "kind": isPassed ? "good" : "bad", "text": isPassed ? words.text("Passed") : words.text("Not passed"),
            ]
        }
        if let by = evaluation.ratedBy {
            model["by"] =
                by == "key"
                ? words.text("By the answer key") : words.text("By \(by)")
        }
        model["comment"] = evaluation.comment.flatMap { $0.isEmpty ? nil : $0 }
        return model
    }

    private func facts(_ line: QuireStore.TestLine) throws -> [[String: any Sendable]] {
        var facts: [[String: any Sendable]] = []
        func add(_ name: String, _ moment: Timestamp?) {
            guard let moment else { return }
            facts.append(["name": name, "value": moment.inWords, "time": moment.description])
        }
        func add(_ name: String, code: String?) {
            guard let code else { return }
            facts.append(["name": name, "value": code, "code": true])
        }
        add(words.text("Started"), line.record?.dateStarted)
        add(words.text("Finished"), line.record?.dateFinished)
        add(words.text("Kept at the hub", context: "history"), line.keptAt)
        add(words.text("Received by the server"), line.receipt?.receivedAt)
        add(words.text("Rated", context: "history"), line.receipt?.rating?.ratedAt)
        if let delivery = line.receipt?.delivery, delivery.attempts > 0 {
            facts.append(["name": words.text("Attempts"), "value": "\(delivery.attempts)"])
            add(words.text("Last attempt"), delivery.lastAttempt)
            facts.append(["name": words.text("Reason"), "value": delivery.reason(in: words.language)])
        }
        add(words.text("Number"), code: line.item.id.description)
        let chain = try line.record.map(context.store.revisions.chain)
        if let revision = chain?.words(words.language) {
            facts.append(["name": words.text("Revision"), "value": revision])
        }
        if line.item.status.isDelivered {
            add(words.text("Receipt for"), code: line.receipt?.digest?.description)
            if let stored = context.store.outbox.listed(line.item), let digest = line.receipt?.digest {
                facts.append([
                    "name": words.text("Compared with the file"),
                    "value": stored.digest == digest
                        ? words.text("identical") : words.text("differs"),
                ])
            }
        }
        add(words.text("File"), code: context.store.path.pushing(line.item.path).string)
        return facts
    }

    /// The answers with the passages that they belong to.
    private func groups(
        _ line: QuireStore.TestLine, _ questionnaire: Questionnaire?
    ) throws -> [[String: any Sendable]] {
        let rows = try answers(line, questionnaire)
        guard let questionnaire, !questionnaire.sections.isEmpty else { return [["answers": rows]] }
        let passages = SectionPassages(questionnaire, words)
        let byID = Dictionary(rows.compactMap { row in (row["id"] as? String).map { ($0, row) } }) { first, _ in first }
        let places = questionnaire.questions.indices.filter { byID[questionnaire.questions[$0].id] != nil }
        return questionnaire.groups(places).map { group in
            var model: [String: any Sendable] = [
                "answers": group.places.compactMap { byID[questionnaire.questions[$0].id] }
            ]
            model["passage"] = passages.model(of: group.section, isOpen: false)
            return model
        }
    }

    /// The answers; beside them those of another version of the same test, if there is one.
    private func answers(
        _ line: QuireStore.TestLine, _ questionnaire: Questionnaire?
    ) throws -> [[String: any Sendable]] {
        guard let record = line.record else { return [] }
        let rated = line.receipt?.ratedQuestions(in: questionnaire?.locale) ?? [:]
        let facts = ResultFacts(questionnaire, words)
        let other =
            try line.item.status == .conflict
            ? context.store.tests().first { $0.item.id == record.id && $0.item.status != .conflict }?.record : nil
        let files = FileRows(record, context)
        let texts = AuthorTexts(questionnaire)
        // Hidden questions were not asked.
        let hidden = questionnaire?.hiddenQuestions(by: record.answers, record.attachments) ?? []
        let ids =
            questionnaire?.questions.filter { $0.kind.takesAnswer && !hidden.contains($0.id) }.map(\.id)
            ?? record.answers.map(\.questionId)
        return ids.indices.map { index in
            let id = ids[index]
            let question = questionnaire?.question(id)
            let text = question?.text ?? id
            var row: [String: any Sendable] = [
                "id": id, "number": "\(index + 1)", "isLong": QuestionCards.isLong(text),
                "place": words.place(index + 1, of: ids.count),
            ]
            if question != nil {
                texts.add(question: text, hasGaps: question?.input == .gaps, to: &row)
            } else {
                row["text"] = text
                row["dir"] = "auto"
                row["locale"] = questionnaire?.locale
            }
            if let chosen = texts.chosen(record.answer(to: id), of: question) {
                row["hasChosen"] = true
                row["chosen"] = chosen
            } else {
                row["given"] = Self.text(record.answer(to: id), question)
            }
            files.add(id, to: &row)
            if let other, other.answer(to: id) != record.answer(to: id) {
                row["theirs"] = texts.line(other.answer(to: id), to: question) ?? words[.notAnswered]
            }
            facts.addOptions(of: question, record.answer(to: id), to: &row)
            if let rated = rated[id] { facts.add(rated, to: &row) }
            return row
        }
    }

    static func text(_ answer: Answer?, _ question: Question? = nil) -> String? {
        answer.flatMap { $0.isBlank ? nil : question?.line($0) ?? $0.texts.joined(separator: ", ") }
    }

    func discard(_ id: TestID) throws -> Screens.Content {
        let line = try context.store.outboxListing.test(id)
        if let record = line.record { try context.store.people.checkShown(record) }
        if line.item.status.isDelivered { throw OutboxError.delivered(id) }
        let title = line.record?.questionnaire.name ?? id.description
        let count = line.record?.answers.count ?? 0
        let exposure = try context.store.explainer.exposure(of: line.item)?.words(words.language)
        return Screens.Content(
            template: .discard, title: words[.discardTitle],
            model: [
                "title": title, "action": "/t/\(id)",
                "exposure": exposure.map { words.text("But \($0).") } ?? "",
                "about": TestWords(line: line, context: context).state + ", " + words.answers(count),
            ])
    }
}
