import CacheStore
import Disk
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import Model
import OutboxStore
import Quire
import Sync
import Synchronization

/// Routes the requests of authenticated users.
final class PageRouter: Sendable {
    let screens: Screens
    let background: BackgroundSync
    let board = LiveBoard()
    let notes = PageNotes()
    let forms = FormMemory()
    let times = ActiveTimes()
    private let contexts: StoreContextProvider
    private let opening: StoreContext.Opening
    let help: HelpFiles?
    private let logger: Logger
    private let state = Mutex(State())
    /// Of two clicks that begin a test only the first makes one.
    let beginning = Mutex(())

    private struct State {
        var port = 0
        var nextCode: (@Sendable (Int) -> Void)?
    }

    init(
        storeContext: StoreContext, opening: StoreContext.Opening, isAutomatic: Bool, help: HelpFiles? = nil,
        logger: Logger
    ) throws {
        (screens, self.help) = (try Screens(hasHelp: help != nil), help)
        contexts = StoreContextProvider(storeContext, opening, isAutomatic: isAutomatic)
        self.opening = opening
        self.logger = logger
        background = BackgroundSync(contexts: contexts, board: board, isAutomatic: isAutomatic, logger: logger)
    }

    var storeContext: StoreContext { contexts.storeContext }

    func screenContext(_ request: PageRequest) -> ScreenContext {
        ScreenContext(request: request, storeContext: storeContext, live: board.latest)
    }

    /// Gives the code for one more browser to the person who started the page.
    var nextCode: (@Sendable (Int) -> Void)? {
        get { state.withLock { $0.nextCode } }
        set { state.withLock { $0.nextCode = newValue } }
    }

    func setPort(_ port: Int) { state.withLock { $0.port = port } }

    func tellNextCode() {
        let (tell, port) = state.withLock { ($0.nextCode, $0.port) }
        tell?(port)
    }

    // MARK: Addresses

    func answer(_ request: PageRequest) async throws -> PageReply {
        await background.renew()
        if let refusal = try await refusal(request) { return refusal }
        return request.method == .post ? try await change(request) : try await show(request)
    }

    private func show(_ request: PageRequest) async throws -> PageReply {
        let path = request.path
        switch (path.first, path.count) {
        case ("events", 1): return .response(LiveEvents(board: board, screens: screens, router: self).response(request))
        case ("media", _):
            let (storeContext, range) = (self.storeContext, request.fields[.range])
            guard
                let found = try await offload({
                    try MediaEndpoint(storeContext: storeContext).answer(Array(path.dropFirst()), range: range)
                })
            else { throw PageProblem.notFound(request.language) }
            return .response(found)
        case ("help", _): return try await showHelp(request)
        case ("q", 2):
            return try await page(request) { try await QuestionnaireScreen(context: $0).content(id: path[1]) }
        case ("q", 3) where path[2] == "print": return try await printQuestionnaire(request, path[1])
        case (nil, 0):
            return try await page(request) { context in
                try await offload { try LibraryScreen(context: context).content() }
            }
        case ("outbox", 1):
            return try await page(request) { context in
                try await offload { try OutboxScreen(context: context).content() }
            }
        case ("results", 1):
            return try await page(request) { context in
                try await offload { try ResultsScreen(context: context).content() }
            }
        case ("person", 1...2): return try await showPeople(request)
        case ("write", _): return try await write(request)
        case ("settings", 1):
            return try await page(request) { context in
                try await offload { try SettingsScreen(context: context).content() }
            }
        case ("t", 2...3): return try await showTest(request)
        case ("t", 4) where path[2] == "files": return try await showFiles(request)
        case ("t", 4) where path[2] == "file": return try await file(request)
        default: throw PageProblem.notFound(request.language)
        }
    }

    private func showTest(_ request: PageRequest) async throws -> PageReply {
        let id = try id(request)
        let part = request.path.count == 3 ? request.path[2] : ""
        if part == "print" { return try await printTest(request, id) }
        if part.isEmpty || part == "review", try await isDraft(id) {
            if let ended = try await handInWhenShown(request, id) { return ended }
            times.note(id)
            return try await page(request) { try await TestScreen(context: $0).content(id, isReview: part == "review") }
        }
        switch part {
        case "discard":
            return try await page(request) { context in
                try await offload { try ReportScreen(context: context).discard(id) }
            }
        case "":
            return try await page(request) { context in
                try await offload { try ReportScreen(context: context).content(id) }
            }
        case "update" where try await isDraft(id):
            let screen = UpdateScreen(context: screenContext(request))
            guard let content = try await screen.content(id) else { return .seeOther("/t/\(id)") }
            return try await page(request) { _ in content }
        // Finished meanwhile, in another tab: there is nothing left to review or to move.
        case "instance" where try await isDraft(id):
            let context = screenContext(request)
            let screen = InstanceScreen(context: context, draft: try await TestScreen(context: context).draft(id))
            guard let content = screen.confirmation(request.query["go"]) else { return .seeOther("/t/\(id)") }
            return try await page(request) { _ in content }
        // The last four are the addresses of forms: one that was refused is looked at again.
        case "review", "update", "instance", "finish", "retry", "reopen", "detach": return .seeOther("/t/\(id)")
        default: throw PageProblem.notFound(request.language)
        }
    }

    func isDraft(_ id: TestID) async throws -> Bool {
        let store = storeContext.store
        guard let item = try await offload({ try store.outbox.find(id) }) else {
            throw OutboxError.notFound(id.description)
        }
        return item.status.isDraft
    }

    func id(_ request: PageRequest) throws -> TestID {
        guard request.path.count > 1, let id = TestID(request.path[1]) else {
            throw PageProblem.notFound(request.language)
        }
        return id
    }

    func page(
        _ request: PageRequest, _ make: (ScreenContext) async throws -> Screens.Content
    ) async throws -> PageReply {
        let live = await live()
        let context = ScreenContext(request: request, storeContext: storeContext, live: live)
        var content = try await make(context)
        if content.said == nil { content.said = notes.take(request) }
        return screens.page(content, .init(request: request, live: context.live, now: context.now))
    }

    /// The page shows the current state, not an earlier one.
    private func live() async -> LiveState {
        await background.look()
        return board.latest
    }

    // MARK: Changes

    private func change(_ request: PageRequest) async throws -> PageReply {
        let path = request.path
        switch (path.first, path.count) {
        case ("language", 1):
            guard let language = request.form["language"].flatMap(Language.init(rawValue:)) else {
                throw PageProblem.notFound(request.language)
            }
            return .seeOther(
                request.back,
                cookies: [
                    RequestPreferences.setCookie(language)
                ])
        case ("sync", 1): return try await sync(request)
        case ("pull", 1): return try await pull(request, ids: nil)
        case ("q", 3): return try await changeQuestionnaire(request, path[1], path[2])
        case ("t", 2...3): return try await changeTest(request, path.count == 3 ? path[2] : "")
        case ("outbox", 2): return try await retryAll(request, path[1])
        case ("c", 3): return try await settleChange(request, path[2])
        case ("person", 2): return try await changePerson(request, path[1])
        case ("write", 1...): return try await write(request)
        case ("settings", 2): return try await changeSettings(request, path[1])
        default: throw PageProblem.notFound(request.language)
        }
    }

    func sync(_ request: PageRequest) async throws -> PageReply {
        let words = PageWords(language: request.language)
        let storeContext = try await contexts.current()
        if storeContext.remote == nil { return done(request, PageNote(.warn, words.noServer)) }
        do {
            let report = try await background.send()
            if report.isUnreachable, report.sent.isEmpty {
                await background.look()
                return done(request, words.unreachable(report.stopped ?? "", storeContext.way))
            }
            var fetching: String?
            do {
                // “Sync now” covers the library too.
                _ = try await background.pull()
            } catch let failure as RemoteFailure {
                if report.sent.isEmpty, report.waiting == report.kept, failure.kind == .unreachable { throw failure }
                fetching = failure.reason
            }
            await background.look()
            return done(
                request,
                words.synced(
                    report, undecided: board.latest.needingDecision, medium: storeContext.store.medium,
                    fetching: fetching, now: storeContext.store.clock.now, storeContext.way))
        } catch let failure as RemoteFailure {
            await background.look()
            return done(request, words.unreachable(failure.reason, storeContext.way))
        }
    }

    private func pull(_ request: PageRequest, ids: [String]?) async throws -> PageReply {
        let words = PageWords(language: request.language)
        let storeContext = try await contexts.current()
        if storeContext.remote == nil { return done(request, PageNote(.warn, words.noServer)) }
        do {
            let report = try await background.pull(.init(ids: ids))
            if let id = ids?.first, report.failed[id] != nil || report.noRoom.contains(id) {
                return done(request, PageNote(.bad, words.text("It could not be downloaded.")))
            }
            return done(
                request,
                report.new.isEmpty && report.updated.isEmpty
                    ? PageNote(.calm, words.text("No updates."))
                    : PageNote(.good, words.text("The library is up to date.")))
        } catch let failure as RemoteFailure {
            await background.look()
            return done(request, words.unreachable(failure.reason, storeContext.way))
        }
    }

    /// Back to the form, with a note about the action.
    func done(_ request: PageRequest, _ note: PageNote, at address: String? = nil) -> PageReply {
        notes.leave(note, for: request.session)
        return .seeOther(address ?? request.back)
    }

    /// A person's decision about a change of a questionnaire. A second click does nothing.
    private func settleChange(_ request: PageRequest, _ verb: String) async throws -> PageReply {
        let (store, id) = (storeContext.store, try id(request))
        let choice = ConflictChoice(rawValue: verb)
        guard choice != nil || verb == "retry" || verb == "discard" else {
            throw PageProblem.notFound(request.language)
        }
        try await offload {
            do {
                if let choice {
                    try store.resolve(id.description, choice)
                } else if verb == "retry" {
                    try store.outbox.edits.retry(id)
                } else {
                    try store.outbox.discard(id)
                }
            } catch OutboxError.notFound, OutboxError.noConflict, OutboxError.illegalMove, OutboxError.delivered {}
        }
        if storeContext.connection.isOnline { sendSoon() }
        return .seeOther("/outbox")
    }

    private func changeQuestionnaire(_ request: PageRequest, _ id: String, _ verb: String) async throws -> PageReply {
        let store = storeContext.store
        switch verb {
        case "favorite":
            let isOn = request.form["on"] == "1"
            try await offload {
                let title = try store.library().first { $0.id == id }?.title ?? id
                try store.setFavorite(id, title: title, isOn)
            }
            return .seeOther(request.back)
        case "pull": return try await pull(request, ids: [id])
        case "begin": return try await begin(request, id)
        default: throw PageProblem.notFound(request.language)
        }
    }

    private func changeTest(_ request: PageRequest, _ verb: String) async throws -> PageReply {
        let id = try id(request)
        let store = storeContext.store
        switch verb {
        case "":
            guard try await isDraft(id) else { return try await frozen(request, id) }
            return try await save(request, id)
        case "finish": return try await finish(request, id)
        case "update":
            let screen = UpdateScreen(context: screenContext(request))
            do {
                let (draft, note) = try await screen.move(id)
                return done(request, note, at: "/t/\(draft)")
            } catch OutboxError.frozen {
                return .seeOther("/t/\(id)")
            }
        case "detach": return try await detachFile(request, id)
        case "retry":
            do {
                _ = try await offload { try store.retry(id) }
            } catch OutboxError.illegalMove {
                // Sent meanwhile, or being sent: nothing is left to do.
                return .seeOther("/t/\(id)")
            }
            if storeContext.connection.isOnline { sendSoon() }
            return .seeOther("/t/\(id)")
        case "reopen":
            let test = try await offload { [self] in
                try beginning.withLock { _ in try store.revisions.draft(changing: id) }
            }
            return .seeOther("/t/\(test)")
        case "discard":
            do {
                try await offload {
                    try store.outbox.discard(id)
                    store.journal.record("discarded", test: id)
                }
            } catch OutboxError.notFound {
                // Discarded already.
            }
            let words = PageWords(language: request.language)
            return done(
                request,
                PageNote(
                    .good, words.text("Discarded. The file is in quarantine.")),
                at: "/outbox")
        default: throw PageProblem.notFound(request.language)
        }
    }

    func sendSoon() {
        Task { [background, logger] in
            do { _ = try await background.send() } catch { logger.debug("\(error)") }
        }
    }

    private func changeSettings(_ request: PageRequest, _ verb: String) async throws -> PageReply {
        do {
            let note = try await SettingsScreen(context: screenContext(request)).save(verb, opening)
            await background.look()
            return done(request, note, at: "/settings")
        } catch let fault as SettingsScreen.Fault {
            return try await page(request) { context in
                try await offload { try SettingsScreen(context: context).content(fault) }
            }
        }
    }
}
