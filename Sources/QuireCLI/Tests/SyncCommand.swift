import ArgumentParser
import Model
import OutboxStore
import Quire
import Sync

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send what is waiting and fetch receipts and ratings, once.",
        discussion: """
            Exit code 0 when all was sent and accepted. 69 when the remote cannot be reached, or another page answers in
            its place; 75 when something is kept for later; 65 when nothing waits but something needs you: it was not
            accepted, was changed elsewhere, cannot be read, or is missing on the server. Nothing is ever lost by a failure.
            With --offline nothing is tried and all is kept: exit code 0.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Flag(help: "Show what would be sent, and send nothing.") var dryRun = false
    @Flag(help: "Also retry what is waiting for a later attempt.") var now = false

    @Flag(help: "First check that the server answers, and not a network's login page.")
    var probe = false
    @Flag(help: "Check that the server still has every delivered test, however old.") var verify = false
    @Flag(help: "Show a desktop notification about what was sent and rated.") var notify = false

    private struct Result: Encodable {
        var sent, waiting, rejected, conflicts, rated, kept: Int
        /// Items that wait for the person's decision, from this round and earlier ones.
        var undecided: Int
        /// Tests that the server acknowledged and does not have any more.
        var missing: Int
        var unreadable: [String]
        @Nullable var nextDue: Timestamp?
        @Nullable var stopped: String?
        @Nullable var unheard: String?
    }

    func run() async throws {
        try await Session.run(options) { session in
            if dryRun { return try await showDue(session) }
            if session.isOffline {
                return try tellWaiting(session.store)
            }
            let remote = try session.requireRemote()
            let progress = Progress(Output.language.pick("Sending", "Отправка"), isQuiet: options.quiet || format.json)
            let announcer = Announcer()
            let report: Sweeper.Report
            do {
                let sweeper = session.store.sweeper(remote, observer: announcer.observer)
                let asked = Sweeper.Options(
                    ignoresNotBefore: now, probes: probe, asksAfterRated: true, verifies: verify)
                report = try await sweeper.sweep(asked) { done, total in
                    progress.show(done: done, total: total, "")
                } mediaProgress: { medium in
                    progress.show(medium)
                }
            } catch {
                progress.clear()
                await announcer.announce(session.store, notifies: notify)
                throw error
            }
            progress.clear()
            await announcer.announce(session.store, notifies: notify)
            try print(report, session.store)
            for fault in report.unreadable { Output.complain("\(fault): see “quire doctor”") }
            if let unheard = report.unheard {
                Output.complain("what became of some tests could not be heard: \(unheard): it is asked again next time")
            }
            if report.isUnreachable {
                throw Failure(
                    Exit.unavailable,
                    (report.stopped ?? "the remote cannot be reached") + ": "
                        + (report.waiting > 0 ? "\(report.waiting) kept, try again later" : "try again later"))
            }
            if let stopped = report.stopped {
                throw Failure(Exit.keptForLater, stopped + ": \(report.waiting) kept for later")
            }
            if report.isBusy { throw Failure(OutboxError.sweeperIsRunning) }
            try end(report, session.store)
        }
    }

    /// Unreadable items were reported, later ones printed: that is no failure, but not everything is done.
    private func end(_ report: Sweeper.Report, _ store: QuireStore) throws {
        if report.waiting > report.unreadable.count {
            if let trouble = report.trouble {
                throw Failure(Exit.keptForLater, "\(trouble): \(report.waiting) kept for later")
            }
            throw ExitCode(Exit.keptForLater)
        }
        let isLeft = try !report.unreadable.isEmpty || !undecided(store).isEmpty || !store.missingTests().isEmpty
        if isLeft { throw ExitCode(Exit.badData) }
    }

    private func undecided(_ store: QuireStore) throws -> [OutboxItem] {
        try store.outbox.scan().items.filter { $0.status == .rejected || $0.status == .conflict }
    }

    private func print(_ report: Sweeper.Report, _ store: QuireStore) throws {
        let undecided = try undecided(store)
        let missing = try store.missingTests().count
        if format.json {
            return try Output.json(
                Result(
                    sent: report.sent.count, waiting: report.waiting, rejected: report.rejected.count,
                    conflicts: report.conflicts.count, rated: report.rated.count, kept: report.kept,
                    undecided: undecided.count, missing: missing, unreadable: report.unreadable,
                    nextDue: report.nextDue, stopped: report.stopped, unheard: report.unheard))
        }
        Self.tell(report, options, medium: store.medium)
        if !undecided.isEmpty { tell(undecided: undecided) }
        if missing > 0 { Self.tell(missing: missing, options) }
    }

    static func tell(missing: Int, _ options: StoreOptions) {
        options.say(Self.words(missing: missing, .english), Self.words(missing: missing, .russian))
    }

    static func words(missing: Int, _ language: Language) -> String {
        language.pick(
            "The server no longer has \(Language.count(missing, "test")) that it acknowledged: “quire outbox retry --lost” "
                + "sends them again.",
            "На сервере больше нет подтверждённых тестов: \(missing). Отправить их снова: «quire outbox retry --lost».")
    }

    /// Lists the items that need the person.
    private func tell(undecided: [OutboxItem]) {
        let conflicts = undecided.count { $0.kind == .questionnaire && $0.status == .conflict }
        let others = undecided.count - conflicts
        var english: [String] = []
        var russian: [String] = []
        if conflicts > 0 {
            english.append("\(conflicts) in “quire conflicts”")
            russian.append("\(conflicts) в «quire conflicts»")
        }
        if others > 0 {
            english.append("\(others) not accepted, or changed elsewhere: “quire outbox ls”, “quire why ID”")
            russian.append("\(others) не принято или изменено в другом месте: «quire outbox ls», «quire why ID»")
        }
        options.say(
            "Waiting for your decision: " + english.joined(separator: "; ") + ".",
            "Ждут вашего решения: " + russian.joined(separator: "; ") + ".")
    }

    static func tell(_ report: Sweeper.Report, _ options: StoreOptions, medium: DeliveryMedium) {
        var english = ["\(report.sent.count) sent"]
        var russian = ["отправлено \(report.sent.count)"]
        func add(_ count: Int, _ one: String, _ other: String) {
            guard count > 0 else { return }
            english.append("\(count) \(one)")
            russian.append("\(other) \(count)")
        }
        add(report.rated.count, "rated", "проверено")
        add(report.rejected.count, "not accepted", "не принято")
        add(report.conflicts.count, "changed elsewhere", "изменено в другом месте")
        add(report.kept, medium.keptInSentence.english, medium.keptInSentence.russian)
        add(report.waiting - report.kept, "waiting", "ждут")
        if let due = report.nextDue {
            english.append("next attempt \(due.inWords), or “quire sync --now”")
            russian.append("следующая попытка \(due.inWords) или «quire sync --now»")
        }
        options.say(english.joined(separator: ", ") + ".", russian.joined(separator: ", ") + ".")
    }

    private func showDue(_ session: Session) async throws {
        guard let remote = session.remote else { throw Failure(Exit.usage, "this store has no remote") }
        let (dueNow, report) = try session.store.sweeper(remote).dueNow(.init(ignoresNotBefore: now))
        let others = try session.store.blockedItems(
            except: Set(dueNow.map(\.id)), format.json ? .english : Output.language)
        // Whatever its turn: what lacks its bytes does not go.
        let held = Set(others.map { OutboxItem(id: $0.id, kind: $0.kind, status: $0.status) })
        let due = dueNow.filter { !held.contains($0) }
        if format.json {
            struct Plan: Encodable {
                var wouldSend: [TestID]
                var notNow: [BlockedItem]
                var waiting: Int
                @Nullable var nextDue: Timestamp?
            }
            return try Output.json(
                Plan(
                    wouldSend: due.map(\.id), notNow: others, waiting: report.waiting, nextDue: report.nextDue))
        }
        for item in due { Output.line(item.id.description) }
        for item in others {
            let moment = item.notBefore.map { Output.language.pick("after \($0.inWords)", "после \($0.inWords)") }
            let reason = [moment, item.reason].compactMap(\.self).joined(separator: ": ")
            Output.line(Output.language.pick("not now: \(item.id): ", "не сейчас: \(item.id): ") + reason)
        }
        let later = report.waiting - due.count
        options.say(
            "\(due.count) would be sent" + (later > 0 ? ", \(later) not yet." : "."),
            "Было бы отправлено: \(due.count)" + (later > 0 ? ", ждут своего времени: \(later)." : "."))
    }

    private func tellWaiting(_ store: QuireStore) throws {
        var report = Sweeper.Report()
        report.waiting = try store.outbox.scan().items.count { $0.status.isWaiting }
        report.kept = try store.keptCount()
        try print(report, store)
    }
}

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the connection, the waiting items, and the size of the cache.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption

    private struct Result: Encodable {
        struct Cache: Encodable {
            var bytes: Int64
            @Nullable var quota: Int64?
            var entries: Int
        }
        var store: String
        @Nullable var remote: String?
        var online: Bool
        @Nullable var offlineReason: String?
        /// Of everything in the outbox.
        var waiting, drafts, outdatedDrafts, delivered, rejected, conflicts, kept: Int
        var outdatedDraftIds: [TestID]
        var tests, changes, attachments: QuireStore.OutboxTally
        @Nullable var lastSync: Timestamp?
        @Nullable var lastPull: Timestamp?
        /// Questionnaires that the server's list lacks and that are kept until a later list confirms it.
        var heldRemovals: Int
        @Nullable var clockSkewSeconds: Double?
        /// `token-refused` or `not-the-server`: what the last contact ended with.
        @Nullable var trouble: Contact.Trouble?
        /// Tests that the server acknowledged and does not have any more.
        var missing: Int
        var cache: Cache
    }

    func run() throws {
        let session = try Session(options)
        let store = session.store
        let (isOnline, reason) =
            session.isOffline ? (false, "--offline") : store.isOnline(session.remote)
        let tallies = try store.outboxTallies()
        let all = tallies.all
        let cache = try store.cache.briefStatistics()
        let contact = store.journal.contact()
        let outdated = all.drafts == 0 ? [] : try store.outdatedDrafts().map(\.record.id)
        let result = Result(
            store: store.path.string, remote: store.settings.remote, online: isOnline, offlineReason: reason,
            waiting: all.waiting, drafts: all.drafts,
            outdatedDrafts: outdated.count, delivered: all.delivered, rejected: all.rejected,
            conflicts: all.conflicts, kept: all.kept, outdatedDraftIds: outdated, tests: tallies.tests,
            changes: tallies.changes, attachments: tallies.attachments,
            lastSync: contact?.lastSync, lastPull: contact?.lastPull,
            heldRemovals: contact?.heldRemovals ?? 0,
            clockSkewSeconds: contact?.clockSkewSeconds(now: store.clock.now), trouble: contact?.trouble,
            missing: try store.missingTests().count,
            cache: .init(
                bytes: cache.bytes + cache.indexBytes, quota: store.cache.totalQuotaBytes, entries: cache.entries))
        if format.json { return try Output.json(result) }
        tell(result, contact, now: store.clock.now, medium: store.medium)
    }

    /// The waiting items of one kind, and the others' states.
    private func line(
        _ name: String, _ tally: QuireStore.OutboxTally, drafts: String? = nil, _ medium: DeliveryMedium
    ) -> String {
        let language = Output.language
        let (waiting, kept) = (tally.waiting - tally.kept, tally.kept)
        var parts = [language.pick("\(waiting) waiting", "ждут \(waiting)")]
        if let drafts { parts.append(drafts) }
        parts.append(language.pick("\(tally.delivered) delivered", "доставлено \(tally.delivered)"))
        if kept > 0 {
            let words = medium.keptInSentence
            parts.append(language.pick("\(kept) \(words.english)", "\(words.russian) \(kept)"))
        }
        if tally.rejected > 0 {
            parts.append(language.pick("\(tally.rejected) not accepted", "не принято \(tally.rejected)"))
        }
        if tally.conflicts > 0 {
            parts.append(
                language.pick("\(tally.conflicts) changed elsewhere", "изменено в другом месте \(tally.conflicts)"))
        }
        return "\(name): " + parts.joined(separator: ", ")
    }

    private func tell(_ result: Result, _ contact: Contact?, now: Timestamp, medium: DeliveryMedium) {
        let language = Output.language
        let connection = result.online ? language.pick("Online", "В сети") : language.pick("Offline", "Нет сети")
        Output.line(
            connection + (result.offlineReason.map { " (\($0))" } ?? "") + (result.remote.map { " · " + $0 } ?? ""))
        if let contact, let trouble = contact.trouble {
            let ago = TimeSpan.format(seconds: max(0, now.seconds(since: contact.at)), language)
            Output.line(
                language.pick("At the last contact, \(ago) ago: ", "При последнем обращении, \(ago) назад: ")
                    + trouble.words(language))
        }
        let drafts = language.pick(
            Language.count(result.tests.drafts, "draft"), "черновиков \(result.tests.drafts)")
        Output.line(line(language.pick("Tests", "Тесты"), result.tests, drafts: drafts, medium))
        if !result.changes.isEmpty { Output.line(line(language.pick("Changes", "Изменения"), result.changes, medium)) }
        if !result.attachments.isEmpty {
            Output.line(line(language.pick("Attachments", "Вложения"), result.attachments, medium))
        }
        if result.outdatedDrafts > 0 {
            Output.line(
                language.pick(
                    "\(Language.count(result.outdatedDrafts, "draft")) of an older version:",
                    "Черновики старой версии: \(result.outdatedDrafts):"))
            for id in result.outdatedDraftIds.prefix(5) { Output.line("  quire diff \(id)") }
            if result.outdatedDraftIds.count > 5 { Output.line("  …") }
        }
        if result.missing > 0 { Output.line(SyncCommand.words(missing: result.missing, language)) }
        func ago(_ moment: Timestamp) -> String { TimeSpan.format(seconds: now.seconds(since: moment), language) }
        let sync = result.lastSync.map {
            language.pick("Last sync: \(ago($0)) ago", "Последняя синхронизация: \(ago($0)) назад")
        }
        let pull = result.lastPull.map {
            language.pick("Questionnaires updated \(ago($0)) ago", "Анкеты обновлены \(ago($0)) назад")
        }
        let contacts = [sync, pull].compactMap(\.self)
        Output.line(
            contacts.isEmpty
                ? language.pick("Never synced", "Ещё не синхронизировано") : contacts.joined(separator: " · "))
        if result.heldRemovals > 0 {
            let count = result.heldRemovals
            Output.line(
                language.pick(
                    "The server's list lacks \(Language.count(count, "questionnaire")) that \(count == 1 ? "is" : "are") kept here: "
                        + "“quire pull --remove” removes them",
                    "В списке сервера нет анкет, оставленных здесь: \(count); «quire pull --remove» удалит их"))
        }
        let quota = result.cache.quota.map { language.pick(" of ", " из ") + ByteCount.format($0, language) } ?? ""
        Output.line(
            language.pick("Cache: ", "Кэш: ") + ByteCount.format(result.cache.bytes, language) + quota
                + language.pick(", \(result.cache.entries) entries", ", записей \(result.cache.entries)"))
        if let skew = result.clockSkewSeconds {
            Output.line(
                language.pick(
                    "This machine's clock differs from the server's by \(TimeSpan.format(seconds: abs(skew))).",
                    "Часы этой машины расходятся с серверными на \(TimeSpan.format(seconds: abs(skew), .russian))."))
        }
    }
}
