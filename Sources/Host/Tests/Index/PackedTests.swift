import Disk
import Model

/// The tests of an index, each packed as in the index's file: a host of 100 000 tests needs about 30 MB for them, and ten times as much
/// where they are not packed.
struct PackedTests: Sendable {
    private var messages: [TestID: [UInt8]] = [:]
    private(set) var names = TestIndexNames()

    var count: Int { messages.count }
    var ids: some Collection<TestID> { messages.keys }

    func contains(_ id: TestID) -> Bool { messages[id] != nil }

    /// `nil` for a test that is unknown or damaged.
    func item(_ id: TestID) -> TestIndex.Item? {
        messages[id]?.withUnsafeBytes { try? TestIndexRecord.test(in: $0, names).item }
    }

    /// `nil` for a test that is unknown.
    func stamps(_ id: TestID) -> TestIndex.Stamps? {
        messages[id]?.withUnsafeBytes { try? TestIndexRecord.stamps(in: $0) }
    }

    /// - Parameters:
    ///   - item: `nil` where there is no such test, or a damaged one.
    ///   - stamps: `nil` where there is no such file.
    /// - Returns: the former item, and whether anything is different now.
    mutating func put(
        _ item: TestIndex.Item?, _ stamps: TestIndex.Stamps?, of id: TestID
    ) -> (former: TestIndex.Item?, isChanged: Bool) {
        let (former, known) = (self.item(id), messages[id])
        if let numbers = messages[id]?.withUnsafeBytes({ try? TestIndexRecord.numbers(in: $0) }) {
            names.release(numbers)
        }
        guard item != nil || stamps != nil else {
            messages[id] = nil
            return (former, known != nil)
        }
        let message = TestIndexRecord.packed(
            id, stamps ?? TestIndex.Stamps(test: nil, receipt: nil), item.map { ($0, names.use($0)) })
        messages[id] = message
        return (former, known != message)
    }

    // MARK: The file

    /// Adds a message of the index's file.
    ///
    /// - Returns: the test in it; `nil` where it is damaged, and where the message is that of a name.
    /// - Throws: `FieldReader.Fault` where it is none of ours, or has a test that is there.
    mutating func add(_ message: UnsafeRawBufferPointer) throws(FieldReader.Fault) -> TestIndex.Item? {
        switch try TestIndexRecord(packed: message) {
        case .subject(let subject): names.subjects.append(subject)
        case .person(let person): names.people.append(person)
        case .questions(let questions): names.questions.append(questions)
        case .test:
            let (id, item) = try TestIndexRecord.test(in: message, names)
            guard messages.updateValue(Array(message), forKey: id) == nil else { throw FieldReader.Fault() }
            if let numbers = try TestIndexRecord.numbers(in: message) { names.use(numbers) }
            return item
        }
        return nil
    }

    /// Called when all messages of a file are there.
    mutating func forgetUnusedNames() { names.forgetUnused() }

    /// All messages for a file: names stand before the tests that have them. A number that is free has an empty name.
    func eachMessage(_ body: ([UInt8]) throws -> Void) rethrows {
        for subject in names.subjects.all {
            try body(TestIndexRecord.subject(subject ?? TestSummary.Subject(id: "", title: "")).packed)
        }
        for person in names.people.all { try body(TestIndexRecord.person(person ?? Person(id: "", name: "")).packed) }
        for questions in names.questions.all { try body(TestIndexRecord.questions(questions ?? []).packed) }
        for message in messages.values { try body(message) }
    }
}
