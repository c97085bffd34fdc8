import Disk
import Logging
import Model
import Quire
import ServiceLifecycle
import Sync
import Synchronization

/// Looks at the store all the time, and sends and fetches when there is a connection.
///
/// Other programs change the store too, so the page shows the store's state, not this process's actions.
final class BackgroundSync: Service, Sendable {
    private let contexts: StoreContextProvider
    let board: LiveBoard
    private let isAutomatic: Bool
    private let logger: Logger
    private let work = Work()
    /// The remote that said last that it has no people, and when.
    private let withoutPeople = Mutex<(remote: String, since: Timestamp)?>(nil)

    /// The drafts that were open when it was looked for news for the host.
    private let reportedDrafts = Mutex<Set<TestID>?>(nil)

    /// How often the store is checked while a page is open, and while none is.
    static let watchedPause = Duration.seconds(1)
    static let idlePause = Duration.seconds(5)
    /// How often drafts are looked for whose time is over.
    static let endPause = 60.0
    /// How often ratings are asked for, and the list of questionnaires.
    static let ratingSeconds = 30.0
    static let pullSeconds = 900.0
    /// How often it is looked whether the host has yet to hear of a draft.
    static let reportSeconds = 15.0
    /// How often a remote without people is asked for them.
    static let peopleSeconds = 3600.0

    init(contexts: StoreContextProvider, board: LiveBoard, isAutomatic: Bool, logger: Logger) {
        self.contexts = contexts
        self.board = board
        self.isAutomatic = isAutomatic
        self.logger = logger
    }

    /// Runs one operation at a time for all callers.
    private actor Work {
        private var sending: Task<Sweeper.Report, any Error>?
        private var pulling: Task<Puller.Report, any Error>?

        func send(_ body: @escaping @Sendable () async throws -> Sweeper.Report) async throws -> Sweeper.Report {
            if let sending { return try await sending.value }
            let task = Task { try await body() }
            sending = task
            defer { sending = nil }
            return try await task.value
        }

        func pull(_ body: @escaping @Sendable () async throws -> Puller.Report) async throws -> Puller.Report {
            if let pulling { return try await pulling.value }
            let task = Task { try await body() }
            pulling = task
            defer { pulling = nil }
            return try await task.value
        }
    }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            var lastPullTry: Timestamp?
            var lastReport: Timestamp?
            var lastEnds: Timestamp?
            while !Task.isCancelled {
                await self.look()
                if self.isAutomatic { await self.round(&lastPullTry, &lastReport) }
                do {
                    try await self.contexts.storeContext.store.clock.sleep(
                        for: self.board.hasListeners ? Self.watchedPause : Self.idlePause)
                } catch is CancellationError {
                    return
                }
                let store = self.contexts.storeContext.store
                let now = store.clock.now
                if lastEnds.map({ abs(now.seconds(since: $0)) >= Self.endPause }) ?? true {
                    lastEnds = now
                    // What cannot be handed in now is tried again.
                    _ = try? await offload { try store.timeLimits.finishAll() }
                }
            }
        }
    }

    private func round(_ lastPullTry: inout Timestamp?, _ lastReport: inout Timestamp?) async {
        let state = board.latest
        let storeContext = contexts.storeContext
        guard state.isOnline, storeContext.remote != nil else { return }
        let now = storeContext.store.clock.now
        let isDue = state.nextDue.map { $0 <= now } ?? false
        let asks =
            state.awaitingRating > 0
            && (state.lastSync.map { now.seconds(since: $0) >= Self.ratingSeconds } ?? true)
        if isDue || asks || state.isBeingSent {
            await quietly { _ = try await self.send() }
        } else if lastReport.map({ abs(now.seconds(since: $0)) >= Self.reportSeconds }) ?? true {
            lastReport = now
            await quietly { try await self.reportProgress() }
        }
        if state.lastPull.map({ now.seconds(since: $0) >= Self.pullSeconds }) ?? true,
            lastPullTry.map({ now.seconds(since: $0) >= Self.pullSeconds / 15 }) ?? true
        {
            lastPullTry = now
            await quietly { _ = try await self.pull(isAsked: false) }
        }
    }

    /// A background failure shows in the state of the tests and the connection.
    private func quietly(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            logger.debug("\(error)")
        }
    }

    /// Returns the context of the current settings, or the former one where they cannot be read.
    @discardableResult
    func renew() async -> StoreContext {
        do {
            return try await contexts.current()
        } catch {
            logger.error("\(error)")
            return contexts.storeContext
        }
    }

    /// Looks at the store now, by its settings of now.
    func look() async {
        let storeContext = await renew()
        do {
            board.put(try await offload { try LiveState.look(at: storeContext) })
        } catch {
            logger.error("\(error)")
        }
    }

    /// Sends due items and asks for the state of delivered ones.
    func send(_ options: Sweeper.Options = .init(asksAfterRated: true)) async throws -> Sweeper.Report {
        let storeContext = try await contexts.current()
        guard let remote = storeContext.remote, !storeContext.isOffline else {
            throw RemoteFailure(.unreachable, storeContext.connection.reason ?? "no remote is set")
        }
        let report = try await work.send { [board] in
            board.setSending(true)
            defer { board.setSending(false) }
            return try await storeContext.store.sweeper(remote).sweep(options)
        }
        await look()
        return report
    }

    /// Says which drafts are open, where others are than before. What is not heard is said with the next sweep.
    private func reportProgress() async throws {
        let storeContext = contexts.storeContext
        guard let remote = storeContext.remote, !storeContext.isOffline else { return }
        let store = storeContext.store
        let open = try await offload { Set(try store.outbox.scan().tests.filter(\.status.isDraft).map(\.id)) }
        let isNew = reportedDrafts.withLock { reported in
            defer { reported = open }
            return reported != open
        }
        guard isNew else { return }
        let sweeper = store.sweeper(remote)
        if try await offload({ try sweeper.hasUnheardProgress() }) { _ = try await send(.init()) }
    }

    /// Updates the library, and the class list with it.
    ///
    /// - Parameter isAsked: a person asked for it. Otherwise a remote that said that it has no people is asked again after
    ///   an hour only.
    func pull(_ options: Puller.Options = .init(), isAsked: Bool = true) async throws -> Puller.Report {
        let storeContext = try await contexts.current()
        guard let remote = storeContext.remote, !storeContext.isOffline else {
            throw RemoteFailure(.unreachable, storeContext.connection.reason ?? "no remote is set")
        }
        let report = try await work.pull { [board, self] in
            board.setPulling(true)
            defer { board.setPulling(false) }
            let report = try await storeContext.store.puller(remote).pull(options)
            if options.ids == nil, report.isComplete {
                try await self.pullPeople(storeContext, remote, isAsked: isAsked)
            }
            return report
        }
        await look()
        return report
    }

    private func pullPeople(_ storeContext: StoreContext, _ remote: any Remote, isAsked: Bool) async throws {
        guard storeContext.hasPeople else { return }
        let (store, now) = (storeContext.store, storeContext.store.clock.now)
        let isAbsent = withoutPeople.withLock { absent in
            absent.map { $0.remote == remote.listURL && now.seconds(since: $0.since) < Self.peopleSeconds } ?? false
        }
        if isAbsent, !isAsked { return }
        let answer = try await store.people.classList.pull(remote)
        withoutPeople.withLock { absent in
            switch answer {
            case .noPeople: absent = (remote.listURL, now)
            case .list, .unchanged: absent = nil
            case .noAnswer: break
            }
        }
    }
}
