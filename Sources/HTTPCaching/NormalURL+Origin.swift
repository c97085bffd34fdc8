import Model

extension NormalURL {
    /// The URL of a reference in an answer, where it is within this origin.
    ///
    /// - Parameter clientAuthority: a gateway client's name for this origin.
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
