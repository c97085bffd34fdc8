import Quire
import SystemPackage
import Testing

@testable import Web

@Suite("The key of the page")
struct PageKeyTests {
    @Test("it is made once, and is the same for every process of the store")
    func steady() async throws {
        let fixture = try await PageFixture(pulls: false)
        let key = try fixture.store.pageAccess.key()
        #expect(key.count == 32)
        #expect(try fixture.store.pageAccess.key() == key)
        let other = try QuireStore.open(fixture.disk.process(), clock: fixture.disk.clock, bootIdentity: "boot-1")
        #expect(try other.pageAccess.key() == key)
    }

    @Test("one that others could read is no secret, and is replaced; so is a damaged one")
    func replaced() async throws {
        let fixture = try await PageFixture(pulls: false)
        let key = try fixture.store.pageAccess.key()
        try fixture.disk.process().setPermissions("page.key", [.ownerReadWrite, .otherRead])
        let another = try fixture.store.pageAccess.key()
        #expect(another != key)
        #expect(try fixture.store.pageAccess.key() == another)
    }
}
