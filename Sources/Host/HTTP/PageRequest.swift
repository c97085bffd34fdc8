import FoundationEssentials

/// The part of a list that a request asks for: at most `limit` items after `cursor`.
struct PageRequest: Hashable, Sendable {
    static let standardLimit = 500
    static let maximumLimit = 1000

    var limit: Int
    /// The id of the last item of the page before.
    var after: String?

    /// - Throws: a 400 `Problem` that names the parameter.
    init(_ query: RequestQuery) throws(Problem) {
        limit = PageRequest.standardLimit
        if let text = query["limit"] {
            guard let number = Int(text), (1...PageRequest.maximumLimit).contains(number) else {
                throw Problem.badRequest("limit must be a whole number from 1 to \(PageRequest.maximumLimit).")
            }
            limit = number
        }
        if let cursor = query["cursor"] {
            guard let id = PageRequest.id(ofCursor: cursor) else {
                throw Problem.badRequest("cursor is not one that this host gave: begin again without it.")
            }
            after = id
        }
    }

    /// The cursor for the items after this id: base64url, so that clients do not construct it.
    static func cursor(after id: String) -> String {
        let base64 = Data(id.utf8).base64EncodedString()
        return String(base64.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    private static func id(ofCursor cursor: String) -> String? {
        var base64 = String(cursor.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard !cursor.isEmpty, let data = Data(base64Encoded: base64) else { return nil }
        return String(validating: data, as: UTF8.self)
    }
}
