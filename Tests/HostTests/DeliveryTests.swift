import Disk
import Foundation
import HTTPTypes
import HummingbirdTesting
import Model
import ServedApplication
import Testing

@testable import Host

/// Idempotent by id and digest.
@Suite("Tests are delivered exactly once")
struct DeliveryTests {
    @Test("a new test is stored byte for byte and acknowledged with a receipt", arguments: Way.allCases)
    func new(_ way: Way) async throws {
        let fixture = try HostFixture()
        let test = try TestFile()
        let response = try await fixture.serve(way) { try await $0.deliver(test) }
        #expect(response.status == .created)
        #expect(response.headers[.location] == "/v1/tests/\(test.id)")
        let receipt: Receipt = try response.decoded()
        #expect(receipt.test == test.id)
        #expect(receipt.digest == test.digest)
        #expect(receipt.status == .sent)
        #expect(receipt.receivedAt == fixture.clock.now)
        #expect(try fixture.bytes(fixture.data.appending("tests/\(test.id).test.json")) == test.bytes)
        #expect(try fixture.bytes(fixture.data.appending("receipts/\(test.id).receipt.json")) == response.bytes)
        #expect(try fixture.names(fixture.data.appending("tmp")).isEmpty)
    }

    @Test("the same bytes again get the very same receipt, however late", arguments: Way.allCases)
    func again(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let test = try TestFile()
        let first = try await fixture.serve(way) { try await $0.deliver(test) }
        fixture.clock.advance(by: .seconds(86_400))
        let (second, third) = try await fixture.serve(way) { client in
            (try await client.deliver(test), try await client.deliver(test))
        }
        #expect(first.status == .created)
        #expect(second.status == .ok)
        #expect(second.bytes == first.bytes)
        #expect(third.bytes == first.bytes)
    }

    @Test("two answers to one question are refused, unless they are stored already or of two instances")
    func twoAnswers() async throws {
        let fixture = try HostFixture()
        func answer(_ text: String) -> Answer { Answer(questionId: "sky", value: .one(text)) }
        let twice = try TestFile(answers: [answer("Blue"), answer("Green")])
        let former = try TestFile(answers: [answer("Blue"), answer("Blue")])
        // As from a program that asks a section once for each person of a household.
        var instances = try TestFile(answers: [answer("Blue"), answer("Green")])
        var number = 0
        let parts = String(decoding: instances.bytes, as: UTF8.self).split(separator: "\"questionId\"").map(String.init)
        let text = parts.dropFirst().reduce(parts[0]) { text, part in
            number += 1
            return text + "\"instance\": \(number), \"questionId\"" + part
        }
        instances = TestFile(id: instances.id, bytes: Array(text.utf8))
        let household = instances
        try await fixture.serve { client in
            let refused = try await client.deliver(twice)
            #expect(refused.status == .unprocessableContent)
            let problem = try refused.problem()
            #expect(problem.type == "urn:quire:problem:invalid-test" && problem.field == "answers[1].questionId")
            #expect(try await client.get("/v1/tests/\(twice.id)").status == .notFound)
            #expect(try await client.deliver(household).status == .created)
        }
        // As an earlier version accepted it.
        try Data(former.bytes).write(
            to: URL(filePath: fixture.data.appending(HostLayout.test(former.id).string).string))
        try await fixture.serve { client in
            let again = try await client.deliver(former)
            #expect(again.status == .ok)
            #expect(try await client.get("/v1/tests/\(former.id)").status == .ok)
        }
    }

    @Test(
        "a test that names no question, no file or no questionnaire is refused, and the field is named",
        arguments: [
            // Without an instance it is the answer of the first one.
            (
                #"{"questionId": "sky", "answer": "x"}, {"questionId": "sky", "instance": 1, "answer": "x"}"#,
                "answers[1].questionId"
            ),
            (
                #"{"questionId": "sky", "instance": "b", "answer": "x"}, {"questionId": "sky", "instance": "c", "answer": "x"}"#,
                "answers[1].questionId"
            ),
            (#"{"questionId": "sky", "instance": 0, "answer": "x"}"#, "answers[0].instance"),
            (
                #"{"questionId": "name", "answer": "x"}, {"questionId": "sky", "instance": -1, "answer": "x"}"#,
                "answers[1].instance"
            ),
        ])
    func places(_ answers: String, _ field: String) async throws {
        let fixture = try HostFixture()
        let plain = try TestFile()
        guard case .object(var members) = try DocumentCoding.decode(JSONValue.self, from: plain.bytes) else {
            Issue.record("it is no object")
            return
        }
        members["answers"] = try DocumentCoding.decode(JSONValue.self, from: Array("[\(answers)]".utf8))
        let test = TestFile(id: plain.id, bytes: try DocumentCoding.encode(JSONValue.object(members)))
        try await fixture.serve { client in
            let refused = try await client.deliver(test)
            let problem = try refused.problem()
            #expect(refused.status == .unprocessableContent && problem.field == field, "\(problem)")
            #expect(try await client.get("/v1/tests/\(test.id)").status == .notFound)
        }
    }

    @Test("the id of a questionnaire is one that a document may have", arguments: ["", "\u{0}", ".", "a\nb"])
    func questionnaireID(_ id: String) async throws {
        let fixture = try HostFixture()
        let test = try TestFile(questionnaire: id)
        try await fixture.serve { client in
            let refused = try await client.deliver(test)
            #expect(try refused.problem().field == "questionnaire.id" && refused.status == .unprocessableContent)
            #expect(try await client.get("/v1/tests/\(test.id)").status == .notFound)
        }
    }

    @Test(
        "a fault of a file that a test names has its place",
        arguments: [
            ("a/b", "image/png", 1, "name"), ("a", "picture", 1, "mediaType"), ("a", "image/png", -1, "sizeBytes"),
        ])
    func attachments(_ name: String, _ type: String, _ size: Int, _ member: String) throws {
        func file(_ name: String, _ type: String, _ size: Int) -> Model.Attachment {
            Model.Attachment(
                id: .random(), questionId: "q", name: name, mediaType: type, sizeBytes: Int64(size),
                digest: Digest(sha256Of: []))
        }
        let record = TestRecord(
            id: .random(), questionnaire: QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [])),
            dateStarted: .epoch, attachments: [file("a.png", "image/png", 1), file(name, type, size)], deviceId: "d",
            sequence: 1)
        let bytes = try DocumentCoding.encode(record)
        let fault = #expect(throws: DocumentFault.self) { try TestSubmission(bytes, id: record.id) }
        #expect(fault?.field == "attachments[1].\(member)")
    }

    @Test("other bytes under a known id are a conflict, and both sides stay as they were", arguments: Way.allCases)
    func conflict(_ way: Way) async throws {
        let fixture = try HostFixture()
        let test = try TestFile()
        let other = try TestFile(id: test.id, note: "changed")
        try await fixture.serve(way) { client in
            let first = try await client.deliver(test)
            let response = try await client.deliver(other)
            #expect(response.status == .conflict)
            #expect(try response.problem().type == "urn:quire:problem:different-content")
            #expect(try await client.get("/v1/tests/\(test.id)").bytes == first.bytes)
            #expect(try await client.deliver(test).bytes == first.bytes)
        }
        #expect(try fixture.bytes(fixture.data.appending("tests/\(test.id).test.json")) == test.bytes)
    }

    @Test("of deliveries that race for one id, one is stored and all the others hear the same of it")
    func race() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.serve { client in
            for _ in 0..<10 {
                let test = try TestFile()
                let other = try TestFile(id: test.id, note: "other")
                let responses = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                    for number in 0..<16 {
                        group.addTask { try await client.deliver(number % 4 == 3 ? other : test) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(responses.count { $0.status == .created } == 1)
                #expect(responses.allSatisfy { [.created, .ok, .conflict].contains($0.status) })
                let accepted = responses.filter { $0.status != .conflict }
                #expect(accepted.count == 12 || accepted.count == 4)
                #expect(Set(accepted.map(\.bytes)).count == 1)
                let stored = try fixture.bytes(fixture.data.appending("tests/\(test.id).test.json"))
                #expect(stored == (accepted.count == 12 ? test : other).bytes)
            }
        }
    }

    @Test("content that does not match Content-Digest is refused and nothing is stored", arguments: Way.allCases)
    func digestMismatch(_ way: Way) async throws {
        let fixture = try HostFixture()
        let test = try TestFile()
        try await fixture.serve(way) { client in
            var fields = HTTPFields()
            fields.contentDigest = DigestField.format(Digest(sha256Of: "other".utf8))
            let wrong = try await client.deliver(test, fields)
            #expect(wrong.status == .badRequest)
            #expect(try wrong.problem().type == "urn:quire:problem:digest-mismatch")
            fields.contentDigest = "sha-256=:AAAA:"
            #expect(try await client.deliver(test, fields).status == .badRequest)
            #expect(try await client.get("/v1/tests/\(test.id)").status == .notFound)
            fields.contentDigest = "sha-512=:AAAA:, " + DigestField.format(test.digest)
            #expect(try await client.deliver(test, fields).status == .created)
        }
    }

    @Test("a gzipped test is stored as it was before, and its digest is that of what travels (RFC 9530)")
    func gzip() async throws {
        let fixture = try HostFixture()
        let test = try TestFile()
        let compressed = try Gzip.compress(test.bytes)
        try await fixture.serve { client in
            var fields: HTTPFields = [.contentEncoding: "gzip", .contentType: "application/json; charset=utf-8"]
            fields.contentDigest = DigestField.format(Digest(sha256Of: compressed))
            #expect(try await client.put("/v1/tests/\(test.id)", compressed, fields).status == .created)
            #expect(try await client.deliver(test).status == .ok)
            #expect(
                try await client.put("/v1/tests/\(test.id)", compressed, [.contentEncoding: "br"]).status.code == 415)
            let bomb = try Gzip.compress([UInt8](repeating: 0x20, count: 8 << 20))
            let refused = try await client.put("/v1/tests/\(TestID.random())", bomb, [.contentEncoding: "gzip"])
            #expect(refused.status == .unprocessableContent)
        }
        #expect(try fixture.bytes(fixture.data.appending("tests/\(test.id).test.json")) == test.bytes)
    }

    @Test(
        "what is no test is refused with the field's name",
        arguments: [
            (#"{"id""#, nil as String?, "line 1"),
            ("[]", nil, "object"),
            ("", nil, "ends"),
            (#"{"id": "x"}"#, "id", "UUID"),
            (#"{"id": "ID", "questionnaire": {"id": "a"}}"#, "questionnaire.title", "missing"),
            (
                #"{"id": "ID", "questionnaire": {"id": "a", "title": "A", "digest": "sha256:1"}}"#,
                "questionnaire.digest", "sha256:1"
            ),
            (
                #"{"id": "00000000-0000-4000-8000-000000000000", "questionnaire": {"id": "a", "title": "A", "digest": "DIGEST"}, "#
                    + #""dateStarted": "2026-01-01", "answers": []}"#, "id", "00000000-0000-4000-8000-000000000000"
            ),
        ])
    func invalid(_ text: String, _ field: String?, _ word: String) async throws {
        let fixture = try HostFixture()
        let id = TestID.random()
        let body = text.replacing("ID", with: id.description).replacing("DIGEST", with: "\(Digest(sha256Of: []))")
        let response = try await fixture.serve { try await $0.put("/v1/tests/\(id)", Array(body.utf8)) }
        #expect(response.status == .unprocessableContent)
        let problem = try response.problem()
        #expect(problem.field == field)
        #expect(problem.detail.contains(word))
        #expect(try fixture.names(fixture.data.appending("tests")).isEmpty)
    }

    @Test("an id in the path that is no UUID is refused, in capitals it is the same id")
    func pathID() async throws {
        let fixture = try HostFixture()
        let test = try TestFile()
        try await fixture.serve { client in
            for path in ["x", "..%2f..%2fetc%2fpasswd", "\(test.id)%00", "\(test.id).json"] {
                let response = try await client.put("/v1/tests/\(path)", test.bytes)
                #expect(response.status == .unprocessableContent)
                #expect(try response.problem().field == "id")
            }
            #expect(
                try await client.put("/v1/tests/\(test.id.description.uppercased())", test.bytes).status == .created)
            #expect(try await client.deliver(test).status == .ok)
        }
        #expect(try fixture.names(fixture.data.appending("tests")) == ["\(test.id).test.json"])
    }

    @Test("a test of more than four megabytes is rejected, announced or not", arguments: Way.allCases)
    func tooLarge(_ way: Way) async throws {
        let fixture = try HostFixture()
        let bytes = [UInt8](repeating: 0x20, count: TestSubmission.maximumBytes + 1)
        try await fixture.serve(way) { client in
            let response = try await client.put("/v1/tests/\(TestID.random())", bytes)
            #expect(response.status == .contentTooLarge)
            _ = try response.problem()
            #expect(try await client.get("/v1/").status == .ok)
        }
    }

    @Test("a form or a text is not taken for a test")
    func mediaType() async throws {
        let fixture = try HostFixture()
        let test = try TestFile()
        try await fixture.serve { client in
            let refused = try await client.deliver(test, [.contentType: "text/plain"])
            #expect(refused.status == .unsupportedMediaType)
            let taken = try await client.deliver(test, [.contentType: "application/json"])
            #expect(taken.status == .created)
        }
    }

    @Test("a test of a questionnaire that is not here is kept, and waits for a person to rate it")
    func unknownQuestionnaire() async throws {
        let fixture = try HostFixture()
        let test = try TestFile(questionnaire: "elsewhere")
        let response = try await fixture.serve { try await $0.deliver(test) }
        #expect(response.status == .created)
        #expect(try response.decoded(Receipt.self).status == .sent)
    }
}
