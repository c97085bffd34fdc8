import Foundation
import Testing

/// Tries every operation of docs/openapi.yaml with a key of each kind, and compares the outcome with docs/rights.md.
///
/// After an intended change: `QUIRE_WRITE_RIGHTS=1 swift test --filter RightsMatrixTests` writes the table.
@Suite("Who may do what on a host")
struct RightsMatrixTests {
    private struct Operation {
        var id: String
        var method: String
        var path: String
    }

    /// The operations in the order of the file. Their form is checked by another test: two spaces before a path, four
    /// before a method.
    private static func operations() throws -> [Operation] {
        var operations: [Operation] = []
        var (path, method) = ("", "")
        for line in try Files.text(Command.repository + "/docs/openapi.yaml").split(separator: "\n") {
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast())
            } else if ["get", "head", "put", "patch", "delete", "post"].contains(where: { line == "    \($0):" }) {
                method = line.dropFirst(4).dropLast().uppercased()
            } else if line.hasPrefix("      operationId: "), path.hasPrefix("/v1/") {
                // A hub's own are its own tests' concern.
                operations.append(
                    Operation(id: String(line.dropFirst("      operationId: ".count)), method: method, path: path))
            }
        }
        return operations
    }

    /// Operations about a test and its files.
    private static let ofTests: Set = [
        "getReceipt", "listAttachments", "getAttachment", "putAttachment", "getUpload", "appendToUpload",
        "cancelUpload",
    ]

    /// The hub has nothing of them while the host is unreachable.
    private static func isAway(_ status: Int) -> Bool { status == 504 }

    /// A request that succeeds where it is allowed, or fails for a reason that has nothing to do with rights.
    private static func request(_ operation: Operation, _ world: RightsWorld) throws -> RightsWorld.Request {
        let uuid = UUID().uuidString.lowercased()
        let change = "Quire-Change: \(UUID().uuidString.lowercased())"
        let json = "Content-Type: application/json"
        func plain(_ path: String, _ fields: [String] = [], body: String = "") -> RightsWorld.Request {
            RightsWorld.Request(operation.method, path, fields, body: body)
        }
        switch operation.id {
        case "getService", "listQuestionnaires", "listChanges", "listKeys", "getOwnAccess", "listPeople",
            "listFavorites", "listTests":
            return plain(operation.path)
        case "getQuestionnaire": return plain("/v1/questionnaires/a")
        case "putQuestionnaire":
            return plain(
                "/v1/questionnaires/\(uuid)", [change, json, "If-None-Match: *"],
                body: #"{"id": "x", "title": "X", "questions": [{"id": "q1", "text": "?"}]}"#)
        case "deleteQuestionnaire": return plain("/v1/questionnaires/absent", [change, "If-Match: *"])
        case "getQuestionnaireFile", "getMedia": return plain("/v1/questionnaires/media/sky.gif")
        case "putQuestionnaireFile":
            return plain(
                "/v1/questionnaires/media/\(String(repeating: "0f", count: 32)).png", [change, "Upload-Complete: ?1"],
                body: "x")
        case "listReceipts": return plain("/v1/receipts?ids=\(uuid)")
        case "setFavorite", "unsetFavorite": return plain("/v1/favorites/a", [change])
        case "putProgress":
            // A test of the person “alice”.
            return plain(
                "/v1/progress/\(uuid)", [json],
                body: """
                    {"tests": [{"test": "\(uuid)", "state": "started", "since": "2026-11-21T04:51:00Z",
                     "questionnaire": {"id": "a", "digest": "sha256:\(String(repeating: "0", count: 64))"},
                     "person": {"id": "alice", "name": "Alice"}}]}
                    """)
        case "putTest":
            let delivered = try RightsWorld.Delivered(folder: world.folder.path)
            return delivered.put
        default: break
        }
        let delivered = try world.host.isRunning ? world.deliver() : .init(folder: world.folder.path)
        switch operation.id {
        case "getReceipt": return plain("/v1/tests/\(delivered.test)")
        case "listAttachments": return plain("/v1/tests/\(delivered.test)/media")
        case "getAttachment": return plain("/v1/tests/\(delivered.test)/media/\(delivered.arrived)")
        case "putAttachment": return delivered.send(delivered.waiting)
        case "getUpload", "cancelUpload": return plain("/v1/uploads/\(delivered.waiting)")
        case "appendToUpload":
            return plain(
                "/v1/uploads/\(delivered.waiting)",
                ["Upload-Offset: 0", "Upload-Complete: ?1", "Content-Type: application/partial-upload"],
                body: delivered.waiting)
        default: throw Unexpected("\(operation.id) of docs/openapi.yaml has no request in this test: add one")
        }
    }

    private static func word(_ status: Int, _ operation: Operation) -> String {
        switch status {
        case 401, 403: String(status)
        case _ where isAway(status): "away"
        // Another person's test does not exist.
        case 404 where ofTests.contains(operation.id): "404"
        default: "yes"
        }
    }

    private static func table(_ world: RightsWorld, port: Int) throws -> String {
        let senders = RightsWorld.Sender.allCases
        var lines = [
            "| operation | " + senders.map(\.rawValue).joined(separator: " | ") + " |",
            "| --- |" + String(repeating: " --- |", count: senders.count),
        ]
        for operation in try operations() {
            let words = try senders.map { sender in
                let status = try world.status(try request(operation, world), sender, port: port)
                guard status != 429, status < 500 || isAway(status) else {
                    throw Unexpected("\(operation.id), \(sender): \(status)")
                }
                return word(status, operation)
            }
            lines.append(
                "| `\(operation.method) \(operation.path)` | " + words.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }

    private static let document = Command.repository + "/docs/rights.md"

    /// The table below a heading of the document, compared with what was found, or replaced by it.
    private static func check(_ heading: String, _ table: String) throws {
        let text = try Files.text(document)
        var sections = text.components(separatedBy: "\n## ")
        guard let index = sections.firstIndex(where: { $0.hasPrefix(heading + "\n") }) else {
            throw Unexpected("docs/rights.md has no section “\(heading)”")
        }
        let paragraphs = sections[index].components(separatedBy: "\n\n")
        guard let place = paragraphs.firstIndex(where: { $0.hasPrefix("|") }) else {
            throw Unexpected("docs/rights.md has no table below “\(heading)”")
        }
        if ProcessInfo.processInfo.environment["QUIRE_WRITE_RIGHTS"] != nil {
            var changed = paragraphs
            changed[place] = table + (paragraphs[place].hasSuffix("\n") ? "\n" : "")
            sections[index] = changed.joined(separator: "\n\n")
            try Files.write(sections.joined(separator: "\n## "), to: document)
        } else {
            let stated = paragraphs[place].split(separator: "\n").map(String.init)
            let found = table.split(separator: "\n").map(String.init)
            #expect(stated == found, "docs/rights.md, \(heading): \(zip(stated, found).filter { $0 != $1 })")
        }
    }

    @Test("each operation of the protocol, with a key of each kind, over a socket: the table of docs/rights.md")
    func direct() throws {
        let world = try RightsWorld()
        try Self.check("On the host", try Self.table(world, port: world.host.listeningPort))
    }

    @Test("the same through a hub with a taker's key")
    func throughHub() throws {
        let world = try RightsWorld()
        let hub = try world.startHub(with: .taker)
        try Self.check("Through a hub", try Self.table(world, port: hub.port))
    }

    @Test("the same through a hub with a teacher's key while the host is unreachable")
    func away() throws {
        let world = try RightsWorld()
        let hub = try world.startHub(with: .teacher)
        try world.waitForList(of: hub)
        for path in ["questionnaires", "questionnaires/a", "questionnaires/media/sky.gif"] {
            #expect(try world.status(.init("GET", "/v1/" + path), .none, port: hub.port) == 200)
        }
        try world.host.stop()
        try Self.check("Through a hub while the host is unreachable", try Self.table(world, port: hub.port))
    }
}
