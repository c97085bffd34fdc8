import Model
import OutboxStore
import Sync
import WireFormat

extension ProgressSource {
    /// The open drafts of people: what a host may hear of them (docs/protocol.md, section 12). A draft that names no person is
    /// not among them.
    package static func openDrafts(of store: QuireStore, for remote: any Remote) -> ProgressSource {
        let personal = remote as? PersonalRemote
        return ProgressSource(
            sender: store.settings.deviceId, person: { personal?.speaker },
            tests: { [outbox = store.outbox] in
                try outbox.scan().tests.filter(\.status.isDraft).compactMap { item in
                    // One that moves, or cannot be read, is not said.
                    guard let record = try? outbox.read(item).record else { return nil }
                    return OpenTest(record, state: .started, since: record.dateStarted)
                }
            })
    }
}
