import HTTPTypes

extension HTTPFields {
    /// Adds the protection of every answer: nothing foreign is loaded, run, framed or guessed.
    package mutating func protect(_ policy: String = HTTPFields.pagePolicy) {
        self[.contentSecurityPolicy] = policy
        self[.xContentTypeOptions] = "nosniff"
        // With “no-referrer” browsers would send forms with an origin of “null”.
        self[.referrerPolicy] = "same-origin"
        self[.crossOriginOpenerPolicy] = "same-origin"
        self[.crossOriginResourcePolicy] = "same-origin"
    }

    package static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
        + "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// For a page that shows other pages of this server in frames.
    package static let framingPolicy = pagePolicy + "; frame-src 'self'"

    /// For foreign content: even opened alone it runs nothing and reaches nothing.
    package static let mediaPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
}

extension HTTPField.Name {
    // Proof: these are constants, and each is a token of RFC 9110.
    // swift-format-ignore: NeverForceUnwrap
    package static let secFetchSite = Self("Sec-Fetch-Site")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    package static let referrerPolicy = Self("Referrer-Policy")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    package static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    package static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
}
