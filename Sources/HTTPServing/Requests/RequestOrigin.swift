import HTTPTypes

/// Where the form came from that a browser sends.
package enum RequestOrigin {
    /// Whether a change comes from a page of this server, as far as the browser states it.
    ///
    /// - Parameter schemes: a proxy in front of the server may speak https.
    package static func isOwn(
        _ fields: HTTPFields, authority: String, schemes: [String] = ["http", "https"]
    ) -> Bool {
        if let origin = fields[.origin], !schemes.contains(where: { origin == "\($0)://\(authority)" }) { return false }
        if let site = fields[.secFetchSite], site != "same-origin" { return false }
        return true
    }
}
