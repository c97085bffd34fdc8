import HTTPTypes

/// Decides which fields are forwarded to the next hop, and which are stored.
package enum FieldFilter {
    /// The fields without those of a single connection (RFC 9110 section 7.6.1): Connection, those that it names, and
    /// those that intermediaries always remove.
    package static func forwarded(_ fields: HTTPFields) -> HTTPFields {
        without(connectionFields(of: fields), fields)
    }

    /// The fields of a response that are stored (RFC 9111 section 3.1): without those of one connection or one proxy,
    /// and those named by `no-cache="…"` or, in a shared cache, `private="…"`.
    package static func stored(_ fields: HTTPFields, policy: CachePolicy) -> HTTPFields {
        var names = connectionFields(of: fields)
        names.formUnion(proxyFields)
        let control = ResponseControl(fields, targetedFields: policy.targetedFields).control
        names.formUnion(control.noCacheFields)
        if policy.isShared {
            names.formUnion(control.privateFields)
            names.formUnion(cookies)
        }
        names.subtract(neverDropped)
        return without(names, fields)
    }

    /// The fields of a response that are for its requester alone.
    package static func personal(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(fields.filter { cookies.contains($0.name) })
    }

    private static func without(_ names: Set<HTTPField.Name>, _ fields: HTTPFields) -> HTTPFields {
        guard fields.contains(where: { names.contains($0.name) }) else { return fields }
        return HTTPFields(fields.filter { !names.contains($0.name) })
    }

    private static func connectionFields(of fields: HTTPFields) -> Set<HTTPField.Name> {
        var names = hopByHop
        for value in fields[values: .connection] {
            for option in ListReader(value) {
                // Cache-Control is for every recipient: no connection option may remove it (RFC 9110 section 7.6.1).
                if let name = HTTPField.Name(String(option)), name != .cacheControl { names.insert(name) }
            }
        }
        return names
    }

    private static let hopByHop: Set<HTTPField.Name> = [
        .connection, .keepAlive, .proxyConnection, .te, .transferEncoding, .upgrade,
    ]

    /// They are about the content of one message, which differs between a part and the complete representation (RFC
    /// 9530 section 2; RFC 2616 section 14.15). Repr-Digest is always about the complete one.
    static let digestsOfContent: Set<HTTPField.Name> = [.contentDigest, .contentMD5]

    /// RFC 9111 section 7.3: Set-Cookie does not forbid storing a response. But it belongs to one person: replayed to
    /// another, both would share a session and its rights. So a shared cache stores the response without it.
    static let cookies: Set<HTTPField.Name> = [.setCookie, .setCookie2]

    /// Fields of the proxy that the response passed through (RFC 9111 section 3.1), and Trailer: trailers are not
    /// stored.
    private static let proxyFields: Set<HTTPField.Name> = [
        .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization, .trailer,
    ]

    /// Without these the stored response would be used wrongly.
    private static let neverDropped: Set<HTTPField.Name> = [.cacheControl, .cdnCacheControl, .vary, .date]
}
