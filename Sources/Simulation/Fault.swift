import SystemPackage

/// The fault to inject at one call.
package enum Fault: Hashable, Sendable {
    /// The power fails before the call has any effect: it and every later call of every process throw. The disk's state
    /// afterwards is one of `SimulatedDisk.crash(choosing:)` or `allCrashStates(limit:seed:)`.
    case powerCut
    /// kill -9 of the process that makes the call, before it has any effect.
    case killed
    /// This call fails once and has no effect. `close` gives its descriptor back all the same, and never fails with
    /// EINTR (as on Linux); neither does `lock`. After a failed `sync` the bytes that were to be written are lost to
    /// later syncs, which report success (as on Linux).
    case error(Errno)
    /// From this call on every call fails that may fail so, until `SimulatedDisk.clearPlan()`: with ENOSPC and EDQUOT
    /// those that take space, with EROFS those that change something, with anything else all of them.
    case lasting(Errno)
    /// This call does its work and reports a failure.
    case errorAfterEffect(Errno)
    /// A `write` takes half of its bytes. No fault for another call.
    case shortWrite
}

/// The two calls that make things durable.
package enum SyncCall: Hashable, Sendable, CaseIterable {
    case sync, syncFolder
}

/// The state on disk after a power cut during a rename between folders.
package enum RenameDurability: Hashable, Sendable {
    /// At least one of the two names is always there, as on every journalled file system. The default.
    case atomic
    /// Syncing the source folder makes the old name's absence durable and nothing else: the file is lost unless the
    /// target folder was synced first. Stricter than any real disk; it proves the order of the two syncs.
    case perFolder
}
