import Foundation
import Testing

/// Folders that programs wrote before there were people, keys and PINs, byte for byte as docs/format.md had them then.
@Suite("A folder from before people and keys")
struct FormerFolderTests {
    private static let sent = "11111111-1111-4111-8111-111111111111"
    private static let waiting = "22222222-2222-4222-8222-222222222222"
    private static let draft = "33333333-3333-4333-8333-333333333333"
    /// Of the sent test's bytes.
    private static let digest = "sha256:71316b7dc6d800bcdfe2cfeb3de3465eaf3436dac0d55de4bd3a7c4fa6a6abe1"

    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try Files.write(
            #"{"id": "why", "title": "Why", "questions": [{"id": "q1", "text": "Why?", "kind": "text"}]}"#,
            to: host.questionnaires + "/why.json")
        for (path, text) in [
            ("tests/\(Self.sent).test.json", Self.test(Self.sent, sequence: 1, answer: "sent")),
            ("receipts/\(Self.sent).receipt.json", Self.receipt),
        ] { try Self.write(text, to: "\(host.data)/\(path)") }
    }

    private static func write(_ text: String, to path: String) throws {
        try Files.makeFolder(URL(filePath: path).deletingLastPathComponent().path)
        try Files.write(text + "\n", to: path)
    }

    /// A test as it was: without a person.
    private static func test(_ id: String, sequence: Int, answer: String, isFinished: Bool = true) -> String {
        #"{"id":"\#(id)","questionnaire":{"id":"why","title":"Why","digest":"sha256:"#
            + String(repeating: "35", count: 32) + #""},"deviceId":"tablet-7","sequence":\#(sequence),"#
            + #""dateStarted":"2026-11-25T09:00:00.000Z","#
            + (isFinished ? #""dateFinished":"2026-11-25T09:05:00.000Z","# : "")
            + #""answers":[{"questionId":"q1","answer":"\#(answer)"}],"remark":"not known"}"#
    }
    private static let receipt =
        #"{"test":"\#(sent)","digest":"\#(digest)","receivedAt":"2026-11-25T09:06:00.000Z","status":"sent"}"#

    /// The outbox of a store, or of a hub.
    private func fill(_ store: String) throws {
        try Self.write(
            Self.test(Self.sent, sequence: 1, answer: "sent"), to: "\(store)/outbox/sent/\(Self.sent).test.json")
        try Self.write(Self.receipt, to: "\(store)/outbox/sent/\(Self.sent).receipt.json")
        try Self.write(
            Self.test(Self.waiting, sequence: 2, answer: "waiting"),
            to: "\(store)/outbox/done/\(Self.waiting).test.json")
        try Self.write(#"{"last":3}"#, to: "\(store)/outbox/sequence.json")
    }

    @Test("a store: everything is there for everybody, a draft is claimed, what waits is sent without a person")
    func store() throws {
        try host.start()
        let device = Device(folder.path)
        try Self.write(
            #"{"format":1,"deviceId":"tablet-7","remote":"\#(host.address)","remark":"mine"}"#,
            to: device.store + "/store.json")
        try fill(device.store)
        try Self.write(
            Self.test(Self.draft, sequence: 3, answer: "draft", isFinished: false),
            to: device.testPath(Self.draft, "in-progress"))
        let first = try device.quire("tests", "--json")
        #expect(first.exitCode == 0 && first.errors.isEmpty, "\(first)")
        func shown() throws -> Set<String> { Set(try device.json("tests").elements.compactMap { $0["id"].text }) }
        #expect(try shown() == [Self.sent, Self.waiting, Self.draft])

        // What is different is said once, to people.
        let told = try device.done("list")
        #expect(told.isOneSentence && told.errors.contains("from before there were people"), "\(told)")
        #expect(try device.done("list").errors.isEmpty)

        try device.done("person", "set", "Ada")
        #expect(try shown() == [Self.sent, Self.waiting, Self.draft])
        try device.done("person", "claim", Self.draft)
        try device.done("person", "set", "Boris")
        #expect(try shown() == [Self.sent, Self.waiting])
        #expect(try device.json("sync")["sent"].whole == 1)
        let tests = try device.json("host", "tests", "--data", host.data).elements
        #expect(Set(tests.compactMap { $0["id"].text }) == [Self.sent, Self.waiting])
        #expect(tests.allSatisfy { $0["person"] == .null })
        // Members that are not known stay, and so does the store's own.
        #expect(try Files.text(device.testPath(Self.draft, "in-progress")).contains("not known"))
        #expect(try Files.text(device.store + "/store.json").contains("mine"))
    }

    @Test("a store that is opened by the page says what is different at its first start alone")
    func page() throws {
        let device = Device(folder.path)
        try Self.write(#"{"format":1,"deviceId":"tablet-7","remark":"mine"}"#, to: device.store + "/store.json")
        try fill(device.store)
        let page = try ServeProcess(device)
        try page.start()
        #expect(try page.stop().errors.components(separatedBy: "from before there were people").count == 2)
        try page.start()
        #expect(try !page.stop().errors.contains("from before"))
        #expect(try device.done("list").errors.isEmpty)
        // One that was made today has nothing to say, whatever is in it later.
        let new = Device(folder.path, name: "new")
        try new.done("init")
        try fill(new.store)
        #expect(try new.done("list").errors.isEmpty)
    }

    @Test("a host: on this machine all is as before; to others it does not start before keys are made or it is opened")
    func beyondLoopback() throws {
        let device = Device(folder.path)
        let before = try Files.text("\(host.data)/tests/\(Self.sent).test.json")
        try host.start()
        #expect(try status("/v1/tests/\(Self.sent)", nil) == 200)
        let told = "this folder is from before there were people and keys"
        #expect(try host.stop().errors.components(separatedBy: told).count == 2)
        try host.start()
        #expect(try !host.stop().errors.contains("from before"), "it is said once")
        let refused = try device.quire(
            "host", "--data", host.data, "--questionnaires", host.questionnaires, "--listen", "0.0.0.0:0")
        #expect(refused.exitCode != 0 && refused.isOneSentence, "\(refused)")
        #expect(refused.errors.contains("since this host has no keys"))
        for command in ["--role admin", "--role taker", "--open"] { #expect(refused.errors.contains(command)) }

        func key(_ role: String) throws -> String {
            try #require(
                try device.json("host", "keys", "add", "--data", host.data, "--role", role)["key"].text)
        }
        let (taker, teacher) = (try key("taker"), try key("teacher"))
        try host.start()
        #expect(try status("/v1/tests/\(Self.sent)", nil) == 401)
        #expect(try status("/v1/questionnaires", taker) == 200)
        #expect(try status("/v1/tests", taker) == 403)
        #expect(try status("/v1/tests", teacher) == 200)
        #expect(try device.json("host", "tests", "--data", host.data).elements.map { $0["id"].text } == [Self.sent])
        #expect(try Files.text("\(host.data)/tests/\(Self.sent).test.json") == before)
    }

    @Test("a hub: what it kept is delivered")
    func hub() throws {
        try host.start()
        let hub = HubProcess(folder: folder.path, upstream: host.address)
        try Self.write(
            #"{"format":1,"deviceId":"hub-1","remote":"\#(host.address)"}"#, to: hub.store + "/store.json")
        try fill(hub.store)
        try hub.start()
        let device = Device(folder.path)
        try wait(for: "the test at the host") { () -> Bool? in
            try device.json("host", "tests", "--data", host.data).elements.count == 2 ? true : nil
        }
        func isTold(_ outcome: Outcome) -> Int {
            outcome.errors.components(separatedBy: "this hub's folder is from before there were people and keys").count
                - 1
        }
        #expect(try isTold(hub.stop()) == 1)
        try hub.start()
        #expect(try isTold(hub.stop()) == 0)
    }

    private func status(_ path: String, _ key: String?) throws -> Int? {
        let client = try RawClient(port: host.listeningPort)
        client.send(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(host.listeningPort)\r\nConnection: close\r\n"
                + (key.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "\r\n")
        return client.status()
    }
}
