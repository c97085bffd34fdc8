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

    package var localLibrary: LocalLibrary { LocalLibrary(store: self) }
    package var documents: QuestionnaireDocuments { QuestionnaireDocuments(store: self) }
    package var questionnaireChanges: QuestionnaireChanges { QuestionnaireChanges(store: self) }
    package var questionnaireAttachments: QuestionnaireAttachments { QuestionnaireAttachments(store: self) }
    package var shownMedia: ShownMedia { ShownMedia(store: self) }
    package var authoring: LocalAuthoring { LocalAuthoring(store: self) }

    package var taking: TestTaking { TestTaking(store: self) }
    package var timeLimits: TimeLimits { TimeLimits(store: self) }
    package var testAttachments: TestAttachments { TestAttachments(store: self) }
    package var draftLookup: DraftLookup { DraftLookup(store: self) }
    package var versionUpdates: VersionUpdates { VersionUpdates(store: self) }
    package var revisions: Revisions { Revisions(store: self) }

    package var outboxListing: OutboxListing { OutboxListing(outbox: outbox) }
    package var explainer: Explainer { Explainer(store: self) }
    package var resending: Resending { Resending(outbox: outbox, journal: journal, clock: clock) }
}
