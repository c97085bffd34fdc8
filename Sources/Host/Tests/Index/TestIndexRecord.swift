import Disk
import Model

/// A message of the index of tests.
enum TestIndexRecord {
    /// The next questionnaire that tests refer to by its number; so are a person and the questions of a version.
    case subject(TestSummary.Subject)
    case person(Person)
    case questions([String])
    /// A test; without an item one that is damaged.
    case test(TestID, TestIndex.Stamps, TestIndex.Item?)
}

/// The names that tests of an index file share, numbered from 0 in the order of their messages.
struct TestIndexNames {
    private(set) var subjects: [TestSummary.Subject] = []
    private(set) var people: [Person] = []
    private(set) var questions: [[String]] = []
    private var subjectNumbers: [TestSummary.Subject: Int] = [:]
    private var personNumbers: [Person: Int] = [:]
    /// By the place in memory of a list that the tests of a version share: comparing sixty ids for each test costs more than all else.
    private var questionNumbers: [UnsafeRawPointer?: Int] = [:]

    mutating func add(_ subject: TestSummary.Subject) { subjects.append(subject) }
    mutating func add(_ person: Person) { people.append(person) }
    mutating func add(_ questions: [String]) { self.questions.append(questions) }

    func number(of subject: TestSummary.Subject) -> Int? { subjectNumbers[subject] }
    func number(of person: Person) -> Int? { personNumbers[person] }
    func number(of questions: [String]) -> Int? { questionNumbers[Self.place(of: questions)] }

    private static func place(of questions: [String]) -> UnsafeRawPointer? {
        questions.withUnsafeBytes { $0.baseAddress }
    }

    /// Numbers the names of a test that have no number; their messages are written before that of the test.
    ///
    /// - Parameter item: of an index, which holds its names as long as they are numbered.
    mutating func missing(for item: TestIndex.Item) -> [TestIndexRecord] {
        var missing: [TestIndexRecord] = []
        let (subject, questions) = (item.summary.questionnaire, item.points.questions)
        if subjectNumbers[subject] == nil {
            subjectNumbers[subject] = subjectNumbers.count
            missing.append(.subject(subject))
        }
        if let person = item.summary.person, personNumbers[person] == nil {
            personNumbers[person] = personNumbers.count
            missing.append(.person(person))
        }
        let place = Self.place(of: questions)
        if questionNumbers[place] == nil {
            questionNumbers[place] = questionNumbers.count
            missing.append(.questions(questions))
        }
        return missing
    }
}

// Fields of a message: 1 a subject, 2 a person, 3 questions, 4 the id of a test, 5 and 6 the stamps of its files, 7 its item.

extension TestIndexRecord {
    func packed(_ names: TestIndexNames) -> [UInt8] {
        var writer = FieldWriter()
        switch self {
        case .subject(let subject):
            writer.add(1, FieldWriter.texts([subject.id, subject.title]))
        case .person(let person):
            writer.add(2, FieldWriter.texts([person.id, person.name] + [person.group].compactMap(\.self)))
        case .questions(let questions): writer.add(3, FieldWriter.texts(questions))
        case .test(let id, let stamps, let item):
            writer.add(4, id.bytes)
            if let stamp = stamps.test { writer.add(5, stamp.packed) }
            if let stamp = stamps.receipt { writer.add(6, stamp.packed) }
            if let item { writer.add(7, item.packed(names)) }
        }
        return writer.bytes
    }

    /// - Throws: `FieldReader.Fault` where it is none of ours.
    init(packed message: UnsafeRawBufferPointer, _ names: TestIndexNames) throws(FieldReader.Fault) {
        var id: TestID?
        var stamps = TestIndex.Stamps(test: nil, receipt: nil)
        var item: TestIndex.Item?
        var reader = FieldReader(message)
        while let (number, value) = try reader.next() {
            switch number {
            case 1:
                let texts = try value.bytes().texts()
                guard texts.count == 2 else { throw FieldReader.Fault() }
                self = .subject(TestSummary.Subject(id: texts[0], title: texts[1]))
                return
            case 2:
                let texts = try value.bytes().texts()
                guard (2...3).contains(texts.count) else { throw FieldReader.Fault() }
                self = .person(Person(id: texts[0], name: texts[1], group: texts.count > 2 ? texts[2] : nil))
                return
            case 3:
                self = .questions(try value.bytes().texts())
                return
            case 4: id = TestID(bytes: try value.bytes())
            case 5: stamps.test = try FileStamp(packed: value.bytes())
            case 6: stamps.receipt = try FileStamp(packed: value.bytes())
            case 7:
                guard let id else { throw FieldReader.Fault() }
                item = try TestIndex.Item(packed: value.bytes(), id, names)
            default: break
            }
        }
        guard let id else { throw FieldReader.Fault() }
        self = .test(id, stamps, item)
    }
}

extension FileStamp {
    fileprivate var packed: [UInt8] {
        var bytes: [UInt8] = []
        for number in [inode, UInt64(bitPattern: sizeBytes), UInt64(bitPattern: modifiedNanoseconds)] {
            FieldWriter.append(number, to: &bytes)
        }
        return bytes
    }

    fileprivate init(packed bytes: UnsafeRawBufferPointer) throws(FieldReader.Fault) {
        var numbers = FieldReader.Numbers(bytes)
        self.init(
            inode: try numbers.next(), sizeBytes: Int64(bitPattern: try numbers.next()),
            modifiedNanoseconds: Int64(bitPattern: try numbers.next()))
    }
}

extension FieldWriter {
    fileprivate static func texts(_ texts: [String]) -> [UInt8] {
        var writer = FieldWriter()
        for text in texts { writer.add(1, text.utf8) }
        return writer.bytes
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func texts() throws(FieldReader.Fault) -> [String] {
        var texts: [String] = []
        var reader = FieldReader(self)
        while let (number, value) = try reader.next() { if number == 1 { texts.append(try value.text()) } }
        return texts
    }
}
