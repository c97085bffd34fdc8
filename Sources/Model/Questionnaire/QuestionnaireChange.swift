/// A questionnaire that was created, edited or deleted on a device: it waits in the outbox to be sent.
///
/// Its bytes are made once and never change: they are the file. The document in it is sent byte for byte.
public struct QuestionnaireChange: Hashable, Sendable {
    /// The version that a change is based on, as the server named it.
    package struct Base: Hashable, Sendable, Codable {
        package var etag: String
        /// The digest of the document as it was sent.
        package var digest: Digest?
        package var updatedAt: Timestamp?
        /// After the person settled a conflict: the digests of the versions before, which this device may still have.
        package var former: [Digest]?

        package init(etag: String, digest: Digest? = nil, updatedAt: Timestamp? = nil, former: [Digest]? = nil) {
            self.etag = etag
            self.digest = digest
            self.updatedAt = updatedAt
            self.former = former
        }

        /// The digests of the version and those before it, as far as they are known.
        package var digests: [Digest] { (former ?? []) + [digest].compactMap(\.self) }
    }

    /// The identity of this change, not of the questionnaire.
    package var id: TestID
    /// `create`, `edit` or `delete`.
    package var action: ChangeAction
    /// The questionnaire's permanent identity: the id that the device made for it, or the server's if it came from
    /// there.
    package var questionnaire: String
    package var title: String
    /// The server's version that it is based on; `nil` where the server had none when the change was made.
    package var base: Base?
    /// How the server settles a conflict; where this is absent, it asks.
    package var policy: ConflictPolicy?
    /// The conflict that this change settles.
    package var resolves: TestID?
    /// The change that must be delivered before this one, because this one builds on it.
    package var after: TestID?
    /// By the device's clock.
    package var dateChanged: Timestamp
    package var deviceId: String
    package var sequence: Int
    /// The new questionnaire; `nil` for a deletion.
    package var document: [UInt8]?

    package init(
        id: TestID, action: ChangeAction, questionnaire: String, title: String, base: Base? = nil,
        after: TestID? = nil, policy: ConflictPolicy? = nil, resolves: TestID? = nil, dateChanged: Timestamp,
        deviceId: String, sequence: Int, document: [UInt8]? = nil
    ) {
        self.id = id
        self.action = action
        self.questionnaire = questionnaire
        self.title = title
        self.base = base
        self.after = after
        self.policy = policy
        self.resolves = resolves
        self.dateChanged = dateChanged
        self.deviceId = deviceId
        self.sequence = sequence
        self.document = document
    }

    /// SHA-256 of the sent content: the document, or no bytes.
    package var contentDigest: Digest { Digest(sha256Of: document ?? []) }
}

extension QuestionnaireChange {
    /// The members of the file beside the document.
    private struct Header: Codable {
        var id: TestID
        var action: ChangeAction
        var questionnaire: String
        var title: String
        var base: Base?
        var after: TestID?
        var policy: ConflictPolicy?
        var resolves: TestID?
        var dateChanged: Timestamp
        var deviceId: String?
        var sequence: Int?
        /// The white space before and after the original document, which is part of the sent bytes.
        var whiteSpace: [String]?
    }

    private static let documentName = "document"

    /// Reads a change's file.
    ///
    /// - Throws: `DocumentFault` that names the field.
    package init(file: [UInt8]) throws(DocumentFault) {
        let header = try DocumentCoding.decode(Header.self, from: file)
        guard [.create, .edit, .delete].contains(header.action) else {
            throw DocumentFault(field: "action", reason: "is “\(header.action.rawValue)”, which is no change")
        }
        if let fault = Questionnaire.fault(inID: header.questionnaire) {
            throw DocumentFault(field: "questionnaire", reason: fault)
        }
        let text: JSONText
        do throws(JSONFault) {
            text = try JSONText(checking: file)
        } catch {
            throw DocumentFault(field: nil, reason: "it is not JSON: \(error)")
        }
        let member = text.members.first { $0.name == Self.documentName }
        if header.action != .delete {
            guard let member else { throw DocumentFault(field: Self.documentName, reason: "is missing") }
            let around = header.whiteSpace ?? []
            guard around.isEmpty || around.count == 2, around.allSatisfy({ $0.utf8.allSatisfy(Self.spaces.contains) })
            else { throw DocumentFault(field: "whiteSpace", reason: "is not two texts of white space") }
            document = Array((around.first ?? "").utf8) + file[member.value] + Array((around.last ?? "").utf8)
            _ = try Questionnaire(json: document ?? [])
        }
        id = header.id
        action = header.action
        questionnaire = header.questionnaire
        title = header.title
        base = header.base
        after = header.after
        policy = header.policy
        resolves = header.resolves
        dateChanged = header.dateChanged
        deviceId = header.deviceId ?? ""
        sequence = header.sequence ?? 0
    }

    /// The bytes of the file: readable JSON whose last member is the document, byte for byte.
    package func file() throws -> [UInt8] {
        let trimmed = document.map { Self.trimmed($0) }
        var around: [String]?
        if let document, let trimmed, trimmed.count < document.count {
            around = [document[..<trimmed.startIndex], document[trimmed.endIndex...]].map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        var bytes = try DocumentCoding.encode(
            Header(
                id: id, action: action, questionnaire: questionnaire, title: title, base: base, after: after,
                policy: policy, resolves: resolves, dateChanged: dateChanged, deviceId: deviceId, sequence: sequence,
                whiteSpace: around))
        guard let trimmed else { return bytes }
        // The closing brace and the line breaks around it make room for one more member.
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "}") { bytes.removeLast() }
        bytes += Array(",\n  \"\(Self.documentName)\" : ".utf8) + trimmed + Array("\n}\n".utf8)
        return bytes
    }

    /// A document under another id, otherwise unchanged.
    package static func document(_ json: [UInt8], named id: String) throws -> [UInt8] {
        let text: JSONText
        do throws(JSONFault) {
            text = try JSONText(checking: json)
        } catch {
            throw DocumentFault(field: nil, reason: "it is not JSON: \(error)")
        }
        guard text.isObject else { throw DocumentFault(field: nil, reason: "it is not a questionnaire") }
        let quoted = try DocumentCoding.encodeLine(id).dropLast()
        guard let member = text.members.first(where: { $0.name == "id" }) else {
            guard let first = text.members.first?.range.lowerBound else {
                throw DocumentFault(field: "title", reason: "is missing")
            }
            return Array(json[..<first]) + Array("\"id\": ".utf8) + quoted + Array(", ".utf8) + json[first...]
        }
        return Array(json[..<member.value.lowerBound]) + quoted + json[member.value.upperBound...]
    }

    /// White space of JSON (RFC 8259 section 2).
    private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

    private static func trimmed(_ json: [UInt8]) -> ArraySlice<UInt8> {
        var rest = json[...]
        while let first = rest.first, spaces.contains(first) { rest.removeFirst() }
        while let last = rest.last, spaces.contains(last) { rest.removeLast() }
        return rest
    }
}

/// A favourite that was set or unset on a device, on its way to the server.
public struct FavoriteChange: Hashable, Sendable, Codable {
    /// The identity of this change.
    package var id: TestID
    /// The questionnaire's permanent identity.
    package var questionnaire: String
    package var title: String
    /// Whether it becomes a favourite.
    package var favorite: Bool
    package var dateChanged: Timestamp
    package var deviceId: String
    package var sequence: Int

    package init(
        id: TestID, questionnaire: String, title: String, favorite: Bool, dateChanged: Timestamp, deviceId: String,
        sequence: Int
    ) {
        self.id = id
        self.questionnaire = questionnaire
        self.title = title
        self.favorite = favorite
        self.dateChanged = dateChanged
        self.deviceId = deviceId
        self.sequence = sequence
    }
}

/// Something other than a test that waits in the outbox.
public enum OutgoingChange: Hashable, Sendable {
    case questionnaire(QuestionnaireChange)
    case favorite(FavoriteChange)
    case media(MediaChange)

    package var id: TestID {
        switch self {
        case .questionnaire(let change): change.id
        case .favorite(let change): change.id
        case .media(let change): change.id
        }
    }

    package var action: ChangeAction {
        switch self {
        case .questionnaire(let change): change.action
        case .favorite(let change): change.favorite ? .favorite : .unfavorite
        case .media: .attach
        }
    }

    /// The permanent identity of its questionnaire.
    package var questionnaire: String {
        switch self {
        case .questionnaire(let change): change.questionnaire
        case .favorite(let change): change.questionnaire
        case .media(let change): change.questionnaire
        }
    }

    package var title: String {
        switch self {
        case .questionnaire(let change): change.title
        case .favorite(let change): change.title
        case .media(let change): change.title
        }
    }

    package var sequence: Int {
        switch self {
        case .questionnaire(let change): change.sequence
        case .favorite(let change): change.sequence
        case .media(let change): change.sequence
        }
    }

    package var dateChanged: Timestamp {
        switch self {
        case .questionnaire(let change): change.dateChanged
        case .favorite(let change): change.dateChanged
        case .media(let change): change.dateChanged
        }
    }

    /// SHA-256 of the sent bytes.
    package var contentDigest: Digest {
        switch self {
        case .questionnaire(let change): change.contentDigest
        case .favorite: Digest(sha256Of: [])
        case .media(let change): change.digest
        }
    }
}
