import Disk
import HTTPTypes
import Hummingbird
import Model

/// Takes tests and tells where they stand. All calls block on the disk.
struct TestEndpoint: Sendable {
    let archive: TestArchive

    static let maximumIDs = 200

    /// `PUT /v1/tests/{uuid}`
    func put(_ text: String, _ request: HostRequest) throws -> Response {
        let id = try TestEndpoint.id(forDelivery: text)
        if let field = request.fields.contentDigest, let expected = try DigestFields.sha256(in: field),
            expected != Digest(sha256Of: request.body)
        {
            throw Problem(
                .badRequest, kind: "digest-mismatch", title: "The content is not what was sent",
                detail: "The bytes that arrived do not match Content-Digest: send the test again.")
        }
        let submission: TestSubmission
        do throws(DocumentFault) {
            submission = try TestSubmission(try TestEndpoint.decoded(request), id: id)
        } catch {
            throw Problem.invalidTest(field: error.field, "The test cannot be read: \(error).")
        }
        switch try archive.store(submission) {
        case .stored(let receipt):
            var response = TestEndpoint.receipt(receipt, status: .created)
            response.headers[.location] = "/v1/tests/\(id)"
            return response
        case .known(let receipt): return TestEndpoint.receipt(receipt, status: .ok)
        case .different:
            throw Problem(
                .conflict, kind: "different-content", title: "Other answers are stored under this id",
                detail: "The host has test \(id) with other bytes, and keeps them: send yours under a new id.")
        }
    }

    /// `GET /v1/tests/{uuid}`
    func get(_ text: String, _ request: HostRequest) throws -> Response {
        guard let id = TestID(text), let receipt = try archive.receipt(of: id) else {
            throw Problem.notFound("There is no test “\(text.prefix(80))”.")
        }
        return try TestEndpoint.represent(receipt, request)
    }

    /// `GET /v1/tests`: receipts by their ids, or a list.
    func list(_ request: HostRequest) throws -> Response {
        if let ids = request.query["ids"] { return try receipts(ids, request) }
        let page = try PageRequest(request.query)
        var filter = TestArchive.Filter(questionnaire: request.query["questionnaire"])
        if let text = request.query["status"] {
            guard let status = TestStatus(rawValue: text), status.isDelivered else {
                throw Problem.badRequest("status must be sent, checking or rated.")
            }
            filter.status = status
        }
        let (tests, hasMore) = try archive.list(filter, after: page.after, limit: page.limit)
        let next = hasMore ? tests.last.map { PageRequest.cursor(after: $0.id.description) } : nil
        return try TestEndpoint.represent(try DocumentCoding.encodeLine(TestList(tests: tests, next: next)), request)
    }

    private struct TestList: Encodable {
        var tests: [TestSummary]
        var next: String?
    }

    /// The stored bytes of the receipts, one after the other, so that nothing in them changes on the way.
    private func receipts(_ list: String, _ request: HostRequest) throws -> Response {
        var ids: [TestID] = []
        for text in list.split(separator: ",") {
            guard let id = TestID(text) else { throw Problem.badRequest("“\(text.prefix(80))” in ids is not a UUID.") }
            ids.append(id)
        }
        guard ids.count <= TestEndpoint.maximumIDs else {
            throw Problem.badRequest("ids has \(ids.count) ids, and \(TestEndpoint.maximumIDs) is the most.")
        }
        let known = try ids.compactMap { try archive.receipt(of: $0) }
        let content = Array("{\"receipts\":[".utf8) + known.joined(separator: Array(",".utf8)) + Array("]}\n".utf8)
        return try TestEndpoint.represent(content, request)
    }

    private static func id(forDelivery text: String) throws(Problem) -> TestID {
        if let id = TestID(text) { return id }
        throw Problem.invalidTest(field: "id", "“\(text.prefix(80))” in the path is not a UUID.")
    }

    /// The test as it was before a content coding.
    private static func decoded(_ request: HostRequest) throws(DocumentFault) -> [UInt8] {
        guard request.fields[.contentEncoding]?.lowercased() == "gzip" else { return request.body }
        do throws(GzipFault) {
            return try Gzip.decompress(request.body, maximumBytes: TestSubmission.maximumBytes)
        } catch {
            throw DocumentFault(field: nil, reason: error.description)
        }
    }

    private static func receipt(_ bytes: [UInt8], status: HTTPResponse.Status) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "no-store"
        fields.contentDigest = DigestFields.format(Digest(sha256Of: bytes))
        return Response(status: status, headers: fields, bytes: bytes)
    }

    /// What is known about tests belongs to persons and changes at any moment: it may be kept, but not believed unasked.
    private static func represent(_ bytes: [UInt8], _ request: HostRequest) throws -> Response {
        let representation = Representation(
            mediaType: "application/json", validators: Validators(tag: Digest(sha256Of: bytes).hex),
            cacheControl: "private, no-cache")
        return try representation.response(to: request.fields) { (bytes, nil) }
    }
}
