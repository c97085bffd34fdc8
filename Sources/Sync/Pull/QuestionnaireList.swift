import Model

/// One page of the server's list of questionnaires.
package struct QuestionnaireList: Codable, Sendable {
    package struct Item: Codable, Sendable {
        package var id: String
        package var title: String
        package var url: String
        package var digest: Digest?
        package var media: [String]?
        /// Digests known to the server, by the same references.
        package var mediaDigests: [String: Digest]?
    }

    package var questionnaires: [Item]
    /// The reference of the next page, or the cursor that leads to it; absent on the last one.
    package var next: String?
    /// Of a first page, where the server numbers its changes: the register, and the last number.
    package var register: String?
    package var last: Int?
    /// Where these are only what has changed since this number: what the whole list says now (`ListState`).
    package var since: Int?
    package var state: Digest?
}
