import HTTPServing
import Model
import Quire
import RichText
import Wording

/// All answers once more, and the button that finishes.
struct ReviewScreen {
    let context: ScreenContext

    /// The answers are not those any more that the person looked at.
    struct Outdated: Error {}

    /// A short mark of everything that a review shows of a test: exactly the reviewed content is sent.
    static func mark(_ record: TestRecord) -> String {
        let answers = record.answers.filter { !$0.isBlank }.map { "\($0.questionId)\n\(AnswerForm.mark($0))" }.sorted()
        let files = record.attachments.map { "\($0.id) \($0.digest)" }
        return String(Digest(sha256Of: Array((answers + [""] + files).joined(separator: "\n").utf8)).hex.prefix(16))
    }

    /// More questions without an answer than this are counted, not named.
    private static let mostNamed = 20

    func content(_ draft: TestScreen.Draft) -> Screens.Content {
        let words = context.words
        let questions = draft.questionnaire.questions
        let texts = AuthorTexts(draft.questionnaire)
        let record = draft.stored.record
        func answer(_ question: Question) -> Answer? {
            record.answer(to: question.id).flatMap { $0.isBlank ? nil : $0 }
        }
        func fault(_ question: Question) -> String? {
            words.fault(answer(question), question)
                ?? question.problem(withFiles: record.attachments(to: question.id).count)
                .map { question.words(for: $0, words.language) }
        }
        let visible = draft.questionnaire.places(without: draft.hidden)
        let numbers = Dictionary(uniqueKeysWithValues: visible.enumerated().map { ($1, $0 + 1) })
        func number(_ index: Int) -> Int { numbers[index] ?? 1 }
        let open = visible.filter { questions[$0].kind.takesAnswer && !record.isAnswered(questions[$0].id) }
        let missing = open.filter { questions[$0].required }
        let wrong = visible.filter { fault(questions[$0]) != nil }
        var model: [String: any Sendable] = [
            "action": "/t/\(draft.id)", "id": draft.id.description, "shown": Self.mark(record),
            "title": draft.questionnaire.name, "direction": TextDirection(of: draft.questionnaire).rawValue,
            "summary": words.gaps(open.count),
            "open": open.prefix(Self.mostNamed).map { index in
                [
                    "number": "\(number(index))", "href": "/t/\(draft.id)?n=\(index + 1)#q\(index)",
                    "label": words.place(number(index), of: visible.count),
                ]
            },
            "more": open.count > Self.mostNamed,
            "button": words.sendButton(isOnline: context.live.isOnline, context.storeContext.way),
            "consequence": words.consequence(isOnline: context.live.isOnline, context.storeContext.way),
        ]
        func row(_ index: Int) -> [String: any Sendable] {
            let question = questions[index]
            var row: [String: any Sendable] = [
                "number": "\(number(index))", "text": question.textWithBlanks { texts.line($0) },
                "dir": texts.direction,
                "href": "/t/\(draft.id)?n=\(index + 1)#q\(index)",
                "changeLabel": words[.change] + ": " + words.place(number(index), of: visible.count),
            ]
            row["locale"] = draft.questionnaire.locale
            row["given"] = texts.line(answer(question), to: question)
            row["fault"] = fault(question)
            let files = record.attachments.filter { $0.questionId == question.id }.map(\.name)
            if !files.isEmpty { row["fileNames"] = files.joined(separator: ", ") }
            row["hasAnswer"] = !open.contains(index)
            if record.flagged.contains(question.id) { row["flagged"] = words[.comeBack] }
            return row
        }
        let passages = SectionPassages(draft.questionnaire, words)
        var groups = draft.questionnaire.groups(visible.filter { questions[$0].kind.takesAnswer }).map { group in
            var model: [String: any Sendable] = ["answers": group.places.map(row)]
            passages.addHeading(of: group.section, to: &model)
            return model
        }
        let others = otherAnswers(draft)
        if !others.isEmpty || groups.isEmpty { groups.append(["answers": others]) }
        model["groups"] = groups
        let adding = InstanceScreen(context: context, draft: draft).adding
        model["adding"] = adding
        model["hasAdding"] = adding.contains { $0["isHidden"] as? Bool == false }
        var notices: [[String: String]] = []
        let flagged = visible.filter { record.flagged.contains(questions[$0].id) }
        if !flagged.isEmpty {
            let numbers = flagged.map { "\(number($0))" }.joined(separator: ", ")
            notices.append(["kind": "calm", "text": words.text("Flagged to come back to: \(numbers)")])
        }
        if !missing.isEmpty { notices.append(["kind": "warn", "text": words.requiredMissing(missing.map(number))]) }
        TimeLeft(draft: draft, context: context).add(to: &model, &notices)
        // An unreadable one is reported when the test is finished.
        let lost = (try? context.store.testAttachments.lost(of: record)) ?? []
        if !lost.isEmpty { notices.append(["kind": "warn", "text": words.filesLost(lost.map(\.name))]) }
        let lacking = questions.indices.filter { index in lost.contains { $0.questionId == questions[index].id } }
        model["notices"] = notices
        if let first = (missing + wrong + lacking).min() {
            model["blocked"] = "/t/\(draft.id)?n=\(first + 1)#q\(first)"
        }
        return Screens.Content(template: .review, title: words[.reviewTitle], model: model)
    }

    /// Answers to questions that the version which is shown does not have: they are the person's, and go along.
    private func otherAnswers(_ draft: TestScreen.Draft) -> [[String: any Sendable]] {
        let (questionnaire, answers) = (draft.questionnaire, draft.stored.record.answers)
        return answers.filter {
            !$0.isBlank && questionnaire.question($0.questionId) == nil
                && !questionnaire.leavesOut(answerTo: $0.questionId)
        }
        .map { answer in
            [
                "number": "–", "given": answer.texts.joined(separator: ", "), "href": "/t/\(draft.id)",
                "hasAnswer": true, "dir": "auto",
                "text": context.words.text(
                    "“\(QuestionInstance.written(answer.questionId))”: this version does not have the question"),
            ]
        }
    }
}
