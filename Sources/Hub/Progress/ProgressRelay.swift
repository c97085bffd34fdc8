import Disk
import HTTPTypes
import Model
import OutboxStore
import Quire
import Sync
import Synchronization
import WireFormat

/// Hears of the open tests of the room, and passes that on with the tests that wait here: one report for all of them, with the
/// hub's own contacts with the upstream (docs/protocol.md, section 12).
final class ProgressRelay: Sendable {
    private let store: QuireStore
    private let submissions: SubmissionLog
    private let upstream: Upstream
    private let keys: DeviceKeys
    private let reports: DeviceReports
    /// What the hub is called, for people.
    private let name: String?
    /// Tests of the outbox as they are reported. A test there is frozen: it is read once.
    private let known = Mutex<[TestID: OpenTest?]>([:])

    /// Blocks on the disk.
    init(
        store: QuireStore, _ fileSystem: any FileSystem, submissions: SubmissionLog, upstream: Upstream,
        keys: DeviceKeys,
        name: String?
    ) throws(FileError) {
        self.store = store
        self.submissions = submissions
        self.upstream = upstream
        self.keys = keys
        self.name = name.map { String($0.prefix(OpenTest.maximumHubBytes / 4)) }
        reports = try DeviceReports(fileSystem, clock: store.clock)
    }

    /// What the upstream hears.
    var source: ProgressSource {
        ProgressSource(sender: store.settings.deviceId) { [self] in try tests() }
    }

    /// The open tests of the room, and those that wait here. Blocks on the disk.
    func tests() throws -> [OpenTest] {
        let items = try store.outbox.scan().tests
        let here = Set(items.map(\.id))
        // What was handed in here is open on no device any more.
        let open = reports.tests().values.filter { !here.contains($0.test) }
        var former = known.withLock { $0 }
        var found: [TestID: OpenTest?] = [:]
        for item in items where item.status.isWaiting {
            found[item.id] = former.removeValue(forKey: item.id) ?? waiting(item)
        }
        let all = found
        known.withLock { $0 = all }
        return open + found.values.compactMap(\.self)
    }

    /// - Returns: `nil` for a test that names no person, or cannot be read.
    private func waiting(_ item: OutboxItem) -> OpenTest? {
        guard let record = store.outbox.listed(item)?.record else { return nil }
        let since = submissions.origin(of: item.id)?.keptAt ?? record.dateFinished ?? record.dateStarted
        return OpenTest(record, state: .waiting, hub: name, since: since)
    }

    /// Hears a device's report.
    ///
    /// - Returns: `nil` where the hub has no key that it could report with, and the device has one: it is passed on unchanged.
    func reply(_ sender: String, _ fields: HTTPFields, _ body: HTTPBody) async throws -> HTTPReply? {
        guard sender.utf8.count <= ProgressReport.maximumSenderBytes else {
            throw HubProblem(400, "A sender's id has at most \(ProgressReport.maximumSenderBytes) bytes.")
        }
        var person: String?
        if let authorization = fields[.authorization] {
            guard upstream.hasToken else { return nil }
            // A key that the upstream does not accept is as none.
            if await keys.isValid(authorization), case .role(let role, let bound) = keys.knownAccess(authorization) {
                person = role < .teacher ? bound : nil
            }
        }
        let bytes = try await SubmittedContent.bytes(
            fields, body, maximumBytes: ProgressReport.maximumBytes, what: "A report of open tests"
        ) { Self.invalid(nil, $0) }
        let report: ProgressReport
        do throws(DocumentFault) {
            report = try DocumentCoding.decode(ProgressReport.self, from: bytes)
        } catch {
            throw Self.invalid(error.field, "\(error)")
        }
        let allowed = report.allowed(to: person)
        if allowed.tests.isEmpty, !report.tests.isEmpty {
            throw HubProblem(
                403, "This key is a person's, and the report names none of their tests.", kind: AccessRole.refusalKind,
                title: AccessRole.refusalTitle)
        }
        let bound = person
        try await offload { [reports] in try reports.put(allowed, from: sender, by: bound) }
        return try RelayReply.json(
            ProgressReport.Reply(reported: allowed.tests.count), status: .ok, cacheControl: "no-store")
    }

    private static func invalid(_ field: String?, _ reason: String) -> HubProblem {
        HubProblem(
            422, "The report of open tests cannot be read: \(reason).", kind: "invalid-progress",
            title: "The report cannot be read", field: field)
    }
}
