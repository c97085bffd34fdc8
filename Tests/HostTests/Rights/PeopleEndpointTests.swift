import HTTPTypes
import HummingbirdTesting
import Model
import Testing
import WireFormat

@testable import Host

@Suite("The people of a host over the network")
struct PeopleEndpointTests {
    @Test(
        "a class key gets ids, names and groups, a person's key that person alone, and nothing changes for a known tag")
    func list() async throws {
        let fixture = try HostFixture()
        let store = try PeopleStore(making: fixture.data, clock: fixture.clock)
        let file = "id,name,group,code\n1,\u{738B}\u{82B3},7b,ABCD2345\n2,\u{0644}\u{064A}\u{0644}\u{0649},7b,\n"
        try store.apply(store.plan(ClassListFile(Array(file.utf8), named: "f"), keepsMissing: false))
        let shared = try store.keys.add(.taker).text
        try await fixture.serve(.socket) { client in
            #expect(try await client.get("/v1/people").status == .unauthorized)
            let reply = try await client.get("/v1/people", [.authorization: "Bearer \(shared)"])
            #expect(reply.headers[.cacheControl] == "private, no-cache")
            let all = try DocumentCoding.decode(PeopleList.self, from: reply.bytes)
            #expect(Set(all.people.map(\.id)) == ["1", "2"] && !reply.text.contains("ABCD"))
            let tag = try #require(reply.headers[.eTag])
            let again = try await client.get("/v1/people", [.authorization: "Bearer \(shared)", .ifNoneMatch: tag])
            #expect(again.status == .notModified)
            let own = try await client.get("/v1/people", [.authorization: "Bearer abcd-2345", .ifNoneMatch: tag])
            #expect(try DocumentCoding.decode(PeopleList.self, from: own.bytes).people.map(\.id) == ["1"])
            try store.remove("2")
            let changed = try await client.get("/v1/people", [.authorization: "Bearer \(shared)", .ifNoneMatch: tag])
            #expect(changed.status == .ok && !changed.text.contains("\"2\""))
        }
    }
}
