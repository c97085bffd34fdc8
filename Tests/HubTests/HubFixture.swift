import Disk
import Foundation
import Model
import NIOCore
import NIOSSL
import Quire
import Synchronization
import SystemPackage

@testable import Hub

/// A hub in this process, on real files and a real port, in front of an origin.
final class HubFixture: Sendable {
    let folder: FilePath
    let port: Int
    let store: QuireStore
    let hub: HubServer
    private let task: Task<Void, any Error>

    private init(folder: FilePath, port: Int, store: QuireStore, hub: HubServer, task: Task<Void, any Error>) {
        self.folder = folder
        self.port = port
        self.store = store
        self.hub = hub
        self.task = task
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.string) }

    /// Runs a test's blocking body against a hub, and stops the hub afterwards.
    static func run(
        _ upstream: String, clock: any StoreClock = SystemClock(), times: HubTimes = .patient,
        upstreamTimes: Upstream.Times = Upstream.Times(), trustRoots: NIOSSLTrustRoots = .default,
        quotaBytes: Int64? = nil, connections: ConnectionBounds = .hub, drafts: DraftBounds = DraftBounds(),
        token: String? = nil, keepsAll: Bool = false,
        _ body: @escaping @Sendable (HubFixture) throws -> Void
    ) async throws {
        let folder = FilePath("/tmp/quire-hub-test-\(TestID.random())")
        let settings = StoreSettings(remote: upstream, deviceId: "hub", quotaBytes: quotaBytes)
        let store = try QuireStore.create(at: folder, settings: settings, clock: clock)
        var configuration = HubConfiguration(
            upstream: try UpstreamAddress(upstream), listen: HostAndPort(host: "127.0.0.1", port: 0))
        configuration.token = token
        configuration.keepsAll = keepsAll
        // What the tests call it.
        configuration.names = ["hub", "a", "*.school.example"]
        configuration.appAddresses = { ["http://192.0.2.7:8080/_hub/app/", "http://192.0.2.8:8080/_hub/app/"] }
        let hub = try HubServer(
            configuration, store: store, times: times, upstreamTimes: upstreamTimes, connections: connections,
            drafts: drafts, trustRoots: trustRoots)
        let (ports, told) = AsyncStream.makeStream(of: Int.self)
        let task = Task {
            try await hub.run { port in
                told.yield(port)
                told.finish()
            }
        }
        var port: Int?
        for await found in ports { port = found }
        guard let port else { throw Unexpected("the hub does not listen") }
        let fixture = HubFixture(folder: folder, port: port, store: store, hub: hub, task: task)
        do {
            try await onThread { try body(fixture) }
        } catch {
            await fixture.stop()
            throw error
        }
        await fixture.stop()
    }

    func stop() async {
        task.cancel()
        // Tests that need the result of the end check it.
        _ = await task.result
    }

    func connect() throws -> RawSocket { try RawSocket(port: port) }

    /// One request on a connection of its own.
    func exchange(_ request: String, hasNoBody: Bool = false) throws -> RawMessage {
        let socket = try connect()
        try socket.send(request)
        guard let response = try socket.message(hasNoBody: hasNoBody) else {
            throw Unexpected("no response to \(request.prefix(200))")
        }
        return response
    }

    func get(_ path: String, _ fields: String...) throws -> RawMessage {
        try exchange("GET \(path) HTTP/1.1\r\nHost: hub\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// A number of the cache's, from the hub's own page.
    func status(_ name: String) throws -> Int {
        let value = try DocumentCoding.decode(JSONValue.self, from: try get("/_hub/status").body)
        guard case .object(let members) = value, case .object(let cache) = members["cache"],
            case .integer(let number) = cache[name]
        else { throw Unexpected("the status has other members") }
        return Int(number)
    }
}

extension HubTimes {
    /// Devices wait for the upstream however busy the machine is: its true answer is what most tests ask for.
    static let patient: HubTimes = {
        var times = HubTimes()
        times.answer = .seconds(120)
        return times
    }()
}
