import HTTPTypes
import Model
import Sync

/// Reads a test that a device sends, with the checks of docs/protocol.md, section 6.
enum SubmittedTest {
    static let maximumBytes = 4 << 20

    /// The test's own bytes, without a content coding, and its person's id.
    ///
    /// - Throws: `HubProblem`, and the body's errors.
    static func bytes(
        of id: TestID, _ fields: HTTPFields, _ body: HTTPBody
    ) async throws -> (bytes: [UInt8], person: String?) {
        let bytes = try await SubmittedContent.bytes(fields, body, maximumBytes: maximumBytes, what: "A test") {
            invalid(nil, $0)
        }
        do throws(DocumentFault) {
            let record = try DocumentCoding.decode(TestRecord.self, from: bytes)
            guard record.id == id else {
                throw DocumentFault(field: "id", reason: "is \(record.id), but the test was sent as \(id)")
            }
            return (bytes, record.person?.id)
        } catch {
            throw invalid(error.field, "\(error)")
        }
    }

    private static func invalid(_ field: String?, _ reason: String) -> HubProblem {
        HubProblem(
            422, "The test cannot be read: \(reason).", kind: "invalid-test", title: "The test cannot be read",
            field: field)
    }
}
