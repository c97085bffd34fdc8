import ArgumentParser
import Disk
import FoundationEssentials
import Model
import Quire
import Remotes
import Sync
import SystemPackage

/// `quire watch`: one thread that waits for events. Each round is a `quire sync` of its own, so that nothing of it stays
/// behind: between two rounds no timer runs but the one for the next.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Sync automatically, in the foreground, until SIGTERM or Ctrl-C.",
        discussion: """
            It syncs when a test is finished, when a network or a stick appears, when the time of a retry has come, and \
            otherwise every 20 minutes as long as something waits or is still to be rated. While nothing waits it sleeps. \
            `make install` installs units for systemd; contrib/ has examples for launchd and cron. Settings in store.json: \
            syncEverySeconds, quietHours ("22:00-07:00"), meteredInterfaces (["wwan*"]), notifications (false).
            """)

    @OptionGroup var options: StoreOptions
    @Flag(help: "Keep the questionnaires up to date too: a round is a pull and a sync.") var pull = false

    private enum Ending {
        case ended(Int32)
        case stopped
    }

    func run() throws {
        let store = try options.openStore()
        guard let lock = try store.automaticSync.becomeWatcher() else {
            throw Failure(
                Exit.keptForLater, "another “quire watch” runs on \(store.path): stop it first, or leave it to that one"
            )
        }
        let events = try EventWait(
            folders: AutomaticSync.watchedFolders, in: store.path,
            signals: EventWait.terminating + [EventWait.childEnded])
        options.say("Watching \(store.path).")
        try withExtendedLifetime(lock) { try watch(events) }
    }

    private func watch(_ events: EventWait) throws {
        var last: WatchDecision.Round?
        var wasAway = false
        func contact() -> (since: Timestamp, jitter: Double) { (SystemClock().now, .random(in: 0..<1)) }
        var newWay: (since: Timestamp, jitter: Double)? = contact()
        while true {
            var situation = try situation()
            if wasAway, !situation.isAway { newWay = newWay ?? contact() }
            wasAway = situation.isAway
            if let newWay { (situation.contactSince, situation.contactJitter) = newWay }
            situation.lastRound = last
            let happened: Set<EventWait.Event>
            switch WatchDecision.decide(situation) {
            case .round:
                let due = Set(situation.waiting.filter { $0.value <= situation.now }.keys)
                newWay = nil
                var seen: Set<EventWait.Event> = []
                guard case .ended(let code) = try round(events, &seen) else { return }
                let rest = try self.situation().waiting.filter { due.contains($0.key) && $0.value <= situation.now }
                let isWell = due.isEmpty ? code == 0 : rest.count < due.count
                let failures = isWell ? 0 : (last?.failures ?? 0) + 1
                last = .init(
                    ended: SystemClock().now, attempted: due, failures: failures, jitter: Double.random(in: 0..<1))
                happened = seen
            case .wait(let moment):
                let rest = moment.map { Int64(($0.seconds(since: SystemClock().now) * 1000).rounded(.up)) }
                happened = try events.wait(milliseconds: rest)
            }
            if happened.contains(where: { $0.isEnd }) { return }
            // A folder may have been put in the place of another: it is looked at again, then what lies in it.
            if happened.contains(.folder) { try events.renew() }
            if !happened.isDisjoint(with: [.network, .volumes]), wasAway || (last?.failures ?? 0) > 0 {
                newWay = newWay ?? contact()
            }
        }
    }

    /// By the settings as they are now.
    private func situation() throws -> WatchDecision.Situation {
        let store = try options.openStore()
        let remote =
            options.offline
            ? nil : try store.settings.remote.map { try RemoteAddress.open($0, token: nil, clock: store.clock) }
        var situation = try store.automaticSync.situation(remote, minuteOfDay: SystemClock.minuteOfDay(store.clock.now))
        situation.pulls = pull
        if let patterns = store.settings.meteredInterfaces, let base = store.settings.remote, !patterns.isEmpty,
            RemoteAddress.usesDefaultRoute(base)
        {
            let interfaces = DefaultRoutes.interfaces()
            situation.isMetered =
                !interfaces.isEmpty && interfaces.allSatisfy { name in patterns.contains { matches($0, name) } }
        }
        return situation
    }

    /// A name, or its first characters and a `*`.
    private func matches(_ pattern: String, _ name: String) -> Bool {
        pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
    }

    /// A round, while events are noted.
    private func round(_ events: EventWait, _ seen: inout Set<EventWait.Event>) throws -> Ending {
        let quiet = options.quiet ? ["--quiet"] : []
        let store = ["--store", options.path.string]
        var code: Int32 = 0
        for arguments in (pull ? [["pull", "--notify"]] : []) + [["sync", "--probe", "--notify"]] {
            let program = try Program(
                Program.own, arguments + store + quiet, environment: ProcessInfo.processInfo.environment,
                showsOutput: true)
            var isStopped = false
            while true {
                if let end = program.endIfOver() {
                    if isStopped { return .stopped }
                    // An item that waits for the person's decision is no reason to retry sooner.
                    let isForPerson = arguments.first == "sync" && end == .code(Exit.badData)
                    if end != .code(0), !isForPerson {
                        code = if case .code(let code) = end { code } else { Exit.inputOutput }
                    }
                    break
                }
                let happened = try events.wait(milliseconds: nil)
                seen.formUnion(happened.filter { !$0.isSignal })
                if happened.contains(where: \.isEnd) {
                    // The next sync recovers what it started.
                    program.terminate()
                    isStopped = true
                }
            }
        }
        return .ended(code)
    }
}

extension EventWait.Event {
    fileprivate var isSignal: Bool { if case .signal = self { true } else { false } }

    fileprivate var isEnd: Bool {
        if case .signal(let number) = self { EventWait.terminating.contains(number) } else { false }
    }
}
