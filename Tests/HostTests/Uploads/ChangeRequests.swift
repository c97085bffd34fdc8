import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Model
import Testing

@testable import Host

/// A change as a device sends it.
func changeFields(
    _ change: TestID, ifMatch: String? = nil, creating: Bool = false, policy: ConflictPolicy? = nil
) throws -> HTTPFields {
    var fields = HTTPFields()
    fields[.contentType] = "application/json"
    fields[try #require(HTTPField.Name("Quire-Change"))] = change.description
    if let policy { fields[try #require(HTTPField.Name("Quire-Conflict"))] = policy.rawValue }
    fields[.ifMatch] = ifMatch
    if creating { fields[.ifNoneMatch] = "*" }
    return fields
}

extension TestClientProtocol {
    func delete(_ uri: String, _ fields: HTTPFields) async throws -> TestResponse {
        try await executeRequest(uri: uri, method: .delete, headers: fields, body: nil)
    }

    /// Makes a questionnaire as a device does.
    func create(_ local: TestID, _ json: String, change: TestID = .random()) async throws -> TestResponse {
        try await put("/v1/questionnaires/\(local)", Array(json.utf8), try changeFields(change, creating: true))
    }
}

extension TestResponse {
    func receipt() throws -> Receipt { try DocumentCoding.decode(Receipt.self, from: bytes) }
}
