import Hummingbird
import Model
import WireFormat

/// Sends devices the people of the host. Blocks on the disk.
struct PeopleEndpoint: Sendable {
    let store: PeopleStore

    /// `GET people`
    func list(_ request: HostRequest) throws -> Response {
        let list = try store.list().shown(to: request.caller.boundPerson)
        return try TestEndpoint.represent(try DocumentCoding.encodeLine(list), request)
    }
}
