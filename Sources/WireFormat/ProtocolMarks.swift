import Model

/// The marks of a problem document (RFC 9457) from a Quire server or hub, which no other page that answers in its place
/// has: docs/protocol.md, section 1. The app's `background-sync.js` has the same rule.
package enum ProtocolMarks {
    /// The prefix of the types of the protocol's own problems.
    package static let typePrefix = "urn:quire:problem:"

    /// A hub in `Cache-Status` (RFC 9211).
    package static let hubCacheName = "quire-hub"

    /// Whether a hub made the response itself: it neither forwarded the request nor had a stored response.
    ///
    /// - Parameter cacheStatus: the field's value, the cache that is nearest to the device last.
    package static func isHubsOwn(cacheStatus: String?) -> Bool {
        (cacheStatus ?? "").split(separator: ",").contains { member in
            member.drop { $0 == " " }.hasPrefix("\(hubCacheName); detail=")
        }
    }

    /// Types of resumable uploads, registered elsewhere.
    private static let registeredTypes: Set<String> = [
        "https://iana.org/assignments/http-problem-types#mismatching-upload-offset",
        "https://iana.org/assignments/http-problem-types#inconsistent-upload-length",
    ]

    /// Types about the address, and not about the content that was sent there.
    package static let addressTypes: Set<String> = [
        typePrefix + "not-found", typePrefix + "method-not-allowed",
    ]

    /// The type of a problem whose status is specific enough: `Not Found` gives `urn:quire:problem:not-found`.
    ///
    /// - Parameter name: the reason phrase of the status.
    package static func type(ofStatusNamed name: String) -> String {
        typePrefix + name.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "-")
    }

    /// Whether a problem document has the marks.
    ///
    /// Servers of earlier versions send `about:blank` where the status is specific enough, always with a title, a
    /// sentence and the status of the response, and never with an `instance`, as other programs do.
    ///
    /// - Parameter status: the status of its response.
    package static func areIn(_ problem: JSONValue?, status: Int) -> Bool {
        guard case .object(let members)? = problem, case .string(let type)? = members["type"] else { return false }
        if type.hasPrefix(typePrefix) { return type.utf8.count > typePrefix.utf8.count }
        if registeredTypes.contains(type) { return true }
        guard type == "about:blank", case .string(let title)? = members["title"], !title.isEmpty,
            case .string(let detail)? = members["detail"], !detail.isEmpty,
            case .integer(let stated)? = members["status"]
        else { return false }
        return stated == Int64(status) && members["instance"] == nil
    }
}
