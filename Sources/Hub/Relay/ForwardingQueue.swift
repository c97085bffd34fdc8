import Disk
import Model
import OutboxStore
import Quire
import Sync
import Synchronization

/// Forwards the submissions in the hub's outbox, in order, whenever the upstream is reachable; and passes the
/// upstream's reply to devices that are waiting for it.
final class ForwardingQueue: Sendable {
    private struct State {
        /// The number of started rounds.
        var begun = 0
        var nextWaiter = 0
        var waiters: [Int: Waiter] = [:]
        var timer: Task<Void, Never>?
        /// A round in which the upstream hears what devices report.
        var reporting: Task<Void, Never>?
        var lastFault: String?
        /// Refused changes that are their devices' again.
        var refused: Set<TestID> = []
        /// Rounds in a row that did not reach the upstream.
        var unreached = 0
    }

    private struct Waiter {
        var test: TestID
        /// The round that will have tried the test when it ends.
        var round: Int
        var continuation: CheckedContinuation<RemoteReply?, Never>
    }

    private let store: QuireStore
    private let submissions: SubmissionLog
    private let remote: RelayRemote
    private let presence: UpstreamPresence
    private let progress: ProgressSource
    private let state = Mutex(State())
    private let kicks: AsyncStream<Void>
    private let kicker: AsyncStream<Void>.Continuation

    /// Also with nothing new the outbox is looked at: a person may have put something there.
    static let longestPauseSeconds = 900.0
    static let pauseWhenBusySeconds = 5.0
    /// Reports of devices that come so soon after one another go on as one.
    static let reportPauseSeconds = 5

    /// - Parameter progress: what the upstream hears of open tests.
    init(
        store: QuireStore, submissions: SubmissionLog, remote: RelayRemote, presence: UpstreamPresence,
        progress: ProgressSource
    ) {
        self.progress = progress
        self.store = store
        self.submissions = submissions
        self.remote = remote
        self.presence = presence
        (kicks, kicker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        remote.listen { [weak self] test, reply in self?.tell(test, reply) }
        presence.watch { [weak self] isReachable in if isReachable { self?.kick() } }
    }

    /// Why the last round failed on this machine; `nil` when it did not.
    var lastFault: String? { state.withLock { $0.lastFault } }

    func kick() { kicker.yield() }

    /// Passes on what devices reported of their open tests, with all that they report in the next seconds.
    func reportSoon() {
        let clock = store.clock
        state.withLock { state in
            guard state.reporting == nil else { return }
            state.reporting = Task { [weak self] in
                do { try await clock.sleep(for: .seconds(Self.reportPauseSeconds)) } catch { return }
                self?.kick()
            }
        }
    }

    /// Runs until the task is cancelled.
    func run() async {
        kick()
        for await _ in kicks {
            state.withLock { state in
                state.begun += 1
                state.timer?.cancel()
                state.timer = nil
                state.reporting?.cancel()
                state.reporting = nil
            }
            await round()
            if Task.isCancelled { break }
        }
        for timer in state.withLock({ [$0.timer, $0.reporting] }) { timer?.cancel() }
        answerAll()
    }

    private func round() async {
        var pause = Self.longestPauseSeconds
        do {
            let report = try await store.sweeper(remote, conflicts: .ask, progress: progress).sweep()
            if report.isBusy { pause = Self.pauseWhenBusySeconds }
            let unreached = state.withLock { state in
                state.unreached = report.isUnreachable ? state.unreached + 1 : 0
                return state.unreached
            }
            if unreached > 0 {
                if presence.knowledge.isReachable == true {
                    pause = ForwardingPause.seconds(unreached: unreached, jitter: .random(in: 0..<1))
                }
            } else if let due = report.nextDue {
                pause = min(pause, max(1, due.seconds(since: store.clock.now)))
            }
            // Room for the next ones: the upstream has these.
            try await offload { [store] in _ = try store.outbox.media.release(keepingBytes: 0) }
            try forgetDelivered()
            try discardRefused()
            let isReplaced = report.stopped != nil && store.journal.contact()?.trouble == .notTheServer
            state.withLock { $0.lastFault = isReplaced ? report.stopped : nil }
        } catch {
            state.withLock { $0.lastFault = "\(error)" }
            pause = Self.pauseWhenBusySeconds
        }
        let answered = state.withLock { state in
            let done = state.waiters.filter { $0.value.round <= state.begun }
            for key in done.keys { state.waiters[key] = nil }
            return done.values.map(\.continuation)
        }
        for continuation in answered { continuation.resume(returning: nil) }
        plan(afterSeconds: pause)
    }

    private func plan(afterSeconds pause: Double) {
        let clock = store.clock
        let timer = Task { [weak self] in
            do { try await clock.sleep(for: .milliseconds(Int64(pause * 1000))) } catch { return }
            self?.kick()
        }
        state.withLock { $0.timer = timer }
    }

    /// A delivered test needs no secret any more. One that is not here is about to come, or was taken away by hand.
    private func forgetDelivered() throws {
        for id in try submissions.all() {
            if let item = try store.outbox.find(id) {
                if item.status.isDelivered { try submissions.forget(id) }
            } else if let origin = submissions.origin(of: id),
                store.clock.now.seconds(since: origin.keptAt)
                    > (origin.isUnderWay == true ? UploadStore.longestPauseSeconds : Self.longestPauseSeconds)
            {
                try submissions.forget(id)
            }
        }
    }

    /// A change was rejected, and its device has been informed: after the next round the hub removes it. A repetition
    /// is a new attempt.
    func letGo(_ change: TestID) {
        state.withLock { _ = $0.refused.insert(change) }
        kick()
    }

    private func discardRefused() throws {
        let refused = state.withLock { state in
            defer { state.refused = [] }
            return state.refused
        }
        for id in refused {
            guard let item = try store.outbox.find(id), item.status == .rejected || item.status == .conflict else {
                continue
            }
            let change = try? store.outbox.readChange(item).change
            do {
                try store.outbox.discard(id)
                if case .media(let media)? = change { store.outbox.media.giveUp([media.digest]) }
            } catch OutboxError.notFound {
                // It has just arrived again.
            } catch OutboxError.needed {
                // A test that names it is here, and waits.
            }
        }
    }

    // MARK: Those who wait

    /// Forwards a test or a change now and returns the upstream's reply; `nil` without one in time.
    func forward(_ test: TestID, patience: Duration) async -> RemoteReply? {
        let key = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let timer = Task { [weak self] in
            try? await ContinuousClock().sleep(for: patience)
            self?.giveUp(key)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            state.withLock { state in
                state.waiters[key] = Waiter(test: test, round: state.begun + 1, continuation: continuation)
            }
            kick()
        }
    }

    private func tell(_ test: TestID, _ reply: RemoteReply?) {
        let told = state.withLock { state in
            let waiting = state.waiters.filter { $0.value.test == test }
            for key in waiting.keys { state.waiters[key] = nil }
            return waiting.values.map(\.continuation)
        }
        for continuation in told { continuation.resume(returning: reply) }
    }

    private func giveUp(_ key: Int) {
        state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume(returning: nil)
    }

    private func answerAll() {
        let rest = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters.values.map(\.continuation)
        }
        for continuation in rest { continuation.resume(returning: nil) }
    }
}
