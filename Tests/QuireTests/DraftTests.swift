import Model
import OutboxStore
import Quire
import QuireWording
import Simulation
import Sync
import Testing

@Suite("Drafts: named, distinguished, measured")
struct DraftTests {
    private func drafts(_ kind: StoreKind) async throws -> (ground: StoreFixture, ids: [TestID]) {
        let ground = try await StoreFixture(on: kind)
        let opened = try await ground.opened()
        let ids = try ["FIRST", "SECOND"].map { text in
            ground.disk.clock.advance(by: .seconds(60))
            return try ground.store.take(opened, answers: ["q2": .one(text)], isFinished: false).record.id
        }
        return (ground, ids)
    }

    @Test(
        "a draft is named by its id or the beginning of it, and else by its questionnaire",
        arguments: StoreKind.allCases)
    func named(_ kind: StoreKind) async throws {
        let (ground, ids) = try await drafts(kind)
        let store = ground.store
        for id in ids {
            #expect(try store.draft(named: id.description)?.record.id == id)
            #expect(try store.draft(named: String(id.description.prefix(13)).uppercased())?.record.id == id)
        }
        #expect(try store.draft(named: "capitals")?.record.id == ids[1])
        #expect(try store.draft(named: "nothing") == nil && store.draft(named: TestID.random().description) == nil)
        // Too short to name a test: it may be a questionnaire of the server's.
        #expect(try store.draft(named: String(ids[0].description.prefix(3))) == nil)
        let finished = try await ground.finished()
        #expect(throws: OutboxError.frozen(finished, .done)) { try store.draft(named: finished.description) }
    }

    @Test("a text is stored as it was given, scalar by scalar", arguments: StoreKind.allCases)
    func text(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let opened = try await ground.opened()
        let texts = [" e\u{301} é ", "\tx\n\n", "\u{202E}שלום\u{2069} 👨‍👩‍👧\u{FE0F}", "\u{FEFF}\u{212B}\u{A0}x\u{AD}"]
        for text in texts {
            let id = try ground.store.take(opened, answers: ["q2": .one(text)], isFinished: false).record.id
            let item = try #require(try ground.store.outbox.find(id))
            let stored = try ground.store.outbox.read(item).record.answers.first?.texts.first ?? ""
            #expect(stored.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }

    @Test("what a person is to do next names the draft itself", arguments: Language.allCases, StoreKind.allCases)
    func nextStep(_ language: Language, _ kind: StoreKind) async throws {
        let (ground, ids) = try await drafts(kind)
        for id in ids { #expect(try ground.explain(id, language).next.contains("quire take \(id)")) }
        let rejected = try await ground.finished()
        ground.remote.respond { _ in .status(422, detail: "no") }
        _ = try await ground.sweep()
        let next = try ground.explain(rejected, language).next
        for command in ["retry", "reopen", "discard"] { #expect(next.contains("quire outbox \(command) \(rejected)")) }
    }

    @Test(
        "a list distinguishes drafts of one questionnaire by their first answers and the last change",
        arguments: StoreKind.allCases)
    func listed(_ kind: StoreKind) async throws {
        let (ground, ids) = try await drafts(kind)
        let opened = try await ground.opened()
        // Given in another order than that of the questions.
        ground.disk.clock.advance(by: .seconds(60))
        _ = try ground.store.answer(ids[0], ["q1": .one("Rome")], opened.questionnaire)
        let lines = try ground.store.tests()
        var summaries = AnswerSummaries(lines, ground.store, .english)
        #expect(lines.map { summaries.summary(of: $0) } == ["Rome · FIRST", "SECOND"])
        let changed = lines.compactMap(\.changed)
        #expect(changed.count == 2 && changed[0] > changed[1])
    }

    @Test("a required question that a file answers lets the test be finished", arguments: StoreKind.allCases)
    func photo(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        ground.remote.publish(
            "photo",
            #"{"id": "photo", "title": "P", "questions": [{"id": "q2", "text": "A photo?", "required": true}]}"#)
        _ = try await ground.store.puller(ground.remote).pull()
        let opened = try await ground.store.open(id: "photo", remote: nil)
        let draft = try ground.store.begin(opened).record.id
        #expect(throws: StoreError.missingAnswers(["q2"])) { try ground.store.finish(draft) }
        #expect(throws: StoreError.missingAnswers(["q2"])) {
            try ground.store.take(opened, answers: [:], isFinished: true)
        }
        try ground.attach("well.jpg", "grey", to: draft)
        #expect(try ground.store.finish(draft).status == .done)
    }

    @Test(
        "active time and the times of the server are in the test, and `why` says that the limit was exceeded",
        arguments: StoreKind.allCases)
    func timing(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let clock = ground.disk.clock
        ground.remote.publish(
            "limited",
            #"{"id": "limited", "title": "L", "timeLimitSeconds": 60, "questions": [{"id": "q1", "text": "?"}]}"#)
        _ = try await ground.store.puller(ground.remote).pull()
        let draft = try ground.store.begin(try await ground.store.open(id: "limited", remote: nil)).record.id
        clock.advance(by: .seconds(10))
        // The server's clock is 1000 seconds ahead.
        func hearServer() throws {
            let text = #"{"at": "\#(clock.now)", "isReachable": true, "skewSeconds": 1000}"#
            ground.store.journal.note(try DocumentCoding.decode(Contact.self, from: Array(text.utf8)))
        }
        try hearServer()
        let first = clock.now.adding(seconds: 1000)
        try ground.store.edit(draft, activeSeconds: 8) { $0.record(Answer(questionId: "q1", value: .one("a"))) }
        clock.advance(by: .seconds(20))
        #expect(try ground.explain(draft).late == false)
        clock.advance(by: .seconds(50))
        try hearServer()
        let last = clock.now.adding(seconds: 1000)
        #expect(try ground.explain(draft).facts.contains { $0.contains("time limit of 1 min was exceeded") })
        let finished = try ground.store.finish(draft, activeSeconds: 2.5)
        #expect(finished.record.timing == TestTiming(activeSeconds: 10.5, startedBefore: first, finishedAfter: last))
        #expect(try ground.explain(draft).late == true)
    }

    private static let ending = """
        {"id": "limited", "title": "L", "timeLimitSeconds": 60, "finishAtTimeLimit": true, "questions": [
        {"id": "q1", "text": "?", "required": true}, {"id": "q2", "text": "?", "kind": "number"}]}
        """

    private func endingDraft(_ ground: StoreFixture) async throws -> TestID {
        ground.remote.publish("limited", Self.ending)
        _ = try await ground.store.puller(ground.remote).pull()
        return try ground.store.begin(try await ground.store.open(id: "limited", remote: nil)).record.id
    }

    @Test("a test whose time is over is handed in as it is, in time by its active time", arguments: StoreKind.allCases)
    func ended(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let draft = try await endingDraft(ground)
        let start = ground.disk.clock.now
        // No number yet, and the required question has no answer.
        try ground.store.edit(draft, activeSeconds: 8) { $0.record(Answer(questionId: "q2", value: .one("3,"))) }
        ground.disk.clock.advance(by: .seconds(59))
        #expect(try ground.store.timeLimits.finish(draft, activeSeconds: 51) == nil)
        ground.disk.clock.advance(by: .seconds(3))
        let ended = try #require(try ground.store.timeLimits.finish(draft, activeSeconds: 54))
        #expect(ended.status == .done && ended.record.dateFinished == start.adding(seconds: 60))
        #expect(ended.record.timing?.activeSeconds == 60)
        #expect(ended.record.answers.map(\.texts) == [["3,"]])
        #expect(try ground.explain(draft).late == false)
        #expect(try ground.store.timeLimits.finish(draft) == nil)
    }

    @Test("of a computer that was off it is handed in later, and is not late for that")
    func endedLater() async throws {
        let ground = try await StoreFixture()
        let draft = try await endingDraft(ground)
        let start = ground.disk.clock.now
        try ground.store.edit(draft, activeSeconds: 8) { $0.record(Answer(questionId: "q2", value: .one("3"))) }
        ground.disk.clock.advance(by: .seconds(86400))
        #expect(try ground.store.timeLimits.finishAll(pause: 90000).isEmpty)
        let ended = try ground.store.timeLimits.finishAll(pause: 0).map(\.record)
        #expect(ended.map(\.id) == [draft] && ended.first?.dateFinished == start.adding(seconds: 60))
        #expect(try ground.explain(draft).late == false)
    }

    @Test("a clock that is set while the program runs ends no test, and prolongs none")
    func clockIsSet() async throws {
        let ground = try await StoreFixture()
        let clock = ground.disk.clock
        let draft = try await endingDraft(ground)
        #expect(try ground.store.timeLimits.finishAll(pause: 0).isEmpty)
        clock.setWallTime(clock.now.adding(seconds: 86400 * 365))
        #expect(try ground.store.timeLimits.finish(draft) == nil)
        clock.advance(by: .seconds(59))
        #expect(try ground.store.timeLimits.finishAll(pause: 0).isEmpty)
        clock.setWallTime(clock.now.adding(seconds: -86400 * 365 * 2))
        // A store that replaces this one in the same program has its times.
        let next = TimeLimitClock(clock: clock)
        next.takeOver(from: ground.store.limitClock)
        let record = try ground.store.outbox.read(try #require(try ground.store.outbox.find(draft))).record
        #expect(next.now(for: record) == record.dateStarted.adding(seconds: 59))
        clock.advance(by: .seconds(1))
        #expect(try ground.store.timeLimits.finishAll(pause: 0).map(\.record.id) == [draft])
    }

    @Test("of a program that starts again after its clock was set back at least the active time is over")
    func clockWasSetBack() async throws {
        let ground = try await StoreFixture()
        let clock = ground.disk.clock
        let draft = try await endingDraft(ground)
        try ground.store.edit(draft, activeSeconds: 50) { $0.record(Answer(questionId: "q2", value: .one("3"))) }
        clock.setWallTime(clock.now.adding(seconds: -86400))
        #expect(try ground.store.timeLimits.finish(draft) == nil)
        clock.advance(by: .seconds(10))
        let ended = try #require(try ground.store.timeLimits.finish(draft, activeSeconds: 3600))
        #expect(ended.record.timing?.activeSeconds == 60)
    }

    @Test("who went on after the end is late")
    func endedByLateAnswer() async throws {
        let ground = try await StoreFixture()
        let draft = try await endingDraft(ground)
        ground.disk.clock.advance(by: .seconds(100))
        try ground.store.edit(draft, activeSeconds: 100) { $0.record(Answer(questionId: "q2", value: .one("3"))) }
        let ended = try #require(try ground.store.timeLimits.finish(draft, hasAnswer: true))
        #expect(ended.record.dateFinished == ground.disk.clock.now && ended.record.timing?.activeSeconds == 100)
        #expect(try ground.explain(draft).late == true)
    }

    @Test("a draft that was moved to a newer version stays: the other one is handed in")
    func endedAfterMove() async throws {
        let ground = try await StoreFixture()
        let draft = try await endingDraft(ground)
        ground.remote.publish("limited", Self.ending.replacing("\"L\"", with: "\"M\""))
        _ = try await ground.store.puller(ground.remote).pull()
        let newest = try await ground.store.open(id: "limited", remote: nil)
        let stored = try #require(try ground.store.draftLookup.testDraft(named: draft.description))
        let moved = try ground.store.carryOver(stored, to: newest).record.id
        ground.disk.clock.advance(by: .seconds(61))
        #expect(try ground.store.timeLimits.finishAll(pause: 0).map(\.record.id) == [moved])
        #expect(try ground.store.outbox.find(draft)?.status.isDraft == true)
    }

    @Test("of a draft that was moved on another device the other one is handed in, too")
    func endedAfterMoveElsewhere() async throws {
        let ground = try await StoreFixture()
        let draft = try await endingDraft(ground)
        let known = try ground.store.outbox.read(try #require(try ground.store.outbox.find(draft))).record
        // The other device counts its tests from 1.
        let moved = try ground.store.outbox.edits.create(known.questionnaire, deviceID: "other", as: .empty) {
            $0.dateStarted = known.dateStarted
            $0.parent = draft
        }
        ground.disk.clock.advance(by: .seconds(61))
        #expect(try ground.store.timeLimits.finishAll(pause: 0).map(\.record.id) == [moved.record.id])
        #expect(try ground.store.timeLimits.finishAll(pause: 0).isEmpty)
        #expect(try ground.store.outbox.find(draft)?.status.isDraft == true)
    }

    @Test("a draft with two answers to one question is not finished before it is answered again")
    func twoAnswers() async throws {
        let ground = try await StoreFixture()
        let draft = try ground.store.take(
            try await ground.opened(), answers: ["q1": .one("Rome")], isFinished: false
        ).record.id
        // As another program wrote it.
        _ = try ground.store.outbox.edits.update(draft) { record in
            record.answers.append(Answer(questionId: "q1", value: .one("Paris"), optionIndexes: [0]))
        }
        #expect(throws: AnswerFault.self) { try ground.store.finish(draft) }
        #expect(try ground.store.outbox.find(draft)?.status == .inProgress)
        _ = try ground.store.answer(draft, ["q1": .one("Paris")], try await ground.opened().questionnaire)
        #expect(try ground.store.finish(draft).record.answers.map(\.texts) == [["Paris"]])
    }

    @Test("a long pause counts as ten minutes, and what could not be saved is not lost")
    func meter() {
        let start = SuspendingClock.now
        var meter = ActiveTimeMeter(at: start)
        meter.note(start + .seconds(30))
        meter.note(start + .seconds(30 + 7200))
        #expect(meter.take() == 630)
        #expect(meter.take() == 0)
        meter.putBack(5)
        meter.note(start + .seconds(30 + 7200 + 1))
        #expect(meter.take() == 6)
    }
}
