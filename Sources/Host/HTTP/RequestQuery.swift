import Model

/// The parameters after the question mark of a request, percent-decoded. The first of a repeated name counts.
struct RequestQuery: Hashable, Sendable {
    private var values: [String: String] = [:]

    /// - Throws: a 400 `Problem` when a name or a value is not percent-encoded UTF-8.
    init(_ query: String?) throws(Problem) {
        for parameter in (query ?? "").split(separator: "&") {
            let end = parameter.firstIndex(of: "=") ?? parameter.endIndex
            guard let name = PercentEncoding.decode(parameter[..<end]),
                let value = PercentEncoding.decode(parameter[end...].dropFirst())
            else { throw Problem.badRequest("“\(parameter.prefix(60))” in the query is not percent-encoded UTF-8.") }
            if values[name] == nil { values[name] = value }
        }
    }

    subscript(name: String) -> String? { values[name] }
}
