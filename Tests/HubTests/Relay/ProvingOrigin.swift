import Model
import Synchronization

/// A host that asks for keys, notes whose tests are, and says whether their people are proven, on the wire.
final class ProvingOrigin: Sendable {
    private struct Stored {
        var body: String
        var owners: [String]
        var isProven: Bool
    }

    private struct State {
        var stored: [String: Stored] = [:]
        /// In the place of the answer to the question for a key's role.
        var refusal: String?
        /// The keys that tests were sent with.
        var shown: [String?] = []
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let origin: RawOrigin
    private let shared: Shared

    var url: String { "http://127.0.0.1:\(origin.port)" }
    var shown: [String?] { shared.state.withLock { $0.shown } }
    func owners(of id: TestID) -> [String]? { shared.state.withLock { $0.stored["\(id)"]?.owners } }
    func isProven(_ id: TestID) -> Bool? { shared.state.withLock { $0.stored["\(id)"]?.isProven } }
    func refuseQuestions(_ status: String?) { shared.state.withLock { $0.refusal = status } }
    func stop() { origin.stop() }
    func start() throws { try origin.start() }

    /// - Parameter keys: with the ids of their people; an empty id for a key without a person.
    init(_ keys: [String: String]) throws {
        let shared = Shared()
        self.shared = shared
        origin = try RawOrigin { request, socket in
            let (status, body) = try ProvingOrigin.answer(request, keys, shared)
            let isFault = status.prefix(1) > "2"
            let login = status.hasPrefix("401") ? "WWW-Authenticate: Bearer\r\n" : ""
            try socket.send(
                "HTTP/1.1 \(status)\r\nContent-Type: application/\(isFault ? "problem+" : "")json\r\n\(login)"
                    + "Cache-Control: no-store\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    private static func problem(_ status: String, _ kind: String) -> (String, String) {
        (status, #"{"type":"urn:quire:problem:\#(kind)","title":"t","status":\#(status.prefix(3)),"detail":"d"}"#)
    }

    private static func answer(
        _ request: RawMessage, _ keys: [String: String], _ shared: Shared
    ) throws -> (status: String, body: String) {
        let key = request["authorization"].map { String($0.dropFirst("Bearer ".count)) }
        let isPut = request.method == "PUT"
        if isPut { shared.state.withLock { $0.shown.append(key) } }
        if request.target == "/v1/access/self", let refusal = shared.state.withLock({ $0.refusal }) {
            return problem(refusal, "busy")
        }
        guard let key, let person = keys[key] else { return problem("401 Unauthorized", "unauthorized") }
        let own = person.isEmpty ? "" : #","person":"\#(person)""#
        if request.target == "/v1/access/self" {
            return ("200 OK", #"{"role":"taker","isOfKey":true,"id":"\#(key)"\#(own)}"#)
        }
        let id = String(request.target.split(separator: "/").last ?? "")
        guard isPut else { return ("200 OK", "{}") }
        let named = try DocumentCoding.decode(TestRecord.self, from: request.body).person?.id
        return shared.state.withLock { state in
            let isNew = state.stored[id] == nil
            var stored = state.stored[id] ?? Stored(body: request.text, owners: [], isProven: false)
            guard stored.body == request.text else { return problem("409 Conflict", "different-content") }
            if !person.isEmpty, !stored.owners.contains(person) {
                guard stored.owners.isEmpty || named == person else {
                    return problem("409 Conflict", "different-content")
                }
                stored.owners.append(person)
            }
            if named == person { stored.isProven = true }
            state.stored[id] = stored
            let proof = named.map { #","person":{"id":"\#($0)","verified":\#(stored.isProven)}"# } ?? ""
            let digest = Digest(sha256Of: request.body)
            return (
                isNew ? "201 Created" : "200 OK",
                #"{"digest":"\#(digest)","receivedAt":"2026-11-21T05:58:50.316Z","status":"sent","test":"\#(id)"\#(proof)}"#
            )
        }
    }
}
