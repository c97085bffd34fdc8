import Hummingbird
import Model
import WireFormat

/// Hears which tests are open on devices and at hubs. It changes no test, attempt, receipt or result. Blocks on the disk.
struct ProgressEndpoint: Sendable {
    let store: ProgressStore

    /// `PUT progress/{sender}`
    func put(_ sender: String, _ request: HostRequest) throws -> Response {
        guard sender.utf8.count <= ProgressReport.maximumSenderBytes else {
            throw Problem.badRequest("A sender's id has at most \(ProgressReport.maximumSenderBytes) bytes.")
        }
        try request.checkDigest()
        let report: ProgressReport
        do throws(DocumentFault) {
            let bytes = try request.decodedBody()
            guard bytes.count <= ProgressReport.maximumBytes else {
                throw DocumentFault(field: nil, reason: "is longer than \(ProgressReport.maximumBytes) bytes")
            }
            report = try DocumentCoding.decode(ProgressReport.self, from: bytes)
        } catch {
            throw Problem(
                .unprocessableContent, kind: "invalid-progress", title: "The report cannot be read",
                detail: "The report of open tests cannot be read: \(error).", field: error.field)
        }
        let person = request.caller.boundPerson
        let allowed = report.allowed(to: person)
        if allowed.tests.isEmpty, !report.tests.isEmpty {
            throw Problem.notAllowed("This key is a person's, and the report names none of their tests.")
        }
        try store.put(allowed, from: sender, by: person)
        let reply = ProgressReport.Reply(reported: allowed.tests.count)
        return TestEndpoint.receipt(try DocumentCoding.encodeLine(reply), status: .ok)
    }
}
