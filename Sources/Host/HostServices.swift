import AuthorDrafts
import Disk
import HTTPTypes
import Hummingbird
import Model
import WireFormat

/// What a running host gives to its pages.
package struct HostServices: Sendable {
    package let archive: TestArchive
    package let clock: any StoreClock
    package let drafts: DraftStore
    /// Where hosts share a bucket: the log-ins of all of them.
    package let logIns: SharedLogIns?
    let changes: QuestionnaireArchive
    let media: MediaEndpoint
    let progress: ProgressStore
    let access: AccessControl
    let keyRing: KeyRing
    let isLoopback: Bool

    // MARK: Who asks

    /// The answer to a key that someone shows.
    package enum Admission: Sendable {
        case known(HostIdentity)
        /// It is for taking tests.
        case tooLow
        case wrong
        case tooMany(seconds: Int)
    }

    package func identity(showing key: String, from client: String) async throws -> Admission {
        let keys = try await keyRing.current()
        guard !key.isEmpty else { return .wrong }
        do throws(Problem) {
            let caller = try access.caller(needing: .author, "Bearer " + key, from: client, keys)
            guard caller.isOfKey else { return .wrong }
            let known = caller.key.flatMap { keys.entries[$0]?.key }
            return .known(HostIdentity(role: caller.role, key: caller.key, name: known?.label ?? known?.person))
        } catch {
            switch error.document.status {
            case 403: return .tooLow
            case 429: return .tooMany(seconds: error.headerFields[.retryAfter].flatMap { Int($0) } ?? 60)
            default: return .wrong
            }
        }
    }

    /// Whether what someone showed before still opens as much.
    package func isValid(_ identity: HostIdentity) async throws -> Bool {
        let keys = try await keyRing.current()
        guard let key = identity.key else {
            // The takers' token opens everything only as long as there are no keys.
            return identity.role < .admin || !keys.asksForKeys
        }
        guard let entry = keys.entries[key] else { return false }
        return entry.isValid(at: clock.now) && entry.key.role == identity.role
    }

    /// A person at the machine of a host that asks for no key; `nil` for everyone else.
    package func identityWithoutKey(_ client: String) async throws -> HostIdentity? {
        guard isLoopback, client.isEmpty || HostAndPort.isLoopback(client) else { return nil }
        guard let role = access.roleWithoutKey(try await keyRing.current()), role >= .author else { return nil }
        return HostIdentity(role: role, key: nil, name: nil)
    }

    // MARK: What there is. All of it blocks on the disk.

    package func questionnaires() throws -> [CatalogEntry] { try archive.catalog.refresh().entries }

    /// The people of the class lists.
    package func people() throws -> [Person] {
        try PeopleStore(keys: KeyStore(files: archive.hostFiles, clock: clock)).list().people
    }

    /// The tests of a questionnaire that were started and have not arrived, as devices and hubs report them.
    package func openTests(of overview: ResultOverview) throws -> [HeardTest] {
        try progress.openTests(of: overview.id, arrived: Set(overview.entries.map(\.test)), in: archive.catalog)
    }

    package func hasArrived(_ attachment: Attachment) throws -> Bool { try archive.received.hasArrived(attachment) }

    /// A file of a test, sent so that a browser saves it and runs nothing in it.
    ///
    /// - Returns: `nil` when there is no such file, or it has not arrived.
    package func file(
        _ id: TestID, of test: TestID, _ fields: HTTPFields, isHead: Bool
    ) throws -> Response? {
        do {
            return try media.content(of: id, in: test, fields, isHead: isHead)
        } catch is UploadFault {
            return nil
        } catch is Problem {
            return nil
        }
    }
}

/// Someone who may use the host's pages.
package struct HostIdentity: Hashable, Sendable, Codable {
    package let role: AccessRole
    /// The id of the key; `nil` for a token of the command line, and without a key.
    let key: String?
    /// The key's label, or the person that it belongs to.
    package let name: String?
}
