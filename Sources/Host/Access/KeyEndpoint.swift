import Hummingbird
import Model
import WireFormat

/// Says what keys may do, for hubs.
struct KeyEndpoint: Sendable {
    let keys: KeyRing
    let access: AccessControl
    let clock: any StoreClock

    /// `GET access/keys`: the valid keys by their digests.
    func list() throws -> Response {
        let now = clock.now
        let content = try keys.read()
        let items = content.entries.values.filter { $0.isValid(at: now) }.map(\.key)
            .map { AccessKeyList.Item(id: $0.id, role: $0.role, digest: $0.digest, expires: $0.expires) }
            .sorted { $0.id < $1.id }
        let list = AccessKeyList(roleWithoutKey: access.roleWithoutKey(content), keys: items)
        return TestEndpoint.receipt(try DocumentCoding.encodeLine(list), status: .ok)
    }

    /// `GET access/self`
    func own(_ caller: Caller) throws -> Response {
        let own = AccessSelf(
            role: caller.role, isOfKey: caller.isOfKey, roleWithoutKey: access.roleWithoutKey(try keys.read()),
            id: caller.key, person: caller.person, expires: caller.expires)
        return TestEndpoint.receipt(try DocumentCoding.encodeLine(own), status: .ok)
    }
}
