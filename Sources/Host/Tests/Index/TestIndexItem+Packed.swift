import Disk
import Model

// Fields of an item: 1 subject, 2 person, 3 questions (numbers), 4 status, 5 time of arrival, 6 digest, 7 score, 8 maximum,
// 9 parent, 10 attempt, 11 verified, 12 late, 13 to 15 the time that it took, 16 files, 17 version, 18 returned, 19 points.

extension TestIndex.Item {
    func packed(_ numbers: TestIndexNames.Numbers) -> [UInt8] {
        var writer = FieldWriter()
        func add(_ field: UInt64, _ number: Int?) { if let number { writer.add(field, UInt64(number)) } }
        func add(_ field: UInt64, _ number: Double?) {
            if let number { writer.add(field, number.bitPattern.byteSwapped) }
        }
        add(1, numbers.subject)
        add(2, numbers.person)
        add(3, numbers.questions)
        writer.add(4, summary.status.rawValue.utf8)
        if let time = summary.receivedAt { writer.add(5, UInt64(bitPattern: time.millisecondsSinceEpoch)) }
        if let digest = summary.digest { writer.add(6, digest.bytes) }
        add(7, summary.score)
        add(8, summary.maximum)
        if let parent = summary.parent { writer.add(9, parent.bytes) }
        if let attempt = summary.attempt { writer.add(10, UInt64(bitPattern: Int64(attempt))) }
        if let verified = summary.verified { writer.add(11, verified ? 1 : 0) }
        if summary.late { writer.add(12, 1) }
        if let taken = summary.timeTaken {
            writer.add(13, UInt64(bitPattern: Int64(taken.limitSeconds)))
            add(14, taken.tookSeconds)
            writer.add(15, taken.measuredBy.rawValue.utf8)
        }
        for attachment in attachments { writer.add(16, attachment.packed) }
        writer.add(17, version.bytes)
        if isReturned { writer.add(18, 1) }
        // Four bytes each, the lowest first.
        writer.add(
            19,
            points.points.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> ($0 * 8)) } }
        )
        return writer.bytes
    }

    /// The numbers of its names.
    static func numbers(packed message: UnsafeRawBufferPointer) throws(FieldReader.Fault) -> TestIndexNames.Numbers {
        var (subject, person, questions): (Int?, Int?, Int?)
        var reader = FieldReader(message)
        while let (number, value) = try reader.next() {
            switch number {
            case 1: subject = try value.place()
            case 2: person = try value.place()
            case 3: questions = try value.place()
            default: break
            }
        }
        guard let subject, let questions else { throw FieldReader.Fault() }
        return TestIndexNames.Numbers(subject: subject, person: person, questions: questions)
    }

    init(
        packed message: UnsafeRawBufferPointer, _ id: TestID, _ names: TestIndexNames
    ) throws(FieldReader.Fault) {
        var subject: TestSummary.Subject?
        var version: Digest?
        var status: TestStatus?
        var (limit, took, measure): (Int?, Double?, TimeTaken.Measure?)
        var summary = TestSummary(
            id: id, questionnaire: TestSummary.Subject(id: "", title: ""), status: .sent, late: false)
        var attachments: [Attachment] = []
        var isReturned = false
        var questions: [String]?
        var points: [Float] = []
        var reader = FieldReader(message)
        while let (number, value) = try reader.next() {
            switch number {
            case 1: subject = try names.subjects.numbered(value)
            case 2: summary.person = try names.people.numbered(value)
            case 3: questions = try names.questions.numbered(value)
            case 4: status = TestStatus(rawValue: try value.text())
            case 5: summary.receivedAt = Timestamp(millisecondsSinceEpoch: Int64(bitPattern: try value.number()))
            case 6: summary.digest = Digest(bytes: try value.bytes())
            case 7: summary.score = try value.fraction()
            case 8: summary.maximum = try value.fraction()
            case 9: summary.parent = TestID(bytes: try value.bytes())
            case 10: summary.attempt = Int(Int64(bitPattern: try value.number()))
            case 11: summary.verified = try value.number() != 0
            case 12: summary.late = try value.number() != 0
            case 13: limit = Int(Int64(bitPattern: try value.number()))
            case 14: took = try value.fraction()
            case 15: measure = TimeTaken.Measure(rawValue: try value.text())
            case 16: attachments.append(try Attachment(packed: value.bytes()))
            case 17: version = Digest(bytes: try value.bytes())
            case 18: isReturned = try value.number() != 0
            case 19:
                let bytes = try value.bytes()
                points = stride(from: 0, to: bytes.count & ~3, by: 4).map {
                    Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)))
                }
            default: break
            }
        }
        guard let subject, let version, let status, let questions, questions.count == points.count else {
            throw FieldReader.Fault()
        }
        summary.questionnaire = subject
        summary.status = status
        if let limit, let took, let measure {
            summary.timeTaken = TimeTaken(limitSeconds: limit, tookSeconds: took, measuredBy: measure)
        }
        self.init(
            summary: summary, attachments: attachments, version: version, isReturned: isReturned,
            points: QuestionPoints(questions: questions, points: points))
    }
}

extension Attachment {
    fileprivate var packed: [UInt8] {
        var writer = FieldWriter()
        writer.add(1, id.bytes)
        writer.add(2, questionId.utf8)
        writer.add(3, name.utf8)
        writer.add(4, mediaType.utf8)
        writer.add(5, UInt64(bitPattern: sizeBytes))
        writer.add(6, digest.bytes)
        return writer.bytes
    }

    fileprivate init(packed message: UnsafeRawBufferPointer) throws(FieldReader.Fault) {
        var (id, digest): (TestID?, Digest?)
        var (questionId, name, mediaType) = ("", "", "")
        var sizeBytes: Int64 = 0
        var reader = FieldReader(message)
        while let (number, value) = try reader.next() {
            switch number {
            case 1: id = TestID(bytes: try value.bytes())
            case 2: questionId = try value.text()
            case 3: name = try value.text()
            case 4: mediaType = try value.text()
            case 5: sizeBytes = Int64(bitPattern: try value.number())
            case 6: digest = Digest(bytes: try value.bytes())
            default: break
            }
        }
        guard let id, let digest else { throw FieldReader.Fault() }
        self.init(
            id: id, questionId: questionId, name: name, mediaType: mediaType, sizeBytes: sizeBytes, digest: digest)
    }
}

extension FieldReader.Value {
    fileprivate func place() throws(FieldReader.Fault) -> Int {
        guard let place = Int(exactly: try number()) else { throw FieldReader.Fault() }
        return place
    }

    fileprivate func fraction() throws(FieldReader.Fault) -> Double {
        Double(bitPattern: try number().byteSwapped)
    }
}

extension SharedNames {
    /// The name whose number a message gives.
    fileprivate func numbered(_ value: FieldReader.Value) throws(FieldReader.Fault) -> Name {
        guard let name = self[try value.place()] else { throw FieldReader.Fault() }
        return name
    }
}
