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

/// Large media, by draft-ietf-httpbis-resumable-upload.
@Suite("Files that belong to tests, at the host")
struct UploadTests {
    private let fixture: HostFixture
    private let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    private let attachment: Model.Attachment
    private let test: TestRecord

    init() throws {
        fixture = try HostFixture()
        attachment = Model.Attachment(
            id: .random(), questionId: "sky", name: "Небо 1.png", mediaType: "image/png",
            sizeBytes: Int64(content.count), digest: Digest(sha256Of: content))
        test = TestRecord(
            id: .random(),
            questionnaire: QuestionnaireReference(id: "colours", title: "C", digest: Digest(sha256Of: "c".utf8)),
            dateStarted: fixture.clock.now, answers: [], attachments: [attachment], deviceId: "d", sequence: 1)
    }

    private var target: String { "/v1/tests/\(test.id)/media/\(attachment.id)" }
    private var place: String { "/v1/uploads/\(attachment.id)" }

    private func begin(_ client: any TestClientProtocol) async throws -> TestResponse {
        try await client.put(target, [], [.uploadComplete: "?0", .uploadLength: "5000"])
    }

    private func deliver(_ client: any TestClientProtocol) async throws {
        #expect(try await client.put("/v1/tests/\(test.id)", DocumentCoding.encode(test)).status == .created)
    }

    private func append(
        _ client: any TestClientProtocol, _ range: Range<Int>, isComplete: Bool, at offset: Int? = nil
    ) async throws -> TestResponse {
        try await client.executeRequest(
            uri: place, method: .patch,
            headers: [
                .contentType: "application/partial-upload", .uploadOffset: String(offset ?? range.lowerBound),
                .uploadComplete: isComplete ? "?1" : "?0",
            ], body: ByteBuffer(bytes: content[range]))
    }

    @Test(
        "it goes up in parts, over a restart of the host, and is there once with its receipt", arguments: Way.allCases)
    func parts(_ way: Way) async throws {
        try await fixture.serve(way) { client in
            // Before its test it is not taken, and may be sent again.
            let early = try await begin(client)
            #expect(early.status == .notFound && early.text.contains("urn:quire:problem:test-unknown"))
            try await deliver(client)
            #expect(try await client.get("/v1/tests/\(test.id)/media").text.contains("\"missing\""))
            #expect(try await client.get(target).text.contains("not-arrived"))
            let begun = try await begin(client)
            #expect(begun.status == .created && begun.headers[.uploadOffset] == "0")
            #expect(begun.headers[.location] == "../../../uploads/\(attachment.id)")
            #expect(begun.headers[.uploadComplete] == "?0" && begun.headers[.uploadLimit] == "max-size=1073741824")
            let part = try await append(client, 0..<2000, isComplete: false)
            #expect(part.status == .noContent && part.headers[.uploadOffset] == "2000")
        }
        try await fixture.serve(way) { client in
            let stand = try await client.head(place)
            #expect(stand.status == .noContent && stand.headers[.uploadOffset] == "2000")
            #expect(stand.headers[.uploadLength] == "5000" && stand.headers[.uploadComplete] == "?0")
            // A repeated start is the same upload.
            #expect(try await begin(client).headers[.uploadOffset] == "2000")
            let elsewhere = try await append(client, 1000..<5000, isComplete: true)
            #expect(elsewhere.status == .conflict && elsewhere.text.contains("mismatching-upload-offset"))
            #expect(elsewhere.text.contains("\"expected-offset\":2000"))
            let short = try await append(client, 2000..<3000, isComplete: true)
            #expect(short.status == .badRequest && short.text.contains("inconsistent-upload-length"))
            let done = try await append(client, 3000..<5000, isComplete: true)
            #expect(done.status == .created && done.headers[.uploadComplete] == "?1")
            let receipt: Receipt = try done.decoded()
            #expect(receipt.test == attachment.id && receipt.digest == attachment.digest && receipt.action == .attach)
            // The reply was lost: the receipt is given again, and nothing is sent.
            let again = try await begin(client)
            #expect(again.status == .ok && again.bytes == done.bytes && again.headers[.uploadComplete] == "?1")
            #expect(try await client.head(place).status == .notFound)
            #expect(try fixture.names(fixture.data.appending("media")) == [attachment.digest.hex])
            #expect(try fixture.names(fixture.data.appending("uploads")).isEmpty)
            let whole = try await client.get(target)
            #expect(whole.bytes == content && whole.headers[.contentType] == "image/png")
            #expect(
                whole.headers[.contentDisposition] == "attachment; filename*=UTF-8''%D0%9D%D0%B5%D0%B1%D0%BE%201.png")
            let tag = try #require(whole.headers[.eTag])
            let rest = try await client.get(target, [.range: "bytes=4990-", .ifRange: tag])
            #expect(rest.status == .partialContent && rest.bytes == Array(content[4990...]))
            #expect(try await client.get(target, [.ifNoneMatch: tag]).status == .notModified)
            #expect(try await client.get("/v1/tests/\(test.id)/media").text.contains("\"arrived\""))
        }
    }

    @Test("other bytes than the test names are not kept, and the upload restarts")
    func damaged() async throws {
        try await fixture.serve { client in
            try await deliver(client)
            _ = try await begin(client)
            let damaged = content.map { $0 ^ 1 }
            let reply = try await client.put(target, damaged)
            #expect(reply.status == .badRequest && reply.text.contains("digest-mismatch"))
            #expect(try await client.head(place).headers[.uploadOffset] == "0")
            #expect(try fixture.names(fixture.data.appending("media")).isEmpty)
            // In one piece, without a word about resuming.
            #expect(try await client.put(target, content).status == .created)
        }
    }

    @Test("what its request announces otherwise is not kept, and the upload stands where it stood")
    func contentDigest() async throws {
        try await fixture.serve { client in
            try await deliver(client)
            var wrong: HTTPFields = [.uploadComplete: "?0"]
            wrong.contentDigest = DigestField.format(Digest(sha256Of: []))
            var right = wrong
            right.contentDigest = DigestField.format(Digest(sha256Of: content[..<2000]))
            right[.uploadLength] = "5000"
            // Started with its first part.
            let begun = try await client.put(target, Array(content[..<2000]), right)
            #expect(begun.status == .created && begun.headers[.uploadOffset] == "2000")
            #expect(begun.headers[.location] == "../../../uploads/\(attachment.id)")
            wrong[.uploadOffset] = "2000"
            wrong[.contentType] = "application/partial-upload"
            let reply = try await client.executeRequest(
                uri: place, method: .patch, headers: wrong, body: ByteBuffer(bytes: content[2000..<3000]))
            #expect(reply.status == .badRequest)
            #expect(try reply.problem().type == "urn:quire:problem:digest-mismatch")
            #expect(try await client.head(place).headers[.uploadOffset] == "2000")
            #expect(try await append(client, 2000..<5000, isComplete: true).status == .created)
            #expect(try await client.get(target).bytes == content)
            let unknown = try await client.executeRequest(
                uri: "/v1/uploads/\(TestID.random())", method: .delete, headers: [:], body: nil)
            #expect(try unknown.problem().title == "Not Found")
        }
    }

    @Test("what does not belong there is refused, and nothing is stored")
    func refused() async throws {
        try await fixture.serve { client in
            try await deliver(client)
            let other = "/v1/tests/\(test.id)/media/\(TestID.random())"
            #expect(try await client.put(other, content).status == .unprocessableContent)
            #expect(try await client.put("/v1/tests/x/media/y", content).status == .badRequest)
            #expect(
                try await client.put(target, [], [.uploadComplete: "?0", .uploadLength: "1"]).status == .badRequest)
            #expect(try await client.put(target, [], [.uploadComplete: "yes"]).status == .badRequest)
            #expect(try await client.put(target, content + [1]).status == .badRequest)
            #expect(try await client.head(place).headers[.uploadOffset] == "0")
            var fields: HTTPFields = [.uploadComplete: "?0"]
            fields.reprDigest = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
            let wrong = fields
            #expect(try await client.put(target, [], wrong).status == .conflict)
            let type = try await client.executeRequest(uri: place, method: .patch, headers: [:], body: nil)
            #expect(type.status == .unsupportedMediaType)
            #expect(
                try await client.executeRequest(uri: place, method: .delete, headers: [:], body: nil).status
                    == .noContent)
            #expect(try await client.head(place).status == .notFound)
            #expect(try fixture.names(fixture.data.appending("uploads")).isEmpty)
            // A test that names something impossible is no test.
            var broken = test
            broken.id = .random()
            broken.attachments[0].name = "../x"
            let reply = try await client.put("/v1/tests/\(broken.id)", DocumentCoding.encode(broken))
            #expect(reply.status == .unprocessableContent)
        }
    }

    @Test("an upload that was given up is removed when the host starts, and what was not counted is cut off")
    func abandoned() async throws {
        try await fixture.serve { client in
            try await deliver(client)
            _ = try await begin(client)
            _ = try await append(client, 0..<2000, isComplete: false)
        }
        let part = fixture.data.appending("uploads/\(attachment.id).part")
        // Written after the last sync, by a host that lost its power.
        try Data(try fixture.bytes(part) + [0, 0, 0]).write(to: URL(fileURLWithPath: part.string))
        try await fixture.serve { client in
            let stand = try await client.head(place)
            #expect(stand.headers[.uploadOffset] == "2000")
            #expect(try fixture.bytes(part).count == 2000)
            #expect(try await append(client, 2000..<5000, isComplete: true).status == .created)
        }
    }

    @Test(
        "a record of an upload that cannot be is damage: the upload restarts, and the host goes on",
        arguments: [(-1, -1), (-1, 0), (.max, 2000), (.max, .max), (5000, 5001), (5000, .min)] as [(Int64, Int64)])
    func damagedRecord(_ size: Int64, _ offset: Int64) async throws {
        try await fixture.serve { client in
            try await deliver(client)
            _ = try await begin(client)
            _ = try await append(client, 0..<2000, isComplete: false)
        }
        let path = fixture.data.appending("uploads/\(attachment.id).json")
        let record = String(decoding: try fixture.bytes(path), as: UTF8.self)
        let damaged = record.replacing(/"sizeBytes"\s*:\s*5000/, with: "\"sizeBytes\": \(size)")
            .replacing(/"offset"\s*:\s*2000/, with: "\"offset\": \(offset)")
        #expect(damaged.contains("\(size)") && damaged.contains("\(offset)"))
        try Data(damaged.utf8).write(to: URL(fileURLWithPath: path.string))
        try await fixture.serve { client in
            let stand = try await client.head(place)
            #expect(stand.status == .notFound)
            #expect(try await begin(client).headers[.uploadOffset] == "0")
            #expect(try await append(client, 0..<5000, isComplete: true).status == .created)
            #expect(try await client.get(target).bytes == content)
        }
    }

    @Test("an upload of another person's test is as one that there is not")
    func foreign() async throws {
        try fixture.makeFolder(fixture.data)
        let keys = try KeyStore(making: fixture.data, clock: fixture.clock)
        let fields = try ["ada", "eve"].map { person -> HTTPFields in
            [.authorization: "Bearer \(try keys.add(.taker, person: person).text)"]
        }
        try await fixture.serve { client in
            let delivered = try await client.put("/v1/tests/\(test.id)", DocumentCoding.encode(test), fields[0])
            #expect(delivered.status == .created)
            var begun = fields[0]
            (begun[.uploadComplete], begun[.uploadLength]) = ("?0", "5000")
            #expect(try await client.put(target, [], begun).status == .created)

            var appended = fields[1]
            (appended[.contentType], appended[.uploadOffset]) = ("application/partial-upload", "0")
            appended[.uploadComplete] = "?1"
            func replies(_ place: String) async throws -> [TestResponse] {
                [
                    try await client.executeRequest(uri: place, method: .get, headers: fields[1], body: nil),
                    try await client.head(place, fields[1]),
                    try await client.executeRequest(
                        uri: place, method: .patch, headers: appended, body: ByteBuffer(bytes: content)),
                    try await client.executeRequest(uri: place, method: .delete, headers: fields[1], body: nil),
                ]
            }
            let unknown = TestID.random()
            for (own, other) in zip(try await replies(place), try await replies("/v1/uploads/\(unknown)")) {
                #expect(own.status == other.status && own.status != .ok)
                #expect(own.text == other.text.replacing("\(unknown)", with: "\(attachment.id)"))
                #expect(!own.text.contains("\(test.id)"))
            }
            #expect(try await client.head(place, fields[0]).headers[.uploadOffset] == "0")
        }
    }
}
