import Model
import Simulation
import Testing
import Trials

@testable import OutboxStore

@Suite("Items that move between a listing and the reading of it")
struct ListedItemTests {
    @Test("a test is read where it lies now, and one that is gone is not")
    func tests() throws {
        let world = OutboxWorld()
        let outbox = world.outbox()
        let id = try outbox.edits.begin(Person.questionnaire, deviceID: Person.device).record.id
        let listed = try #require(try outbox.find(id))
        _ = try outbox.edits.finish(id)
        #expect(throws: OutboxError.notFound(id.description)) { try outbox.read(listed) }
        #expect(outbox.listed(listed)?.status == .done)
        try outbox.discard(id)
        #expect(outbox.listed(listed) == nil)
    }

    @Test("no read of a listed item hides an unreadable file behind another")
    func unreadable() throws {
        let world = OutboxWorld()
        let outbox = world.outbox()
        let id = try outbox.edits.begin(Person.questionnaire, deviceID: Person.device).record.id
        let item = try #require(try outbox.find(id))
        var reads = 0
        #expect(throws: OutboxError.unreadable(path: item.path.string, reason: "it is none")) {
            let _: Int? = try outbox.whereItLies(item) { item in
                reads += 1
                throw OutboxError.unreadable(path: item.path.string, reason: "it is none")
            }
        }
        #expect(reads == 1)
    }
}
