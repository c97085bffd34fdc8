import Disk
import Model
import OutboxStore
import Simulation
import Testing
import Trials

@Suite("The bytes of attachments")
struct AttachedBytesTests {
    private let world = OutboxWorld()
    private let picture: [UInt8] = (0..<2500).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private func attach(to test: TestID) throws {
        let outbox = world.outbox()
        var pieces = [picture]
        let spooled = try outbox.media.spool(named: "picture.png") { pieces.popLast() ?? [] }
        _ = try outbox.edits.attach(spooled, to: test, questionId: "q0", name: "picture.png", mediaType: "image/png")
    }

    private func tidy(_ outbox: Outbox) throws {
        let lock = try #require(try outbox.queue.acquireSweepLock())
        try outbox.attachments.tidy(lock)
    }

    private var kept: [UInt8]? { world.disk.contents(OutboxLayout.mediaPath(Digest(sha256Of: picture))) }

    @Test("no bytes are taken away while a test or a change cannot be read: it may be what they belong to")
    func unreadable() throws {
        let test = try world.person().create(.inProgress, Person.answers("Paris"))
        try attach(to: test)
        let outbox = world.outbox()
        let item = try #require(try outbox.find(test))
        let bytes = try #require(world.disk.contents(item.path))

        try world.disk.damage(item.path) { $0 = Array($0.prefix(20)) }
        try tidy(outbox)
        try outbox.media.release(keepingBytes: 0)
        #expect(kept == picture)

        try world.disk.damage(item.path) { $0 = bytes }
        try tidy(outbox)
        #expect(kept == picture)

        // With nothing that names them, and nothing that may, they lie in quarantine.
        try world.disk.remove(item.path)
        try tidy(outbox)
        #expect(kept == nil)
        #expect(world.disk.dump().contains { $0.path.hasPrefix("quarantine/") && $0.bytes == picture })
    }
}
