import HTTPTypes
import Model
import WireFormat

/// Decides whether the hub shows its own token for a request of a device.
///
/// A device without a token can fetch questionnaires and send tests: the hub's token is lent for these. Changes of
/// questionnaires, the list of tests and the files of tests go to the upstream with the device's own token.
enum TokenLending {
    /// - Parameter path: without the upstream's base, with the query, as the client wrote it.
    static func isAllowed(_ method: HTTPRequest.Method, _ path: some StringProtocol) -> Bool {
        let isRead = method == .get || method == .head
        guard let segments = segments(path.prefix { $0 != "?" }) else { return false }
        guard let first = segments.first, first.lowercased() == APIPath.version else { return isRead }
        let rest = Array(segments.dropFirst())
        // A proxy may decode an encoded slash, and a server ignore case: the token is lent only for an unambiguous
        // path.
        guard first == APIPath.version, rest.first == rest.first?.lowercased() else { return false }
        if rest.first != "questionnaires", rest.first != "favorites",
            rest.contains(where: { $0.contains("/") || $0.contains("\\") || $0.contains("%") || $0.contains(";") })
        {
            return false
        }
        switch (rest.first, rest.count) {
        case ("tests", 1): return isRead && namesIDs(path)
        case ("tests", 2): return isRead || method == .put
        // A file is handed in, and not given out again.
        case ("tests", 4): return method == .put && rest[2] == "media"
        case ("tests", _): return false
        case ("uploads", 2): return [.head, .patch, .delete].contains(method)
        case ("favorites", 2): return method == .put || method == .delete
        case ("progress", _): return rest.count == 2 && method == .put
        // The names of a class are for devices with a key of their own.
        case ("people", _): return false
        default:
            guard isRead, let route = try? APIPath(path.prefix { $0 != "?" }) else { return false }
            return (route.minimumRole(isRead: true, namesIDs: false) ?? .taker) == .taker && route != .accessSelf
        }
    }

    /// The segments as the upstream, or a proxy in front of it, may read them; `nil` where they can be read in several
    /// ways.
    private static func segments(_ path: some StringProtocol) -> [String]? {
        var segments: [String] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let decoded = PercentEncoding.decode(segment) else { return nil }
            let parts = decoded.split(whereSeparator: { $0 == "/" || $0 == "\\" })
            // Some servers read the part after a semicolon as a parameter of the segment.
            let names = parts.map { $0.prefix { $0 != ";" } }
            if names.contains("..") || names.contains(".") || decoded.contains(where: isAmbiguous) { return nil }
            segments.append(decoded)
        }
        if segments.last?.isEmpty == true { segments.removeLast() }
        let first = segments.first ?? ""
        return segments.contains("") || first.contains("/") || first.contains("\\") ? nil : segments
    }

    /// Where one program ends a path, or cuts it, and another does not.
    private static func isAmbiguous(_ character: Character) -> Bool {
        character == "?" || character == "#"
            || character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }

    /// Whether the query asks for receipts by their ids, and not for the list of all tests.
    private static func namesIDs(_ path: some StringProtocol) -> Bool {
        path.drop { $0 != "?" }.dropFirst().split(separator: "&").contains { $0.hasPrefix("ids=") }
    }
}
