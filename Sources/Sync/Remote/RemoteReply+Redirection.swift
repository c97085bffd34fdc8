import HTTPTypes

extension RemoteReply {
    /// The redirect target of a reply (RFC 9110 section 15.4), as a sentence; `nil` for another reply. It is not
    /// followed: the token, or an answer, would reach a server that the person did not name.
    var redirection: String? {
        guard (300..<400).contains(status), status != 304 else { return nil }
        guard let location = fields[.location], !location.isEmpty else {
            return "the server sends us elsewhere (\(status)) and does not say where"
        }
        return "the server sends us on to “\(location.prefix(200))” (\(status)), which is not followed, lest token and "
            + "answers go to another server; if that is right, name it with “quire remote set URL”"
    }
}
