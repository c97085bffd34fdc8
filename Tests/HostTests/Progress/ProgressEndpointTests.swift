import Disk
import HTTPTypes
import HummingbirdTesting
import Model
import ServedApplication
import Testing
import WireFormat

@testable import Host

@Suite("Reports of open tests over the network")
struct ProgressEndpointTests {
    private static func bytes(_ tests: OpenTest...) throws -> [UInt8] {
        try DocumentCoding.encode(ProgressReport(tests))
    }

    private static let json: HTTPFields = [.contentType: "application/json"]

    private static func reported(_ reply: TestResponse) throws -> Int {
        try DocumentCoding.decode(ProgressReport.Reply.self, from: reply.bytes).reported
    }

    @Test(
        "a report is kept across restarts, in a folder and a bucket, and an arrived test is open no more",
        arguments: DataPlace.allCases, Way.allCases)
    func kept(_ place: DataPlace, _ way: Way) async throws {
        let fixture = try HostFixture(place)
        try fixture.publish("exam.json", #"{"id": "exam", "title": "E", "questions": [{"id": "q1", "text": "?"}]}"#)
        let test = try TestFile(questionnaire: "exam")
        let open = ProgressStoreTests.test("ada", id: test.id)
        try await fixture.serve(way) { client in
            let reply = try await client.put(
                "/v1/progress/device", try Self.bytes(open, ProgressStoreTests.test("boris", of: "other")), Self.json)
            #expect(try reply.status == .ok && Self.reported(reply) == 2 && reply.headers[.cacheControl] == "no-store")
        }
        func openTests(_ arrived: Set<TestID> = []) async throws -> [OpenTest] {
            try await offload { try fixture.archive().openTests(of: "exam", arrived: arrived).map(\.test) }
        }
        #expect(try await openTests() == [open])
        try await fixture.serve(way) { client in
            #expect(try await client.deliver(test).status == .created)
            // A report changes no test.
            let late = try await client.put("/v1/progress/device", try Self.bytes(open), Self.json)
            #expect(late.status == .ok)
            #expect(try await client.deliver(test).status == .ok)
        }
        #expect(try await openTests([test.id]) == [])
    }

    @Test("a person's key reports for that person alone; keys of a class and of teachers report for everyone")
    func rights() async throws {
        let fixture = try HostFixture()
        let keys = try KeyStore(making: fixture.data, clock: fixture.clock)
        let (shared, own) = (try keys.add(.taker).text, try keys.add(.taker, person: "ada").text)
        let teacher = try keys.add(.teacher, person: "ada").text
        let (ada, boris) = (ProgressStoreTests.test("ada"), ProgressStoreTests.test("boris"))
        try await fixture.serve(.socket) { client in
            func put(_ tests: OpenTest..., from sender: String, key: String?) async throws -> TestResponse {
                var fields = Self.json
                fields[.authorization] = key.map { "Bearer \($0)" }
                return try await client.put(
                    "/v1/progress/\(sender)", try DocumentCoding.encode(ProgressReport(tests)), fields)
            }
            func open() throws -> Set<OpenTest> {
                Set(try ProgressStore(files: fixture.archive().hostFiles, clock: fixture.clock).tests().map(\.test))
            }
            #expect(try await put(ada, from: "d", key: nil).status == .unauthorized)
            let foreign = try await put(boris, from: "d", key: own)
            #expect(foreign.status == .forbidden && foreign.text.contains("not-allowed"))
            #expect(try open() == [])
            #expect(try Self.reported(await put(ada, boris, from: "d", key: own)) == 1)
            #expect(try open() == [ada])
            #expect(try Self.reported(await put(from: "d", key: own)) == 0)
            #expect(try open() == [])
            for key in [shared, teacher] {
                #expect(try Self.reported(await put(ada, boris, from: "room", key: key)) == 2)
            }
            #expect(try open() == [ada, boris])
        }
    }

    @Test("what cannot be read is refused in a sentence, and only PUT is answered")
    func refusals() async throws {
        let fixture = try HostFixture()
        try await fixture.serve(.socket) { client in
            for body in ["", "[]", "{}", #"{"tests": 1}"#, #"{"tests": [{"test": "x"}]}"#] {
                let reply = try await client.put("/v1/progress/device", Array(body.utf8), Self.json)
                let problem = try reply.problem()
                #expect(reply.status == .unprocessableContent && problem.type == "urn:quire:problem:invalid-progress")
            }
            let long = String(repeating: "s", count: 201)
            #expect(try await client.put("/v1/progress/\(long)", try Self.bytes(), Self.json).status == .badRequest)
            #expect(try await client.put("/v1/progress", try Self.bytes(), Self.json).status == .notFound)
            let read = try await client.get("/v1/progress/device")
            #expect(read.status == .methodNotAllowed && read.headers[.allow] == "PUT")
            #expect(try ProgressStore(files: fixture.archive().hostFiles, clock: fixture.clock).tests().isEmpty)
        }
    }
}
