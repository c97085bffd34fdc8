import Model

/// A questionnaire's file as the host reads it: the published content, and the key that stays on the host.
package struct PublishedQuestionnaire: Sendable {
    package let questionnaire: Questionnaire
    package let key: AnswerKey
    /// The sent content: the file's bytes without the members that hold the key, otherwise unchanged.
    package let content: [UInt8]
    /// SHA-256 of `content`.
    package let digest: Digest

    /// Reads a file that is to be published: what cannot be right in it is a fault, too.
    ///
    /// - Throws: `DocumentFault` that names the place.
    package init(publishing json: [UInt8]) throws(DocumentFault) {
        try self.init(json: json)
        try QuestionnaireCheck.check(json: json)
    }

    /// Reads a questionnaire's file.
    ///
    /// - Throws: `DocumentFault` that names the field, or the line where it stops being JSON. A key that cannot be met is
    ///   such a fault.
    package init(json: [UInt8]) throws(DocumentFault) {
        questionnaire = try Questionnaire(json: json)
        key = try AnswerKey(json: json)
        try key.check(for: questionnaire)
        do throws(JSONFault) {
            content = try JSONText(checking: json).removing(AnswerKey.memberNames)
        } catch {
            throw DocumentFault(field: nil, reason: "it is not JSON: \(error)")
        }
        digest = Digest(sha256Of: content)
    }
}
