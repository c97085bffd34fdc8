import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

@testable import HummingbirdTesting

/// How a test reaches an application: the same body runs in memory and over a real socket.
package enum Way: CaseIterable, Sendable {
    case memory, socket
}

extension ApplicationProtocol {
    /// Runs the application, and the body with a client of it.
    ///
    /// Hummingbird's own client gives a response 20 seconds, which a busy machine may need: this one waits for ten minutes.
    package func serve<Value: Sendable>(
        _ way: Way, _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        guard way == .socket else { return try await test(.router, body) }
        let application = TestApplication(base: self)
        let services = ServiceGroup(configuration: .init(services: [application], logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            let client = TestClient(
                host: "localhost", port: await application.portPromise.wait(),
                configuration: .init(timeout: .seconds(600)))
            client.connect()
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(SocketClient(client: client)))
            } catch {
                result = .failure(error)
            }
            try? await client.shutdown()
            await services.triggerGracefulShutdown()
            return try result.get()
        }
    }
}

/// Sends requests over one connection, which stays open.
private struct SocketClient: TestClientProtocol {
    let client: TestClient

    var port: Int? { client.port }

    func executeRequest(
        uri: String, method: HTTPRequest.Method, headers: HTTPFields, body: ByteBuffer?
    ) async throws -> TestResponse {
        var headers = headers
        headers[.connection] = "keep-alive"
        let response = try await client.execute(
            TestClient.Request(uri, method: method, authority: "localhost", headers: headers, body: body))
        return TestResponse(
            head: response.head, body: response.body ?? ByteBuffer(), trailerHeaders: response.trailerHeaders)
    }
}
