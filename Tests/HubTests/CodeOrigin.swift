import Model
import Synchronization

/// A server that knows codes of people, on the wire: `access/self`, `access/keys`, `people` and tests.
final class CodeOrigin: Sendable {
    private let origin: RawOrigin
    private let shared: Shared

    var url: String { "http://127.0.0.1:\(origin.port)" }
    var requests: [RawMessage] { origin.requests }

    /// - Parameter codes: with the ids of their people; an empty id for a key without a person.
    init(_ codes: [String: String]) throws {
        let shared = Shared(codes)
        self.shared = shared
        origin = try RawOrigin { try shared.answer($0, $1) }
    }

    func revoke(_ code: String) { shared.codes.withLock { $0[code] = nil } }
    func stop() { origin.stop() }
    func start() throws { try origin.start() }

    private final class Shared: Sendable {
        let codes: Mutex<[String: String]>

        init(_ codes: [String: String]) { self.codes = Mutex(codes) }

        func answer(_ request: RawMessage, _ socket: RawSocket) throws {
            func reply(_ status: String, _ body: String, _ type: String = "application/json") throws {
                let login = status.hasPrefix("401") ? "WWW-Authenticate: Bearer\r\n" : ""
                try socket.send(
                    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nCache-Control: no-store\r\n\(login)"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
            let code = String(request["authorization"]?.dropFirst("Bearer ".count) ?? "")
            let all = codes.withLock { $0 }
            guard let person = all[code] else {
                return try reply(
                    "401 Unauthorized",
                    #"{"type":"about:blank","title":"Unauthorized","status":401,"detail":"not a key"}"#,
                    "application/problem+json")
            }
            switch request.target {
            case "/v1/access/self":
                let own = person.isEmpty ? "" : #","person":"\#(person)""#
                try reply(
                    "200 OK",
                    #"{"role":"\#(person == "teacher" ? "teacher" : "taker")","isOfKey":true,"id":"\#(code)"\#(own)}"#)
            case "/v1/access/keys":
                let keys = all.filter { !$0.value.isEmpty }.map { code, person in
                    #"{"id":"\#(code)","role":"taker","digest":"\#(Digest(sha256Of: code.utf8))","person":"\#(person)"}"#
                }
                try reply("200 OK", "{\"keys\":[\(keys.joined(separator: ","))]}")
            case "/v1/people": try reply("200 OK", #"{"people":[{"id":"s-1","name":"Ada","group":"7b"}]}"#)
            case let target where request.method == "PUT":
                let id = target.split(separator: "/").last ?? ""
                let digest = Digest(sha256Of: Array(request.text.utf8))
                try reply(
                    "201 Created",
                    #"{"digest":"\#(digest)","receivedAt":"2026-11-21T05:58:50.316Z","status":"sent","test":"\#(id)"}"#)
            default: try reply("200 OK", "{}")
            }
        }
    }
}
