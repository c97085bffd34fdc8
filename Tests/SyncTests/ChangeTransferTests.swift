import Model
import OutboxStore
import Quire
import Sync
import Testing

@Suite("Changes of questionnaires carried to another machine")
struct ChangeTransferTests {
    private func export(_ device: Device) throws -> (archive: [UInt8], report: OutboxTransfer.ExportReport) {
        var archive: [UInt8] = []
        let report = try device.store.outbox.transfer.export { archive += $0 }
        return (archive, report)
    }

    private func take(_ archive: [UInt8], _ device: Device) throws -> OutboxTransfer.ImportReport {
        var rest = archive[...]
        return try device.store.outbox.transfer.importTests { buffer in
            let piece = rest.prefix(buffer.count)
            buffer.copyBytes(from: piece)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }

    private func files(_ device: Device) -> [String: [UInt8]] {
        let kept = device.disk.dump().filter { $0.path.hasPrefix("outbox/") && $0.path.hasSuffix(".json") }
        return Dictionary(uniqueKeysWithValues: kept.map { ($0.path, $0.bytes) })
    }

    @Test("made on one, sent from another and then from the first: one of each on the server, and both learn of it")
    func bothSend() async throws {
        let here = try Device()
        here.remote.publish("a", document("a"))
        try await here.pull()
        let there = try Device(remote: here.remote)
        here.remote.setPresence(.away("no route"))
        let id = try here.store.create(Array(document("x", title: "Mine").utf8)).id
        try here.store.setFavorite("a", title: "Title", true)
        let (archive, exported) = try export(here)
        #expect(exported.changes.count == 2 && exported.tests.isEmpty && exported.unreadable.isEmpty)
        let taken = try take(archive, there)
        #expect(Set(taken.taken) == Set(exported.changes) && taken.conflicts.isEmpty)
        let before = files(there)
        let again = try take(archive, there)
        #expect(again.known == 2 && again.taken.isEmpty && again.advanced.isEmpty && again.conflicts.isEmpty)
        #expect(files(there) == before)

        here.remote.setPresence(.likely)
        for device in [there, here] {
            let report = try await device.sweep()
            #expect(report.waiting == 0 && report.conflicts.isEmpty)
            for change in exported.changes { #expect(try device.status(change) == .sent) }
            #expect(try device.store.localQuestionnaires().serverID(id) == "made-1")
        }
        #expect(Set(here.remote.carriedOut) == Set(exported.changes) && here.remote.carriedOut.count == 2)
        #expect(here.remote.listed == ["a", "made-1"] && here.remote.favorites == ["a"])
    }

    @Test("a conflict goes along with the server's version beside it, and can be settled on the other machine")
    func conflict() async throws {
        let here = try Device()
        here.remote.publish("a", document("a"))
        try await here.pull()
        let opened = try await here.store.open(id: "a", remote: nil, isOffline: true)
        try here.store.edit(opened, to: Array(document("a", title: "Mine").utf8))
        here.remote.publish("a", document("a", title: "Theirs"))
        #expect(try await here.sweep().conflicts.count == 1)
        let there = try Device(remote: here.remote)
        let (archive, exported) = try export(here)
        #expect(try take(archive, there).taken == exported.changes)
        #expect(try take(archive, there).known == 1)
        let conflict = try #require(try there.store.conflicts().first)
        #expect(conflict.differences.map(\.field) == ["title"])
        #expect(conflict.differences.first?.theirs == .string("Theirs"))
        try there.store.resolve(conflict.id.description, .mine)
        #expect(try await there.sweep().sent.count == 1)
        let title = try Questionnaire(json: try #require(here.remote.document("a"))).title
        #expect(title == "Mine")
        // The archive is older than the decision.
        #expect(try take(archive, there).known == 1)
        #expect(try there.store.conflicts().isEmpty)
    }

    @Test("what was edited here and deleted on the server is no longer listed after a pull")
    func deletedSince() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        device.remote.publish("b", document("b", title: "Other"))
        try await device.pull()
        let opened = try await device.store.open(id: "a", remote: nil, isOffline: true)
        try device.store.edit(opened, to: Array(document("a", title: "Mine").utf8))
        try await device.sweep()
        #expect(try device.store.library().map(\.title) == ["Mine", "Other"])
        try await device.pull()
        device.remote.withdraw("a")
        device.clock.advance(by: .seconds(3600))
        try await device.pull()
        #expect(try device.store.library().map(\.title) == ["Other"])
    }
}
