import Model
import OutboxStore

extension StoreSnapshot {
    /// The result of a restoration.
    package struct RestoreReport: Sendable {
        /// A store was made; otherwise the snapshot was merged into one.
        package var isNew = false
        package var tests = OutboxTransfer.ImportReport()
        /// Paths of tests and changes that were discarded since the snapshot that this one continues; they are in
        /// quarantine.
        package var discarded: [String] = []
        /// Paths of tests and changes that are gone since the snapshot that this one continues and went on here: they stay.
        package var keptTests: [String] = []
        /// Pins and favourites that were missing.
        package var marks = 0
        /// Questionnaires and media that were missing.
        package var cached = 0
        /// URLs of those for which the quota has no room.
        package var withoutRoom: [String] = []
        /// Tests whose questions or pictures the quota has no room for: no pull can fetch those versions.
        package var testsWithoutVersion: [TestID] = []
        /// URLs of questionnaires whose content is neither in the snapshot nor here.
        package var withoutContent: [String] = []
        /// Paths of files that the snapshot changed since the one that it continues, and this store, too: they stay.
        package var kept: [String] = []
        /// Paths of unchanged files of the snapshot that this one continues which are not here.
        package var absent: [String] = []
        /// Secrets of the snapshot that a store with other ones does not use.
        package var unusedSecrets: [String] = []
        /// Tests and receipts that contradict themselves, each with the reason.
        package var refused: [String] = []
        /// Files that a store of this program does not have.
        package var unknown: [String] = []
        package var summary: SnapshotSummary
    }
}
