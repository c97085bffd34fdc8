import Disk
import Model

/// A message of the index of tests.
enum TestIndexRecord {
    /// The next questionnaire that tests refer to by its number; so are a person and the questions of a version.
    case subject(TestSummary.Subject)
    case person(Person)
    case questions([String])
    case test
}

// Fields of a message: 1 a subject, 2 a person, 3 questions, 4 the id of a test, 5 and 6 the stamps of its files, 7 its item.

extension TestIndexRecord {
    /// The message of a name.
    var packed: [UInt8] {
        var writer = FieldWriter()
        switch self {
        case .subject(let subject): writer.add(1, FieldWriter.texts([subject.id, subject.title]))
        case .person(let person):
            writer.add(2, FieldWriter.texts([person.id, person.name] + [person.group].compactMap(\.self)))
        case .questions(let questions): writer.add(3, FieldWriter.texts(questions))
        case .test: break
        }
        return writer.bytes
    }

    /// The message of a test; without an item that of a damaged one.
    static func packed(
        _ id: TestID, _ stamps: TestIndex.Stamps, _ item: (item: TestIndex.Item, numbers: TestIndexNames.Numbers)?
    ) -> [UInt8] {
        var writer = FieldWriter()
        writer.add(4, id.bytes)
        if let stamp = stamps.test { writer.add(5, stamp.packed) }
        if let stamp = stamps.receipt { writer.add(6, stamp.packed) }
        if let (item, numbers) = item { writer.add(7, item.packed(numbers)) }
        // No longer than its content: it is kept.
        return [UInt8](unsafeUninitializedCapacity: writer.bytes.count) { buffer, count in
            (_, count) = buffer.initialize(from: writer.bytes)
        }
    }

    /// - Throws: `FieldReader.Fault` where it is none of ours.
    init(packed message: UnsafeRawBufferPointer) throws(FieldReader.Fault) {
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
            case 4:
                self = .test
                return
            default: break
            }
        }
        throw FieldReader.Fault()
    }

    /// The id and the item of a test's message.
    ///
    /// - Throws: `FieldReader.Fault` where it is none of ours.
    static func test(
        in message: UnsafeRawBufferPointer, _ names: TestIndexNames
    ) throws(FieldReader.Fault) -> (id: TestID, item: TestIndex.Item?) {
        var id: TestID?
        var item: TestIndex.Item?
        var reader = FieldReader(message)
        while let (number, value) = try reader.next() {
            switch number {
            case 4: id = TestID(bytes: try value.bytes())
            case 5, 6: _ = try FileStamp(packed: value.bytes())
            case 7:
                guard let id else { throw FieldReader.Fault() }
                item = try TestIndex.Item(packed: value.bytes(), id, names)
            default: break
            }
        }
        guard let id else { throw FieldReader.Fault() }
        return (id, item)
    }

    /// The stamps in a test's message.
    static func stamps(in message: UnsafeRawBufferPointer) throws(FieldReader.Fault) -> TestIndex.Stamps {
        var stamps = TestIndex.Stamps(test: nil, receipt: nil)
        var reader = FieldReader(message)
        while let (number, value) = try reader.next() {
            switch number {
            case 5: stamps.test = try FileStamp(packed: value.bytes())
            case 6: stamps.receipt = try FileStamp(packed: value.bytes())
            default: break
            }
        }
        return stamps
    }

    /// The numbers of the names in a test's message; `nil` where it has no item.
    static func numbers(in message: UnsafeRawBufferPointer) throws(FieldReader.Fault) -> TestIndexNames.Numbers? {
        var reader = FieldReader(message)
        while let (number, value) = try reader.next() {
            if number == 7 { return try TestIndex.Item.numbers(packed: value.bytes()) }
        }
        return nil
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
