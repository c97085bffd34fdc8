import CacheStore
import Disk
import HTTPServing
import Model
import OutboxStore
import Quire
import QuireWording
import Wording

/// One questionnaire and its actions.
struct QuestionnaireScreen: Sendable {
    let context: ScreenContext

    func content(id: String) async throws -> Screens.Content {
        let storeContext = context.storeContext
        let fault = Questionnaire.fault(inID: id)
        guard fault == nil else { throw PageProblem.notFound(context.request.language) }
        var document: OpenedDocument?
        var unavailable: String?
        do {
            document = try await storeContext.store.open(
                id: id, remote: storeContext.remote, isOffline: storeContext.isOffline)
        } catch let error as StoreError {
            unavailable = Self.reason(error, context.words)
        }
        let opened = document
        let item = try await offload {
            try storeContext.store.library().first { $0.id == id }
        }
        guard opened != nil || item != nil else { throw PageProblem.notFound(context.request.language) }
        let reason = unavailable
        return try await offload { try make(id, opened, item, reason) }
    }

    private static func reason(_ error: StoreError, _ words: PageWords) -> String {
        switch error {
        case .mustAskServer:
            words.text("The server requires a check before it is used, and cannot be reached now.")
        default:
            words.text("It is not on this device and cannot be fetched now. Try again when there is a connection.")
        }
    }

    private func make(
        _ id: String, _ document: OpenedDocument?, _ item: LibraryItem?, _ unavailable: String?
    ) throws -> Screens.Content {
        let words = context.words
        let shown = document?.questionnaire.shown(in: words.language)
        let title = ItemName.of(shown?.title ?? item?.title ?? id, id: id)
        let isFavorite = try item?.isFavorite ?? context.store.marks.ids(.favorite).contains(id)
        var model: [String: any Sendable] = [
            "href": "/q/\(PercentEncoding.encode(id))", "title": title,
            "favorite": isFavorite ? "true" : "false", "toggled": isFavorite ? "0" : "1",
            "fetch": document == nil
                ? words.text("Download") : words.text("Check for updates", context: "one"),
            "available": document != nil, "printable": document != nil, "print": words.text("Print"),
        ]
        // Written here: it is changed here, too.
        if let local = try context.store.localQuestionnaires().local(id), !local.isDeletion {
            model["written"] = ["id": local.stored.change.questionnaire, "name": words.text("Edit")]
        }
        if let unavailable { model["unavailable"] = unavailable }
        model["description"] = (shown?.description ?? item?.document.description).flatMap {
            $0.isEmpty ? nil : $0
        }
        let texts = AuthorTexts(shown)
        model["dir"] = texts.direction
        if let html = (shown?.description).flatMap(texts.html(text:)), !html.isEmpty {
            model["description"] = nil
            model["formattedDescription"] = html
        }
        model["locale"] = shown?.locale ?? item?.document.locale
        let count = document?.questionnaire.countInTest ?? item?.document.questionCount ?? 0
        model["questions"] = words.questions(count)
        var facts = try item.map { try ItemFacts(item: $0, context: context).list() } ?? []
        if let limit = document?.questionnaire.timeLimit {
            let span = TimeSpan.format(seconds: Double(limit), context.request.language)
            facts.append(["kind": "limit", "text": words.text("\(span) at most")])
            if document?.questionnaire.finishesAtTimeLimit == true {
                facts.append(["kind": "limit", "text": context.request.language.endsByItself])
            }
        }
        for topic in shown?.topics.words ?? [] { facts.append(["kind": "plain", "text": topic]) }
        if let languages = shown?.languages, languages.count > 1 {
            facts.append(["kind": "plain", "text": languages.map(Language.name(ofTag:)).joined(separator: ", ")])
        }
        if let required = document?.questionnaire.questions.count(where: \.required), required > 0 {
            facts.append(["kind": "plain", "text": words.text("\(required) required")])
        }
        if let questionnaire = document?.questionnaire, let availability = questionnaire.availability {
            let attempt = try context.store.attempts.next(ofQuestionnaire: id)
            let language = context.request.language
            for text in availability.facts(now: context.store.clock.now, attempt: attempt, language) {
                facts.append(["kind": "limit", "text": text])
            }
            if let refusal = try context.store.attempts.access(to: questionnaire).refusal(language) {
                model["unavailable"] = refusal
                model["available"] = false
            }
        }
        model["facts"] = facts
        let lines = try context.tests().filter { $0.record?.questionnaire.id == id }.reversed()
        let drafts = lines.filter { $0.item.status.isDraft }
        if let draft = drafts.first { model["draft"] = ["href": "/t/\(draft.item.id)"] }
        let people = context.live.people
        if !people.people.isEmpty { model["seen"] = ["person": people.current?.id ?? ""] }
        let listed = Array(lines.prefix(20))
        var summaries = AnswerSummaries(listed, context.store, context.request.language)
        if !listed.isEmpty { model["earlier"] = ["tests": listed.map { row($0, summaries.summary(of: $0)) }] }
        return Screens.Content(
            template: .questionnaire, title: title, model: model)
    }

    private func row(_ line: QuireStore.TestLine, _ first: String?) -> [String: any Sendable] {
        let words = context.words
        let moment = line.changed
        var row: [String: any Sendable] = [
            "href": "/t/\(line.item.id)",
            "name": moment.map(\.inWords) ?? line.item.id.description,
            "kind": line.item.status.tone,
            "state": TestWords(line: line, context: context).state, "time": moment?.description ?? "",
        ]
        row["first"] = first
        row["revision"] = TestWords(line: line, context: context).revision
        if let evaluation = line.receipt?.rating {
            row["score"] = words.number(evaluation.score) + " " + words.of(evaluation.maximum)
        }
        return row
    }
}
