import HTTPTypes
import Model

/// What a request's path names.
enum HostRoute: Hashable, Sendable {
    /// `/v1/`: tells a Quire host from a captive portal.
    case service
    /// `/v1/questionnaires`
    case questionnaires
    /// `/v1/questionnaires/{id}`, decoded.
    case questionnaire(String)
    /// `/v1/questionnaires/{path}` of two and more segments, each decoded: a slash inside an id is encoded, so these
    /// are media files, whose paths are relative to the questionnaire's own URL.
    case media([String])
    /// `/v1/questionnaires/media/{sha256}.{ending}`: such a file whose name is its content's, which devices may send.
    case mediaContent(ContentPath)
    /// `/v1/tests`
    case tests
    /// `/v1/tests/{uuid}`, not yet known to be a UUID.
    case test(String)
    /// `/v1/tests/{uuid}/media`
    case attachments(String)
    /// `/v1/tests/{uuid}/media/{uuid}`
    case attachment(test: String, id: String)
    /// `/v1/uploads/{uuid}`
    case upload(String)
    /// `/v1/receipts`
    case receipts
    /// `/v1/changes`
    case changes
    /// `/v1/favorites`
    case favorites
    /// `/v1/favorites/{id}`, decoded.
    case favorite(String)

    /// - Returns: `nil` when there is nothing at such a path.
    /// - Throws: a 400 `Problem` when the path is not percent-encoded UTF-8.
    init?(path: String) throws(Problem) {
        var segments: [String] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let decoded = PercentEncoding.decode(segment) else {
                throw Problem.badRequest("The path is not percent-encoded UTF-8.")
            }
            segments.append(decoded)
        }
        guard segments.first == "v1" else { return nil }
        let rest = segments.dropFirst()
        switch (rest.first, rest.count) {
        case (nil, _), ("", 1): self = .service
        case ("questionnaires", 1): self = .questionnaires
        case ("questionnaires", 2) where rest.last?.isEmpty == false: self = .questionnaire(rest.last ?? "")
        case ("questionnaires", 3...):
            let components = Array(rest.dropFirst())
            self = ContentPath(components.joined(separator: "/")).map { .mediaContent($0) } ?? .media(components)
        case ("receipts", 1): self = .receipts
        case ("changes", 1): self = .changes
        case ("favorites", 1): self = .favorites
        case ("favorites", 2) where rest.last?.isEmpty == false: self = .favorite(rest.last ?? "")
        case ("tests", 1): self = .tests
        case ("tests", 2) where rest.last?.isEmpty == false: self = .test(rest.last ?? "")
        case ("tests", 3...4) where rest.dropFirst(2).first == "media":
            let test = rest.dropFirst().first ?? ""
            self = rest.count == 3 ? .attachments(test) : .attachment(test: test, id: rest.last ?? "")
        case ("uploads", 2) where rest.last?.isEmpty == false: self = .upload(rest.last ?? "")
        default: return nil
        }
    }

    /// What may be done with it, in the order in which Allow tells it.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .test, .attachment, .mediaContent: [.get, .head, .put]
        case .upload: [.head, .patch, .delete]
        case .questionnaire: [.get, .head, .put, .delete]
        case .favorite: [.put, .delete]
        default: [.get, .head]
        }
    }
}
