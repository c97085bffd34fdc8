import Model

/// A problem document (RFC 9457) that arrived in a reply.
package struct ReceivedProblem: Sendable {
    package var value: JSONValue
    /// A URI that names the kind of problem.
    package var type: String?
    /// Its sentence for people.
    package var sentence: String?
    /// Whether it has the protocol's own marks.
    package var isOwn: Bool

    /// Longer documents are not read.
    private static let maximumBytes = 64 << 10
    private static let longestSentence = 500

    /// - Returns: `nil` for a reply without a problem document.
    package init?(contentType: String?, status: Int, body: [UInt8]) {
        guard ProblemDocument.isType(contentType), body.count <= Self.maximumBytes,
            let value = try? DocumentCoding.decode(JSONValue.self, from: body), case .object(let members) = value
        else { return nil }
        self.value = value
        isOwn = ProtocolMarks.areIn(value, status: status)
        if case .string(let type) = members["type"] { self.type = type }
        for name in ["detail", "title"] {
            if case .string(let text) = members[name], !text.isEmpty {
                sentence = String(text.prefix(Self.longestSentence))
                return
            }
        }
    }
}
