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
}
