import Foundation

/// A host with a key of each kind, in front of which a rights test stands.
final class RightsWorld {
    /// The sender of a request, by its key.
    enum Sender: String, CaseIterable {
        case none = "no key"
        case wrong = "unknown key"
        case revoked = "revoked key"
        case expired = "expired key"
        case taker
        case owner = "taker, the test's person"
        case other = "taker, another person"
        case author
        case teacher
        case admin
    }

    let folder: TemporaryFolder
    let host: HostProcess
    let device: Device
    private(set) var keys: [Sender: String] = [:]

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        device = Device(folder.path)
        try Files.makeFolder(host.questionnaires + "/media")
        try Files.write("GIF89a", to: host.questionnaires + "/media/sky.gif")
        try Files.write(
            #"{"id": "a", "title": "A", "questions": [{"id": "q1", "text": "?", "media": [{"path": "media/sky.gif"}]}]}"#,
            to: host.questionnaires + "/a.json")
        for (sender, arguments) in [
            (Sender.revoked, ["admin"]), (.expired, ["admin", "--expires", "1s"]), (.taker, ["taker"]),
            (.owner, ["taker", "--person", "alice"]), (.other, ["taker", "--person", "bob"]), (.author, ["author"]),
            (.teacher, ["teacher"]), (.admin, ["admin"]),
        ] {
            let made = try add(arguments)
            keys[sender] = made.key
            if sender == .revoked { try device.done("host", "keys", "revoke", made.id, "--data", host.data) }
        }
        keys[.wrong] = keys[.admin].map { $0.dropLast(8) + "00000000" }
        try host.start()
        try waitUntilExpired()
    }

    /// `quire host keys add --json`
    func add(_ arguments: [String]) throws -> (id: String, key: String) {
        let outcome = try device.quire(["host", "keys", "add", "--data", host.data, "--json", "--role"] + arguments)
        let json = try outcome.json()
        guard let id = json["id"].text, let key = json["key"].text, json["role"].text == arguments[0] else {
            throw Unexpected(outcome.description)
        }
        return (id, key)
    }

    private func waitUntilExpired() throws {
        let limit = Date.now.addingTimeInterval(patienceSeconds)
        while try status(.init("GET", "/v1/questionnaires"), .expired, port: host.listeningPort) != 401 {
            guard Date.now < limit else { throw Unexpected("a key of one second does not expire") }
        }
    }

    // MARK: A hub

    /// Starts a hub of the host that has this key.
    func startHub(with sender: Sender) throws -> HubProcess {
        let file = folder.path + "/hub-key"
        guard let key = keys[sender] else { throw Unexpected("there is no key of \(sender)") }
        try Files.write(key + "\n", to: file)
        guard chmod(file, 0o600) == 0 else { throw Unexpected("\(file) cannot be closed to others") }
        let hub = HubProcess(folder: folder.path, upstream: host.address, arguments: ["--token-file", file])
        try hub.start()
        return hub
    }

    func waitForList(of hub: HubProcess) throws {
        let limit = Date.now.addingTimeInterval(patienceSeconds)
        while (try? Files.text(hub.store + "/hub/keys.json").contains("\"list\"")) != true
            || !Files.exists(hub.store + "/hub/people.json")
        {
            guard Date.now < limit else { throw Unexpected("the hub does not fetch the lists of keys and people") }
            usleep(20_000)
        }
    }

    // MARK: Requests

    struct Request {
        var method: String
        var path: String
        var fields: [String]
        var body: String

        init(_ method: String, _ path: String, _ fields: [String] = [], body: String = "") {
            self.method = method
            self.path = path
            self.fields = fields
            self.body = body
        }
    }

    /// The response's bytes, over a connection of its own.
    func reply(_ request: Request, _ sender: Sender, port: Int) throws -> String {
        let client = try RawClient(port: port)
        var lines = [
            "\(request.method) \(request.path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close",
            "Content-Length: \(request.body.utf8.count)",
        ]
        if let key = keys[sender] { lines.append("Authorization: Bearer \(key)") }
        client.send((lines + request.fields).joined(separator: "\r\n") + "\r\n\r\n" + request.body)
        return String(decoding: client.received(), as: UTF8.self)
    }

    func status(_ request: Request, _ sender: Sender, port: Int) throws -> Int {
        let text = try reply(request, sender, port: port)
        guard text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)) else {
            throw Unexpected("\(request.method) \(request.path): \(text.prefix(200))")
        }
        return status
    }

    // MARK: Tests of a person

    /// A test of alice's with a file that has arrived, and another that is on its way.
    struct Delivered {
        let test = UUID().uuidString.lowercased()
        let arrived = UUID().uuidString.lowercased()
        let waiting = UUID().uuidString.lowercased()
        let body: String

        init(folder: String) throws {
            // Each file has its own id as content, so none of them is known from another test.
            let files = try [arrived, waiting].map { id in
                let digest = try Command.run("sha256sum", in: folder, input: id).prefix(64)
                return """
                    {"id":"\(id)","questionId":"q1","name":"p.jpg","mediaType":"image/jpeg","sizeBytes":36,\
                    "digest":"sha256:\(digest)"}
                    """
            }
            let version = String(repeating: "0", count: 64)
            body = """
                {"id":"\(test)","questionnaire":{"id":"a","title":"A","digest":"sha256:\(version)"},\
                "dateStarted":"2026-11-25T01:00:00.000Z","answers":[],"attachments":[\(files.joined(separator: ","))],\
                "deviceId":"d","sequence":1}
                """
        }

        var put: Request { Request("PUT", "/v1/tests/\(test)", ["Content-Type: application/json"], body: body) }

        func send(_ file: String, isComplete: Bool = true) -> Request {
            Request(
                "PUT", "/v1/tests/\(test)/media/\(file)",
                isComplete ? ["Upload-Complete: ?1"] : ["Upload-Complete: ?0", "Upload-Length: 36"],
                body: isComplete ? file : "")
        }
    }

    /// Delivers the test with its person's key, one of its files, and starts the upload of the other.
    func deliver() throws -> Delivered {
        let delivered = try Delivered(folder: folder.path)
        for step in [
            delivered.put, delivered.send(delivered.arrived), delivered.send(delivered.waiting, isComplete: false),
        ] {
            let text = try reply(step, .owner, port: host.listeningPort)
            guard text.hasPrefix("HTTP/1.1 20") else { throw Unexpected("\(step.path): \(text)") }
        }
        return delivered
    }
}
