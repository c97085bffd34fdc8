import Foundation
import MotoServer
import Testing

/// A teacher at the desks of several hosts: one cookie, which each of them knows.
struct DeskClient {
    var host: HostProcess
    private let cookie: String

    /// Logs in with a key.
    init(_ host: HostProcess, key: String, name: String) throws {
        self.host = host
        let reply = try Self.send(host, "POST", "/desk/login", "", "key=\(key)&name=\(name)").received()
        let text = String(decoding: reply, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 303"), let set = text.firstRange(of: "quire-desk=") else {
            throw Unexpected("no log-in: \(text.prefix(400))")
        }
        cookie = String(text[set.lowerBound...].prefix { $0 != ";" })
    }

    /// The same teacher, with the same cookie, at another host.
    func at(_ host: HostProcess) -> DeskClient {
        var client = self
        client.host = host
        return client
    }

    private static func send(
        _ host: HostProcess, _ method: String, _ target: String, _ cookie: String, _ body: String = ""
    ) throws -> RawClient {
        let client = try RawClient(port: host.listeningPort)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(host.listeningPort)\r\nConnection: close\r\n"
        if !cookie.isEmpty { head += "Cookie: \(cookie)\r\n" }
        if method == "POST" {
            head += "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        client.send(head + "\r\n" + body)
        return client
    }

    /// A questionnaire as a host sends it to a device with a key.
    static func published(_ id: String, _ host: HostProcess, _ key: String) throws -> String {
        let client = try RawClient(port: host.listeningPort)
        client.send(
            "GET /v1/questionnaires/\(id) HTTP/1.1\r\nHost: 127.0.0.1:\(host.listeningPort)\r\n"
                + "Authorization: Bearer \(key)\r\nConnection: close\r\n\r\n")
        return String(decoding: client.received(), as: UTF8.self)
    }

    /// The reply to a request, with its head.
    func reply(_ target: String) throws -> String {
        String(decoding: try Self.send(host, "GET", target, cookie).received(), as: UTF8.self)
    }

    func page(_ target: String) throws -> String {
        let reply = try reply(target)
        guard reply.hasPrefix("HTTP/1.1 200") else { throw Unexpected("\(target): \(reply.prefix(400))") }
        return reply
    }

    /// Sends a form with what is hidden in a page.
    ///
    /// - Parameter mark: of a page with several forms: that of the form.
    func begin(_ target: String, _ page: String, _ form: String, after mark: String = "") throws -> RawClient {
        var page = page[...]
        if !mark.isEmpty {
            guard let start = page.range(of: mark) else { throw Unexpected("no form \(mark) in \(page)") }
            page = page[start.upperBound...]
        }
        let hidden = ["token", "version", "state"].compactMap { name -> String? in
            guard let mark = page.range(of: "name=\"\(name)\" value=\"") else { return nil }
            return "\(name)=\(page[mark.upperBound...].prefix { $0 != "\"" })"
        }
        return try Self.send(host, "POST", target, cookie, (hidden + [form]).joined(separator: "&"))
    }

    /// The reply to a form, with its head.
    func post(_ target: String, _ page: String, _ form: String, after mark: String = "") throws -> String {
        String(decoding: try begin(target, page, form, after: mark).received(), as: UTF8.self)
    }

    /// Sends the form of a page, and returns where the reply leads.
    func submit(_ target: String, to action: String? = nil, _ form: String, after mark: String = "") throws -> String {
        let reply = try post(action ?? target, try page(target), form, after: mark)
        guard let place = Self.place(reply) else { throw Unexpected("\(target): \(reply.prefix(2000))") }
        return place
    }

    /// Where a reply leads; `nil` where none came, or a refusal.
    static func place(_ reply: String) -> String? {
        guard reply.hasPrefix("HTTP/1.1 303"), reply.contains("\r\n\r\n"),
            let line = reply.components(separatedBy: "\r\n").first(where: { $0.lowercased().hasPrefix("location: ") })
        else { return nil }
        return String(line.dropFirst("location: ".count))
    }

    /// Gives points for the essay of a test.
    func mark(_ test: String, points: Int, in page: String? = nil) throws -> RawClient {
        let action = "/desk/t/\(test)/marks/essay"
        let page = try page ?? self.page("/desk/t/\(test)")
        return try begin(action, page, "points=\(points)&comment=", after: "action=\"\(action)\"")
    }
}

/// Two hosts with a desk on one bucket of moto, and what is published there.
struct SharedDesk {
    let folder: TemporaryFolder
    let moto: MotoServer
    let bucket: String
    let hosts: [HostProcess]

    var data: String { "s3://\(bucket)/school" }

    init() throws {
        folder = try TemporaryFolder()
        moto = try MotoServer.shared.get()
        bucket = try moto.makeBucket()
        let data = "s3://\(bucket)/school"
        hosts = [
            try HostProcess(folder: folder.path, name: "one", data: data, isRestarted: true),
            try HostProcess(folder: folder.path, name: "other", data: data, isRestarted: true),
        ]
        try Files.write(
            #"{"id": "marked", "title": "Marked", "answerKey": {"q1": "a"}, "questions": ["#
                + #"{"id": "q1", "text": "Which?", "options": ["a", "b"]}, "#
                + #"{"id": "essay", "text": "Why?", "kind": "text", "points": 9}]}"#,
            to: hosts[0].questionnaires + "/marked.json")
        for host in hosts { try start(host) }
    }

    func start(_ host: HostProcess) throws { try host.start("--desk", environment: moto.environment) }

    func command(_ arguments: String...) throws -> Outcome {
        try Device(folder.path).quire(arguments + ["--data", data], environment: moto.environment)
    }

    func key(_ role: String) throws -> String {
        let outcome = try command("host", "keys", "add", "--role", role, "--json")
        guard let key = try outcome.json()["key"].text else { throw Unexpected(outcome.description) }
        return key
    }

    /// A device of someone who takes tests, with a key.
    func device(_ host: HostProcess, _ key: String) throws -> Device {
        let file = "\(folder.path)/key"
        try Files.write(key + "\n", to: file)
        _ = chmod(file, 0o600)
        let device = Device(folder.path, name: "device")
        try device.done("init", "--remote", host.address)
        try device.done("remote", "set", host.address, "--token-file", file)
        // A host looks for new keys every two seconds.
        try wait(for: "the key") { try device.quire("pull").exitCode == 0 ? true : nil }
        return device
    }

    /// Logs in as soon as the host knows the key.
    func logIn(_ host: HostProcess, _ key: String, _ name: String) throws -> DeskClient {
        try wait(for: "the key") { try? DeskClient(host, key: key, name: name) }
    }

    /// How often the receipt of a test was replaced.
    func marks(of test: String) throws -> Int {
        try moto.list(of: bucket).components(separatedBy: "<Key>school/receipts/\(test).receipt.json/").count - 2
    }
}
