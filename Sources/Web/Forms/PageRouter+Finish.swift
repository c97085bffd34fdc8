import HTTPServing
import HTTPTypes
import Model
import OutboxStore
import Quire
import Wording

/// Finishing a test: by its button, or by itself when its time is over.
extension PageRouter {
    func finish(_ request: PageRequest, _ id: TestID) async throws -> PageReply {
        guard try await isDraft(id) else { return .seeOther("/t/\(id)") }
        let store = storeContext.store
        let shown = request.form["shown"]
        times.note(id)
        if let ended = try await handIn(request, id) { return ended }
        // By the script at the end of the time, which the program's clock does not have yet.
        if request.form["over"] != nil { return .json([], status: .conflict) }
        do {
            _ = try await offload { [times] in
                try times.spend(id) { seconds in
                    try store.finish(id, activeSeconds: seconds) { record in
                        if let shown, shown != ReviewScreen.mark(record) { throw ReviewScreen.Outdated() }
                    }
                }
            }
        } catch is ReviewScreen.Outdated {
            let words = PageWords(language: request.language)
            return done(request, PageNote(.warn, words[.reviewChanged]), at: "/t/\(id)/review")
        } catch is StoreError {
            return .seeOther("/t/\(id)/review")
        } catch is AnswerFault {
            return .seeOther("/t/\(id)/review")
        } catch OutboxError.frozen {
            // The other one of two clicks was first.
            return .seeOther("/t/\(id)")
        }
        if storeContext.connection.isOnline { sendSoon() }
        return .seeOther("/t/\(id)")
    }

    /// Hands in a test whose time is over, where its author wants that, with what was saved of it.
    ///
    /// - Parameter former: the test before the request saved answers in it.
    /// - Returns: the way to the finished test; `nil` where it stays a draft.
    func handIn(_ request: PageRequest, _ id: TestID, since former: TestRecord? = nil) async throws -> PageReply? {
        let store = storeContext.store
        let ended = try await offload { [times] () -> StoredTest? in
            var hasAnswer = false
            if let former, let stored = try store.outbox.test(id) {
                hasAnswer = stored.record.answers != former.answers
            }
            do {
                // The time since the last answer was the program's, or was spent after the end.
                return try times.spend(id) { try store.timeLimits.finish(id, activeSeconds: $0, hasAnswer: hasAnswer) }
            } catch StoreError.missingFiles {
                // The review says which.
                return nil
            }
        }
        guard ended != nil else { return nil }
        if storeContext.connection.isOnline { sendSoon() }
        return done(request, PageNote(.calm, request.language.endedByTimeLimit), at: "/t/\(id)")
    }

    /// The same when a test is asked for: by a person, as what a script looks at may not have been sent yet.
    func handInWhenShown(_ request: PageRequest, _ id: TestID) async throws -> PageReply? {
        // With its script the page first sends what the browser kept of answers that were typed while the program was away.
        if request.cookies["quire-script"] != nil { return nil }
        let mode = HTTPField.Name("Sec-Fetch-Mode").flatMap { request.fields[$0] } ?? "navigate"
        return mode == "navigate" ? try await handIn(request, id) : nil
    }

    /// Saves a form. Without a script that is the request which ends a test whose time is over.
    func save(_ request: PageRequest, _ id: TestID) async throws -> PageReply {
        let store = storeContext.store
        // A script asks for the end by itself.
        let former =
            request.wantsJSON
            ? nil : try await offload { try store.outbox.test(id)?.record }
        let reply = try await TestScreen(context: screenContext(request)).save(id, on: self)
        // An answer that is to be decided on is shown first.
        guard !request.wantsJSON, case .seeOther = reply else { return reply }
        return try await handIn(request, id, since: former) ?? reply
    }

    /// The answer to input for a test that was finished elsewhere: its status, and why. Without a script it is the result with what was
    /// typed too late; a script has that in the browser.
    func frozen(_ request: PageRequest, _ id: TestID) async throws -> PageReply {
        if request.wantsJSON {
            let problem = PageWords(language: request.language)[.finishedElsewhere]
            return try .encoded(["go": "/t/\(id)", "problem": problem], status: .conflict)
        }
        let store = storeContext.store
        let typed = try await offload { () -> TypedAnswers? in
            guard let record = try store.outbox.test(id)?.record,
                let questionnaire = try store.questionnaire(of: record)?.shown(in: request.language, for: record)
            else { return nil }
            let version = AnswerForm.versionMark(record.questionnaire.digest, questionnaire)
            return TypedAnswers(
                AnswerForm(request.form, questionnaire, version: version), questionnaire, differingFrom: record)
        }
        guard let typed, !typed.lines.isEmpty else { return .seeOther("/t/\(id)") }
        return try await page(request) { context in
            try await offload {
                var content = try ReportScreen(context: context).content(id)
                content.model["typed"] = ["lines": typed.model(request.language)]
                content.status = .conflict
                return content
            }
        }
    }

    /// Leaves the form of a test once it is saved. Without a script, the buttons around it save it, too.
    func leave(_ request: PageRequest, _ go: String?, to target: String) async throws -> PageReply {
        if let language = TestButton.language(go) {
            return .seeOther(target, cookies: [RequestPreferences.setCookie(language)])
        }
        guard go == TestButton.sync else { return .seeOther(target) }
        var back = request
        back.form = FormFields([(name: "back", value: target)])
        return try await sync(back)
    }
}
