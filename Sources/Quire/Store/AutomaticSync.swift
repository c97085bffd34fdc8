import Disk
import Model
import OutboxStore
import Sync
import SystemPackage

/// What a program needs that syncs automatically: its lock, the folders that it watches, and what waits.
package struct AutomaticSync: Sendable {
    let fileSystem: any FileSystem
    let outbox: Outbox
    let settings: StoreSettings
    let clock: any StoreClock

    /// Takes the lock of the watching program; `nil` if another program has it. It ends with the lock.
    package func becomeWatcher() throws -> LockFile? {
        try outbox.makeFolders()
        return try LockFile.acquire(OutboxLayout.watchLock, in: fileSystem, wait: false)
    }

    /// The folders that a watcher observes: the store's own, for its settings, and that of the tests to be sent.
    package static var watchedFolders: [FilePath] { [FilePath(), OutboxLayout.folder(.done)] }

    /// The current state of waiting items, and of the way to the remote.
    package func situation(_ remote: (any Remote)?, minuteOfDay: Int) throws -> WatchDecision.Situation {
        var situation = WatchDecision.Situation(now: clock.now)
        let agenda = try outbox.queue.agenda()
        situation.waiting = agenda.waiting.mapValues { DeliveryDecision.dueTime($0, now: situation.now) }
        situation.awaitsNews = agenda.unrated > 0
        if let seconds = settings.syncEverySeconds, seconds >= 1 { situation.intervalSeconds = seconds }
        if let hours = settings.quietHours {
            situation.quietSeconds = Double(hours.rest(atMinute: minuteOfDay)) * 60
        }
        guard let remote else {
            situation.isAway = true
            return situation
        }
        if case .away = remote.presence() { situation.isAway = true }
        return situation
    }
}
