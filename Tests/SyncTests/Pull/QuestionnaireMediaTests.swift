import Disk
import Model
import OutboxStore
import Quire
import QuireWording
import Simulation
import Sync
import Testing

/// Files that are attached to questionnaires which were made or changed here, on their way.
@Suite("Files of questionnaires on their way to the server")
struct QuestionnaireMediaTests {
    private static let picture = (0..<2500).map { UInt8(truncatingIfNeeded: $0 &* 23) }
    private var path: ContentPath { ContentPath(Digest(sha256Of: Self.picture), mediaType: "image/png") }

    private func created(_ device: Device) throws -> String {
        try device.store.create(Array(document("x", title: "Mine").utf8)).id
    }

    @discardableResult
    private func attach(
        _ device: Device, _ id: String, _ bytes: [UInt8] = picture, name: String = "photo.png", question: String = "q1"
    ) async throws -> TestID {
        let opened = try await device.store.open(id: id, remote: nil, isOffline: true)
        var pieces = [bytes]
        let spooled = try device.store.outbox.media.spool(named: name) { pieces.popLast() ?? [] }
        return try device.store.questionnaireAttachments.attach(
            spooled, to: opened, questionId: question, name: name, mediaType: nil
        )
        .medium.item.id
    }

    @discardableResult
    private func detach(_ device: Device, _ id: String, _ name: String = "photo.png") async throws -> StoredChange {
        let opened = try await device.store.open(id: id, remote: nil, isOffline: true)
        return try device.store.detach(name, questionId: "q1", from: opened)
    }

    private func shown(_ device: Device, _ id: String) async throws -> [String] {
        try await device.store.open(id: id, remote: nil, isOffline: true).questionnaire.media.map(\.path)
    }

    private func waiting(_ device: Device) throws -> [OutboxItem] {
        try device.store.outbox.changes(.media).map(\.item).filter { !$0.status.isDelivered }
    }

    private func next(_ device: Device, _ id: TestID) throws -> String {
        try device.store.explain(try #require(try device.store.outbox.find(id))).words(.english).next
    }

    private func bytes(_ device: Device) -> [UInt8]? { device.disk.contents(OutboxLayout.mediaPath(path.digest)) }

    /// The uploads that were started or resumed, and the other sent items, in their order.
    private func sent(_ device: Device) -> [String] {
        device.remote.requests.compactMap { request in
            if case .upload(_, let offset) = request.kind { return offset == nil ? "upload" : nil }
            if case .send(_, let action) = request.kind { return action.rawValue }
            return nil
        }
    }

    @Test("it shows at once, goes after the questionnaire that names it, once, and then the server has both")
    func order() async throws {
        let device = try Device()
        device.remote.setPresence(.away("no route"))
        let id = try created(device)
        let medium = try await attach(device, id)
        #expect(try await shown(device, id) == [path.description])
        #expect(bytes(device) == Self.picture)
        // The same file again is the same.
        #expect(try await attach(device, id, name: "copy.png") == medium)
        #expect(try await shown(device, id) == [path.description])
        #expect(try device.store.outbox.changes().count == 3)
        #expect(try next(device, medium).contains("waits for its questionnaire"))
        device.remote.setPresence(.likely)
        let report = try await device.sweep()
        #expect(report.sent.count == 3 && report.waiting == 0, "\(report)")
        #expect(sent(device) == ["create", "edit", "upload"])
        #expect(device.remote.media == [path.digest: Self.picture])
        let item = try #require(try device.store.outbox.find(medium))
        #expect(item.status == .sent)
        #expect(try device.store.outbox.receipt(item)?.digest == path.digest)
        #expect(try await device.sweep().sent.isEmpty)
        #expect(sent(device).count == 3)
    }

    @Test("on a questionnaire that was only downloaded it is an edit, with the server's version as its base")
    func downloaded() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        try await attach(device, "a")
        let report = try await device.sweep()
        #expect(report.sent.count == 2 && report.conflicts.isEmpty, "\(report)")
        #expect(try Questionnaire(json: try #require(device.remote.document("a"))).contentPaths == [path])
        #expect(device.remote.media.keys.contains(path.digest))
    }

    @Test(
        "cut after the server stored it: one file there, and the next sweep learns its receipt",
        arguments: [0, 1024, 2048])
    func lostReply(_ offset: Int64) async throws {
        let device = try Device()
        let medium = try await attach(device, try created(device))
        device.remote.respond { request in
            if case .upload(_, let at?) = request.kind, at >= offset { return .cutAfterStoring }
            return nil
        }
        let first = try await device.sweep()
        #expect(first.sent.count == 2 && first.waiting == 1)
        device.remote.respond { _ in nil }
        device.clock.advance(by: .seconds(10))
        #expect(try await device.sweep().sent == [medium])
        #expect(device.remote.media == [path.digest: Self.picture])
        #expect(device.remote.uploadedBytes == Self.picture.count)
    }

    @Test("while the questionnaire is not accepted it waits, and says why; discarded with it, it lies in quarantine")
    func rejected() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        let medium = try await attach(device, "a")
        device.remote.respond { $0.change == nil ? nil : .status(422, detail: "No pictures here.") }
        let report = try await device.sweep()
        #expect(report.rejected.count == 1 && report.waiting == 1)
        device.remote.respond { _ in nil }
        device.clock.advance(by: .seconds(10))
        #expect(try await device.sweep().waiting == 1)
        #expect(sent(device) == ["edit"])
        #expect(try next(device, medium).contains("No pictures here"))
        #expect(bytes(device) == Self.picture)
        try device.store.outbox.discard(try #require(report.rejected.first))
        #expect(try device.store.outbox.find(medium) == nil)
        try await device.sweep()
        #expect(bytes(device) == nil)
        #expect(device.disk.dump().contains { $0.path.hasPrefix("quarantine/") && $0.bytes == Self.picture })
    }

    @Test("taken away before it went, it does not go; while another question shows it, it does")
    func takenAway() async throws {
        let device = try Device()
        let id = try created(device)
        let medium = try await attach(device, id)
        #expect(throws: OutboxError.self) { try device.store.outbox.discard(medium) }
        let other = try created(device)
        try await attach(device, other)
        try await detach(device, id)
        #expect(try await shown(device, id).isEmpty)
        #expect(try waiting(device).count == 2)
        try await detach(device, other, path.fileName)
        #expect(try waiting(device).isEmpty)
        await #expect(throws: AnswerFault.self) { try await detach(device, other) }
        let report = try await device.sweep()
        #expect(report.waiting == 0 && report.rejected.isEmpty)
        #expect(!sent(device).contains("upload") && device.remote.media.isEmpty && bytes(device) == nil)
    }

    @Test("taken away in an editor it is not sent, and lies in quarantine after the next sweep")
    func edited() async throws {
        let device = try Device()
        let id = try created(device)
        try await attach(device, id)
        let opened = try await device.store.open(id: id, remote: nil, isOffline: true)
        try device.store.edit(opened, to: Array(document(id).utf8))
        try await device.sweep()
        #expect(try waiting(device).isEmpty && device.remote.media.isEmpty && bytes(device) == nil)
    }

    @Test(
        "deleted with its questionnaire before anybody heard of it, nothing is sent of either",
        arguments: [true, false])
    func deleted(_ isMadeHere: Bool) async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        let id = isMadeHere ? try created(device) : "a"
        let medium = try await attach(device, id)
        try device.store.delete(try await device.store.open(id: id, remote: nil, isOffline: true))
        let report = try await device.sweep()
        #expect(report.waiting == 0 && report.rejected.isEmpty)
        #expect(try device.store.outbox.find(medium) == nil)
        #expect(device.remote.media.isEmpty)
    }

    /// A sweep in which no upload gets through.
    @discardableResult
    private func sweepWithoutUploads(_ device: Device) async throws -> Sweeper.Report {
        device.remote.respond { request in
            if case .upload = request.kind { return .unreachable }
            return nil
        }
        let report = try await device.sweep()
        device.remote.respond { _ in nil }
        return report
    }

    @Test("if no questionnaire there names it any more it is not accepted, with the reason, and the person decides")
    func removedThere() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        let medium = try await attach(device, "a")
        try await sweepWithoutUploads(device)
        device.remote.publish("a", document("a", title: "Theirs"))
        let report = try await device.sweep(.init(ignoresNotBefore: true))
        #expect(report.rejected == [medium])
        #expect(bytes(device) == Self.picture)
        try device.store.outbox.discard(medium)
        #expect(try waiting(device).isEmpty)
    }

    @Test(
        "a conflict that is settled takes it along: to the server with mine and both, to quarantine with theirs",
        arguments: ConflictChoice.allCases)
    func conflict(_ choice: ConflictChoice) async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        let medium = try await attach(device, "a")
        device.remote.publish("a", document("a", title: "Theirs"))
        let first = try await device.sweep()
        let change = try #require(first.conflicts.first)
        #expect(first.waiting == 1 && device.remote.media.isEmpty)
        #expect(try next(device, medium).contains("Decide about that first"))
        try device.store.outbox.conflicts.resolve(change, choice, deviceID: "device")
        let second = try await device.sweep()
        #expect(second.waiting == 0 && second.rejected.isEmpty, "\(second)")
        #expect(device.remote.media.keys.contains(path.digest) == (choice != .theirs))
        #expect((try device.store.outbox.find(medium) == nil) == (choice == .theirs))
    }

    @Test(
        "a change of the same questionnaire that knows nothing of it, as a hub has it of another device, takes nothing away"
    )
    func besideOther() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        let medium = try await attach(device, "a")
        #expect(try await sweepWithoutUploads(device).waiting == 1)
        try device.store.outbox.localChanges.add(deviceID: "device") { id, now, sequence in
            .questionnaire(
                QuestionnaireChange(
                    id: id, action: .edit, questionnaire: "a", title: "Other", base: .init(etag: "\"former\""),
                    dateChanged: now, deviceId: "device", sequence: sequence, document: Array(document("a").utf8)))
        }
        let report = try await device.sweep(.init(ignoresNotBefore: true))
        #expect(report.conflicts.count == 1 && report.sent == [medium], "\(report)")
        #expect(device.remote.media.keys.contains(path.digest))
    }

    @Test("a change that waits and the bytes are enough: what waits for it is made again")
    func completed() async throws {
        let device = try Device()
        let medium = try await attach(device, try created(device))
        try device.disk.remove(OutboxItem(id: medium, kind: .media, status: .done).path)
        let report = try await device.sweep()
        #expect(report.sent.count == 3 && report.waiting == 0)
        #expect(device.remote.media == [path.digest: Self.picture])
    }

    @Test("an archive takes it along with its questionnaire, and the other machine sends both")
    func archive() async throws {
        let device = try Device()
        try await attach(device, try created(device))
        var bytes: [UInt8] = []
        _ = try device.store.outbox.transfer.export { bytes += $0 }
        let other = try Device(remote: device.remote)
        var rest = bytes[...]
        let report = try other.store.outbox.transfer.importTests { buffer in
            let count = min(buffer.count, rest.count)
            buffer.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            return count
        }
        #expect(report.taken.count == 3)
        #expect(try await other.sweep().sent.count == 3)
        #expect(try await device.sweep().sent.count == 3)
        #expect(device.remote.media == [path.digest: Self.picture] && device.remote.listed == ["made-1"])
        #expect(device.remote.uploadedBytes == Self.picture.count)
    }

    @Test("another device that pulls before it has arrived learns that, and gets it with a later pull")
    func pulledEarly() async throws {
        let device = try Device()
        let url = FaultyRemote.origin + "/v1/questionnaires/\(path)"
        device.remote.publish(
            "a",
            """
            {"id": "a", "title": "A", "questions": [{"id": "q1", "text": "?", "media": [{"path": "\(path)"}]}]}
            """, media: [url])
        let early = try await device.pull()
        #expect(early.new == ["a"] && early.failed["a"]?.contains("does not have") == true, "\(early)")
        device.remote.publish(url: url, bytes: Self.picture)
        let later = try await device.pull()
        #expect(later.failed.isEmpty && later.unchanged == 1)
        let entry = try #require(try device.store.cache.entry(url: url).value)
        #expect(try device.store.cache.isPresent(entry))
    }
}
