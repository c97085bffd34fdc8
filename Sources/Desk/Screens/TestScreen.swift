import Authoring
import Host
import Model
import Results
import Wording

/// One test with all its answers, files and marks.
struct TestScreen {
    let context: DeskContext

    /// - Parameters:
    ///   - typed: what a form had in it that was not accepted.
    ///   - returning: the comment of a test that was not sent back, and why.
    func content(
        _ text: String, typed: Mark.Typed? = nil, returning: (comment: String, fault: String)? = nil
    ) throws -> DeskScreens.Content {
        guard let id = TestID(text), let (record, receipt, version) = try context.services.archive.handedIn(id) else {
            throw DeskError.notFound(context.language)
        }
        let language = context.language
        let table = ResultTable(
            id: record.questionnaire.id, current: version?.questionnaire,
            tests: [HandedInTest(record: record, receipt: receipt, version: version?.questionnaire)])
        let row = table.rows[0]
        let names = context.request.hidesNames
        let suffix = names ? "?names=hidden" : ""
        let questionnaire = record.questionnaire.id
        let saved = try context.services.savedComments(
            for: context.request.session.identity, questionnaire: questionnaire)
        let cards = try table.columns.enumerated().map { place, column in
            var card = AnswerCard(
                context: context, record: record, receipt: receipt, column: column, cell: row.cells[place],
                number: place + 1)
            card.feedbackOf = version?.questionnaire
            card.back = "/desk/t/\(id)\(suffix)#a\(place + 1)"
            card.saved = saved
            card.commentsHref = QuestionnairePage.path(questionnaire) + "/comments"
            card.typed = typed?.question == column.id ? typed : nil
            return try card.model()
        }
        let name = record.person?.fullName ?? language.text("Without a name")
        let corrections = try context.services.archive.lists.corrections(of: id)
        let chains = TestLists.revisionChains(of: corrections)
        var model: [String: any Sendable] = [
            "title": record.questionnaire.title, "crumb": QuestionnairePage.path(record.questionnaire.id),
            "who": names ? language.text("Name hidden") : name, "kind": row.status.kind,
            "state": row.status.words(language), "facts": facts(record, receipt, row, chains[id]), "answers": cards,
        ]
        if let score = row.score, let maximum = row.maximum {
            model["score"] = context.number(score)
            model["of"] =
                language.text("of \(context.number(maximum))", context: "points")
                + (row.status == .rated ? "" : language.text(" so far"))
        }
        if version == nil {
            model["notice"] = language.text(
                "The version that this test was taken with is not known here, so its answers are shown without their questions."
            )
        }
        model["return"] = try form(of: receipt, returning)
        if version != nil { model["print"] = ["href": "/desk/t/\(id)/print\(suffix)", "name": language.text("Print")] }
        model["corrections"] = self.corrections(corrections, of: id, chains)
        model["hasCorrections"] = corrections.count > 1
        let history = try self.history(id)
        model["history"] = history
        model["hasHistory"] = !history.isEmpty
        return DeskScreens.Content(template: .test, title: names ? language.text("Name hidden") : name, model: model)
    }

    private func facts(
        _ record: TestRecord, _ receipt: Receipt, _ row: ResultTable.Row, _ chain: RevisionChain?
    ) -> [[String: any Sendable]] {
        let language = context.language
        var facts: [String] = []
        if row.late { facts.append(language.text("late")) }
        if let revision = chain?.mark(language) { facts.append(revision) }
        facts.append(record.id.description)
        let received = receipt.receivedAt.map { TimedText.model($0) { language.text("received \($0)") } }
        return (received.map { [$0] } ?? []) + facts.map(TimedText.plain)
    }

    /// The form that sends a test back.
    private func form(
        of receipt: Receipt, _ returning: (comment: String, fault: String)?
    ) throws -> [String: any Sendable] {
        let language = context.language
        var form: [String: any Sendable] = [
            "action": "/desk/t/\(receipt.test)/return", "state": try receipt.state().hex,
            "comment": returning?.comment ?? receipt.returned?.comment ?? "", "open": returning != nil,
            "save": receipt.returned == nil ? language.text("Send back") : language.text("Change the comment"),
            "isReturned": receipt.returned != nil, "names": context.request.hidesNames ? "hidden" : "",
        ]
        form["fault"] = returning?.fault
        if let returned = receipt.returned {
            form["words"] = TimedText.model(returned.at) { time in
                returned.by.map { language.text("Returned to be corrected by \($0), \(time)") }
                    ?? language.text("Returned to be corrected, \(time)")
            }
            form["said"] = returned.comment
        }
        return form
    }

    /// The tests that correct one another, this one among them.
    private func corrections(
        _ tests: [TestSummary], of id: TestID, _ chains: [TestID: RevisionChain]
    ) -> [[String: any Sendable]] {
        let suffix = context.request.hidesNames ? "?names=hidden" : ""
        return tests.map { test in
            var item: [String: any Sendable] = [
                "href": "/desk/t/\(test.id)\(suffix)", "current": test.id == id, "kind": test.status.kind,
                "state": test.status.words(context.language),
                "name": chains[test.id]?.mark(context.language) ?? context.language.text("first version"),
                "received": TimedText.model(test.receivedAt), "score": false,
            ]
            if let score = test.score, let maximum = test.maximum { item["score"] = context.points(score, maximum) }
            return item
        }
    }

    /// Earlier receipts on one line each.
    private func history(_ id: TestID) throws -> [[String: any Sendable]] {
        let language = context.language
        return try context.services.archive.received.history(of: id).map { former in
            let receipt = former.receipt
            var parts = [(receipt.status ?? .sent).words(language)]
            if let evaluation = receipt.evaluation {
                parts.append(context.points(evaluation.score, evaluation.maximum))
            }
            let name = receipt.evaluation?.ratedBy.map { $0 == Rating.keyName ? language.text("by the key") : $0 }
            let text = TimedText.model(receipt.evaluation?.ratedAt ?? receipt.receivedAt) { time in
                (parts + [time, name ?? ""]).filter { !$0.isEmpty }.joined(separator: ", ")
            }
            return ["number": "\(former.number)", "text": text]
        }
    }
}
