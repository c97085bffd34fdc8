import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import RichText
import Wording

/// A test that is being taken: one question at a time or all on one page, and the review before it is finished.
struct TestScreen: Sendable {
    let context: ScreenContext

    /// A draft with the version of the questionnaire that it was started with.
    struct Draft: Sendable {
        var stored: StoredTest
        var questionnaire: Questionnaire
        /// The digest of the version's bytes, by which its pictures are named.
        var digest: Digest
        /// A notice about the version.
        var notice: String?
        /// A newer version is on this device.
        var isOutdated = false
        /// The answers that did not fit when the draft was moved to this version.
        var leftBehind: [AnswerTransfer.Left] = []
        var id: TestID { stored.record.id }
        /// The ids of the questions that the answers hide.
        var hidden: Set<String> { questionnaire.hiddenQuestions(by: stored.record.answers, stored.record.attachments) }
        /// The test as its pictures are looked for: of the version that is shown.
        var shown: TestRecord { stored.record.shown(with: questionnaire, digest) }
    }

    // MARK: Opening

    func draft(_ id: TestID) async throws -> Draft {
        let storeContext = context.storeContext
        let store = storeContext.store
        let (stored, begun) = try await offload {
            guard let stored = try store.outbox.test(id) else { throw OutboxError.notFound(id.description) }
            try store.people.checkShown(stored.record)
            let begun = try store.questionnaire(of: stored.record)
            // Where that cannot be saved now, it is noted the next time.
            return (begun.flatMap { try? store.shownMedia.notingMedia(of: stored, $0) } ?? stored, begun)
        }
        let words = context.words
        if let begun {
            let (isOld, left) = try await offload {
                let isOld = try store.documents.hasNewerVersion(stored.record)
                return (isOld, try store.versionUpdates.leftBehind(stored.record, begun))
            }
            return Draft(
                stored: stored, questionnaire: begun.shown(in: words.language, for: stored.record),
                digest: stored.record.questionnaire.digest,
                notice: isOld
                    ? words.text("There is a newer version. This test keeps the version it was started with.") : nil,
                isOutdated: isOld, leftBehind: left)
        }
        // Its version is gone (edited by hand, or the store was copied without its cache): the current one must do.
        let opened = try await store.open(
            id: stored.record.questionnaire.id, remote: storeContext.remote, isOffline: storeContext.isOffline)
        return Draft(
            stored: stored,
            questionnaire: opened.questionnaire.arranged(for: stored.record)
                .shown(in: words.language, for: stored.record),
            digest: opened.digest,
            notice: words.text("The version this test was started with is gone. This is the current one."))
    }

    func content(_ id: TestID, isReview: Bool) async throws -> Screens.Content {
        if !isReview, let known = context.request.knownFile, try await isFile(of: id, known) {
            return Screens.Content(template: .unchanged, title: "", model: [:])
        }
        let draft = try await draft(id)
        if isReview { return ReviewScreen(context: context).content(draft) }
        return content(draft, outcomes: [])
    }

    /// Whether the test's file is still the one with this mark. The script has it, and asks only for what is around it. Files that
    /// are attached come and go without it.
    private func isFile(of id: TestID, _ known: String) async throws -> Bool {
        let outbox = context.storeContext.store.outbox
        return try await offload {
            guard let stored = try outbox.test(id) else { return false }
            return stored.record.attachments.isEmpty && AnswerForm.mark(of: stored) == known
        }
    }

    /// - Parameter outcomes: the outcomes of the form that was just sent.
    func content(
        _ draft: Draft, outcomes: [AnswerForm.Outcome], given: AnswerForm? = nil, at asked: Int? = nil
    ) -> Screens.Content {
        let (words, request) = (context.words, context.request)
        let questionnaire = draft.questionnaire
        let record = draft.stored.record
        let count = questionnaire.questions.count
        let view = request.query["view"] ?? request.form["view"] ?? request.cookies[PageRequest.viewCookie] ?? "one"
        let isAll = view == "all" || count == 0
        let resumed = record.resume?.question.flatMap { name in
            questionnaire.questions.firstIndex { $0.id == name }
        }
        let wanted = asked ?? request.query["n"].flatMap { Int(place: $0) }.map { $0 - 1 } ?? resumed ?? 0
        let cards = QuestionCards(context: context, draft: draft, isSole: !isAll)
        let visible = cards.visible
        let at = Self.nearest(to: min(max(0, wanted), max(0, count - 1)), visible)
        // On one page, hidden questions are there for the script to show.
        let shown = isAll ? Array(0..<count) : visible.isEmpty ? [] : [at]
        let answered = cards.answeredCount
        let instances = InstanceScreen(context: context, draft: draft)
        func sectionID(_ place: Int) -> String? { questionnaire.section(of: questionnaire.questions[place].id)?.id }
        let areVisible = Set(visible)
        let number = given?.isRearranged == true ? nil : request.form["form"]
        let previous = visible.last { $0 < at }
        let next = visible.first { $0 > at }
        var model: [String: any Sendable] = [
            "id": draft.id.description, "action": "/t/\(draft.id)", "title": questionnaire.name,
            "direction": TextDirection(of: questionnaire).rawValue,
            "about": "/q/\(PercentEncoding.encode(questionnaire.id))", "view": isAll ? "all" : "one", "at": "\(at)",
            "sole": !isAll, "count": "\(max(1, cards.askedCount))", "answered": "\(answered)",
            "answeredWords": words.answered(answered, of: cards.askedCount),
            "placeWords": words.place(visible.count { $0 <= at }, of: visible.count),
            "groups": questionnaire.groups(shown).map { group in
                // Alone on its screen, a question after the first of its section has the passage folded.
                let isFirst = isAll || visible.first { group.section?.id == sectionID($0) } == group.places.first
                var model: [String: any Sendable] = [
                    "questions": group.places.enumerated().map { place, index in
                        var card = cards.card(
                            index, outcome: outcomes.first { $0.index == index },
                            given: given?.given.first { $0.index == index })
                        if shown.count > Self.mostInOnePiece {
                            if place.isMultiple(of: Self.pieceCount) {
                                let piece = group.places.dropFirst(place).prefix(Self.pieceCount)
                                card["opens"] = ["shown": "\(piece.count(where: areVisible.contains))"]
                            }
                            card["closes"] =
                                place % Self.pieceCount == Self.pieceCount - 1 || index == group.places.last
                        }
                        return card
                    }
                ]
                model["passage"] = cards.passage(of: group.section, isOpen: isFirst)
                model["instance"] = instances.buttons(of: group.section)
                model["adding"] = instances.adding(behind: group.places, visible)
                return model
            },
            "map": cards.map(current: isAll ? nil : at), "mapOpen": record.resume?.focus == "map",
            "form": number ?? FormMemory.newNumber(),
            "of": AnswerForm.versionMark(draft.digest, questionnaire),
            "file": AnswerForm.mark(of: draft.stored), "place": place(record), "savedWords": words[.savedLocally],
        ]
        model["locale"] = questionnaire.locale
        model["readIn"] = LanguageChoice(questionnaire).model(context.words)
        if !isAll {
            model["previous"] = previous != nil
            model["next"] = next != nil
        }
        // Where “next” leads is decided when the answer is saved: it may show another question.
        model["default"] = isAll ? "review" : "next"
        var notices: [[String: String]] = []
        if let notice = draft.notice {
            var shown = ["kind": "calm", "text": notice]
            if draft.isOutdated { shown["href"] = UpdateScreen.address(draft.id) }
            notices.append(shown)
        }
        // A draft can be answered whatever is in the files of the former tests.
        model["revision"] = (try? context.store.revisions.chain(of: record))?.mark(context.words.language)
        if !draft.leftBehind.isEmpty {
            let left = draft.leftBehind.map { (question: $0.question, answer: $0.answer.texts.joined(separator: ", ")) }
            notices.append(["kind": "warn", "text": words.leftBehind(left)])
        }
        TimeLeft(draft: draft, context: context).add(to: &model, &notices)
        model["notices"] = notices
        if let given, !given.lost.isEmpty {
            model["lost"] = ["answers": TypedAnswers(lost: given).model(words.language)]
        }
        model["claim"] = PersonScreen.claim(record, context.live.people, words)
        var cookies: [String] = []
        if let chosen = request.query["view"], chosen == "all" || chosen == "one" {
            cookies.append("\(PageRequest.viewCookie)=\(chosen); Path=/; SameSite=Strict; Max-Age=31536000")
        }
        let isConflict = outcomes.contains(where: \.isUndecided) || given?.lost.isEmpty == false
        return Screens.Content(
            template: .test, title: questionnaire.name, model: model, status: isConflict ? .conflict : .ok,
            cookies: cookies)
    }

    /// More questions on one page are laid out in pieces of so many, of which a browser lays out those in sight: a key must not
    /// wait for thousands.
    private static let (mostInOnePiece, pieceCount) = (200, 50)

    /// The place of a question that is shown: this one, else the next, else the last.
    static func nearest(to place: Int, _ visible: [Int]) -> Int {
        visible.first { $0 >= place } ?? visible.last ?? place
    }

    private func place(_ record: TestRecord) -> String {
        guard let resume = record.resume, let bytes = try? DocumentCoding.encodeLine(resume) else { return "" }
        return String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }
    }

    // MARK: Saving

    private struct Saved: Encodable {
        struct Question: Encodable {
            var index: Int
            var was: String
            /// The stored answer, if it differs from the sent one.
            var text: String?
            /// The same as the fields have it.
            var values: [String]?
            var isConflict: Bool
            /// The fields show another version of the questionnaire.
            var isOtherVersion: Bool
            /// The fault of the stored number.
            var fault: String?
            /// How a number is stored, where it was written in another way.
            var storedAs: String?
            /// The question among all questions.
            var spot: QuestionCards.Spot?
        }
        var saved: Bool
        var answered: String
        var count: Int
        /// How many questions are asked: those that no condition hides.
        var total: Int
        /// The places of the hidden questions.
        var hidden: [Int]
        /// The repeated sections that are hidden; `nil` where there are none.
        var hiddenSections: [String]?
        var questions: [Question]
        var go: String?
        /// Marks of the test's file before and after it was saved; see `AnswerForm.Saved`.
        var before: String?
        var after: String
    }

    /// Saves a form; then the browser goes where its button leads.
    func save(_ id: TestID, on router: PageRouter) async throws -> PageReply {
        let request = context.request
        let draft = try await draft(id)
        let store = context.store
        var form = AnswerForm(
            request.form, draft.questionnaire, version: AnswerForm.versionMark(draft.digest, draft.questionnaire))
        // What a form with other instances gave before is noted by other places.
        let number = form.isRearranged ? nil : request.form["form"]
        form.earlier = router.forms.marks(number, of: id)
        let at = request.form["at"].flatMap { Int(place: $0) }.flatMap(form.placeNow)
        if form.place == nil, let at, draft.questionnaire.questions.indices.contains(at) {
            // Without the script the place is the question.
            form.place = ResumePosition(question: draft.questionnaire.questions[at].id)
        }
        // Without the script an option of an order is moved by a button, which leads back to its question.
        let go = form.buttonNow(
            request.form["go"] ?? request.form["move"].flatMap { $0.split(separator: ".").first.map(String.init) })
        let before = draft.questionnaire.places(without: draft.hidden)
        let next = TestButton.led(go, from: at, before).flatMap { Int(place: $0) ?? TestButton.files($0) }
        if let next, draft.questionnaire.questions.indices.contains(next) {
            form.place = ResumePosition(question: draft.questionnaire.questions[next].id)
        }
        let complete = form
        let file: AnswerForm.Saved
        do {
            router.times.note(id)
            file = try await offload { try complete.save(id, in: store, router.times) }
            router.forms.note(file.outcomes, number, of: id)
        } catch OutboxError.frozen {
            return try await router.frozen(request, id)
        }
        let outcomes = file.outcomes
        let undecided = outcomes.first(where: \.isUndecided)
        let questions = draft.questionnaire.questions
        let faults = Dictionary(
            uniqueKeysWithValues: outcomes.compactMap { outcome in
                context.words.fault(outcome.stored, questions[outcome.index]).map { (outcome.index, $0) }
            })
        // Moving on from an invalid answer shows the fault beside the question; every other button works.
        if go == "claim", undecided == nil { try await offload { _ = try store.people.claim(id) } }
        let moved = try await changed(InstanceButton(go), of: id, draft, isDecided: undecided == nil)
        if undecided == nil, let change = TestButton.change(go, draft.questionnaire) {
            try await offload { _ = try store.edit(id) { change(&$0) } }
        }
        let current = try await self.draft(id)
        let led = TestButton.led(go, from: at, current.questionnaire.places(without: current.hidden))
        let isOnward =
            go == "review" || go == "next"
            || at.map { at in go.flatMap { Int(place: $0) } == before.first { $0 > at } } ?? false
        let faulty = isOnward ? outcomes.first { faults[$0.index] != nil }?.index : nil
        let target = moved?(current) ?? TestButton.target(faulty.map { "\($0)" } ?? led, id, at: at)
        if request.wantsJSON {
            let leads = undecided == nil && faulty == nil && go != nil
            let answer = Saved(
                saved: true, answered: "", count: 0, total: 0, hidden: [],
                questions: outcomes.map { outcome in
                    saved(outcome, questions[outcome.index], complete, fault: faults[outcome.index])
                }, go: leads ? target : nil, before: file.before, after: file.after)
            return try json(current, answer, isConflict: undecided != nil)
        }
        guard undecided != nil || !complete.lost.isEmpty else { return try await router.leave(request, go, to: target) }
        let make = { @Sendable [self] (_: ScreenContext) async throws -> Screens.Content in
            content(current, outcomes: outcomes, given: complete, at: undecided?.index)
        }
        return try await router.page(request, make)
    }

    /// Adds, removes or moves an instance once the form is saved.
    ///
    /// - Returns: where that leads; `nil` where the button was another one.
    private func changed(
        _ button: InstanceButton?, of id: TestID, _ draft: Draft, isDecided: Bool
    ) async throws -> ((Draft) -> String)? {
        guard let button, isDecided else { return nil }
        let store = context.store
        switch try await offload({ try button.perform(on: id, draft.questionnaire, store) }) {
        case .asks: return { _ in InstanceScreen.address(id, button) }
        case .nothing: return { _ in "/t/\(id)" }
        case .done(let number):
            return { current in
                let place = number.flatMap { InstanceScreen.place(of: $0, in: button.section, current) }
                return place.map { "/t/\(id)?n=\($0 + 1)#q\($0)" } ?? "/t/\(id)"
            }
        }
    }

    private func saved(
        _ outcome: AnswerForm.Outcome, _ question: Question, _ form: AnswerForm, fault: String?
    ) -> Saved.Question {
        let isTheirs = outcome.kind != .saved && outcome.kind != .unchanged
        let values = AnswerFields(question).values(of: outcome.stored)
        let given = form.given.first { $0.index == outcome.index }?.values
        return Saved.Question(
            index: outcome.index, was: outcome.mark,
            text: isTheirs ? question.line(outcome.stored) : nil,
            values: isTheirs ? values : nil, isConflict: outcome.isUndecided,
            isOtherVersion: outcome.kind == .notShown, fault: fault,
            storedAs: question.kind.isNormalised && fault == nil && !isTheirs && given != values
                ? question.line(outcome.stored) : nil)
    }

    private func json(_ draft: Draft, _ saved: Saved, isConflict: Bool) throws -> PageReply {
        var answer = saved
        let cards = QuestionCards(context: context, draft: draft)
        answer.count = cards.answeredCount
        answer.total = cards.askedCount
        for place in answer.questions.indices {
            answer.questions[place].spot = cards.spot(answer.questions[place].index)
        }
        let (questions, hidden) = (draft.questionnaire.questions, draft.hidden)
        answer.hidden = questions.indices.filter { hidden.contains(questions[$0].id) }
        answer.answered = context.words.answered(answer.count, of: answer.total)
        if draft.questionnaire.hasInstances {
            answer.hiddenSections = InstanceScreen(context: context, draft: draft).hidden
        }
        return try .encoded(answer, status: isConflict ? .conflict : .ok)
    }
}
