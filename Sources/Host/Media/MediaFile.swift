import Disk
import HTTPCaching
import HTTPTypes
import Hummingbird
import Model
import NIOCore

/// A picture, sound or film that is about to be sent.
struct MediaFile: Sendable {
    let path: MediaPath
    /// The type that a questionnaire states for it.
    let statedType: String?
    let status: FileStatus
    let digest: Digest
    let content: OpenContent

    /// Answers a GET or HEAD, whole or in part (RFC 9110 section 14).
    func response(to request: HTTPFields, isHead: Bool, cacheControl: String) -> Response {
        let validators = Validators(tag: digest.hex, lastModified: status.modified)
        if let refusal = validators.refusal(of: request) { return refusal.response }
        var fields = HTTPFields()
        fields[.eTag] = validators.eTag(gzip: false)
        fields[.lastModified] = HTTPDate.format(status.modified)
        fields[.cacheControl] = cacheControl
        if validators.unchangedTag(for: request, gzip: false) != nil {
            var response = Response(status: .notModified, headers: fields)
            response.headers[.contentLength] = nil
            return response
        }
        fields[.contentType] = MediaType.of(fileName: path.components.last ?? "", stated: statedType)
        fields[.acceptRanges] = "bytes"
        // The questionnaire's author states the type: a browser must neither guess another one nor run a script hidden
        // in a drawing.
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        switch range(request, validators, isHead: isHead) {
        case .whole:
            fields.contentDigest = DigestField.format(digest)
            return Response(status: .ok, headers: fields, body: body(0..<status.sizeBytes))
        case .part(let part):
            fields.reprDigest = DigestField.format(digest)
            fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(status.sizeBytes)"
            return Response(status: .partialContent, headers: fields, body: body(part))
        case .unsatisfiable:
            var problem = Problem(.rangeNotSatisfiable, "The file has only \(status.sizeBytes) bytes.")
            problem.headerFields[.contentRange] = "bytes */\(status.sizeBytes)"
            return problem.response
        }
    }

    private func range(_ request: HTTPFields, _ validators: Validators, isHead: Bool) -> RequestedPart {
        if isHead { return .whole }
        if let condition = request[.ifRange], condition != validators.eTag(gzip: false) { return .whole }
        return RequestedPart(request[.range], sizeBytes: status.sizeBytes)
    }

    private func body(_ range: Range<Int64>) -> ResponseBody {
        let content = content
        return ResponseBody(contentLength: Int(range.count)) { writer in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let (start, rest) = (offset, range.upperBound - offset)
                let piece = try await offload { try content.piece(at: start, maximumBytes: rest) }
                // The file was truncated during the transfer: the connection is broken, so that no client mistakes this
                // for the complete file.
                if piece.isEmpty { throw HostError.shortenedMedia(path.components.joined(separator: "/")) }
                try await writer.write(ByteBuffer(bytes: piece))
                offset += Int64(piece.count)
            }
            try await writer.finish(nil)
        }
    }
}
