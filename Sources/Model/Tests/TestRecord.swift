/// A test: one person's attempt at one questionnaire, as its file holds it.
///
/// Its status is not inside: the folder of the file is the status. Unknown fields (from a newer program or a person)
/// survive a save.
public struct TestRecord: Hashable, Sendable {
    public var id: TestID
    public var questionnaire: QuestionnaireReference
    public var dateStarted: Timestamp
    public var dateFinished: Timestamp?
    public var answers: [Answer]
    /// The files that belong to answers; their bytes are stored separately.
    public var attachments: [Attachment]
    /// The person's position, restored when the test is opened again.
    package var resume: ResumePosition?
    /// The device on which the test was started.
    public var deviceId: String
    /// Counts the tests of a device: an order that does not depend on its clock.
    public var sequence: Int
    /// The test that this one is a revision of.
    public var parent: TestID?
    package var timing: TestTiming?
    /// Who takes it; `nil` where that was not said.
    package var person: Person?
    /// The ids of the questions in the order shown, where the document alone does not say it.
    package var shown: [String]?
    /// The test whose UUID gives the order, where it is not its own: a test that continues another keeps that one's questions.
    package var orderOf: TestID?
    /// The language that the person reads the questionnaire in, where it has several.
    package var language: String?
    /// The questions of a draft that the person wants to come back to, by their ids. A finished test has none.
    package var flagged: [String] = []
    package var orderID: TestID { orderOf ?? id }
    /// The numbers of the instances of repeated sections in the order shown, by the section's id.
    package var instances: [String: [Int]] = [:]
    package var otherFields: [String: JSONValue]

    public init(
        id: TestID, questionnaire: QuestionnaireReference, dateStarted: Timestamp, dateFinished: Timestamp? = nil,
        answers: [Answer] = [], attachments: [Attachment] = [], resume: ResumePosition? = nil, deviceId: String,
        sequence: Int, parent: TestID? = nil
    ) {
        self.id = id
        self.questionnaire = questionnaire
        self.dateStarted = dateStarted
        self.dateFinished = dateFinished
        self.answers = answers
        self.attachments = attachments
        self.resume = resume
        self.deviceId = deviceId
        self.sequence = sequence
        self.parent = parent
        otherFields = [:]
    }

    public func answer(to questionId: String) -> Answer? { answers.first { $0.questionId == questionId } }

    /// Whether a question has an answer: chosen, written, or attached as a file.
    public func isAnswered(_ questionId: String) -> Bool {
        Self.isAnswered(questionId, by: answers, attachments)
    }

    fileprivate static func isAnswered(
        _ questionId: String, by answers: [Answer], _ attachments: [Attachment]
    ) -> Bool {
        answers.contains { $0.questionId == questionId && !$0.isBlank }
            || attachments.contains { $0.questionId == questionId }
    }

    /// The files that belong to the answer of a question.
    public func attachments(to questionId: String) -> [Attachment] {
        attachments.filter { $0.questionId == questionId }
    }

    /// The first question that has two answers, as a file may have that another program wrote.
    package var questionAnsweredTwice: String? {
        var known: Set<String> = []
        return answers.first { answer in
            !known.insert(answer.questionId).inserted
        }?.questionId
    }

    /// Flags a question to come back to, or takes the flag away.
    package mutating func toggleFlag(_ questionId: String) {
        if flagged.contains(questionId) { flagged.removeAll { $0 == questionId } } else { flagged.append(questionId) }
    }

    /// Replaces the answer to a question; a blank answer removes it.
    package mutating func record(_ answer: Answer) {
        answers.removeAll { $0.questionId == answer.questionId }
        if !answer.isBlank { answers.append(answer) }
    }

    /// Applies the changes between two versions of this test: the answers that differ, and the position. Changes that
    /// another program made here meanwhile are kept.
    package mutating func takeOver(changesFrom former: TestRecord, to current: TestRecord) {
        for answer in current.answers where former.answer(to: answer.questionId) != answer { record(answer) }
        for answer in former.answers where current.answer(to: answer.questionId) == nil {
            answers.removeAll { $0.questionId == answer.questionId }
        }
        // Files that went with an instance, or that belong to another one.
        for file in former.attachments {
            let now = current.attachments.first { $0.id == file.id }
            guard let place = attachments.firstIndex(where: { $0.id == file.id }), now != file else { continue }
            if let now { attachments[place] = now } else { attachments.remove(at: place) }
        }
        for (section, numbers) in current.instances where former.instances[section] != numbers {
            instances[section] = numbers
        }
        resume = current.resume
        language = current.language
        flagged = current.flagged
    }
}

extension Questionnaire {
    /// The questions without an answer: nothing chosen, nothing written, no file attached. Hidden ones are left out.
    public func unanswered(in record: TestRecord) -> [Question] {
        unanswered(by: record.answers, record.attachments)
    }

    /// The same for answers that are not in a test yet.
    package func unanswered(by answers: [Answer], _ attachments: [Attachment] = []) -> [Question] {
        let hidden = hiddenQuestions(by: answers, attachments)
        return questions.filter {
            $0.kind.takesAnswer && !hidden.contains($0.id) && !TestRecord.isAnswered($0.id, by: answers, attachments)
        }
    }
}

extension TestRecord: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case id, questionnaire, dateStarted, dateFinished, answers, attachments, resume, deviceId, sequence, parent
        case timing, person, shown, orderOf, instances, language, flagged
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(TestID.self, forKey: .id)
        questionnaire = try container.decode(QuestionnaireReference.self, forKey: .questionnaire)
        dateStarted = try container.decode(Timestamp.self, forKey: .dateStarted)
        dateFinished = try container.decodeIfPresent(Timestamp.self, forKey: .dateFinished)
        answers = try container.decode([Answer].self, forKey: .answers)
        attachments = try container.decodeIfPresent([Attachment].self, forKey: .attachments) ?? []
        resume = try container.decodeIfPresent(ResumePosition.self, forKey: .resume)
        deviceId = try container.decodeIfPresent(String.self, forKey: .deviceId) ?? ""
        sequence = try container.decodeIfPresent(Int.self, forKey: .sequence) ?? 0
        parent = try container.decodeIfPresent(TestID.self, forKey: .parent)
        // Timing or a person in another form is another program's own member: no reason to reject an answer.
        let timing = try? container.decodeIfPresent(TestTiming.self, forKey: .timing)
        let person = try? container.decodeIfPresent(Person.self, forKey: .person)
        self.timing = timing
        let shown = try? container.decodeIfPresent([String].self, forKey: .shown)
        self.person = person
        self.shown = shown
        let orderOf = try? container.decodeIfPresent(TestID.self, forKey: .orderOf)
        self.orderOf = orderOf
        let instances = try? container.decodeIfPresent([String: [Int]].self, forKey: .instances)
        self.instances = instances ?? [:]
        language = try? container.decodeIfPresent(String.self, forKey: .language)
        let flagged = try? container.decodeIfPresent([String].self, forKey: .flagged)
        self.flagged = flagged ?? []
        var known = Set(Key.allCases)
        if flagged == nil { known.remove(.flagged) }
        if language == nil { known.remove(.language) }
        if instances == nil { known.remove(.instances) }
        if timing == nil { known.remove(.timing) }
        if person == nil { known.remove(.person) }
        if shown == nil { known.remove(.shown) }
        if orderOf == nil { known.remove(.orderOf) }
        otherFields = try UnknownMembers.decode(from: decoder, known: Array(known))
    }

    public func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherFields, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(questionnaire, forKey: .questionnaire)
        try container.encode(dateStarted, forKey: .dateStarted)
        try container.encodeIfPresent(dateFinished, forKey: .dateFinished)
        try container.encode(answers, forKey: .answers)
        if !attachments.isEmpty { try container.encode(attachments, forKey: .attachments) }
        try container.encodeIfPresent(resume, forKey: .resume)
        try container.encode(deviceId, forKey: .deviceId)
        try container.encode(sequence, forKey: .sequence)
        try container.encodeIfPresent(parent, forKey: .parent)
        try container.encodeIfPresent(timing, forKey: .timing)
        try container.encodeIfPresent(person, forKey: .person)
        try container.encodeIfPresent(shown, forKey: .shown)
        try container.encodeIfPresent(orderOf, forKey: .orderOf)
        if !instances.isEmpty { try container.encode(instances, forKey: .instances) }
        try container.encodeIfPresent(language, forKey: .language)
        if !flagged.isEmpty { try container.encode(flagged, forKey: .flagged) }
    }
}
