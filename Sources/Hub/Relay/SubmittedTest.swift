import Disk
import FoundationEssentials
import HTTPTypes
import Model
import Sync

/// Reads a test that a device sends, with the checks of docs/protocol.md, section 6.
enum SubmittedTest {
    /// The test's own bytes, without a content coding.
    ///
    /// - Throws: `HubProblem`, and what the body throws.
    static func bytes(of id: TestID, _ fields: HTTPFields, _ body: HTTPBody) async throws -> [UInt8] {
        let coding = (fields[.contentEncoding] ?? "identity").trimmingSpaces.lowercased()
        guard ["identity", "gzip", "x-gzip", ""].contains(coding) else {
            throw HubProblem(
                415, "The content coding “\(coding.prefix(40))” is not taken: send it as it is, or gzipped.")
        }
        if let type = fields[.contentType],
            type.prefix(while: { $0 != ";" }).trimmingSpaces.lowercased()
                != "application/json"
        {
            throw HubProblem(415, "A test is sent as application/json.")
        }
        let tooLong = HubProblem(413, "A test has at most \(TestRelay.maximumBytes) bytes.")
        if let length = body.length, length > Int64(TestRelay.maximumBytes) { throw tooLong }
        var content: [UInt8] = []
        while let part = try await body.next() {
            guard case .bytes(let bytes) = part else { continue }
            guard content.count + bytes.count <= TestRelay.maximumBytes else { throw tooLong }
            content += bytes
        }
        try check(content, fields[.contentDigest])
        let bytes: [UInt8]
        if coding.hasSuffix("gzip") {
            do throws(GzipFault) {
                bytes = try Gzip.decompress(content, maximumBytes: TestRelay.maximumBytes)
            } catch {
                throw invalid(nil, "\(error)")
            }
        } else {
            bytes = content
        }
        do throws(DocumentFault) {
            let record = try DocumentCoding.decode(TestRecord.self, from: bytes)
            guard record.id == id else {
                throw DocumentFault(field: "id", reason: "is \(record.id), but the test was sent as \(id)")
            }
        } catch {
            throw invalid(error.field, "\(error)")
        }
        return bytes
    }

    private static func invalid(_ field: String?, _ reason: String) -> HubProblem {
        HubProblem(
            422, "The test cannot be read: \(reason).", kind: "invalid-test", title: "The test cannot be read",
            field: field)
    }

    /// Content-Digest (RFC 9530 section 2), of the content as it travelled.
    private static func check(_ content: [UInt8], _ field: String?) throws {
        guard let field else { return }
        for member in field.split(separator: ",") {
            let text = member.filter { $0 != " " && $0 != "\t" }
            guard text.hasPrefix("sha-256=") else { continue }
            let item = text.dropFirst("sha-256=".count).prefix { $0 != ";" }
            guard item.count >= 2, item.hasPrefix(":"), item.hasSuffix(":"),
                let data = Data(base64Encoded: String(item.dropFirst().dropLast())),
                let digest = Digest(bytes: Array(data))
            else { throw HubProblem(400, "Content-Digest has a sha-256 that is not :base64: of 32 bytes (RFC 9530).") }
            guard digest == Digest(sha256Of: content) else {
                throw HubProblem(
                    400, "The bytes that arrived do not match Content-Digest: send the test again.",
                    kind: "digest-mismatch", title: "The content is not what was sent")
            }
        }
    }
}
