import Disk
import Testing

@Suite("A server's connections")
struct ConnectionTests {
    private final class Connection: LedgerConnection {
        let waitsSince: Double?

        init(_ waitsSince: Double?) { self.waitsSince = waitsSince }
    }
    private typealias Ledger = ConnectionLedger<Connection>

    /// - Returns: the connection, and the one that it replaces.
    @discardableResult
    private func admit(
        _ ledger: inout Ledger, _ client: String, waitsSince: Double?
    ) throws -> (Connection, displaced: Connection?) {
        let connection = Connection(waitsSince)
        guard case .admitted(let displaced) = ledger.admit(connection, from: client) else { throw Refused() }
        return (connection, displaced)
    }

    private struct Refused: Error {}

    @Test(
        "the bounds leave descriptors for files, and three quarters of the connections for other addresses",
        arguments: [(1024, 768, 192), (1_048_576, 4096, 1024), (256, 128, 32), (16, 8, 2), (0, 8, 2)])
    func bounds(_ descriptors: Int, _ total: Int, _ perAddress: Int) {
        #expect(ConnectionBounds(descriptors: descriptors) == ConnectionBounds(total: total, perAddress: perAddress))
    }

    @Test("an address beyond its share gives up its own stalest connection, and no other address's")
    func share() throws {
        var ledger = Ledger(ConnectionBounds(total: 8, perAddress: 2))
        let (other, _) = try admit(&ledger, "10.0.0.9", waitsSince: 0)
        try admit(&ledger, "10.0.0.1", waitsSince: 3)
        let (second, none) = try admit(&ledger, "10.0.0.1", waitsSince: 2)
        #expect(none == nil)
        let (_, displaced) = try admit(&ledger, "10.0.0.1", waitsSince: 4)
        #expect(displaced === second)
        #expect(ledger.count == 3)
        ledger.remove(second, from: "10.0.0.1")
        #expect(ledger.count == 3, "it was removed already")
        ledger.remove(other, from: "10.0.0.9")
        #expect(ledger.count == 2)
        #expect(ledger.connections.count == 2)
    }

    @Test("a connection that the server works for is not closed: where there are only such, a new one is refused")
    func working() throws {
        var ledger = Ledger(ConnectionBounds(total: 100, perAddress: 40))
        for _ in 0..<40 { try admit(&ledger, "10.0.0.1", waitsSince: nil) }
        #expect(throws: Refused.self) { try admit(&ledger, "10.0.0.1", waitsSince: 100) }
        #expect(ledger.count == 40)
        // The only waiting one of forty is found, though a sample may miss it.
        ledger.remove(try #require(ledger.connections.first), from: "10.0.0.1")
        let (waiting, _) = try admit(&ledger, "10.0.0.1", waitsSince: 1)
        #expect(try admit(&ledger, "10.0.0.1", waitsSince: nil).displaced === waiting)
    }

    @Test(
        "a full server takes from the address that has the most, so 5000 connections of four addresses shut out no fifth"
    )
    func full() throws {
        var ledger = Ledger(ConnectionBounds(total: 400, perAddress: 100))
        for number in 0..<5000 { try admit(&ledger, "10.0.0.\(number % 4)", waitsSince: Double(number)) }
        #expect(ledger.count == 400)
        var others: [Connection] = []
        for number in 0..<20 {
            let (other, displaced) = try admit(&ledger, "10.0.1.\(number)", waitsSince: 6000)
            #expect(displaced != nil)
            others.append(other)
        }
        #expect(ledger.count == 400)
        // The attackers come again and do not take what the others have.
        for number in 0..<5000 { try admit(&ledger, "10.0.0.\(number % 4)", waitsSince: 7000 + Double(number)) }
        #expect(ledger.count == 400)
        let left = Set(ledger.connections.map(ObjectIdentifier.init))
        #expect(others.allSatisfy { left.contains(ObjectIdentifier($0)) })
    }

    @Test("where every address has one connection, a new address gets one of them, and a second one displaces its own")
    func single() throws {
        var ledger = Ledger(ConnectionBounds(total: 8, perAddress: 4))
        for number in 0..<8 { try admit(&ledger, "10.0.0.\(number)", waitsSince: Double(number)) }
        let (newcomer, displaced) = try admit(&ledger, "10.0.1.1", waitsSince: 10)
        #expect(displaced != nil)
        #expect(try admit(&ledger, "10.0.1.1", waitsSince: 11).displaced === newcomer)
    }

    @Test(
        "one client is an IPv4 address, or the network of an IPv6 one",
        arguments: [
            ("10.1.2.3", "10.1.2.3"), ("::ffff:10.1.2.3", "10.1.2.3"), ("::1", "::1"), ("", ""),
            ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2::/64"), ("2001:db8:1:2::7", "20:1:d:b8:0:1:0:2::/64"),
            ("fe80::1%eth0", "fe:80:0:0:0:0:0:0::/64"),
        ])
    func client(_ address: String, _ key: String) { #expect(ClientAddress.key(address) == key) }

    @Test("where descriptors are short, each new connection takes the place of one, however few there are")
    func short() throws {
        var ledger = Ledger(ConnectionBounds(total: 100, perAddress: 40))
        let (first, _) = try admit(&ledger, "10.0.0.1", waitsSince: 1)
        try admit(&ledger, "10.0.0.1", waitsSince: 2)
        let newcomer = Connection(3)
        guard case .admitted(let displaced) = ledger.admit(newcomer, from: "10.0.0.2", isShort: true) else {
            Issue.record("refused")
            return
        }
        #expect(displaced === first && ledger.count == 2)
        // One of an address that has a connection takes its own place.
        let own = Connection(4)
        guard case .admitted(let former) = ledger.admit(own, from: "10.0.0.2", isShort: true) else {
            Issue.record("refused")
            return
        }
        #expect(former === newcomer && ledger.count == 2)
    }

    // MARK: Content

    @Test("the client with most content in memory loses its stalest request, and bytes of answered ones do not count")
    func bodies() {
        var bodies = BodyLedger<Connection>(limit: 1000)
        let (first, second, other, busy) = (Connection(2), Connection(1), Connection(0), Connection(nil))
        #expect(bodies.hold(300, for: first, from: "a") == nil)
        #expect(bodies.hold(300, for: second, from: "a") == nil)
        #expect(bodies.hold(350, for: other, from: "b") == nil)
        #expect(bodies.hold(100, for: other, from: "b") === second)
        #expect(bodies.bytes == 750)
        bodies.release(second)
        bodies.release(other)
        #expect(bodies.bytes == 300)
        // One that is being answered stays: then the one that makes it too much goes.
        #expect(bodies.hold(600, for: busy, from: "c") == nil)
        #expect(bodies.hold(200, for: first, from: "a") === first)
        #expect(bodies.bytes == 600)
        // One alone is never too much.
        #expect(bodies.hold(9000, for: busy, from: "c") == nil)
    }

    // MARK: When to come again

    @Test("who is turned away comes again within as long as the server needs for all of them")
    func advice() {
        var advice = ReturnAdvice()
        // Of nothing it is known how long it takes.
        #expect(advice.seconds(random: 0, now: 0) == 1 && advice.seconds(random: 0.999, now: 0) == 4)
        for number in 0..<100 { advice.answered(now: Double(number) / 50) }
        for _ in 0..<1000 { advice.turnedAway(now: 2) }
        // 50 a second are answered: 1000 need 20 s.
        #expect(advice.seconds(random: 0, now: 2) == 1 && advice.seconds(random: 0.5, now: 2) == 11)
        #expect(advice.seconds(random: 0.999, now: 2) == 20)
        // However many they are.
        for _ in 0..<100_000 { advice.turnedAway(now: 2.5) }
        #expect(advice.seconds(random: 0.999, now: 2.5) == 60)
        // What is long ago does not count.
        #expect(advice.seconds(random: 0.999, now: 6) == 60)
        #expect(advice.seconds(random: 0.999, now: 30) == 4)
    }

    // MARK: Progress

    @Test("a complete request is the server's turn until it is answered")
    func turn() {
        var progress = ConnectionProgress(now: 0)
        progress.receivedHead(now: 1)
        #expect(!progress.isServersTurn)
        progress.receivedEnd(now: 1)
        #expect(progress.isServersTurn)
        progress.answered(now: 101)
        #expect(!progress.isServersTurn)
        #expect(progress.progressedAt == 101)
    }

    private func isStalled(
        _ progress: inout ConnectionProgress, waiting: Int = 0, isReading: Bool = true, now: Double
    ) -> Bool {
        progress.isStalled(waitingBytes: waiting, isReading: isReading, seconds: 30, now: now)
    }

    @Test("a byte now and then is no progress; a kilobyte is")
    func content() {
        var progress = ConnectionProgress(now: 0)
        func stalled(_ now: Double) -> Bool { isStalled(&progress, now: now) }
        progress.receivedHead(now: 0)
        for second in stride(from: 1.0, to: 30, by: 5) { progress.receivedContent(1, now: second) }
        #expect(!stalled(29))
        #expect(stalled(30))
        progress.receivedContent(1024, now: 31)
        #expect(!stalled(60))
        #expect(stalled(61))
        progress.receivedEnd(now: 62)
        #expect(!stalled(1000), "the server is at work, and that may take its time")
    }

    @Test("a server that does not read blames no client")
    func notReading() {
        var progress = ConnectionProgress(now: 0)
        progress.receivedHead(now: 0)
        #expect(!isStalled(&progress, waiting: 0, isReading: false, now: 100))
        #expect(!isStalled(&progress, waiting: 0, isReading: true, now: 129))
        #expect(isStalled(&progress, waiting: 0, isReading: true, now: 130))
    }

    @Test("a client that does not read its response is stalled; one that reads slowly is not")
    func reader() {
        var progress = ConnectionProgress(now: 0)
        progress.receivedHead(now: 0)
        progress.receivedEnd(now: 0)
        progress.wrote(100_000)
        #expect(progress.isServersTurn)
        #expect(!isStalled(&progress, waiting: 90_000, isReading: true, now: 10))
        #expect(!isStalled(&progress, waiting: 88_900, isReading: true, now: 39))
        #expect(!isStalled(&progress, waiting: 88_899, isReading: true, now: 68))
        #expect(isStalled(&progress, waiting: 88_898, isReading: true, now: 69))
        #expect(!progress.isServersTurn, "so it gives way to a new connection")
    }

    @Test("an idle connection is not this rule's concern")
    func idle() {
        var progress = ConnectionProgress(now: 0)
        #expect(!isStalled(&progress, waiting: 0, isReading: true, now: 1000))
        #expect(progress.progressedAt == 0, "so it is the first to give way")
    }

    // MARK: Names

    @Test(
        "a server on loopback answers to names of this machine",
        arguments: [
            ("localhost", true), ("LOCALHOST:8484", true), ("localhost.", true), ("127.0.0.1:1", true),
            ("127.9.9.9", true), ("[::1]:8484", true), ("[::1]", true), ("srv.school.example", true), ("srv", true),
            ("srv.local:80", true), ("quire.example.org:8484", true),
            ("evil.example:8484", false), ("evil.example", false), ("127.0.0.1.evil.example", false), ("", false),
            ("localhost.evil.example", false), ("192.168.1.5", false), ("[2001:db8::1]", false), ("*", false),
        ])
    func loopback(_ authority: String, _ isOwn: Bool) {
        let names = OwnNames(listen: "127.0.0.1", names: ["Quire.Example.org"], machine: "srv.school.example")
        #expect(names.contains(authority) == isOwn)
    }

    @Test(
        "a server on the network answers to addresses in figures as well, which no name server can redirect",
        arguments: [
            ("192.168.1.5:8484", true), ("[2001:db8::1]:80", true), ("127.0.0.1", true), ("srv.local", true),
            ("evil.example", false), ("1.2.3", false), ("192.168.1.5.evil.example", false), ("0x7f.1", false),
        ])
    func network(_ authority: String, _ isOwn: Bool) {
        #expect(OwnNames(listen: "0.0.0.0", machine: "srv").contains(authority) == isOwn)
    }
}
