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
        for attachment in record.attachments { try attachment.check() }
        self.id = id
        self.bytes = bytes
        digest = Digest(sha256Of: bytes)
    }

    /// Checks rules for new tests only: one that an earlier version accepted keeps its receipt.
    ///
    /// - Throws: `DocumentFault` that names the second answer to one question. Answers of a repeated section differ in their
    ///   `instance`.
    package func checkAnswers() throws(DocumentFault) {
        guard record.questionAnsweredTwice != nil else { return }
        struct Place: Decodable, Hashable {
            var questionId: String
            var instance: Int?
        }
        struct Places: Decodable {
            var answers: [Place]
        }
        let places = try DocumentCoding.decode(Places.self, from: bytes).answers
        var seen: Set<Place> = []
        for (index, place) in places.enumerated() where !seen.insert(place).inserted {
            throw DocumentFault(
                field: "answers[\(index)].questionId",
                reason: "“\(place.questionId.prefix(80))” has an answer already: give each question one answer")
        }
    }
}
