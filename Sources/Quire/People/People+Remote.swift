import Model
import OutboxStore
import Sync

extension People {
    /// The remote with which each test goes with its person's key, where the device has it.
    ///
    /// - Parameters:
    ///   - deviceKey: the device's own key; without one, the current person's takes its place.
    ///   - hasPeople: whether the remote is of a kind that knows people; with another one there are no keys.
    ///   - open: opens the remote with a key.
    package func remote(
        deviceKey: String?, hasPeople: Bool, _ open: @escaping @Sendable (String?) throws -> any Remote
    ) throws -> any Remote {
        let plain = try open(deviceKey)
        guard hasPeople else { return plain }
        let knowledge = PersonalRemote.Knowledge(
            keys: { [keys] in (try? keys.all()) ?? [:] },
            current: { [self] in (try? state().current?.id) ?? nil },
            owner: { [outbox] id in (try? outbox.test(id))?.record.person?.id })
        return PersonalRemote(plain, hasDeviceKey: deviceKey != nil, knowledge) { try open($0) }
    }
}
