import ArgumentParser
import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import Sync
import SystemPackage
import Terminal
import Wording

/// The acknowledgement of `take`, `answer` and `finish`: when it is printed, the answers are on the disk.
struct Acknowledgement: Encodable {
    var id: TestID
    var status: TestStatus
    /// Whether the time limit is exceeded; absent without a limit.
    var late: Bool?

    static func tell(_ stored: StoredTest, _ options: StoreOptions, json: Bool, of store: QuireStore) throws {
        // The saved answers stay, whether the questionnaire is readable or not.
        let taken = (try? store.taking.timeTaken(by: stored.record)) ?? nil
        if json {
            return Output.write(
                try DocumentCoding.encodeLine(Self(id: stored.record.id, status: stored.status, late: taken?.isLate)))
        }
        switch stored.status {
        case .done:
            options.say("Saved locally, to be sent with “quire sync”: \(stored.record.id)")
        default:
            options.say("Saved locally as a draft: \(stored.record.id)")
        }
        if let taken, taken.isLate { options.say(line: taken.words(Output.language)) }
    }
}

struct TakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "take", abstract: "Take a test: at the terminal, or with the answers of a file.",
        discussion: """
            At the terminal each answer is saved at once, and a draft resumes where you left it. A questionnaire's id opens \
            the draft that was changed last, a draft's id that draft. \
            With --answers a new test is made: {"questionId": "answer", "otherId": ["a", "b"]}; - is standard input. With \
            --update, or a draft's id, they go into the draft.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var quota: QuotaOption
    @OptionGroup var format: JSONOption

    @Argument(
        help: "A questionnaire's id, or a draft's id or its first characters.",
        completion: StoreCompletion.questionnaireOrDraft)
    var id: String
    @Option(
        help: ArgumentHelp("Answers as JSON.", valueName: "file.json"), completion: .file(extensions: ["json"]),
        transform: FileArgument.named)
    var answers: String?
    @Flag(help: "Finish the test, so that it is sent with the next sync.") var finish = false
    @Flag(help: "Start a new test even if there is a draft.") var new = false
    @Flag(help: "Move the draft to the newest version; the rest stays in the old draft.") var update = false

    func run() async throws {
        try await Session.run(options, quota: quota.quota) { session in
            if update {
                try await moveToNewest(session)
            } else if let answers {
                try await takeFromFile(answers, session)
            } else {
                try await takeAtTerminal(session)
            }
        }
    }

    private static func values(from file: String) throws -> GivenAnswers {
        let bytes = try InputFile.read(file)
        do throws(DocumentFault) {
            return try DocumentCoding.decode(GivenAnswers.self, from: bytes)
        } catch {
            throw Failure(Exit.badData, "\(file): \(error): write {\"questionId\": \"answer\", …}")
        }
    }

    private func takeFromFile(_ file: String, _ session: Session) async throws {
        let values = try Self.values(from: file)
        if !new, let draft = try session.store.draftLookup.testDraft(named: id) {
            return try acknowledge(try fill(draft, with: values, session.store), session.store)
        }
        let document = try await session.store.open(id: id, remote: session.remote, isOffline: session.isOffline)
        let stored = try session.store.taking.take(document, given: values, isFinished: finish)
        try acknowledge(stored, session.store)
    }

    private func acknowledge(_ stored: StoredTest, _ store: QuireStore) throws {
        try Acknowledgement.tell(stored, options, json: format.json, of: store)
    }

    /// Gives a draft the answers of a file.
    private func fill(
        _ draft: StoredTest, with values: GivenAnswers?, _ store: QuireStore
    ) throws -> StoredTest {
        var stored = draft
        if let values {
            guard let questionnaire = try store.questionnaire(of: draft.record) else {
                throw StoreError.versionIsGone(id: draft.record.questionnaire.id, draft: draft.record.id)
            }
            stored = try store.taking.answer(draft.record.id, given: values, questionnaire)
        }
        if let ended = try store.timeLimits.finish(draft.record.id, hasAnswer: values != nil) { return ended }
        return finish ? try store.finish(draft.record.id) : stored
    }

    /// Moves the draft to the newest version, with the answers of a file, at the terminal, or without a person to ask,
    /// not at all.
    private func moveToNewest(_ session: Session) async throws {
        let store = session.store
        let values = try answers.map(Self.values)
        let former = try DiffCommand.draft(id, store)
        let newest = try await store.open(
            id: former.record.questionnaire.id, remote: session.remote, isOffline: session.isOffline)
        let (draft, isNew) = try carryOver(former, to: newest, store)
        if values == nil, Output.isInteractive { return try await resume(draft, session) }
        let stored = try fill(draft, with: values, store)
        // The carry-over was reported already.
        if format.json || values != nil || finish || !isNew { try acknowledge(stored, store) }
    }

    /// Makes a draft in the newest version from the one that there is; from then on it is the one that is resumed.
    ///
    /// - Returns: the draft to continue, and whether it was made now.
    private func carryOver(
        _ draft: StoredTest, to newest: OpenedDocument, _ store: QuireStore
    ) throws -> (StoredTest, isNew: Bool) {
        guard let update = try store.versionUpdate(of: draft.record, to: newest) else { return (draft, false) }
        let made = try store.carryOver(draft, to: newest)
        if !format.json {
            let (count, all) = (update.carried.count, draft.record.answers.count)
            options.say(
                line: Output.language.plural(
                    all,
                    one:
                        "\(count) of 1 answer carried over to \(made.record.id); the draft of the former version stays: \(draft.record.id).",
                    other:
                        "\(count) of \(all) answers carried over to \(made.record.id); the draft of the former version stays: \(draft.record.id)."
                ))
            if !options.quiet { DiffCommand.showDetails(update) }
        }
        return (made, true)
    }

    // MARK: At the terminal

    private func takeAtTerminal(_ session: Session) async throws {
        let store = session.store
        try PersonQuestion.ask(store)
        if !new, let draft = try store.draft(named: id) { return try await resume(draft, session) }
        let document = try await store.open(id: id, remote: session.remote, isOffline: session.isOffline)
        // Asked before anything is made: where there is no person to answer, no test is started.
        guard Output.isInteractive else { throw TakeFault.notATerminal }
        try await take(try store.begin(document), document.questionnaire, document.digest, notice: nil, session)
    }

    private func resume(_ draft: StoredTest, _ session: Session) async throws {
        let store = session.store
        // The terminal was killed, or the computer was off, when its time ended.
        if let ended = try store.timeLimits.finish(draft.record.id) {
            try acknowledgeEnd(ended, store)
            return try await send(session)
        }
        if let questionnaire = try store.questionnaire(of: draft.record) {
            let notice =
                try store.documents.hasNewerVersion(draft.record)
                ? Output.language.text(
                    "There is a newer version. This test keeps the version it was started with: quire diff \(draft.record.id)"
                )
                : try leftNotice(draft.record, questionnaire, store)
            return try await take(draft, questionnaire, draft.record.questionnaire.digest, notice: notice, session)
        }
        // Its version is gone (edited by hand, or the store came without its cache): the current one must do.
        let document = try await store.open(
            id: draft.record.questionnaire.id, remote: session.remote, isOffline: session.isOffline)
        try await take(
            draft, document.questionnaire, document.digest,
            notice: Output.language.text("The version this test was started with is gone. This is the current one."),
            session)
    }

    /// The answers that did not fit when the draft was moved to this version.
    private func leftNotice(
        _ record: TestRecord, _ questionnaire: Questionnaire, _ store: QuireStore
    ) throws -> String? {
        let left = try store.versionUpdates.leftBehind(record, questionnaire)
        guard let parent = record.parent, !left.isEmpty else { return nil }
        let answers = left.map {
            "\(QuestionInstance.written($0.answer.questionId)): \($0.answer.texts.joined(separator: ", "))"
        }
        return Output.language.text("Not carried over from the draft \(parent): \(answers.joined(separator: "; "))")
    }

    private func take(
        _ draft: StoredTest, _ questionnaire: Questionnaire, _ version: Digest, notice: String?, _ session: Session
    ) async throws {
        let store = session.store
        // Where that cannot be saved now, it is noted the next time.
        var stored = (try? store.shownMedia.notingMedia(of: draft, questionnaire)) ?? draft
        let questionnaire = questionnaire.arranged(for: stored.record)
        let id = draft.record.id
        let shown = stored.record.shown(with: questionnaire, version)
        var meter = ActiveTimeMeter()
        let request = TakeRequest(
            questionnaire: questionnaire, record: stored.record, language: Output.language, notice: notice,
            mediaPath: { Self.path(of: $0, in: shown, session) },
            // A file that cannot be read now is read at the next save.
            attachments: { (try? store.outbox.test(id))?.record.attachments ?? [] },
            buttonTitle: Self.buttonTitle(session), networkState: Self.networkState(session),
            now: { store.limitClock.now(for: draft.record) }, wasStopped: { meter.leaveOut($0) },
            localOffset: SystemClock.localOffset)
        var isAnsweredAfterEnd = false
        let outcome = try takeInteractively(request) { record in
            meter.note()
            // After the end only an answer is the person's: what this program took, as for a slow save, is left to the end.
            let isEnded = questionnaire.isEnded(record, now: store.limitClock.now(for: draft.record))
            let hasAnswer = record.answers != stored.record.answers
            let seconds = isEnded && !hasAnswer ? 0 : meter.take()
            do {
                // Another program may have answered other questions of it meanwhile.
                try store.edit(record.id, activeSeconds: seconds) {
                    $0.takeOver(changesFrom: stored.record, to: record)
                }
            } catch {
                meter.putBack(seconds)
                throw error
            }
            if isEnded, hasAnswer { isAnsweredAfterEnd = true }
            stored.record = record
        }
        guard case .finished(let record) = outcome else {
            if format.json { try acknowledge(stored, store) }
            return
        }
        meter.note()
        let seconds = meter.take()
        let ended = try store.timeLimits.finish(record.id, activeSeconds: seconds, hasAnswer: isAnsweredAfterEnd)
        if let ended {
            try acknowledgeEnd(ended, store)
        } else if let taken = try store.questionnaire(of: record),
            taken.isEnded(record, now: store.limitClock.now(for: record))
        {
            // It goes on in a newer version, which is the same attempt: that one is handed in.
            if format.json { try acknowledge(stored, store) }
            return
        } else {
            try acknowledge(try store.finish(record.id, activeSeconds: seconds), store)
        }
        try await send(session)
    }

    /// Of a test that was handed in by itself.
    private func acknowledgeEnd(_ ended: StoredTest, _ store: QuireStore) throws {
        if !format.json { options.say(line: Output.language.endedByTimeLimit) }
        try acknowledge(ended, store)
    }

    /// Sends what is finished, where the button said “Send”.
    private func send(_ session: Session) async throws {
        let store = session.store
        if Self.isOnline(session), let remote = session.remote {
            let announcer = Announcer()
            let report = try await store.sweeper(remote, observer: announcer.observer).sweep()
            if !format.json { SyncCommand.tell(report, options, medium: session.store.medium) }
            await announcer.announce(store, notifies: false)
        }
    }

    private static func isOnline(_ session: Session) -> Bool {
        !session.isOffline && session.store.isOnline(session.remote).isOnline
    }

    private static func buttonTitle(_ session: Session) -> String {
        isOnline(session)
            ? Output.language.text("Send")
            : Output.language.text("Save, send when connected")
    }

    private static func networkState(_ session: Session) -> String {
        isOnline(session) ? Output.language.text("Online") : Output.language.text("Offline")
    }

    /// Where a picture is on this disk.
    private static func path(of medium: Media, in record: TestRecord, _ session: Session) -> String? {
        let found = try? session.store.shownMedia.place(of: medium, in: record, remote: session.remote)
        return found.map { session.store.path.pushing($0.path).string }
    }
}

struct AnswerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Set one answer of a draft; without a value, clear it.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The test's id, or its first characters.", completion: StoreCompletion.draft)
    var test: String
    @Argument(help: "The question's id.") var question: String
    @Argument(help: "The answer; several for a question of several choices or a ranking, JSON for rows and gaps.")
    var values: [String] = []

    func run() throws {
        let store = try options.openStore()
        let item = try store.people.item(prefix: test)
        let answer: Answer
        var isUnchecked = false
        if let questionnaire = try store.questionnaire(of: try store.outbox.draft(item.id).record) {
            guard let question = questionnaire.question(writtenAs: question) else {
                throw AnswerFault(questionId: question, reason: .noQuestion(questionnaire: nil))
            }
            var value = values.count == 1 ? Answer.Value.one(values[0]) : .several(values)
            // Rows and gaps have names: an object, as in a file of answers.
            if question.input.isStructured, values.count == 1,
                let given = try? DocumentCoding.decode(Answer.Value.self, from: Array(values[0].utf8))
            {
                value = given
            }
            answer = try question.answer(value, localOffset: SystemClock.localOffset)
        } else {
            answer = Answer(questionId: question, value: values.count == 1 ? .one(values[0]) : .several(values))
            isUnchecked = true
        }
        let stored = try store.edit(item.id) { record in
            record.record(answer)
            record.resume = ResumePosition(question: answer.questionId)
        }
        if isUnchecked { tellUnchecked(item.id, "the answer is kept as it was given") }
        let ended = try store.timeLimits.finish(item.id, hasAnswer: true)
        try Acknowledgement.tell(ended ?? stored, options, json: format.json, of: store)
    }
}

struct FinishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish", abstract: "Finish a draft, so that it is sent with the next sync.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The test's id, or its first characters.", completion: StoreCompletion.draft)
    var test: String

    func run() throws {
        let store = try options.openStore()
        let item = try store.people.item(prefix: test)
        let finished = try store.timeLimits.finish(item.id) ?? store.finish(item.id)
        if try store.questionnaire(of: finished.record) == nil {
            tellUnchecked(item.id, "the answers are sent as they were given")
        }
        try Acknowledgement.tell(finished, options, json: format.json, of: store)
    }
}

/// Without its questionnaire an answer cannot be checked, and is not lost either.
private func tellUnchecked(_ id: TestID, _ outcome: String) {
    Output.complain(
        "this device does not have the questionnaire that test \(id) was started with, so nothing was checked: \(outcome); "
            + "“quire pull” fetches the version of now")
}
