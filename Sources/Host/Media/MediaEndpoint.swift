import Disk
import HTTPTypes
import Hummingbird
import Model
import NIOCore

/// Takes the files that belong to tests, and gives them out again.
struct MediaEndpoint: Sendable {
    let archive: MediaArchive

    /// As much as is gathered before it goes to the disk.
    static let pieceBytes = 256 << 10

    // MARK: Uploads

    /// `PUT /v1/tests/{uuid}/media/{uuid}`: begins an upload, or brings the file in one piece.
    func create(_ test: String, _ id: String, _ request: Request) async throws -> Response {
        let (test, id) = (try Self.id(test), try Self.id(id))
        let fields = try UploadFields(request.headers)
        let (attachment, receipt) = try await offload {
            let attachment = try archive.attachment(id, of: test)
            return (attachment, try archive.receipt(of: attachment))
        }
        if let digest = fields.digest, digest != attachment.digest { throw notTheSame(attachment) }
        if let length = fields.length, length != attachment.sizeBytes { throw inconsistentLength(attachment.sizeBytes) }
        if let receipt { return self.receipt(receipt, attachment.sizeBytes, status: .ok) }
        let record = try await offload { try archive.begin(attachment, of: test) }
        let hasContent = request.headers[.transferEncoding] != nil || (contentLength(request) ?? 0) > 0
        // A file without a byte is complete with the request that begins it.
        let isComplete = fields.isComplete ?? true
        guard hasContent || (isComplete && attachment.sizeBytes == 0) else {
            var fields = UploadFields.fields(
                offset: record.offset, isComplete: false, maximumBytes: archive.maximumBytes)
            fields[.location] = "../../../uploads/\(id)"
            return Response(status: .created, headers: fields)
        }
        return try await take(request, id, from: 0, isComplete: isComplete, attachment: attachment)
    }

    /// `PATCH /v1/uploads/{uuid}`
    func append(_ text: String, _ request: Request) async throws -> Response {
        let id = try Self.id(text)
        let fields = try UploadFields(request.headers)
        let type = request.headers[.contentType].map { $0.prefix { $0 != ";" }.filter { !$0.isWhitespace } } ?? ""
        guard type.lowercased() == UploadFields.patchType else {
            var problem = Problem(.unsupportedMediaType, "What is appended is \(UploadFields.patchType).")
            problem.headerFields[.acceptPatch] = UploadFields.patchType
            throw problem
        }
        guard let offset = fields.offset, let isComplete = fields.isComplete else {
            throw Problem.badRequest("Upload-Offset and Upload-Complete must tell what is appended.")
        }
        let (record, attachment) = try await offload {
            guard let record = try archive.pause(id) else { throw unknown(id) }
            return (record, try archive.attachment(id, of: record.test))
        }
        guard offset == record.offset else {
            var problem = Problem(
                .conflict, kind: "", title: "The upload stands elsewhere",
                detail: "The upload has \(record.offset) bytes, and these begin at \(offset).")
            problem.type = "https://iana.org/assignments/http-problem-types#mismatching-upload-offset"
            problem.expectedOffset = record.offset
            problem.providedOffset = offset
            problem.headerFields = UploadFields.fields(
                offset: record.offset, isComplete: false, maximumBytes: archive.maximumBytes)
            throw problem
        }
        return try await take(request, id, from: offset, isComplete: isComplete, attachment: attachment)
    }

    /// `HEAD /v1/uploads/{uuid}`: how far it is.
    func state(_ text: String) throws -> Response {
        let id = try Self.id(text)
        guard let record = try archive.pause(id) else { throw unknown(id) }
        var fields = UploadFields.fields(
            offset: record.offset, isComplete: false, maximumBytes: archive.maximumBytes)
        fields[.uploadLength] = String(record.sizeBytes)
        return Response(status: .noContent, headers: fields)
    }

    /// `DELETE /v1/uploads/{uuid}`
    func cancel(_ text: String) throws -> Response {
        let id = try Self.id(text)
        guard try archive.cancel(id) else { throw unknown(id) }
        return Response(status: .noContent)
    }

    private func take(
        _ request: Request, _ id: TestID, from offset: Int64, isComplete: Bool, attachment: Attachment
    ) async throws -> Response {
        let writer = try await offload { try archive.append(to: id, from: offset) }
        guard let writer else { throw unknown(id) }
        let length = contentLength(request)
        if let length, length > writer.missingBytes { throw inconsistentLength(attachment.sizeBytes) }
        let count: Int64
        do {
            count = try await receive(request, writer)
        } catch let problem as Problem {
            throw problem
        } catch {
            // The connection broke: what came stays.
            _ = try await offload { try writer.pause() }
            throw error
        }
        let record = try await offload { try writer.pause() }
        // A connection that breaks looks like the end of the body.
        if let length, count != length {
            throw Problem.badRequest("Only \(count) of \(length) bytes arrived: go on from \(record.offset).")
        }
        guard isComplete else {
            let fields = UploadFields.fields(
                offset: record.offset, isComplete: false, maximumBytes: archive.maximumBytes)
            return Response(status: .noContent, headers: fields)
        }
        guard record.offset == record.sizeBytes else { throw inconsistentLength(record.sizeBytes) }
        let receipt = try await offload {
            try archive.complete(record)
            let receipt = try archive.receipt(of: attachment)
            try archive.end(id)
            return receipt
        }
        guard let receipt else { throw unknown(id) }
        return self.receipt(receipt, attachment.sizeBytes, status: .created)
    }

    /// - Returns: how many bytes came.
    private func receive(_ request: Request, _ writer: UploadWriter) async throws -> Int64 {
        var gathered: [UInt8] = []
        var count: Int64 = 0
        let missing = writer.missingBytes
        do {
            for try await buffer in request.body {
                count += Int64(buffer.readableBytes)
                guard count <= missing else { throw inconsistentLength(missing) }
                gathered += buffer.readableBytesView
                if gathered.count >= Self.pieceBytes {
                    let piece = gathered
                    gathered.removeAll(keepingCapacity: true)
                    try await offload { try writer.write(piece) }
                }
            }
        } catch {
            let piece = gathered
            if !(error is Problem), !piece.isEmpty { try await offload { try writer.write(piece) } }
            throw error
        }
        let piece = gathered
        if !piece.isEmpty { try await offload { try writer.write(piece) } }
        return count
    }

    // MARK: Giving out

    private struct List: Encodable {
        struct Item: Encodable {
            var id: TestID
            var questionId: String
            var name: String
            var mediaType: String
            var sizeBytes: Int64
            var digest: Digest
            /// `arrived` or `missing`.
            var state: String
            var url: String
        }
        var media: [Item]
    }

    /// `GET /v1/tests/{uuid}/media`: what the test names, and what of it has arrived.
    func list(_ text: String, _ request: HostRequest) throws -> Response {
        guard let id = TestID(text), let attachments = try archive.attachments(of: id) else {
            throw Problem.notFound("There is no test “\(text.prefix(80))”.")
        }
        let items = try attachments.map { attachment in
            List.Item(
                id: attachment.id, questionId: attachment.questionId, name: attachment.name,
                mediaType: attachment.mediaType, sizeBytes: attachment.sizeBytes, digest: attachment.digest,
                state: try archive.hasArrived(attachment) ? "arrived" : "missing", url: "media/\(attachment.id)")
        }
        return try TestEndpoint.represent(try DocumentCoding.encodeLine(List(media: items)), request)
    }

    /// `GET /v1/tests/{uuid}/media/{uuid}`
    func content(_ test: String, _ id: String, _ request: HostRequest) throws -> Response {
        let attachment = try archive.attachment(try Self.id(id), of: try Self.id(test))
        guard try archive.hasArrived(attachment),
            let path = MediaPath(components: ["media", attachment.id.description])
        else {
            throw Problem(
                .notFound, kind: "not-arrived", title: "It has not arrived yet",
                detail: "The test names “\(attachment.name)”, and the device has not sent it yet.")
        }
        let content = try OpenContent(HostLayout.mediaFile(attachment.digest), in: archive.fileSystem)
        let file = MediaFile(
            path: path, statedType: attachment.mediaType, status: try content.status(), digest: attachment.digest,
            content: content)
        var response = file.response(
            to: request.fields, isHead: request.method == .head, cacheControl: "private, no-cache")
        // RFC 6266, with the name as RFC 8187 writes it: what somebody sent is saved, and not shown as a page of ours.
        response.headers[.contentDisposition] =
            "attachment; filename*=UTF-8''" + PercentEncoding.encode(attachment.name)
        return response
    }

    // MARK: Parts

    private func receipt(_ bytes: [UInt8], _ sizeBytes: Int64, status: HTTPResponse.Status) -> Response {
        var response = TestEndpoint.receipt(bytes, status: status)
        for field in UploadFields.fields(offset: sizeBytes, isComplete: true, maximumBytes: archive.maximumBytes) {
            response.headers[field.name] = field.value
        }
        return response
    }

    private func contentLength(_ request: Request) -> Int64? { request.headers[.contentLength].flatMap { Int64($0) } }

    private static func id(_ text: String) throws(Problem) -> TestID {
        guard let id = TestID(text) else { throw Problem.badRequest("“\(text.prefix(80))” in the path is not a UUID.") }
        return id
    }

    private func unknown(_ id: TestID) -> Problem {
        Problem.notFound("There is no upload \(id) any more, or not yet: begin it with PUT at its test.")
    }

    private func notTheSame(_ attachment: Attachment) -> Problem {
        Problem(
            .conflict, kind: "different-content", title: "The test names other content",
            detail: "The test names \(attachment.digest) under this id, and something else was announced.")
    }

    private func inconsistentLength(_ sizeBytes: Int64) -> Problem {
        var problem = Problem(
            .badRequest, kind: "", title: "The lengths do not agree",
            detail: "The test names a file of \(sizeBytes) bytes, and this request does not fit to that.")
        problem.type = "https://iana.org/assignments/http-problem-types#inconsistent-upload-length"
        return problem
    }
}

extension HTTPField.Name {
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let acceptPatch = HTTPField.Name("Accept-Patch")!
}
