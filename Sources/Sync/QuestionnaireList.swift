import Model

/// One page of the server's list of questionnaires.
struct QuestionnaireList: Codable, Sendable {
    struct Item: Codable, Sendable {
        var id: String
        var title: String
        var url: String
        var digest: Digest?
        var media: [String]?
    }

    var questionnaires: [Item]
    /// The reference of the next page, or the cursor that leads to it; absent on the last one.
    var next: String?
}
