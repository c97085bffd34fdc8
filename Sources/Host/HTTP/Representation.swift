import Disk
import HTTPCaching
import HTTPTypes
import Hummingbird
import Model

/// A document that can be sent plain or gzipped, whole or as “you have it already”.
struct Representation: Sendable {
    var mediaType: String
    var validators: Validators
    var cacheControl: String

    /// Answers a GET; the content is made only when it is sent.
    ///
    /// - Parameters:
    ///   - request: the header fields of the request.
    ///   - content: the plain content and, where it is known already, its gzip form.
    /// - Throws: a 412 `Problem`, and what `content` throws.
    func response(
        to request: HTTPFields, content: () throws -> (plain: [UInt8], gzip: [UInt8]?)
    ) throws -> Response {
        if let refusal = validators.refusal(of: request) { throw refusal }
        let prefersGzip = ContentCoding.prefersGzip(acceptEncoding: request[.acceptEncoding])
        if let tag = validators.unchangedTag(for: request, gzip: prefersGzip) {
            var response = Response(status: .notModified, headers: fields(eTag: tag))
            // A 304 has no content, and its length would be taken for the representation's.
            response.headers[.contentLength] = nil
            return response
        }
        let (plain, known) = try content()
        var bytes = plain
        var isCompressed = false
        if prefersGzip {
            let compressed = try known ?? Gzip.compress(plain)
            if compressed.count < plain.count { (bytes, isCompressed) = (compressed, true) }
        }
        var fields = fields(eTag: validators.eTag(gzip: isCompressed))
        fields[.contentType] = mediaType
        if isCompressed { fields[.contentEncoding] = "gzip" }
        fields.contentDigest = DigestField.format(Digest(sha256Of: bytes))
        return Response(status: .ok, headers: fields, bytes: bytes)
    }

    private func fields(eTag: String) -> HTTPFields {
        var fields = HTTPFields()
        fields[.eTag] = eTag
        if let lastModified = validators.lastModified { fields[.lastModified] = HTTPDate.format(lastModified) }
        fields[.cacheControl] = cacheControl
        fields[.vary] = "Accept-Encoding"
        return fields
    }
}
