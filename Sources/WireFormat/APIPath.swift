import Model

/// A path of the protocol (docs/protocol.md), as hosts and hubs serve it and devices request it. No other file contains
/// one.
///
/// Identifiers are decoded, and not yet checked to be UUIDs where the protocol wants one.
package enum APIPath: Hashable, Sendable {
    /// `/v1/`: distinguishes a Quire host from a captive portal.
    case service
    /// `/v1/questionnaires`
    case questionnaires
    /// `/v1/questionnaires/{id}`
    case questionnaire(String)
    /// `/v1/questionnaires/{path}` of two or more segments. A slash inside an id is encoded, so these are media files,
    /// whose paths are relative to the questionnaire's own URL.
    case media([String])
    /// `/v1/questionnaires/media/{sha256}.{extension}`: a media file named by its content, which devices may send.
    case mediaContent(ContentPath)
    /// `/v1/tests`
    case tests
    /// `/v1/tests/{uuid}`
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
    /// `/v1/favorites/{id}`
    case favorite(String)
    /// `/v1/access/keys`
    case accessKeys
    /// `/v1/access/self`
    case accessSelf
    /// `/v1/people`
    case people
    /// `/v1/progress/{sender}`: which tests are open there
    case progress(String)

    /// The first segment of every path.
    package static let version = "v1"

    /// The beginning of every path.
    package static let root = "/\(version)/"

    /// A path that is not percent-encoded UTF-8.
    package struct Malformed: Error, Hashable, Sendable {}

    /// - Parameter path: without a query.
    /// - Returns: `nil` for a path that the protocol does not have.
    /// - Throws: `Malformed`.
    package init?(_ path: some StringProtocol) throws(Malformed) {
        var segments: [String] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let decoded = PercentEncoding.decode(segment) else { throw Malformed() }
            segments.append(decoded)
        }
        guard segments.first == Self.version else { return nil }
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
        case ("people", 1): self = .people
        case ("progress", 2) where rest.last?.isEmpty == false: self = .progress(rest.last ?? "")
        case ("favorites", 1): self = .favorites
        case ("favorites", 2) where rest.last?.isEmpty == false: self = .favorite(rest.last ?? "")
        case ("access", 2) where rest.last == "keys": self = .accessKeys
        case ("access", 2) where rest.last == "self": self = .accessSelf
        case ("tests", 1): self = .tests
        case ("tests", 2) where rest.last?.isEmpty == false: self = .test(rest.last ?? "")
        case ("tests", 3...4) where rest.dropFirst(2).first == "media":
            let test = rest.dropFirst().first ?? ""
            self = rest.count == 3 ? .attachments(test) : .attachment(test: test, id: rest.last ?? "")
        case ("uploads", 2) where rest.last?.isEmpty == false: self = .upload(rest.last ?? "")
        default: return nil
        }
    }

    /// The path as it is written in a request.
    package var text: String { Self.root + rest }

    private var rest: String {
        switch self {
        case .service: ""
        case .questionnaires: "questionnaires"
        case .questionnaire(let id): "questionnaires/" + PercentEncoding.encode(id)
        case .media(let segments):
            "questionnaires/" + segments.map { PercentEncoding.encode($0) }.joined(separator: "/")
        case .mediaContent(let path): "questionnaires/\(path)"
        case .tests: "tests"
        case .test(let id): "tests/" + PercentEncoding.encode(id)
        case .attachments(let test): "tests/\(PercentEncoding.encode(test))/media"
        case .attachment(let test, let id):
            "tests/\(PercentEncoding.encode(test))/media/" + PercentEncoding.encode(id)
        case .upload(let id): "uploads/" + PercentEncoding.encode(id)
        case .receipts: "receipts"
        case .changes: "changes"
        case .favorites: "favorites"
        case .favorite(let id): "favorites/" + PercentEncoding.encode(id)
        case .accessKeys: "access/keys"
        case .accessSelf: "access/self"
        case .people: "people"
        case .progress(let sender): "progress/" + PercentEncoding.encode(sender)
        }
    }
}

extension APIPath {
    package init(test: TestID) { self = .test(test.description) }

    package init(upload: TestID) { self = .upload(upload.description) }

    /// The path where the upload of an attachment starts.
    package init(attachment id: TestID, of owner: MediaOwner) {
        switch owner {
        case .test(let test): self = .attachment(test: test.description, id: id.description)
        case .questionnaire(let path): self = .mediaContent(path)
        }
    }

    /// The Location of an upload, relative to the path where it started, so that it works behind a proxy that serves
    /// the host below a path of its own.
    package static func location(ofUpload id: TestID, of owner: MediaOwner) -> String {
        let up =
            switch owner {
            case .test: "../../../"
            case .questionnaire: "../../"
            }
        return up + APIPath(upload: id).rest
    }
}

// MARK: Receipts by their ids

extension APIPath {
    /// A request with more ids is rejected.
    package static let mostReceipts = 200

    /// The path and query that request the receipts of these ids.
    package static func receipts(of ids: [TestID]) -> String {
        tests.text + "?ids=" + ids.map(\.description).joined(separator: ",")
    }

    /// The ids in a path and query that request receipts by id.
    ///
    /// - Returns: `nil` for any other request, for too many ids, and for an invalid id.
    package static func receiptIDs(inQueryOf path: String) -> [TestID]? {
        for question in [tests.text + "?ids=", receipts.text + "?ids="] where path.hasPrefix(question) {
            let list = path.dropFirst(question.count).replacing("%2C", with: ",").replacing("%2c", with: ",")
            let ids = list.split(separator: ",").map { TestID($0) }
            guard ids.count <= mostReceipts, ids.allSatisfy({ $0 != nil }) else { return nil }
            return ids.compactMap { $0 }
        }
        return nil
    }
}
