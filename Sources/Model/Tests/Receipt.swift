/// The state of the delivery of a test, or of another item in the outbox; stored beside its file.
///
/// Before the server's acknowledgement it records the attempts (`delivery`). After it, this is the server's own
/// receipt, the same on every machine that holds the test: proof of delivery.
public struct Receipt: Hashable, Sendable {
    /// The id of the test, or of the change.
    public var test: TestID
    /// The action on a questionnaire, for the receipt of a change; `nil` for a test.
    package var action: ChangeAction?
    /// The server's version after the change.
    package var published: Publication?
    /// The outcome of a change whose base was no longer the server's version.
    package var outcome: ChangeOutcome?
    /// SHA-256 of the bytes that were sent: a test's file, a change's document; of no bytes where there are none.
    public var digest: Digest?
    /// `sent`, `checking` or `rated`, as the server reported.
    public var status: TestStatus?
    /// When the server had stored the test durably, by the server's clock.
    public var receivedAt: Timestamp?
    public var evaluation: Evaluation?
    /// What is given out on questions while the score is not.
    package var review: [Evaluation.QuestionEvaluation]?
    /// When more of the result is given out.
    package var releasesAt: Timestamp?
    /// Whether the time limit was exceeded; `nil` without a limit, and where the host does not know.
    public var late: Bool?
    /// How long the test took, where its time is limited.
    package var timeTaken: TimeTaken?
    /// Why the test was not rated by its key, if it has one, or how it is known to be late; for programs.
    package var reasonCode: ReasonCode?
    /// The person whom the test names, and whether a key of theirs proved it.
    package var person: ProvenPerson?
    /// The number of the person's test of this questionnaire, from 1, in the order of arrival.
    package var attempt: Int?
    /// The rating that the current one replaced: the person may have seen it.
    package var former: FormerRating?
    /// A teacher's request to correct the test, in a new one that names it as its parent.
    package var returned: Return?
    /// When a hub had stored the test durably, by the hub's clock. The hub forwards it; until then it is not delivered.
    public var keptAt: Timestamp?
    package var delivery: Delivery?

    /// The person of a test as the host knows them.
    package struct ProvenPerson: Hashable, Sendable, Codable {
        package var id: String
        /// Whether the test came with a key that belongs to this person.
        package var verified: Bool

        package init(id: String, verified: Bool) {
            self.id = id
            self.verified = verified
        }
    }

    /// The points of a rating that another one replaced.
    package struct FormerRating: Hashable, Sendable, Codable {
        package var score: Double
        package var maximum: Double
        package var ratedAt: Timestamp?

        package init(_ evaluation: Evaluation) {
            score = evaluation.score
            maximum = evaluation.maximum
            ratedAt = evaluation.ratedAt
        }

        package var evaluation: Evaluation { Evaluation(score: score, maximum: maximum, ratedAt: ratedAt) }
    }

    /// Who sent a test back to be corrected, when, and why.
    package struct Return: Hashable, Sendable, Codable {
        package var at: Timestamp
        package var by: String?
        /// The teacher's comment on what to correct, for the person who took the test.
        package var comment: String

        package init(at: Timestamp, by: String?, comment: String) {
            self.at = at
            self.by = by
            self.comment = comment
        }
    }

    /// A host's reason why a test waits for a person, or is late.
    package struct ReasonCode: RawRepresentable, Hashable, Sendable, Codable {
        package var rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The host does not know the version that the test was taken with, and so not its key.
        package static let unknownVersion = ReasonCode(rawValue: "unknown-version")
        /// Answers must be read by a person.
        package static let unreadAnswers = ReasonCode(rawValue: "unread-answers")
        /// It was finished after the questionnaire was closed, by the server's clock.
        package static let late = ReasonCode(rawValue: "late")
        /// It arrived after the questionnaire was closed, and nothing proves when it was finished.
        package static let lateUnproven = ReasonCode(rawValue: "late-unproven")
    }

    /// The valid rating: none while an answer waits for a person, whatever was rated until then.
    public var rating: Evaluation? { status == .rated ? evaluation : nil }

    /// What is known about each question of a rated test, by its id.
    ///
    /// - Parameter tag: the language to show it in.
    package func ratedQuestions(in tag: String?) -> [String: Evaluation.QuestionEvaluation] {
        guard status == .rated else { return [:] }
        return Dictionary((evaluation?.questions ?? review ?? []).map { ($0.questionId, $0.shown(in: tag)) }) {
            first, _ in first
        }
    }

    /// A longer one is rejected. It has room for a comment for each question of the longest questionnaire.
    package static let maximumBytes = 4 << 20

    package init(
        test: TestID, digest: Digest? = nil, status: TestStatus? = nil, receivedAt: Timestamp? = nil,
        evaluation: Evaluation? = nil, keptAt: Timestamp? = nil, delivery: Delivery? = nil,
        action: ChangeAction? = nil, published: Publication? = nil, outcome: ChangeOutcome? = nil
    ) {
        self.test = test
        self.action = action
        self.published = published
        self.outcome = outcome
        self.digest = digest
        self.status = status
        self.receivedAt = receivedAt
        self.evaluation = evaluation
        reasonCode = nil
        self.keptAt = keptAt
        self.delivery = delivery
    }

    /// Attempts without an acknowledgement.
    package struct Delivery: Hashable, Sendable, Codable {
        package var attempts: Int
        package var firstAttempt: Timestamp
        package var lastAttempt: Timestamp
        /// Why the last attempt failed, in one sentence.
        package var reason: String
        /// Whether one of the attempts may have reached the server: then the test's bytes never change.
        package var mayHaveArrived: Bool
        /// The status code of the last reply, if there was one.
        package var httpStatus: Int?
        /// The server's problem document (RFC 9457), if it sent one.
        package var problem: JSONValue?
        /// For an attachment: where its upload resumes.
        package var upload: String?
        /// `true` if the last reply came from another page in place of the server.
        package var notTheServer: Bool?

        package init(
            attempts: Int, firstAttempt: Timestamp, lastAttempt: Timestamp, reason: String, mayHaveArrived: Bool,
            httpStatus: Int? = nil, problem: JSONValue? = nil, upload: String? = nil
        ) {
            self.attempts = attempts
            self.firstAttempt = firstAttempt
            self.lastAttempt = lastAttempt
            self.reason = reason
            self.mayHaveArrived = mayHaveArrived
            self.httpStatus = httpStatus
            self.problem = problem
            self.upload = upload
        }
    }
}

extension Receipt: Codable {
    private enum Key: String, CodingKey {
        case test, change, action, published, outcome, digest, status, receivedAt, evaluation, keptAt, delivery
        case late, timeTaken, reasonCode, person, attempt, review, releasesAt, former, returned
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        action = try container.decodeIfPresent(ChangeAction.self, forKey: .action)
        let isOfTest = action == nil && !container.contains(.change)
        test = try container.decode(TestID.self, forKey: isOfTest ? .test : .change)
        published = try container.decodeIfPresent(Publication.self, forKey: .published)
        outcome = try container.decodeIfPresent(ChangeOutcome.self, forKey: .outcome)
        digest = try container.decodeIfPresent(Digest.self, forKey: .digest)
        status = try container.decodeIfPresent(TestStatus.self, forKey: .status)
        receivedAt = try container.decodeIfPresent(Timestamp.self, forKey: .receivedAt)
        evaluation = try container.decodeIfPresent(Evaluation.self, forKey: .evaluation)
        // A later host may send other values here: that is no reason to reject a proof of delivery.
        review = try? container.decodeIfPresent([Evaluation.QuestionEvaluation].self, forKey: .review)
        releasesAt = try? container.decodeIfPresent(Timestamp.self, forKey: .releasesAt)
        late = try? container.decodeIfPresent(Bool.self, forKey: .late)
        timeTaken = try? container.decodeIfPresent(TimeTaken.self, forKey: .timeTaken)
        reasonCode = try? container.decodeIfPresent(ReasonCode.self, forKey: .reasonCode)
        person = try? container.decodeIfPresent(ProvenPerson.self, forKey: .person)
        attempt = try? container.decodeIfPresent(Int.self, forKey: .attempt)
        if let attempt, !(1...1_000_000_000).contains(attempt) { self.attempt = nil }
        former = try? container.decodeIfPresent(FormerRating.self, forKey: .former)
        returned = try? container.decodeIfPresent(Return.self, forKey: .returned)
        keptAt = try container.decodeIfPresent(Timestamp.self, forKey: .keptAt)
        delivery = try container.decodeIfPresent(Delivery.self, forKey: .delivery)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(test, forKey: action == nil ? .test : .change)
        try container.encodeIfPresent(action, forKey: .action)
        try container.encodeIfPresent(published, forKey: .published)
        try container.encodeIfPresent(outcome, forKey: .outcome)
        try container.encodeIfPresent(digest, forKey: .digest)
        try container.encodeIfPresent(status, forKey: .status)
        try container.encodeIfPresent(receivedAt, forKey: .receivedAt)
        try container.encodeIfPresent(evaluation, forKey: .evaluation)
        try container.encodeIfPresent(review, forKey: .review)
        try container.encodeIfPresent(releasesAt, forKey: .releasesAt)
        try container.encodeIfPresent(late, forKey: .late)
        try container.encodeIfPresent(timeTaken, forKey: .timeTaken)
        try container.encodeIfPresent(reasonCode, forKey: .reasonCode)
        try container.encodeIfPresent(person, forKey: .person)
        try container.encodeIfPresent(attempt, forKey: .attempt)
        try container.encodeIfPresent(former, forKey: .former)
        try container.encodeIfPresent(returned, forKey: .returned)
        try container.encodeIfPresent(keptAt, forKey: .keptAt)
        try container.encodeIfPresent(delivery, forKey: .delivery)
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

    package init(
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

    public struct QuestionEvaluation: Hashable, Sendable {
        public var questionId: String
        /// `nil` for a question without a correct answer.
        public var correct: Bool?
        /// The points for the answer; `nil` while it waits for a person.
        public var points: Double?
        /// The most points for the question.
        public var maximum: Double?
        public var comment: String?
        /// What the key says to the answer that was given.
        package var feedback: String?
        /// The answers that get all points, each in the form that a test has it in; given out as the questionnaire's `release` says.
        package var rightAnswers: [JSONValue]?
        package var explanation: String?
        /// `feedback` and `explanation` in other languages, by their tags.
        package var translations: [String: KeyTexts] = [:]
        /// The person who gave the points, and when; absent for points of the key.
        package var ratedBy: String?
        package var ratedAt: Timestamp?
        /// Why the person changed the points of the key.
        package var reason: String?

        package init(
            questionId: String, correct: Bool?, points: Double? = nil, maximum: Double? = nil, comment: String? = nil
        ) {
            self.questionId = questionId
            self.correct = correct
            self.points = points
            self.maximum = maximum
            self.comment = comment
        }
    }

    /// Whether no question waits for a person.
    public var isComplete: Bool { questions.allSatisfy { $0.points != nil } }

    /// The same with the score and the maximum of its questions. The maximum counts every question, rated or not.
    package func totalled() -> Evaluation {
        var total = self
        total.score = questions.reduce(0) { $0 + ($1.points ?? 0) }
        total.maximum = questions.reduce(0) { $0 + ($1.maximum ?? 0) }
        return total
    }
}
