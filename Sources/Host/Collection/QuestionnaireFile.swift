import Model

/// The file that the host makes of a document from a device.
enum QuestionnaireFile {
    /// The document with the host's id and time in it, and with the key that the device never saw.
    static func content(
        of document: [UInt8], id: String, localId: String?, replacing former: [UInt8]?, at time: Timestamp
    ) throws -> [UInt8] {
        let text = try checked(document)
        guard text.isObject else { throw DocumentFault(field: nil, reason: "it is not a questionnaire") }
        if let former, let bytes = try otherKey(text, in: former) { return bytes }
        var head = "{\n  \"id\": \(try quoted(id)),\n"
        if let localId { head += "  \"localId\": \(try quoted(localId)),\n" }
        head += "  \"updatedAt\": \(try quoted(time.description)),\n"
        if let former, !text.members.contains(where: { AnswerKey.memberNames.contains($0.name) }) {
            head += try keyMembers(of: former, for: document)
        }
        var rest = text.removing(["id", "localId", "updatedAt"])[...]
        rest = rest.drop { $0 != UInt8(ascii: "{") }.dropFirst().drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let bytes = Array((head + "  ").utf8) + rest
        let published = try PublishedQuestionnaire(publishing: bytes)
        guard Int64(bytes.count) <= QuestionnaireCatalog.maximumFileBytes else {
            throw DocumentFault(field: nil, reason: "it is too long")
        }
        guard published.questionnaire.id == id else { throw DocumentFault(field: "id", reason: "stands there twice") }
        return bytes
    }

    /// The former file with the document's key, where nothing else is different: it stays the same version, and tests that were
    /// handed in can be rated again by the corrected key.
    private static func otherKey(_ document: JSONText, in former: [UInt8]) throws -> [UInt8]? {
        let key = document.members.filter { AnswerKey.memberNames.contains($0.name) }
        let own: Set = ["id", "localId", "updatedAt"]
        func isSame(without names: Set<String>) throws -> Bool {
            let (one, other) = (document.removing(names), try checked(former).removing(names))
            return try DocumentCoding.decode(JSONValue.self, from: one)
                == DocumentCoding.decode(JSONValue.self, from: other)
        }
        guard !key.isEmpty, try isSame(without: own.union(AnswerKey.memberNames)) else { return nil }
        if try isSame(without: own) { return former }
        let published = try checked(former).removing(AnswerKey.memberNames)
        guard let last = try checked(published).members.last?.range.upperBound else { return nil }
        let members = key.flatMap { Array(",\n  ".utf8) + document.bytes[$0.range] }
        let bytes = published[..<last] + members + published[last...]
        return try PublishedQuestionnaire(publishing: Array(bytes)).content == published ? Array(bytes) : nil
    }

    /// The key of the former version, without the questions that are gone: the device did not know that they had one.
    private static func keyMembers(of former: [UInt8], for document: [UInt8]) throws -> String {
        let ids = Set(try Questionnaire(json: document).questions.map(\.id))
        var text = ""
        for member in try checked(former).members where AnswerKey.memberNames.contains(member.name) {
            let value = try DocumentCoding.decode(JSONValue.self, from: Array(former[member.value]))
            guard case .object(let answers) = value, !answers.keys.allSatisfy(ids.contains) else {
                text += "  " + String(decoding: former[member.range], as: UTF8.self) + ",\n"
                continue
            }
            let rest = try DocumentCoding.encodeLine(JSONValue.object(answers.filter { ids.contains($0.key) }))
            text += "  \(try quoted(member.name)): \(String(decoding: rest.dropLast(), as: UTF8.self)),\n"
        }
        return text
    }

    private static func checked(_ bytes: [UInt8]) throws(DocumentFault) -> JSONText {
        do throws(JSONFault) {
            return try JSONText(checking: bytes)
        } catch {
            throw DocumentFault(field: nil, reason: "it is not JSON: \(error)")
        }
    }

    private static func quoted(_ text: String) throws -> String {
        String(decoding: try DocumentCoding.encodeLine(text).dropLast(), as: UTF8.self)
    }

    /// `spring-in-the-woods` for a title in Latin letters, `questionnaire` where nothing is left.
    static func stem(_ title: String) -> String {
        var stem = ""
        for byte in TextFolding.fold(title).utf8 {
            if (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) {
                stem.unicodeScalars.append(.init(byte))
            } else if !stem.isEmpty, !stem.hasSuffix("-") {
                stem += "-"
            }
            if stem.utf8.count == 40 { break }
        }
        while stem.hasSuffix("-") { stem.removeLast() }
        return stem.isEmpty ? "questionnaire" : stem
    }

    /// The file without what the host adds of its own: the same content is the same change.
    static func withoutTime(_ file: [UInt8]) throws -> [UInt8] {
        // The first member keeps the spaces after the brace: both begin with the id, which stays.
        try checked(file).removing(["updatedAt"])
    }
}
