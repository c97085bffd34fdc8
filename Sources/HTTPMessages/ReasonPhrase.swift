import HTTPTypes

/// The words beside a status code (RFC 9110 section 15), for those who read along.
package enum ReasonPhrase {
    private static let words: [Int: String] = {
        let known: [HTTPResponse.Status] = [
            .continue, .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .resetContent,
            .partialContent, .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect,
            .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable,
            .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone, .lengthRequired, .preconditionFailed,
            .contentTooLarge, .uriTooLong, .unsupportedMediaType, .rangeNotSatisfiable, .expectationFailed,
            .misdirectedRequest, .unprocessableContent, .tooEarly, .upgradeRequired, .preconditionRequired,
            .tooManyRequests, .requestHeaderFieldsTooLarge, .internalServerError, .notImplemented, .badGateway,
            .serviceUnavailable, .gatewayTimeout, .httpVersionNotSupported,
        ]
        var words = Dictionary(uniqueKeysWithValues: known.map { ($0.code, $0.reasonPhrase) })
        words[507] = "Insufficient Storage"
        words[508] = "Loop Detected"
        return words
    }()

    /// Those that came, else the usual ones.
    package static func of(_ status: HTTPResponse.Status) -> String {
        status.reasonPhrase.isEmpty ? words[status.code] ?? "" : status.reasonPhrase
    }
}
