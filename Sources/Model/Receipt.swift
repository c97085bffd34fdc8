/// What is known about the delivery of a test; it lies beside the test's file.
///
/// Before the server has acknowledged the test, it tells what was tried (`delivery`). From then on it is the server's
/// own receipt, and so the same on every machine that holds the test: proof of delivery.
public struct Receipt: Hashable, Sendable, Codable {
    public var test: TestID
    /// SHA-256 of the bytes that the server stored.
    public var digest: Digest?
    /// `sent`, `checking` or `rated`, as the server says.
    public var status: TestStatus?
    /// When the server had stored the test durably, by the server's clock.
    public var receivedAt: Timestamp?
    public var evaluation: Evaluation?
    /// When a hub had stored the test durably, by the hub's clock; it hands it on, and until then it is not delivered.
    public var keptAt: Timestamp?
    public var delivery: Delivery?

    public init(
        test: TestID, digest: Digest? = nil, status: TestStatus? = nil, receivedAt: Timestamp? = nil,
        evaluation: Evaluation? = nil, keptAt: Timestamp? = nil, delivery: Delivery? = nil
    ) {
        self.test = test
        self.digest = digest
        self.status = status
        self.receivedAt = receivedAt
        self.evaluation = evaluation
        self.keptAt = keptAt
        self.delivery = delivery
    }

    /// Attempts that did not end in an acknowledgement.
    public struct Delivery: Hashable, Sendable, Codable {
        public var attempts: Int
        public var firstAttempt: Timestamp
        public var lastAttempt: Timestamp
        /// Why the last attempt failed, in one sentence.
        public var reason: String
        /// Whether one of the attempts may have reached the server: then the test keeps its bytes for ever.
        public var mayHaveArrived: Bool
        /// The status code of the last reply, when there was one.
        public var httpStatus: Int?
        /// The server's problem document (RFC 9457), when it sent one.
        public var problem: JSONValue?

        public init(
            attempts: Int, firstAttempt: Timestamp, lastAttempt: Timestamp, reason: String, mayHaveArrived: Bool,
            httpStatus: Int? = nil, problem: JSONValue? = nil
        ) {
            self.attempts = attempts
            self.firstAttempt = firstAttempt
            self.lastAttempt = lastAttempt
            self.reason = reason
            self.mayHaveArrived = mayHaveArrived
            self.httpStatus = httpStatus
            self.problem = problem
        }
    }
}

/// The rating of a test.
public struct Evaluation: Hashable, Sendable, Codable {
    public var score: Double
    public var maximum: Double
    public var ratedAt: Timestamp?
    /// `key` for a rating by answer key, or the teacher's name.
    public var ratedBy: String?
    public var comment: String?
    public var questions: [QuestionEvaluation]

    public init(
        score: Double, maximum: Double, ratedAt: Timestamp? = nil, ratedBy: String? = nil, comment: String? = nil,
        questions: [QuestionEvaluation] = []
    ) {
        self.score = score
        self.maximum = maximum
        self.ratedAt = ratedAt
        self.ratedBy = ratedBy
        self.comment = comment
        self.questions = questions
    }

    public struct QuestionEvaluation: Hashable, Sendable, Codable {
        public var questionId: String
        /// `nil` when the question has no right answer.
        public var correct: Bool?
        public var comment: String?

        public init(questionId: String, correct: Bool?, comment: String? = nil) {
            self.questionId = questionId
            self.correct = correct
            self.comment = comment
        }
    }
}
