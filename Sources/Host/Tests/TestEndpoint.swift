import HTTPTypes
import Hummingbird
import Model
import WireFormat

/// Accepts tests and reports their status. All calls block on the disk.
struct TestEndpoint: Sendable {
    let archive: TestArchive
    let changes: QuestionnaireArchive
    let owners: TestOwners

    static let maximumIDs = 200

    /// `PUT tests/{uuid}`
    func put(_ text: String, _ request: HostRequest) throws -> Response {
        let id = try TestEndpoint.id(forDelivery: text)
        func invalid(_ fault: DocumentFault) -> Problem {
            .invalidTest(field: fault.field, "The test cannot be read: \(fault).")
        }
        try request.checkDigest()
        let submission: TestSubmission
        do throws(DocumentFault) {
            submission = try TestSubmission(try request.decodedBody(), id: id)
        } catch {
            throw invalid(error)
        }
        var isClaimed = true
        let delivery = try archive.store(submission, provenBy: request.caller.person) {
            isClaimed = try owners.claim(id, naming: submission.record.person?.id, request.caller)
        }
        guard isClaimed else { throw TestEndpoint.foreign(id) }
        switch delivery {
        case .stored(let receipt):
            var response = TestEndpoint.receipt(receipt, status: .created)
            response.headers[.location] = APIPath(test: id).text
            return response
        case .known(let receipt):
            return TestEndpoint.receipt(receipt, status: .ok)
        case .refused(let refusal): throw refusal.problem
        case .invalid(let fault): throw invalid(fault)
        case .different: throw TestEndpoint.different(id)
        }
    }

    private static func different(_ id: TestID) -> Problem {
        Problem(
            .conflict, kind: "different-content", title: "Other answers are stored under this id",
            detail: "The host has test \(id) with other bytes, and keeps them: send yours under a new id.")
    }

    /// The same bytes came with the key of a third person, who does not hear whose test it is.
    private static func foreign(_ id: TestID) -> Problem {
        Problem(
            .conflict, kind: "different-content", title: "This test is another person's",
            detail: "The host has test \(id) already, and it is not one of yours: send your own under a new id.")
    }

    /// `GET tests/{uuid}`
    func get(_ text: String, _ request: HostRequest) throws -> Response {
        guard let id = TestID(text), try owners.mayRead(id, request.caller), let receipt = try archive.receipt(of: id)
        else {
            throw Problem.notFound("There is no test “\(text.prefix(80))”.")
        }
        return try TestEndpoint.represent(receipt, request)
    }

    /// `GET tests`: receipts by their ids, or a list.
    func list(_ request: HostRequest) throws -> Response {
        if request.query["ids"] != nil { return try receipts(request) }
        let page = try PageRequest(request.query)
        var filter = TestLists.Filter(questionnaire: request.query["questionnaire"])
        if let text = request.query["status"] {
            guard let status = TestStatus(rawValue: text), status.isDelivered else {
                throw Problem.badRequest("status must be sent, checking or rated.")
            }
            filter.status = status
        }
        let (tests, hasMore) = try archive.lists.list(filter, after: page.after, limit: page.limit)
        let next = hasMore ? tests.last.map { PageRequest.cursor(after: $0.id.description) } : nil
        return try TestEndpoint.represent(try DocumentCoding.encodeLine(TestList(tests: tests, next: next)), request)
    }

    private struct TestList: Encodable {
        var tests: [TestSummary]
        var next: String?
    }

    /// `GET receipts`: the stored bytes of the receipts, of tests and of changes, one after the other, so that
    /// nothing in them changes on the way.
    func receipts(_ request: HostRequest) throws -> Response {
        guard let list = request.query["ids"] else { throw Problem.badRequest("ids must name what is asked for.") }
        var ids: [TestID] = []
        for text in list.split(separator: ",") {
            guard let id = TestID(text) else { throw Problem.badRequest("“\(text.prefix(80))” in ids is not a UUID.") }
            ids.append(id)
        }
        guard ids.count <= TestEndpoint.maximumIDs else {
            throw Problem.badRequest("ids has \(ids.count) ids, and \(TestEndpoint.maximumIDs) is the most.")
        }
        let known = try ids.compactMap { id in
            if let change = try changes.receipt(of: id) { return change.bytes }
            return try owners.mayRead(id, request.caller) ? try archive.receipt(of: id) : nil
        }
        let content = Array("{\"receipts\":[".utf8) + known.joined(separator: Array(",".utf8)) + Array("]}\n".utf8)
        return try TestEndpoint.represent(content, request)
    }

    private static func id(forDelivery text: String) throws(Problem) -> TestID {
        if let id = TestID(text) { return id }
        throw Problem.invalidTest(field: "id", "“\(text.prefix(80))” in the path is not a UUID.")
    }

    static func receipt(_ bytes: [UInt8], status: HTTPResponse.Status) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "no-store"
        fields.contentDigest = DigestField.format(Digest(sha256Of: bytes))
        return Response(status: status, headers: fields, bytes: bytes)
    }

    /// Information about tests is personal and changes at any time: it may be stored, but must be validated before use.
    static func represent(_ bytes: [UInt8], _ request: HostRequest) throws -> Response {
        let representation = Representation(
            mediaType: "application/json", validators: Validators(tag: Digest(sha256Of: bytes).hex),
            cacheControl: "private, no-cache")
        return try representation.response(to: request.fields) { (bytes, nil) }
    }
}
