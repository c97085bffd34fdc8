import Hummingbird
import Model
import WireFormat

/// Says what keys may do, for hubs.
struct KeyEndpoint: Sendable {
    let access: AccessControl
    let clock: any StoreClock

    /// `GET access/keys`: the valid keys by their digests.
    func list(_ request: HostRequest) throws -> Response {
        let now = clock.now
        let items = request.keys.entries.values.filter { $0.isValid(at: now) }.map(\.key)
            .map {
                AccessKeyList.Item(id: $0.id, role: $0.role, digest: $0.digest, expires: $0.expires, person: $0.person)
            }
            .sorted { $0.id < $1.id }
        let list = AccessKeyList(roleWithoutKey: access.roleWithoutKey(request.keys), keys: items)
        return TestEndpoint.receipt(try DocumentCoding.encodeLine(list), status: .ok)
    }

    /// `GET access/self`
    func own(_ request: HostRequest) throws -> Response {
        let caller = request.caller
        let own = AccessSelf(
            role: caller.role, isOfKey: caller.isOfKey, roleWithoutKey: access.roleWithoutKey(request.keys),
            id: caller.key, person: caller.person, expires: caller.expires)
        return TestEndpoint.receipt(try DocumentCoding.encodeLine(own), status: .ok)
    }
}
