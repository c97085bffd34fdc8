import Model

extension NormalURL {
    /// What a reference in an answer names, where that lies within this origin.
    ///
    /// - Parameter clientAuthority: what a gateway's client calls this origin.
    func sameOrigin(_ reference: String, clientAuthority: String?) -> NormalURL? {
        guard var url = resolving(reference) else { return nil }
        if url.origin == origin { return url }
        guard let clientAuthority, let name = Self.normalised(authority: clientAuthority[...], scheme: url.scheme),
            url.authority == name
        else { return nil }
        (url.scheme, url.authority) = (scheme, authority)
        return url
    }
}
