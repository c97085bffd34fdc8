import ArgumentParser
import Model
import OutboxStore
import Quire
import QuireWording
import Sync
import Wording

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send what is waiting and fetch receipts and ratings, once.",
        discussion: """
            Exit code 0 when all was sent and accepted. 69 when the remote cannot be reached, or another page answers in \
            its place; 75 when something is kept for later; 65 when nothing waits but something needs you: it was not \
            accepted, was changed elsewhere, cannot be read, or is missing on the server. Nothing is ever lost by a failure. \
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
            try session.store.timeLimits.finishAll()
            let progress = Progress(Output.language.text("Sending"), isQuiet: options.quiet || format.json)
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
        let isLeft =
            try !report.unreadable.isEmpty || !undecided(store).isEmpty || !store.resending.missingTests().isEmpty
        if isLeft { throw ExitCode(Exit.badData) }
    }

    private func undecided(_ store: QuireStore) throws -> [OutboxItem] {
        try store.outbox.scan().items.filter { $0.status == .rejected || $0.status == .conflict }
    }

    private func print(_ report: Sweeper.Report, _ store: QuireStore) throws {
        let undecided = try undecided(store)
        let missing = try store.resending.missingTests().count
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
        options.say(line: Self.words(missing: missing, Output.language))
    }

    static func words(missing: Int, _ language: Language) -> String {
        language.plural(
            missing,
            one: "The server no longer has 1 test that it acknowledged: “quire outbox retry --lost” sends them again.",
            other:
                "The server no longer has \(missing) tests that it acknowledged: “quire outbox retry --lost” sends them again."
        )
    }

    /// Lists the items that need the person.
    private func tell(undecided: [OutboxItem]) {
        let conflicts = undecided.count { $0.kind == .questionnaire && $0.status == .conflict }
        let others = undecided.count - conflicts
        let language = Output.language
        var parts: [String] = []
        if conflicts > 0 { parts.append(language.text("\(conflicts) in “quire conflicts”")) }
        if others > 0 {
            parts.append(
                language.text("\(others) not accepted, or changed elsewhere: “quire outbox ls”, “quire why ID”"))
        }
        options.say("Waiting for your decision: \(parts.joined(separator: "; ")).")
    }

    static func tell(_ report: Sweeper.Report, _ options: StoreOptions, medium: DeliveryMedium) {
        let language = Output.language
        let kept = report.kept
        var parts = [language.text("\(report.sent.count) sent")]
        func add(_ count: Int, _ text: (Int) -> String) { if count > 0 { parts.append(text(count)) } }
        add(report.rated.count) { language.text("\($0) rated") }
        add(report.returned.count) { language.text("\($0) returned to be corrected") }
        add(report.rejected.count) { language.text("\($0) not accepted") }
        add(report.conflicts.count) { language.text("\($0) changed elsewhere") }
        add(kept) { medium.kept($0, language) }
        add(report.waiting - kept) { language.text("\($0) waiting") }
        if let due = report.nextDue {
            parts.append(language.text("next attempt \(due.inWords), or “quire sync --now”"))
        }
        options.say(line: parts.joined(separator: ", ") + ".")
    }

    private func showDue(_ session: Session) async throws {
        if session.remoteFaultReason != nil { _ = try session.requireRemote() }
        guard let remote = session.remote else { throw Failure(Exit.usage, "this store has no remote") }
        let (dueNow, report) = try session.store.sweeper(remote).dueNow(.init(ignoresNotBefore: now))
        let others = try session.store.explainer.blockedItems(
            except: Set(dueNow.map(\.id)))
        // Whatever its turn: what lacks its bytes does not go.
        let held = Set(others.map { OutboxItem(id: $0.id, kind: $0.kind, status: $0.status) })
        let due = dueNow.filter { !held.contains($0) }
        if format.json {
            struct Blocked: Encodable {
                var id: TestID
                var kind: OutboxKind
                var status: TestStatus
                var notBefore: Timestamp?
                var reason: String?
            }
            struct Plan: Encodable {
                var wouldSend: [TestID]
                var notNow: [Blocked]
                var waiting: Int
                @Nullable var nextDue: Timestamp?
            }
            return try Output.json(
                Plan(
                    wouldSend: due.map(\.id),
                    notNow: others.map {
                        Blocked(
                            id: $0.id, kind: $0.kind, status: $0.status, notBefore: $0.notBefore,
                            reason: $0.reason(.english))
                    },
                    waiting: report.waiting, nextDue: report.nextDue))
        }
        for item in due { Output.line(item.id.description) }
        for item in others {
            let moment = item.notBefore.map { Output.language.text("after \($0.inWords)") }
            let reason = [moment, item.reason(Output.language)].compactMap(\.self).joined(separator: ": ")
            Output.line(Output.language.text("not now: \(item.id): ") + reason)
        }
        let later = report.waiting - due.count
        if later > 0 {
            options.say("\(due.count) would be sent, \(later) not yet.")
        } else {
            options.say("\(due.count) would be sent.")
        }
    }

    private func tellWaiting(_ store: QuireStore) throws {
        var report = Sweeper.Report()
        report.waiting = try store.outbox.scan().items.count { $0.status.isWaiting }
        report.kept = try store.outboxListing.keptCount()
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
        /// Who uses the device now; tests that are started are theirs.
        @Nullable var person: Person?
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
        let fault = session.remoteFaultReason
        let (isOnline, reason) =
            fault != nil || session.isOffline ? (false, fault ?? "--offline") : store.isOnline(session.remote)
        let tallies = try store.outboxTallies()
        let all = tallies.all
        let people = try store.people.state()
        let cache = try store.cache.space.briefStatistics()
        let contact = store.journal.contact()
        let outdated = all.drafts == 0 ? [] : try store.outdatedDrafts().map(\.record.id)
        let result = Result(
            store: store.path.string, remote: store.settings.remote, online: isOnline, offlineReason: reason,
            person: people.current?.reference,
            waiting: all.waiting, drafts: all.drafts,
            outdatedDrafts: outdated.count, delivered: all.delivered, rejected: all.rejected,
            conflicts: all.conflicts, kept: all.kept, outdatedDraftIds: outdated, tests: tallies.tests,
            changes: tallies.changes, attachments: tallies.attachments,
            lastSync: contact?.lastSync, lastPull: contact?.lastPull,
            heldRemovals: contact?.heldRemovals ?? 0,
            clockSkewSeconds: contact?.clockSkewSeconds(now: store.clock.now), trouble: contact?.trouble,
            missing: try store.resending.missingTests().count,
            cache: .init(
                bytes: cache.bytes + cache.indexBytes, quota: store.cache.totalQuotaBytes, entries: cache.entries))
        if format.json { return try Output.json(result) }
        if !people.people.isEmpty {
            Output.line(Output.language.text("Current person: \(people.current?.fullName ?? "–")"))
        }
        tell(result, contact, now: store.clock.now, medium: store.medium)
    }

    /// The waiting items of one kind, and the others' states.
    private func line(
        _ name: String, _ tally: QuireStore.OutboxTally, drafts: String? = nil, _ medium: DeliveryMedium
    ) -> String {
        let language = Output.language
        let (waiting, kept) = (tally.waiting - tally.kept, tally.kept)
        var parts = [language.text("\(waiting) waiting")]
        if let drafts { parts.append(drafts) }
        parts.append(language.text("\(tally.delivered) delivered"))
        if kept > 0 {
            parts.append(medium.kept(kept, language))
        }
        if tally.rejected > 0 {
            parts.append(language.text("\(tally.rejected) not accepted"))
        }
        if tally.conflicts > 0 {
            parts.append(
                language.text("\(tally.conflicts) changed elsewhere"))
        }
        return "\(name): " + parts.joined(separator: ", ")
    }

    private func tell(_ result: Result, _ contact: Contact?, now: Timestamp, medium: DeliveryMedium) {
        let language = Output.language
        let isRefused = result.online && result.trouble == .tokenRefused
        let connection =
            isRefused
            ? language.text("Online, but the server refuses the token")
            : result.online ? language.text("Online") : language.text("Offline")
        Output.line(
            connection + (result.offlineReason.map { " (\($0))" } ?? "") + (result.remote.map { " · " + $0 } ?? ""))
        if let contact, let trouble = contact.trouble {
            let ago = TimeSpan.format(seconds: max(0, now.seconds(since: contact.at)), language)
            Output.line(
                language.text("At the last contact, \(ago) ago: ")
                    + trouble.words(language))
        }
        let drafts = language.plural(
            result.tests.drafts, one: "1 draft", other: "\(result.tests.drafts) drafts", context: "list")
        Output.line(line(language.text("Tests"), result.tests, drafts: drafts, medium))
        if !result.changes.isEmpty { Output.line(line(language.text("Changes"), result.changes, medium)) }
        if !result.attachments.isEmpty {
            Output.line(line(language.text("Attachments"), result.attachments, medium))
        }
        if result.outdatedDrafts > 0 {
            Output.line(
                language.plural(
                    result.outdatedDrafts, one: "1 draft of an older version:",
                    other: "\(result.outdatedDrafts) drafts of an older version:"))
            for id in result.outdatedDraftIds.prefix(5) { Output.line("  quire diff \(id)") }
            if result.outdatedDraftIds.count > 5 { Output.line("  …") }
        }
        if result.missing > 0 { Output.line(SyncCommand.words(missing: result.missing, language)) }
        func ago(_ moment: Timestamp) -> String { TimeSpan.format(seconds: now.seconds(since: moment), language) }
        let sync = result.lastSync.map {
            language.text("Last sync: \(ago($0)) ago")
        }
        let pull = result.lastPull.map {
            language.text("Questionnaires updated \(ago($0)) ago")
        }
        let contacts = [sync, pull].compactMap(\.self)
        Output.line(
            contacts.isEmpty
                ? language.text("Never synced") : contacts.joined(separator: " · "))
        if result.heldRemovals > 0 {
            let count = result.heldRemovals
            Output.line(
                language.plural(
                    count,
                    one:
                        "The server's list lacks 1 questionnaire that is kept here: “quire pull --remove” removes them",
                    other:
                        "The server's list lacks \(count) questionnaires that are kept here: “quire pull --remove” removes them"
                ))
        }
        let quota = result.cache.quota.map { language.text(" of ") + ByteCount.format($0, language) } ?? ""
        Output.line(
            language.text("Cache: ") + ByteCount.format(result.cache.bytes, language) + quota
                + language.text(", \(result.cache.entries) entries"))
        if let skew = result.clockSkewSeconds {
            Output.line(
                language.text(
                    "This machine's clock differs from the server's by \(TimeSpan.format(seconds: abs(skew), language))."
                ))
        }
    }
}
