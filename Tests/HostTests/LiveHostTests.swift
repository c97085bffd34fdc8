import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Model
import NIOCore
import Testing

@testable import Host

/// The whole host, as `quire host` runs it: its own listening, its own end.
@Suite("The host runs from start to stop")
struct LiveHostTests {
    /// A machine that has much else to do is slow, and nothing worse.
    private static let patience = TestClient.Configuration(timeout: .seconds(600))

    /// Runs the host itself and the body with a client of it, then ends it.
    private func run(
        _ fixture: HostFixture, _ body: @escaping @Sendable (TestClient, Int) async throws -> Void
    ) async throws {
        try await fixture.run { number in
            try await TestClient.withClient(host: "127.0.0.1", port: number, configuration: Self.patience) {
                try await body($0, number)
            }
        }
    }

    @Test("every response has a date and the name of the server")
    func commonFields() async throws {
        let fixture = try HostFixture()
        try await run(fixture) { client, _ in
            for path in ["/v1/", "/v1/questionnaires", "/nothing"] {
                let response = try await client.ask(path)
                #expect(response.headers[.date]?.hasSuffix(" GMT") == true)
                #expect(response.headers[.server] == "quire")
            }
        }
    }

    @Test("deliveries that race over many connections are stored once each, and the host starts again with all of them")
    func race() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let tests = try (0..<40).map { _ in try TestFile() }
        let receipts = Receipts()
        try await run(fixture) { _, port in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await TestClient.withClient(
                            host: "127.0.0.1", port: port, configuration: Self.patience
                        ) { client in
                            for test in tests {
                                let response = try await client.ask(
                                    "/v1/tests/\(test.id)", .put, ByteBuffer(bytes: test.bytes))
                                #expect([.created, .ok].contains(response.status))
                                await receipts.add(test.id, response)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(await receipts.created == tests.count)
        #expect(await receipts.bodies.allSatisfy { $0.value.count == 1 })
        #expect(try fixture.names(fixture.data.appending("tests")).count == tests.count)
        #expect(try fixture.names(fixture.data.appending("receipts")).count == tests.count)
        try await run(fixture) { client, _ in
            for test in tests {
                let response = try await client.ask("/v1/tests/\(test.id)")
                #expect(response.status == .ok)
            }
        }
    }

    private actor Receipts {
        var created = 0
        var bodies: [TestID: Set<ByteBuffer>] = [:]

        func add(_ id: TestID, _ response: TestClient.Response) {
            if response.status == .created { created += 1 }
            bodies[id, default: []].insert(response.body ?? ByteBuffer())
        }
    }

    @Test("an address in use is reported")
    func addressInUse() async throws {
        let (first, second) = (try HostFixture(), try HostFixture())
        try await run(first) { _, port in
            var configuration = second.configuration()
            configuration.listen.port = port
            let host = ReferenceHost(configuration, logger: HostFixture.silence)
            let error = await #expect(throws: HostError.self) { try await host.run() }
            #expect(error?.description.contains("--listen") == true)
        }
    }

    @Test("a folder of questionnaires that is not there is reported at the start")
    func noQuestionnaires() async throws {
        let fixture = try HostFixture()
        try fixture.remove(fixture.questionnaires)
        let error = await #expect(throws: HostError.self) { try await fixture.host().run() }
        #expect(error?.description.contains("--questionnaires") == true)
    }
}

extension TestClient {
    /// A request with the Host field that HTTP/1.1 asks for (RFC 9112 section 3.2).
    fileprivate func ask(
        _ path: String, _ method: HTTPRequest.Method = .get, _ body: ByteBuffer? = nil
    ) async throws -> Response {
        try await execute(Request(path, method: method, authority: "localhost", body: body))
    }
}
