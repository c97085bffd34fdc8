import Model
import WireFormat

/// The protocol's own routes in one spelling, and their query without ignored parts (docs/protocol.md): requests that
/// differ in nothing else share one cache entry.
enum ProtocolQuery {
    static let list = APIPath.questionnaires.text
    /// The parameters of the list of questionnaires, in the order of their normal form.
    private static let parameters = ["limit", "cursor", "since", "register"]

    /// Whether a path without its query is the list, a questionnaire, or one of the files of questionnaires.
    static func isRoute(_ path: some StringProtocol) -> Bool {
        path.hasPrefix(list) && (path.utf8.count == list.utf8.count || path.dropFirst(list.count).hasPrefix("/"))
    }

    /// - Parameter path: with its query, without the upstream's base.
    static func normalised(_ path: String) -> String {
        let mark = path.firstIndex(of: "?") ?? path.endIndex
        let route = path[..<mark]
        guard isRoute(route) || route == APIPath.root || route == APIPath.root.dropLast() else { return path }
        if route != list { return spelled(route) }
        guard mark != path.endIndex else { return path }
        var values: [String: String] = [:]
        for parameter in path[path.index(after: mark)...].split(separator: "&") {
            let end = parameter.firstIndex(of: "=") ?? parameter.endIndex
            guard let name = PercentEncoding.decode(parameter[..<end]),
                let value = PercentEncoding.decode(parameter[end...].dropFirst())
            else {
                // The server's to refuse.
                return path
            }
            // The first one counts.
            if values[name] == nil { values[name] = value }
        }
        let known = parameters.compactMap { name in
            values[name].map { name + "=" + PercentEncoding.encode(Int($0).map { String($0) } ?? $0) }
        }
        return known.isEmpty ? list : list + "?" + known.joined(separator: "&")
    }

    /// Dot segments are left to the comparison of URLs.
    private static func spelled(_ route: Substring) -> String {
        route.contains("/.") ? String(route) : NormalURL.normalised(path: route)
    }

    /// Whether a room needs a URL: the first page of the list, the questionnaires and their files. Further pages have
    /// cursors that anyone can construct.
    ///
    /// - Parameter base: of the upstream, without a slash at its end.
    static func isFavoured(_ url: String, base: String) -> Bool {
        guard url.hasPrefix(base), !url.utf8.contains(UInt8(ascii: "?")) else { return false }
        return isRoute(url.dropFirst(base.count))
    }
}
