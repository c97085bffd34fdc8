import Model

/// A test as a client sent it, checked: a value that may be stored.
package struct TestSubmission: Sendable {
    package let id: TestID
    package let record: TestRecord
    /// The exact bytes that were sent and are stored.
    package let bytes: [UInt8]
    package let digest: Digest

    /// A longer test is refused.
    package static let maximumBytes = 4 << 20

    /// Checks that the bytes are the test with this id.
    ///
    /// - Throws: `DocumentFault` that names the field.
    package init(_ bytes: [UInt8], id: TestID) throws(DocumentFault) {
        record = try DocumentCoding.decode(TestRecord.self, from: bytes)
        guard record.id == id else {
            throw DocumentFault(field: "id", reason: "is \(record.id), but the test was sent as \(id)")
        }
        for (index, attachment) in record.attachments.enumerated() { try attachment.check(at: "attachments[\(index)]") }
        self.id = id
        self.bytes = bytes
        digest = Digest(sha256Of: bytes)
    }

    /// Checks rules for new tests only: one that an earlier version accepted keeps its receipt.
    ///
    /// - Throws: `DocumentFault` that names the id of the questionnaire where it is none, the second answer to one question, or an
    ///   instance below 1. Answers of a repeated section differ in their `instance`; without one it is the first.
    package func checkAsNew() throws(DocumentFault) {
        if let fault = Questionnaire.fault(inID: record.questionnaire.id) {
            throw DocumentFault(field: "questionnaire.id", reason: fault)
        }
        if isClear { return }
        let places = try DocumentCoding.decode(Places.self, from: bytes)
        var seen: Set<QuestionInstance> = []
        for (index, place) in places.answers.enumerated() {
            try place.checkInstance("answers[\(index)]")
            guard seen.insert(QuestionInstance(question: place.questionId, number: place.instance ?? 1)).inserted else {
                throw DocumentFault(
                    field: "answers[\(index)].questionId",
                    reason: "“\(place.questionId.prefix(80))” has an answer already: give each question one answer")
            }
        }
        for (index, place) in (places.attachments ?? []).enumerated() {
            try place.checkInstance("attachments[\(index)]")
        }
    }

    /// Whether nothing can be wrong with the places of its answers: then the bytes are not read again.
    private var isClear: Bool {
        var known: Set<QuestionInstance> = []
        return record.attachments.isEmpty
            && record.answers.allSatisfy { answer in
                let place = QuestionInstance(answer.questionId)
                return answer.otherMembers["instance"] == nil
                    && known.insert(QuestionInstance(question: place.question, number: place.number ?? 1)).inserted
            }
    }

    /// What answers and files belong to, as the document has it.
    private struct Places: Decodable {
        var answers: [Place]
        var attachments: [Place]?
    }

    private struct Place: Decodable {
        var questionId: String
        var instance: Int?

        private enum Key: String, CodingKey { case questionId, instance }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            questionId = try container.decode(String.self, forKey: .questionId)
            // In another form it is another program's own member.
            instance = try? container.decodeIfPresent(Int.self, forKey: .instance)
        }

        func checkInstance(_ place: String) throws(DocumentFault) {
            guard let instance, instance < 1 else { return }
            throw DocumentFault(field: "\(place).instance", reason: "is \(instance), but instances count from 1")
        }
    }
}
