import Disk
import HTTPCaching
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import WireFormat

/// Takes the files that belong to tests and questionnaires, and gives those of tests out again.
struct MediaEndpoint: Sendable {
    let archive: MediaArchive
    let owners: TestOwners

    // MARK: Uploads

    /// `PUT tests/{uuid}/media/{uuid}`: starts an upload, or sends the complete file.
    func create(_ test: String, _ id: String, _ request: Request, _ caller: Caller) async throws -> Response {
        let owner = MediaOwner.test(try Self.id(test))
        try await offload { try check(owner, caller) }
        return try await create(try Self.id(id), of: owner, request)
    }

    /// - Throws: `UploadFault.testUnknown` for a file of another person's test, and a 403 `Problem` for one of a
    ///   questionnaire, which only authors send.
    private func check(_ owner: MediaOwner, _ caller: Caller) throws {
        switch owner {
        case .test(let test):
            if try !owners.mayRead(test, caller) { throw UploadFault.testUnknown(test) }
        case .questionnaire:
            if caller.role < .author {
                throw Problem.notAllowed("This needs a key with the role author or above: show another key.")
            }
        }
    }

    /// The same for an upload by its own id. Another person's is as one that there is not: a caller that is not to know
    /// of it does not learn which test it is of, either.
    private func check(_ record: UploadRecord, _ caller: Caller) throws {
        do {
            try check(record.owner, caller)
        } catch UploadFault.testUnknown {
            throw UploadFault.unknown(record.id)
        }
    }

    /// `PUT questionnaires/media/{sha256}.{ending}`: the same for a file that a questionnaire names so.
    func create(at path: ContentPath, _ request: Request) async throws -> Response {
        let id = try QuestionnaireWrite.change(request.headers)
        return try await create(id, of: .questionnaire(path), request)
    }

    private func create(_ id: TestID, of owner: MediaOwner, _ request: Request) async throws -> Response {
        let fields = try UploadFields(request.headers)
        let sizeBytes = fields.wholeLength(contentLength: contentLength(request))
        let (attachment, receipt) = try await offload {
            let attachment = try archive.attachment(id, of: owner, sizeBytes: sizeBytes)
            return (attachment, try archive.receipt(of: attachment, owner))
        }
        try UploadFault.check(attachment, announced: fields.digest, length: fields.length)
        if let receipt { return self.receipt(receipt, attachment.sizeBytes, status: .ok) }
        let record = try await offload { try archive.underWay.begin(attachment, of: owner) }
        let hasContent = request.headers[.transferEncoding] != nil || (contentLength(request) ?? 0) > 0
        // A file without a byte is complete with the request that begins it.
        let isComplete = fields.isComplete ?? true
        guard hasContent || (isComplete && attachment.sizeBytes == 0) else {
            var fields = self.fields(offset: record.offset)
            fields[.location] = APIPath.location(ofUpload: id, of: owner)
            return Response(status: .created, headers: fields)
        }
        return try await take(
            request, from: 0, isComplete: isComplete, attachment, begunAt: APIPath.location(ofUpload: id, of: owner))
    }

    /// `PATCH uploads/{uuid}`
    func append(_ text: String, _ request: Request, _ caller: Caller) async throws -> Response {
        let id = try Self.id(text)
        let (offset, isComplete) = try UploadFields.appended(request.headers)
        let (record, attachment) = try await offload {
            guard let record = try archive.underWay.pause(id) else { throw UploadFault.unknown(id) }
            try check(record, caller)
            try archive.check(id, for: record.digest)
            return (record, try archive.attachment(id, of: record.owner, sizeBytes: record.sizeBytes))
        }
        guard offset == record.offset else {
            throw UploadFault.elsewhere(expected: record.offset, provided: offset)
        }
        return try await take(request, from: offset, isComplete: isComplete, attachment)
    }

    /// `HEAD uploads/{uuid}`: how far it is.
    func state(_ text: String, _ caller: Caller) throws -> Response {
        let id = try Self.id(text)
        guard let record = try archive.underWay.pause(id) else { throw UploadFault.unknown(id) }
        try check(record, caller)
        // The file is complete, and its process was killed before the acknowledgement.
        let attachment = try archive.attachment(id, of: record.owner, sizeBytes: record.sizeBytes)
        let isComplete = try archive.hasArrived(attachment, of: record.owner)
        var fields = fields(offset: isComplete ? record.sizeBytes : record.offset, isComplete: isComplete)
        fields[.uploadLength] = String(record.sizeBytes)
        return Response(status: .noContent, headers: fields)
    }

    /// `DELETE uploads/{uuid}`
    func cancel(_ text: String, _ caller: Caller) throws -> Response {
        let id = try Self.id(text)
        guard let record = try archive.underWay.pause(id) else { throw UploadFault.unknown(id) }
        try check(record, caller)
        guard try archive.underWay.cancel(id) else { throw UploadFault.unknown(id) }
        return Response(status: .noContent)
    }

    /// - Parameter begunAt: the URL for resuming, if this request starts the upload.
    private func take(
        _ request: Request, from offset: Int64, isComplete: Bool, _ attachment: Attachment, begunAt: String? = nil
    ) async throws -> Response {
        let digest = try request.headers.contentDigest.flatMap { field throws(Problem) in
            try DigestFields.sha256(in: field)
        }
        var pieces = request.body.makeAsyncIterator()
        let part = UploadStore.Part(
            offset: offset, length: contentLength(request), isComplete: isComplete, digest: digest)
        let record = try await archive.underWay.receive(attachment.id, part) {
            try await pieces.next().map { Array($0.readableBytesView) }
        }
        guard isComplete else {
            var fields = fields(offset: record.offset)
            fields[.location] = begunAt
            return Response(status: begunAt == nil ? .noContent : .created, headers: fields)
        }
        let receipt = try await offload { try archive.complete(record, of: attachment) }
        return self.receipt(receipt, attachment.sizeBytes, status: .created)
    }

    private func fields(offset: Int64, isComplete: Bool = false) -> HTTPFields {
        UploadFields.fields(offset: offset, isComplete: isComplete, maximumBytes: archive.underWay.maximumBytes)
    }

    // MARK: Giving out

    private struct List: Encodable {
        struct Item: Encodable {
            var attachment: Attachment
            var hasArrived: Bool

            private enum Key: CodingKey { case state, url }

            /// The attachment's own members are among the others.
            func encode(to encoder: any Encoder) throws {
                try attachment.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(hasArrived ? "arrived" : "missing", forKey: .state)
                try container.encode("media/\(attachment.id)", forKey: .url)
            }
        }
        var media: [Item]
    }

    /// `GET tests/{uuid}/media`: the test's attachments, and which of them have arrived.
    func list(_ text: String, _ request: HostRequest) throws -> Response {
        guard let id = TestID(text), try owners.mayRead(id, request.caller),
            let attachments = try archive.attachments(of: id)
        else {
            throw Problem.notFound("There is no test “\(text.prefix(80))”.")
        }
        let arrived = try archive.haveArrived(attachments)
        let items = zip(attachments, arrived).map { List.Item(attachment: $0, hasArrived: $1) }
        return try TestEndpoint.represent(try DocumentCoding.encodeLine(List(media: items)), request)
    }

    /// `GET tests/{uuid}/media/{uuid}`
    func content(_ test: String, _ id: String, _ request: HostRequest) throws -> Response {
        let owner = try Self.id(test)
        try check(.test(owner), request.caller)
        return try content(of: try Self.id(id), in: owner, request.fields, isHead: request.method == .head)
    }

    /// A file of a test, for a caller that may read it.
    func content(of id: TestID, in test: TestID, _ fields: HTTPFields, isHead: Bool) throws -> Response {
        let owner = MediaOwner.test(test)
        let attachment = try archive.attachment(id, of: owner, sizeBytes: nil)
        guard let content = try archive.content(of: attachment),
            let path = MediaPath(components: ["media", attachment.id.description])
        else {
            throw Problem(
                .notFound, kind: "not-arrived", title: "It has not arrived yet",
                detail: "The test names “\(attachment.name)”, and the device has not sent it yet.")
        }
        let file = MediaFile(
            path: path, statedType: attachment.mediaType, status: try content.status(), digest: attachment.digest,
            content: content)
        var response = file.response(to: fields, isHead: isHead, cacheControl: "private, no-cache")
        // RFC 6266, with the name as RFC 8187 writes it: the browser saves a sent file, and does not show it as a page
        // of ours.
        response.headers[.contentDisposition] =
            "attachment; filename*=UTF-8''" + PercentEncoding.encode(attachment.name)
        return response
    }

    // MARK: Parts

    private func receipt(_ bytes: [UInt8], _ sizeBytes: Int64, status: HTTPResponse.Status) -> Response {
        var response = TestEndpoint.receipt(bytes, status: status)
        for field in fields(offset: sizeBytes, isComplete: true) {
            response.headers[field.name] = field.value
        }
        return response
    }

    private func contentLength(_ request: Request) -> Int64? { request.headers[.contentLength].flatMap { Int64($0) } }

    private static func id(_ text: String) throws(Problem) -> TestID {
        guard let id = TestID(text) else { throw Problem.badRequest("“\(text.prefix(80))” in the path is not a UUID.") }
        return id
    }
}
