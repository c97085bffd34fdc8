import Hummingbird
import Model
import WireFormat

/// Lists the valid keys, by their digests, for hubs.
struct KeyEndpoint: Sendable {
    let keys: KeyRing
    let clock: any StoreClock

    /// `GET access/keys`
    func list() throws -> Response {
        let now = clock.now
        let content = try keys.read()
        let items = content.entries.values.filter { $0.isValid(at: now) }.map(\.key)
            .map { AccessKeyList.Item(id: $0.id, role: $0.role, digest: $0.digest, expires: $0.expires) }
            .sorted { $0.id < $1.id }
        let list = AccessKeyList(asksForKeys: content.asksForKeys, keys: items)
        return TestEndpoint.receipt(try DocumentCoding.encodeLine(list), status: .ok)
    }
}
