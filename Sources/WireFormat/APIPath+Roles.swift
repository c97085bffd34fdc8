extension APIPath {
    /// The least role that a request needs where a host asks for keys; `nil` for one that needs no key.
    ///
    /// This is the only table of rights. docs/rights.md is made from it by the test that tries every cell.
    ///
    /// - Parameters:
    ///   - isRead: GET or HEAD.
    ///   - namesIDs: the query has `ids`.
    package func minimumRole(isRead: Bool, namesIDs: Bool) -> AccessRole? {
        switch self {
        case .service: nil
        case .questionnaire, .mediaContent: isRead ? .taker : .author
        case .questionnaires, .media, .changes, .favorites, .favorite: .taker
        case .test, .attachments, .attachment, .receipts, .upload, .accessSelf: .taker
        // With a person's key it is that person alone.
        case .people: .taker
        // With a person's key for that person alone.
        case .progress: .taker
        // A client that knows the UUID of a test may ask for it; the list names those of others.
        case .tests: namesIDs ? .taker : .teacher
        case .accessKeys: .teacher
        }
    }

    /// Whether the reply depends on whose key a request shows, beyond its role.
    package var isPersonal: Bool {
        switch self {
        case .tests, .test, .attachments, .attachment, .receipts, .upload, .favorites, .favorite, .accessSelf, .people,
            .progress:
            true
        case .service, .questionnaires, .questionnaire, .media, .mediaContent, .changes, .accessKeys: false
        }
    }
}
