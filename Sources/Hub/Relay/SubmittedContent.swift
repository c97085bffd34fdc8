import Disk
import HTTPMessages
import HTTPTypes
import Model
import Sync

/// Reads a device's submission completely and decoded (docs/protocol.md, sections 1 and 6).
enum SubmittedContent {
    /// The bytes without a content coding.
    ///
    /// - Parameters:
    ///   - what: in words: “A test”.
    ///   - invalid: the sentence about bytes that cannot be decompressed.
    /// - Throws: `HubProblem`, and the body's errors.
    static func bytes(
        _ fields: HTTPFields, _ body: HTTPBody, maximumBytes: Int, what: String, invalid: (String) -> HubProblem
    ) async throws -> [UInt8] {
        let coding = (fields[.contentEncoding] ?? "identity").trimmingSpaces.lowercased()
        guard ["identity", "gzip", "x-gzip", ""].contains(coding) else {
            throw HubProblem(
                415, "The content coding “\(coding.prefix(40))” is not taken: send it as it is, or gzipped.")
        }
        if let type = fields[.contentType],
            type.prefix(while: { $0 != ";" }).trimmingSpaces.lowercased() != "application/json"
        {
            throw HubProblem(415, "\(what) is sent as application/json.")
        }
        let tooLong = HubProblem(413, "\(what) has at most \(maximumBytes) bytes.")
        if let length = body.length, length > Int64(maximumBytes) { throw tooLong }
        var content: [UInt8] = []
        while let part = try await body.next() {
            guard case .bytes(let bytes) = part else { continue }
            guard content.count + bytes.count <= maximumBytes else { throw tooLong }
            content += bytes
        }
        try check(content, fields[.contentDigest])
        guard coding.hasSuffix("gzip") else { return content }
        do throws(GzipFault) {
            return try Gzip.decompress(content, maximumBytes: maximumBytes)
        } catch {
            throw invalid("\(error)")
        }
    }

    /// Content-Digest (RFC 9530 section 2), of the content as it travelled.
    static func check(_ content: [UInt8], _ field: String?) throws {
        guard let field else { return }
        let stated: [Digest]
        do throws(DigestFieldFault) {
            stated = try DigestField.sha256s(in: field)
        } catch {
            throw HubProblem(400, error.description)
        }
        guard stated.allSatisfy({ $0 == Digest(sha256Of: content) }) else {
            throw HubProblem(
                400, "The bytes that arrived do not match Content-Digest: send them again.",
                kind: "digest-mismatch", title: "The content is not what was sent")
        }
    }
}
