import Foundation

/// A person at the page, as a server sees it: the requests sent, and the replies that arrived before the page was
/// killed.
final class PageWriter {
    enum Deed {
        case begin
        case answer(String, question: Int, option: Int)
        case finish(String)
    }

    private let page: ServeProcess
    private var cookie = ""
    private var token = ""

    init(_ device: Device) throws {
        page = try ServeProcess(device)
        try page.start()
        defer { try? page.kill() }
        try enter()
    }

    func start() throws {
        try page.start()
        try enter()
    }

    /// Exchanges the code for a cookie of this run.
    private func enter() throws {
        cookie = ""
        guard let code = page.invitation.split(separator: "=").last else {
            throw Unexpected("invited to \(page.invitation)")
        }
        let door = try send("POST", "/open", "&code=\(code)")
        guard let set = Self.field("Set-Cookie", in: try reply(door)) else { throw Unexpected("no cookie") }
        cookie = String(set.prefix { $0 != ";" })
        let library = try reply(try send("GET", "/"))
        guard let mark = library.range(of: #"name="token" value=""#) else { throw Unexpected("no form: \(library)") }
        token = String(library[mark.upperBound...].prefix { $0 != "\"" })
    }

    func kill() throws { try page.kill() }

    /// A screen as it is sent, without its head.
    func screen(_ target: String) throws -> String {
        let whole = try reply(try send("GET", target))
        guard let end = whole.range(of: "\r\n\r\n") else { throw Unexpected("no page at \(target): \(whole)") }
        return String(whole[end.upperBound...])
    }

    /// Sends what the form of the page would send.
    func begin(_ deed: Deed, questionnaire: String) throws -> RawClient {
        switch deed {
        case .begin: try send("POST", "/q/\(questionnaire)/begin", "")
        case .answer(let id, let question, let option):
            try send("POST", "/t/\(id)", "&shown=\(question)&a.\(question)=\(option)&at=\(question)&go=leave")
        case .finish(let id): try send("POST", "/t/\(id)/finish", "")
        }
    }

    /// Where the reply leads; `nil` where none came, or another one.
    func end(_ client: RawClient) -> String? {
        let reply = String(decoding: client.received(), as: UTF8.self)
        guard reply.hasPrefix("HTTP/1.1 303") else { return nil }
        return Self.field("Location", in: reply)
    }

    private func send(_ method: String, _ target: String, _ form: String? = nil) throws -> RawClient {
        let body = form.map { "token=\(token)" + $0 } ?? ""
        let client = try RawClient(port: page.port)
        client.send(
            "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\nCookie: \(cookie)\r\nConnection: close\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return client
    }

    private func reply(_ client: RawClient) throws -> String {
        let reply = String(decoding: client.received(), as: UTF8.self)
        guard reply.hasPrefix("HTTP/1.1 ") else { throw Unexpected("the page said “\(reply)”") }
        return reply
    }

    private static func field(_ name: String, in reply: String) -> String? {
        for line in reply.components(separatedBy: "\r\n") where line.lowercased().hasPrefix(name.lowercased() + ": ") {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }
}
