import Disk
import Foundation
import NIOCore
import Testing

@testable import Hub

/// No device takes the hub from the others.
@Suite("Connections of many devices", .serialized)
struct ConnectionTests {
    private static let isWhole = ProcessInfo.processInfo.environment["QUIRE_TORTURE"] == "whole"
    private static let slow =
        "PUT /v1/tests/11111111-1111-4111-8111-111111111111 HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n"
        + "Content-Length: 100000\r\n\r\n{"

    /// Opens slow connections from one address, and asks from 20 others.
    ///
    /// - Returns: how long each of the others waited, in seconds.
    private func besides(_ count: Int, _ limits: ConnectionBounds, requests: Int) async throws -> [Double] {
        let origin = try RawOrigin.of("list")
        let waited = Samples()
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", connections: limits) { hub in
            #expect(try hub.get("/v1/questionnaires").text == "list")
            var slow: [RawSocket] = []
            for number in 0..<count {
                let socket = try RawSocket(port: hub.port)
                // It may have ended for the sake of a later one.
                try? socket.send(Self.slow)
                slow.append(socket)
                // The others come while the slow ones do.
                guard number % max(1, count / requests) == 0 else { continue }
                for device in UInt8(2)...21 {
                    let started = ContinuousClock.now
                    let other = try RawSocket(port: hub.port, device: device)
                    try other.send("GET /v1/questionnaires HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n")
                    #expect(try other.message()?.text == "list", "device \(device) beside \(number)")
                    waited.add((ContinuousClock.now - started) / .seconds(1))
                }
            }
            // From the very address, too: a room may be behind one router. Slow ones that the hub accepts only now may end
            // the first ones of it.
            try wait(for: "the address to be served") {
                (try? hub.get("/v1/questionnaires").text) == "list" ? true : nil
            }
            #expect(hub.hub.connectionCount <= limits.total)
            withExtendedLifetime(slow) {}
        }
        return waited.all
    }

    @Test("20 devices are served beside one that opens connection after connection and sends next to nothing")
    func oneDevice() async throws {
        let waited = try await besides(200, .init(total: 64, perAddress: 16), requests: 4)
        #expect(waited.count == 80)
    }

    @Test("the same with 5 000 connections and the real bounds", .enabled(if: isWhole))
    func manyConnections() async throws {
        let waited = try await besides(5000, .hub, requests: 50).sorted()
        #expect(waited.count == 1000)
        print(
            "torture: 20 devices beside 5000 slow connections of one: \(waited.count) requests, median "
                + "\(waited[waited.count / 2] * 1000) ms, slowest \((waited.last ?? 0) * 1000) ms")
    }

    @Test("where several devices fill the hub, the one with most connections gives way")
    func crowd() async throws {
        let origin = try RawOrigin.of("list")
        try await HubFixture.run(
            "http://127.0.0.1:\(origin.port)", connections: .init(total: 24, perAddress: 20)
        ) { hub in
            let patient = try (UInt8(2)...11).map { try RawSocket(port: hub.port, device: $0) }
            for socket in patient { try socket.send("GET /v1/questionnaires HTTP/1.1\r\n") }
            let crowd = try (0..<60).map { _ in try RawSocket(port: hub.port) }
            // One that comes only now finds a place, and the few have kept theirs.
            let late = try RawSocket(port: hub.port, device: 50)
            try late.send("GET /v1/questionnaires HTTP/1.1\r\nHost: hub\r\n\r\n")
            #expect(try late.message()?.text == "list")
            for socket in patient {
                try socket.send("Host: hub\r\n\r\n")
                #expect(try socket.message()?.text == "list")
            }
            withExtendedLifetime(crowd) {}
        }
    }

    private func expectTurnedAway(_ message: RawMessage?) {
        #expect(message?.status == 503 && message?["connection"] == "close", "\(String(describing: message))")
        #expect((1...61).contains(message?["retry-after"].flatMap { Int($0) } ?? 0))
        #expect(message?["content-type"] == "application/problem+json")
        #expect(message?.text.contains("urn:quire:problem:service-unavailable") == true)
    }

    @Test("a connection whose place another one gets hears 503 with Retry-After, whatever it has sent")
    func turnedAway() async throws {
        let origin = try RawOrigin.of("list")
        let request = "GET /v1/questionnaires HTTP/1.1\r\nHost: hub\r\n\r\n"
        try await HubFixture.run(
            "http://127.0.0.1:\(origin.port)", connections: .init(total: 24, perAddress: 4)
        ) { hub in
            let old = try (0..<4).map { _ in try RawSocket(port: hub.port) }
            try old[1].send("PUT /v1/te")
            try old[2].send(Self.slow)
            try old[3].send(request)
            #expect(try old[3].message()?.text == "list")
            let new = try (0..<4).map { _ in try RawSocket(port: hub.port) }
            for socket in new {
                try socket.send(request)
                #expect(try socket.message()?.text == "list")
            }
            for socket in old {
                expectTurnedAway(try socket.message())
                #expect(try socket.readToEnd() == "")
            }
        }
    }

    @Test(
        "where every connection is being answered, a new one hears 503 with Retry-After, and the others their response")
    func busy() async throws {
        let gate = DispatchSemaphore(value: 0)
        let origin = try RawOrigin { _, socket in
            _ = gate.wait(timeout: .now() + .seconds(patienceSeconds))
            try socket.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlist")
        }
        try await HubFixture.run(
            "http://127.0.0.1:\(origin.port)", connections: .init(total: 24, perAddress: 2)
        ) { hub in
            let first = try (1...2).map { number in
                let socket = try RawSocket(port: hub.port)
                try socket.send("POST /\(number) HTTP/1.1\r\nHost: hub\r\nContent-Length: 0\r\n\r\n")
                return socket
            }
            try wait(for: "the hub to ask for both") { origin.requests.count == 2 ? true : nil }
            expectTurnedAway(try RawSocket(port: hub.port).message())
            for _ in first { gate.signal() }
            for socket in first { #expect(try socket.message()?.text == "list") }
        }
    }

    @Test("who sends a byte of a body now and then is let go")
    func pace() async throws {
        let origin = try RawOrigin.of("ok")
        var times = HubTimes()
        times.client = .seconds(60)
        times.pace = .init(time: .milliseconds(300), bytes: 1000)
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", times: times) { hub in
            let socket = try hub.connect()
            try socket.send("POST /p HTTP/1.1\r\nHost: hub\r\nContent-Length: 100000\r\n\r\n")
            try wait(for: "the hub to give up") {
                do { try socket.send("x") } catch { return true }
                usleep(20_000)
                return nil
            }
        }
    }

    @Test("a body that comes at its pace may take as long as it takes; one that falls below it may not")
    func steady() {
        var steady = BodyPace(.init(time: .seconds(30), bytes: 1000))
        for _ in 0..<100 {
            let isSteady = steady.note(500, after: .seconds(14))
            #expect(isSteady)
        }
        #expect(steady.rest <= .seconds(30) && steady.rest > .zero)
        var bursting = BodyPace(.init(time: .seconds(30), bytes: 1000))
        // What came quickly is no credit for later.
        let verdicts = [
            bursting.note(1 << 20, after: .seconds(29)), bursting.note(1, after: .seconds(10)),
            bursting.note(1, after: .seconds(10)), bursting.note(1, after: .seconds(10)),
        ]
        #expect(verdicts == [true, true, true, false])
    }

    @Test("who does not take a response is let go")
    func slowReader() async throws {
        let body = String(repeating: "x", count: 32 << 20)
        let origin = try RawOrigin.of(body)
        var times = HubTimes()
        times.client = .milliseconds(300)
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", times: times) { hub in
            let socket = try hub.connect()
            try socket.send("GET /film HTTP/1.1\r\nHost: hub\r\n\r\n")
            _ = try socket.read(through: "\r\n\r\n")
            // It reads no more: the connection is gone from the table, and what is left in the buffers is no whole film.
            try wait(for: "the hub to give up") { hub.hub.connectionCount == 0 ? true : nil }
            #expect(try socket.readToEnd().utf8.count < body.utf8.count)
        }
    }

    @Test("the bounds follow the limit of descriptors, with some kept back")
    func fitting() {
        for openFiles in [256, 1024, 4096, 20_000, 1 << 20] {
            let limits = ConnectionBounds.hub(openFiles: openFiles)
            #expect(limits.total * 3 <= openFiles && limits.total <= 4096)
            #expect(limits.perAddress * 4 <= limits.total)
        }
    }
}

/// Numbers that several threads give.
private final class Samples: @unchecked Sendable {
    // Proof: every access is under the lock.
    private let lock = NSLock()
    private var values: [Double] = []

    func add(_ value: Double) { lock.withLock { values.append(value) } }
    var all: [Double] { lock.withLock { values } }
}
