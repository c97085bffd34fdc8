import HTTPTypes

/// Content codings of stored responses, and those that a client understands (RFC 9110 sections 8.4 and 12.5.3).
package enum ContentCodings {
    /// Whether a client that sent this request can read these stored bytes. A client that names no coding may know
    /// none, though it forbids none.
    package static func areReadable(_ stored: HTTPFields, by request: HTTPFields) -> Bool {
        let used = stored[values: .contentEncoding].flatMap { ListReader($0).map { $0.lowercased() } }
            .filter { $0 != "identity" }
        if used.isEmpty { return true }
        var accepted: Set<String> = []
        var refused: Set<String> = []
        for value in request[values: .acceptEncoding] {
            for member in ListReader(PreferenceList.normalised(value)) {
                let parts = member.split(separator: ";")
                guard let name = parts.first else { continue }
                // Normalised: a weight of 0 has no other form.
                if parts.dropFirst().contains("q=0") {
                    refused.insert(String(name))
                } else {
                    accepted.insert(String(name))
                }
            }
        }
        return used.allSatisfy { !refused.contains($0) && (accepted.contains($0) || accepted.contains("*")) }
    }
}
