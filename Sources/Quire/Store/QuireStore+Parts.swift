import Disk
import OutboxStore

/// The parts of a store that other modules use, each with one concern.
extension QuireStore {
    package var pageAccess: PageAccess { PageAccess(fileSystem: fileSystem, outbox: outbox) }

    package var people: People { People(fileSystem: fileSystem, outbox: outbox, clock: clock) }

    package var attempts: Attempts { Attempts(outbox: outbox, people: people, clock: clock) }

    package var automaticSync: AutomaticSync {
        AutomaticSync(fileSystem: fileSystem, outbox: outbox, settings: settings, clock: clock)
    }
}
