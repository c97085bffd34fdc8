import Foundation
import HTTPCaching
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Model
import NIOCore
import ServedApplication
import Testing

@testable import Host

@Suite("Files of questionnaires that devices send to the host")
struct QuestionnaireUploadTests {
    private let fixture: HostFixture
    private let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 41) }
    private let id = TestID.random()

    init() throws {
        fixture = try HostFixture()
        try fixture.publish(
            "shown.json",
            """
            {"id": "shown", "title": "S", "questions": [
             {"id": "q", "text": "?", "media": [{"path": "\(path)", "type": "image/png"}]}]}
            """)
    }

    private var digest: Digest { Digest(sha256Of: content) }
    private var path: ContentPath { ContentPath(digest, mediaType: "image/png") }
    private var target: String { "/v1/questionnaires/\(path)" }
    private var place: String { "/v1/uploads/\(id)" }

    private func put(
        _ client: any TestClientProtocol, _ body: [UInt8], to target: String? = nil, _ more: HTTPFields = [:],
        id: TestID? = nil
    ) async throws -> TestResponse {
        var fields = more
        if let name = HTTPField.Name("Quire-Change") { fields[name] = (id ?? self.id).description }
        return try await client.put(target ?? self.target, body, fields)
    }

    private func begin(_ client: any TestClientProtocol) async throws -> TestResponse {
        try await put(client, [], [.uploadComplete: "?0", .uploadLength: "5000"])
    }

    private func append(
        _ client: any TestClientProtocol, _ range: Range<Int>, isComplete: Bool
    ) async throws -> TestResponse {
        try await client.executeRequest(
            uri: place, method: .patch,
            headers: [
                .contentType: "application/partial-upload", .uploadOffset: String(range.lowerBound),
                .uploadComplete: isComplete ? "?1" : "?0",
            ], body: ByteBuffer(bytes: content[range]))
    }

    private var files: [String] { (try? fixture.names(fixture.questionnaires.appending("media"))) ?? [] }

    @Test(
        "it goes up in parts, over a restart of the host, is there once with its receipt, and is served to everybody",
        arguments: Way.allCases)
    func parts(_ way: Way) async throws {
        let before = files
        try await fixture.serve(way) { client in
            #expect(try await client.get(target).status == .notFound)
            let begun = try await begin(client)
            #expect(begun.status == .created && begun.headers[.location] == "../../uploads/\(id)")
            #expect(begun.headers[.uploadOffset] == "0" && begun.headers[.uploadComplete] == "?0")
            let part = try await append(client, 0..<2000, isComplete: false)
            #expect(part.status == .noContent && part.headers[.uploadOffset] == "2000")
            // Half of it is nothing that could be shown.
            #expect(try await client.get(target).status == .notFound)
        }
        try await fixture.serve(way) { client in
            let stand = try await client.head(place)
            #expect(stand.headers[.uploadOffset] == "2000" && stand.headers[.uploadLength] == "5000")
            #expect(try await begin(client).headers[.uploadOffset] == "2000")
            let done = try await append(client, 2000..<5000, isComplete: true)
            #expect(done.status == .created && done.headers[.uploadComplete] == "?1")
            let receipt: Receipt = try done.decoded()
            #expect(receipt.test == id && receipt.digest == digest && receipt.action == .attach)
            // The reply was lost: the receipt is given again, and nothing is sent.
            let again = try await begin(client)
            #expect(again.status == .ok && again.bytes == done.bytes && again.headers[.uploadComplete] == "?1")
            // From another device it needs no byte either.
            let other = try await put(client, [], [.uploadComplete: "?0", .uploadLength: "5000"], id: .random())
            #expect(other.status == .ok && other.headers[.uploadComplete] == "?1")
            #expect(try await client.head(place).status == .notFound)
            #expect(Set(files).subtracting(before) == [path.fileName])
            #expect(try fixture.names(fixture.data.appending("uploads")).isEmpty)
            #expect(try fixture.names(fixture.data.appending("media")).isEmpty)
            let whole = try await client.get(target)
            #expect(whole.bytes == content && whole.headers[.contentType] == "image/png")
            #expect(whole.headers[.eTag] == "\"\(digest.hex)\"")
            #expect(try await client.get("/v1/receipts?ids=\(id)").text.contains(digest.hex))
        }
    }

    @Test("other bytes than its name says are not kept, and the upload restarts; in one piece it is accepted, too")
    func damaged() async throws {
        try await fixture.serve { client in
            let reply = try await put(client, content.map { $0 ^ 1 })
            #expect(reply.status == .badRequest && reply.text.contains("digest-mismatch"))
            #expect(try await client.head(place).headers[.uploadOffset] == "0")
            #expect(try await client.get(target).status == .notFound)
            #expect(try await put(client, content).status == .created)
            #expect(try await client.get(target).bytes == content)
        }
    }

    @Test("a file that a person put there and that is not what its name says is replaced, one that is it is known")
    func byHand() async throws {
        let media = fixture.questionnaires.appending("media")
        try FileManager.default.createDirectory(atPath: media.string, withIntermediateDirectories: true)
        let file = media.appending(path.fileName).string
        try Data(content.reversed()).write(to: URL(filePath: file))
        try await fixture.serve { client in
            let reply = try await put(client, content)
            #expect(reply.status == .created)
            #expect(try await client.get(target).bytes == content)
            #expect(
                try await put(client, [], [.uploadComplete: "?0", .uploadLength: "5000"], id: .random()).status == .ok)
        }
    }

    @Test(
        "what no questionnaire names, what is named otherwise and what has another id is refused, and nothing is stored"
    )
    func refused() async throws {
        let before = files
        try await fixture.serve { client in
            let unnamed = ContentPath(Digest(sha256Of: [1]), mediaType: "image/png")
            let reply = try await put(client, [1], to: "/v1/questionnaires/\(unnamed)")
            #expect(reply.status == .notFound && reply.text.contains("urn:quire:problem:not-named"))
            for other in ["media/compass.png", "media/../\(path.fileName)", "other/\(path.fileName)"] {
                #expect(try await put(client, content, to: "/v1/questionnaires/\(other)").status == .methodNotAllowed)
            }
            #expect(try await client.put(target, content).text.contains("Quire-Change"))
            // Its length is stated nowhere.
            #expect(try await put(client, [], [.uploadComplete: "?0"]).status == .badRequest)
            #expect(
                try await put(client, [], [.uploadComplete: "?0", .uploadLength: "9999999999999"]).status
                    == .contentTooLarge)
            let wrong = DigestField.format(Digest(sha256Of: []))
            let conflict = try await put(
                client, [], [.uploadComplete: "?0", .uploadLength: "5000", .reprDigest: wrong])
            #expect(conflict.status == .conflict && conflict.text.contains("different-content"))
            // An id that is that of a test.
            let test = TestRecord(
                id: .random(), questionnaire: QuestionnaireReference(id: "shown", title: "S", digest: digest),
                dateStarted: fixture.clock.now, answers: [], deviceId: "d", sequence: 1)
            #expect(try await client.put("/v1/tests/\(test.id)", DocumentCoding.encode(test)).status == .created)
            #expect(try await put(client, content, id: test.id).status == .conflict)
            #expect(try await client.get("/v1/tests/\(test.id)").status == .ok)
            #expect(files == before)
            #expect(try fixture.names(fixture.data.appending("uploads")).isEmpty)
        }
    }
}
