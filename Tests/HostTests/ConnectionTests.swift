import Disk
import Foundation
import HTTPServing
import HTTPTypes
import Model
import ServedApplication
import Sync
import Testing

@testable import Host

@Suite("Requests and connections that the host refuses")
struct ConnectionTests {
    private static let rest = "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"

    private func status(_ text: String) -> Int? { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } }

    @Test("heads that RFC 9112 forbids are refused in words, and nothing behind them is read")
    func framing() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.run { port in
            let heads: [(head: String, status: Int)] = [
                // Section 3.2.
                ("GET /v1/ HTTP/1.1\r\n", 400),
                ("GET /v1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n", 400),
                ("GET /v1/ HTTP/1.1\r\nHost: a b\r\n", 400),
                ("GET /v1/ HTTP/1.1\r\nHost: \r\n", 421),
                // RFC 9110 section 7.2: a port is digits.
                ("GET /v1/ HTTP/1.1\r\nHost: 127.0.0.1:abc\r\n", 400),
                ("GET /v1/ HTTP/1.1\r\nHost: 127.0.0.1:80:80\r\n", 400),
                ("GET /v1/ HTTP/1.1\r\nHost: [::1]:x\r\n", 400),
                ("GET /v1/ HTTP/1.1\r\nHost: 127.0.0.1:\r\n", 200),
                ("GET http://127.0.0.1:abc/v1/ HTTP/1.1\r\nHost: localhost\r\n", 400),
                ("GET /v1/ HTTP/1.0\r\n", 200),
                ("GET /v1/ HTTP/1.1\r\nHost: localhost\r\n", 200),
                // Section 3.2.2: the target counts.
                ("GET http://localhost/v1/ HTTP/1.1\r\nHost: evil.example\r\n", 200),
                ("GET http://evil.example/v1/ HTTP/1.1\r\nHost: localhost\r\n", 421),
                // Section 6.1, 6.3.
                ("PUT /v1/tests/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n", 501),
                ("PUT /v1/tests/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, gzip\r\n", 400),
                ("PUT /v1/tests/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n", 400),
                ("PUT /v1/tests/a HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n", 400),
            ]
            for (head, expected) in heads {
                let connection = try RawConnection(port: port)
                connection.send(head + "Connection: close\r\n\r\n")
                let reply = try await connection.received()
                #expect(status(reply) == expected, "\(head)\(reply)")
                #expect(reply.components(separatedBy: "HTTP/1.1 ").count == 2)
            }
            // The first request is answered first, then the second is refused, and the third is not read.
            let connection = try RawConnection(port: port)
            let good = "GET /v1/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
            connection.send(good + "GET /v1/ HTTP/1.1\r\n\r\n" + good)
            let replies = try await connection.received().components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(replies.map { $0.prefix(3) } == ["200", "400"])
            #expect(replies.last?.contains("application/problem+json") == true)
        }
    }

    @Test(
        "a connection of HTTP/1.0 ends with its response, and nothing behind the request is read (RFC 9112 section 9.3)"
    )
    func old() async throws {
        let fixture = try HostFixture()
        var configuration = fixture.configuration()
        configuration.connections = ConnectionBounds(total: 100, perAddress: 100)
        configuration.connections?.bePatient()
        try await fixture.run(configuration) { port in
            for fields in ["", "Connection: keep-alive\r\n"] {
                let connection = try RawConnection(port: port)
                let head = "GET /v1/ HTTP/1.0\r\n\(fields)\r\n"
                connection.send(head + head)
                let reply = try await connection.received()
                #expect(status(reply) == 200 && reply.lowercased().contains("\r\nconnection: close\r\n"), "\(reply)")
                #expect(reply.components(separatedBy: "HTTP/1.1 ").count == 2)
            }
            // RFC 9110 sections 10.1.1 and 15.2: it hears no 100.
            let connection = try RawConnection(port: port)
            connection.send(
                "PUT /v1/tests/\(TestID.random()) HTTP/1.0\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 2\r\n\r\n{}")
            #expect(status(try await connection.received()) == 422)
        }
    }

    @Test(
        "a client that waits is asked for its content, unless the head says that it is refused (RFC 9110 section 10.1.1)"
    )
    func expectation() async throws {
        let fixture = try HostFixture()
        try await fixture.run { port in
            func put(_ path: String, _ type: String, length: Int) throws -> RawConnection {
                let connection = try RawConnection(port: port)
                connection.send(
                    "PUT \(path) HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: \(type)\r\n"
                        + "Content-Length: \(length)\r\n\r\n")
                return connection
            }
            let refused = [
                ("/v1/tests/\(TestID.random())", "application/json", 99_999_999, 413),
                ("/v1/tests/\(TestID.random())", "text/plain", 2, 415), ("/v1/nothing", "application/json", 2, 404),
            ]
            for (path, type, length, expected) in refused {
                let reply = try await put(path, type, length: length).received(through: "}")
                #expect(status(reply) == expected, "\(reply)")
            }
            let taken = try put("/v1/tests/\(TestID.random())", "application/json", length: 2)
            #expect(try await taken.received(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            taken.send("{}")
            #expect(status(try await taken.received(through: "}")) == 422)
        }
    }

    @Test(
        "a page under a foreign name neither reads nor changes anything; further names are given",
        arguments: Way.allCases)
    func names(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.serve(way) { client in
            let response = try await client.get("/v1/questionnaires")
            #expect(response.status == .ok)
        }
        var configuration = fixture.configuration()
        configuration.names = ["quire.school.example"]
        try await fixture.run(configuration) { port in
            let names: [(name: String, method: String, status: Int)] = [
                ("evil.example:\(port)", "GET", 421), ("evil.example:\(port)", "PUT", 421),
                ("127.0.0.1:\(port)", "GET", 200), ("quire.school.example", "GET", 200),
                ("QUIRE.school.example:8080", "GET", 200),
            ]
            for (name, method, expected) in names {
                let connection = try RawConnection(port: port)
                connection.send(
                    "\(method) /v1/questionnaires HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n")
                let reply = try await connection.received()
                #expect(status(reply) == expected, "\(method) \(name): \(reply)")
                #expect(!reply.contains("urn:quire:problem") && reply.contains("about:blank") == (expected == 421))
                if expected == 421 { try expectWaiting(after: reply) }
            }
        }
    }

    /// A device does not take the reply for its host's word: what it has to send waits, with the sentence.
    private func expectWaiting(after reply: String) throws {
        let parts = reply.components(separatedBy: "\r\n\r\n")
        var fields = HTTPFields()
        for line in parts[0].components(separatedBy: "\r\n").dropFirst() {
            let field = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if field.count == 2, let name = HTTPField.Name(field[0]) { fields[name] = field[1] }
        }
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        let received = RemoteReply(
            status: 421, fields: fields, body: Array((parts.count > 1 ? parts[1] : "").utf8), requestTime: now,
            responseTime: now)
        let decision = DeliveryDecision.decide(
            .init(
                test: .random(), digest: Digest(sha256Of: []), outcome: .success(received), history: nil, now: now,
                jitter: 0.5))
        guard case .retry(let delivery, _, .stop) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(delivery.notTheServer == true && delivery.reason.contains("--name"), "\(delivery)")
    }

    /// Waits for a condition; the bound is for a machine that hangs.
    private func wait(_ look: () throws -> Bool) async throws {
        let limit = Date().addingTimeInterval(120)
        while try !look() {
            if Date() > limit { throw RawConnection.Failure(reason: "waited too long") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test("a client that sends a byte now and then is disconnected, and so is one that does not read")
    func deadlines() async throws {
        let fixture = try HostFixture()
        let long = questionnaireJSON(id: "long", title: String(repeating: "long ", count: 1_000_000))
        try fixture.publish("long.json", long)
        var configuration = fixture.configuration()
        configuration.connections = ConnectionBounds(total: 100, perAddress: 100)
        configuration.connections?.progressSeconds = 0.3
        try await fixture.run(configuration) { port in
            let sender = try RawConnection(port: port)
            sender.send("PUT /v1/tests/\(TestID.random()) HTTP/1.1\r\nHost: localhost\r\n" + Self.rest)
            try await wait { !sender.send(" ") }

            // More than the buffers of two sockets hold, several times over.
            let reader = try RawConnection(port: port)
            for _ in 0..<20 {
                reader.send("GET /v1/questionnaires/long HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            try await wait { !reader.send("G") }
        }
    }

    @Test("slow connections of one address beyond its share shut out neither others nor a new one of its own")
    func share() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        var configuration = fixture.configuration()
        configuration.connections = ConnectionBounds(total: 40, perAddress: 10)
        configuration.connections?.bePatient()
        try await fixture.run(configuration) { port in
            var slow: [RawConnection] = []
            for number in 0..<100 {
                // The last one is the last one for the host, too.
                if number == 99 { try await settle(port) }
                let connection = try RawConnection(port: port, from: "127.0.0.\(2 + number % 5)")
                connection.send("PUT /v1/tests/\(TestID.random()) HTTP/1.1\r\nHost: localhost\r\n" + Self.rest)
                slow.append(connection)
            }
            for source in ["127.0.0.1", "127.0.0.2", "127.0.0.99"] {
                let connection = try RawConnection(port: port, from: source)
                connection.send(
                    "GET /v1/questionnaires/colours HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(status(try await connection.received()) == 200)
            }
            // The first ones had to go, the last ones are still there.
            try await wait { !slow[0].send(" ") }
            #expect(slow[99].send(" "))
        }
    }

    // MARK: Too many

    private static func upload(_ bytes: Int, of length: Int = 1_000_000) -> String {
        "PUT /v1/tests/\(TestID.random()) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(length)\r\n\r\n" + String(repeating: " ", count: bytes)
    }

    private static let question = "GET /v1/ HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// A complete reply, by which a device comes again later.
    private func expectTurnedAway(_ reply: String) {
        let parts = reply.components(separatedBy: "\r\n\r\n")
        #expect(status(reply) == 503 && parts.count == 2, "\(reply)")
        let fields = parts[0].lowercased().components(separatedBy: "\r\n")
        let seconds = fields.first { $0.hasPrefix("retry-after: ") }.flatMap { Int($0.dropFirst(13)) }
        #expect((1...61).contains(seconds ?? 0), "\(reply)")
        #expect(fields.contains("content-type: application/problem+json") && fields.contains("connection: close"))
        #expect(fields.contains("content-length: \(parts.last?.utf8.count ?? 0)"))
        #expect(parts.last?.contains("urn:quire:problem:service-unavailable") == true)
    }

    /// Waits until the host has counted each connection that was opened so far: its loops take them in turns and in their order.
    private func settle(_ port: Int) async throws {
        for number in 0..<16 {
            let connection = try RawConnection(port: port, from: "127.0.1.\(1 + number)")
            connection.send("GET /v1/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            _ = try await connection.received()
        }
    }

    @Test("a connection whose place another one gets hears 503 with Retry-After, whatever it has sent")
    func turnedAway() async throws {
        let fixture = try HostFixture()
        var configuration = fixture.configuration()
        configuration.connections = ConnectionBounds(total: 100, perAddress: 4)
        configuration.connections?.bePatient()
        try await fixture.run(configuration) { port in
            // Nothing, a part of a head, a part of the content, and a request that was answered.
            let old = try (0..<4).map { _ in try RawConnection(port: port, from: "127.0.0.2") }
            old[1].send("PUT /v1/te")
            old[2].send(Self.upload(10))
            old[3].send(Self.question)
            #expect(status(try await old[3].received(through: "}")) == 200)
            try await settle(port)
            for _ in 0..<4 {
                let new = try RawConnection(port: port, from: "127.0.0.2")
                new.send(Self.question)
                #expect(status(try await new.received(through: "}")) == 200)
                new.send("GET /v1/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                _ = try await new.received()
            }
            let later = try (0..<4).map { _ in try RawConnection(port: port, from: "127.0.0.2") }
            for connection in later {
                connection.send(Self.question)
                #expect(status(try await connection.received(through: "}")) == 200)
            }
            for connection in old { expectTurnedAway(try await connection.received()) }
        }
    }

    @Test("those that do not read why they are turned away keep the reason from no other one, nor its place")
    func reserve() async throws {
        let fixture = try HostFixture()
        var configuration = fixture.configuration()
        configuration.connections = ConnectionBounds(total: 16, perAddress: 4)
        configuration.connections?.bePatient()
        try await fixture.run(configuration) { port in
            var deaf: [RawConnection] = []
            for number in 0..<200 {
                deaf.append(try RawConnection(port: port, from: "127.0.0.\(2 + number % 20)"))
                deaf.last?.send(Self.upload(10))
            }
            try await settle(port)
            let patient = try RawConnection(port: port, from: "127.0.0.99")
            patient.send("GET /v1/ HTTP/1.1\r\n")
            for _ in 0..<4 {
                let connection = try RawConnection(port: port, from: "127.0.0.99")
                connection.send(Self.question)
                #expect(status(try await connection.received(through: "}")) == 200)
                deaf.append(connection)
            }
            expectTurnedAway(try await patient.received())
            withExtendedLifetime(deaf) {}
        }
    }

    @Test("where requests hold too much memory, the address that holds most loses one, and no other")
    func memory() async throws {
        let fixture = try HostFixture()
        var configuration = fixture.configuration()
        configuration.connections = ConnectionBounds(total: 100, perAddress: 100)
        configuration.connections?.bodyBytes = 1_000_000
        configuration.connections?.bePatient()
        try await fixture.run(configuration) { port in
            let large = try (0..<5).map { _ in try RawConnection(port: port, from: "127.0.0.2") }
            // They wait for the rest of their content.
            for connection in large { connection.send(Self.upload(240_000)) }
            let small = try RawConnection(port: port)
            small.send(Self.upload(100_000, of: 100_000))
            #expect(status(try await small.received(through: "}")) == 422)
            let (replies, continuation) = AsyncStream<String>.makeStream()
            for connection in large { Task { continuation.yield((try? await connection.received()) ?? "") } }
            for await reply in replies {
                expectTurnedAway(reply)
                break
            }
        }
    }

    @Test(
        "the content of tests and questionnaires is held in memory, that of files is not",
        arguments: [
            ("PUT", "/v1/tests/a", true), ("PUT", "/v1/questionnaires/a?x=1", true), ("POST", "/desk/", true),
            ("PUT", "/v1/tests/a/media/b", false), ("PATCH", "/v1/uploads/a", false), ("DELETE", "/v1/uploads/a", true),
        ])
    func held(_ method: String, _ target: String, _ isHeld: Bool) {
        #expect(HostResponder.holdsContent(RequestLine(method: method, target: target, contentType: nil)) == isHeld)
    }
}

extension ConnectionBounds {
    /// None is too slow or silent for too long, however busy the machine is.
    fileprivate mutating func bePatient() {
        progressSeconds = 3600
        idleSeconds = 3600
    }
}
