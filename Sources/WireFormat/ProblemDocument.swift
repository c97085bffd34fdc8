import Model

/// A problem document (RFC 9457), as hosts, hubs and folders write it: why a request failed.
package struct ProblemDocument: Hashable, Sendable {
    /// A URI that names the kind of problem. Without one the document has no mark of the protocol: no device treats it
    /// as a rejection.
    package var type: String?
    package var title: String?
    package var status: Int
    /// One plain sentence for people.
    package var detail: String
    /// The member of the sent document that is wrong, like `answers[2].questionId`.
    package var field: String?
    /// The host's version, where the request names another one.
    package var current: Publication?
    /// For an upload: how many bytes the server has.
    package var expectedOffset: Int64?
    /// For an upload: the offset of the request's bytes.
    package var providedOffset: Int64?

    package static let mediaType = "application/problem+json"

    /// - Parameters:
    ///   - name: the status's reason phrase.
    ///   - kind: the last part of `urn:quire:problem:…`; `nil` where the status is specific enough, then its name is
    ///     the kind.
    ///   - title: `nil` for the reason phrase.
    package init(
        status: Int, name: String, kind: String? = nil, title: String? = nil, detail: String, field: String? = nil
    ) {
        type = kind.map { ProtocolMarks.typePrefix + $0 } ?? ProtocolMarks.type(ofStatusNamed: name)
        self.title = title ?? name
        self.status = status
        self.detail = detail
        self.field = field
    }

    /// - Parameter name: the reason phrase of the fault's status.
    package init(_ fault: UploadFault, name: String) {
        self.init(status: fault.status, name: name, kind: fault.kind, title: fault.title, detail: fault.description)
        if let type = fault.type { self.type = type }
        if case .elsewhere(let expected, let provided) = fault {
            (expectedOffset, providedOffset) = (expected, provided)
        }
    }

    /// The document's JSON, in one line.
    package var bytes: [UInt8] {
        // A few texts and numbers can always be encoded; if not, the status alone would be enough.
        (try? DocumentCoding.encodeLine(self)) ?? Array("{}\n".utf8)
    }

    /// Whether a Content-Type is that of problem documents, with or without parameters.
    package static func isType(_ contentType: String?) -> Bool {
        contentType?.lowercased().hasPrefix(mediaType) == true
    }
}

extension ProblemDocument: Encodable {
    private enum CodingKeys: String, CodingKey {
        case type, title, status, detail, field, current
        case expectedOffset = "expected-offset"
        case providedOffset = "provided-offset"
    }
}
