import Model

/// One line in the list of tests.
package struct TestSummary: Hashable, Sendable, Codable {
    package struct Subject: Hashable, Sendable, Codable {
        package var id: String
        package var title: String
    }

    package var id: TestID
    package var questionnaire: Subject
    /// The person who took it; absent if the test names none.
    package var person: Person?
    /// `sent`, `checking` or `rated`.
    package var status: TestStatus
    package var receivedAt: Timestamp?
    /// SHA-256 of the test's bytes.
    package var digest: Digest?
    /// Points, and how many there could be; while it is checked, those that it has by now.
    package var score: Double?
    package var maximum: Double?
    /// The test that this one is a revision of.
    package var parent: TestID?
    /// Which version it is of a test that was revised, from 2, and the first one: where all tests are known.
    package var revision: Int?
    package var first: TestID?
    /// The number of the person's test of this questionnaire, from 1.
    package var attempt: Int?
    /// Whether a key of the person came with the test; absent if it names no person.
    package var verified: Bool?
    /// How many files it names, and how many of them have not arrived; absent where it names none.
    package var media: MediaCount?
    /// Whether the time limit was exceeded; `false` too where there is none.
    package var late: Bool
    /// How long the test took, where its time is limited.
    package var timeTaken: TimeTaken?

    package struct MediaCount: Hashable, Sendable, Codable {
        package var named: Int
        package var missing: Int
    }
}
