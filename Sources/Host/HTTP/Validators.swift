import HTTPCaching
import HTTPTypes
import Model

/// Evaluates a client's conditions about its copy of a representation (RFC 9110 sections 8.8 and 13).
struct Validators: Hashable, Sendable {
    /// The text between the quotes of the ETag of the plain content.
    var tag: String
    var lastModified: Timestamp?

    /// The strong ETag. The gzipped content is another representation, so it has another one.
    func eTag(gzip: Bool) -> String { gzip ? "\"\(tag)-gzip\"" : "\"\(tag)\"" }

    /// Whether the client wants another version than this one: 412. It is decided before anything else (RFC 9110 section 13.2.2).
    ///
    /// - Returns: the response; `nil` where the request sets no such condition, or it holds.
    func refusal(of request: HTTPFields) -> Problem? {
        guard !meets(request) else { return nil }
        var problem = Problem(
            .preconditionFailed,
            "There is another version than the one that If-Match or If-Unmodified-Since asks for: ask without it.")
        problem.headerFields[.eTag] = eTag(gzip: false)
        return problem
    }

    private func meets(_ request: HTTPFields) -> Bool {
        // Section 13.1.1: it counts before the date, and weak tags match nothing.
        if let condition = request[.ifMatch] {
            if condition.filter({ !$0.isWhitespace }) == "*" { return true }
            return !Validators.entityTags(condition, strongOnly: true).isDisjoint(with: [
                eTag(gzip: false), eTag(gzip: true),
            ])
        }
        guard let lastModified, let since = request[.ifUnmodifiedSince].flatMap({ HTTPDate.parse($0) }) else {
            return true
        }
        return lastModified.secondsSinceEpoch <= since.secondsSinceEpoch
    }

    /// The ETag for a 304: the form that the client named, so that its cache finds its copy. A client that accepts gzip
    /// can use either form; another one is never answered as if its copy were the gzipped one.
    ///
    /// - Returns: `nil` when the request sets no condition or the representation has changed.
    func unchangedTag(for request: HTTPFields, gzip: Bool) -> String? {
        if let condition = request[.ifNoneMatch] {
            let forms = gzip ? [eTag(gzip: true), eTag(gzip: false)] : [eTag(gzip: false)]
            if condition.filter({ !$0.isWhitespace }) == "*" { return forms[0] }
            let named = Validators.entityTags(condition)
            return forms.first(where: named.contains)
        }
        guard let lastModified, let since = request[.ifModifiedSince].flatMap({ HTTPDate.parse($0) }) else {
            return nil
        }
        return lastModified.secondsSinceEpoch <= since.secondsSinceEpoch ? eTag(gzip: gzip) : nil
    }

    /// The quoted parts of a list of entity tags. Whether one is weak does not matter for If-None-Match.
    static func entityTags(_ list: String, strongOnly: Bool = false) -> Set<String> {
        var tags: Set<String> = []
        var rest = list[...]
        while let start = rest.firstIndex(of: "\"") {
            let inside = rest[rest.index(after: start)...]
            guard let end = inside.firstIndex(of: "\"") else { break }
            if !strongOnly || !rest[..<start].hasSuffix("W/") { tags.insert(String(rest[start...end])) }
            rest = rest[rest.index(after: end)...]
        }
        return tags
    }
}
