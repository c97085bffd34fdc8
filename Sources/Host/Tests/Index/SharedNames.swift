import Model

/// A name as a message of the index's file. Names are the same by their bytes: to String é composed and é decomposed are one, and as ids
/// they are two.
protocol PackedName: Sendable {
    var packed: [UInt8] { get }
}

extension TestSummary.Subject: PackedName {
    var packed: [UInt8] { TestIndexRecord.subject(self).packed }
}

extension Person: PackedName {
    var packed: [UInt8] { TestIndexRecord.person(self).packed }
}

extension [String]: PackedName {
    var packed: [UInt8] { TestIndexRecord.questions(self).packed }
}

/// Names that many tests share, each held once and referred to by its number, from 0. What no test has any more is forgotten, and the
/// next new name gets its number.
struct SharedNames<Name: PackedName>: Sendable {
    private var names: [Name?] = []
    private var uses: [Int] = []
    private var numbers: [[UInt8]: Int] = [:]
    private var free: [Int] = []

    /// In the order of their numbers; `nil` for a number that is free.
    var all: [Name?] { names }

    subscript(number: Int) -> Name? { names.indices.contains(number) ? names[number] : nil }

    /// Adds a name of a file, whose tests follow.
    mutating func append(_ name: Name) {
        if numbers[name.packed] == nil { numbers[name.packed] = names.count }
        names.append(name)
        uses.append(0)
    }

    /// The number of a name that one test more has.
    mutating func use(_ name: Name) -> Int {
        let packed = name.packed
        if let number = numbers[packed] {
            uses[number] += 1
            return number
        }
        let number = free.popLast() ?? names.count
        if number == names.count {
            append(name)
        } else {
            (names[number], numbers[packed]) = (name, number)
        }
        uses[number] = 1
        return number
    }

    /// One test more has the name of this number.
    mutating func use(number: Int) { uses[number] += 1 }

    /// One test less has it.
    mutating func release(number: Int) {
        uses[number] -= 1
        if uses[number] == 0 { forget(number) }
    }

    /// Forgets the names of a file that none of its tests has.
    mutating func forgetUnused() {
        for number in names.indices where uses[number] == 0 && names[number] != nil { forget(number) }
    }

    private mutating func forget(_ number: Int) {
        if let packed = names[number]?.packed, numbers[packed] == number { numbers[packed] = nil }
        names[number] = nil
        free.append(number)
    }
}

/// The names of all tests of an index.
struct TestIndexNames: Sendable {
    var subjects = SharedNames<TestSummary.Subject>()
    var people = SharedNames<Person>()
    /// The questions of a version.
    var questions = SharedNames<[String]>()

    /// The numbers of the names of one test.
    struct Numbers {
        var subject: Int
        var person: Int?
        var questions: Int
    }

    mutating func use(_ item: TestIndex.Item) -> Numbers {
        Numbers(
            subject: subjects.use(item.summary.questionnaire), person: item.summary.person.map { people.use($0) },
            questions: questions.use(item.points.questions))
    }

    mutating func use(_ numbers: Numbers) {
        subjects.use(number: numbers.subject)
        if let person = numbers.person { people.use(number: person) }
        questions.use(number: numbers.questions)
    }

    mutating func release(_ numbers: Numbers) {
        subjects.release(number: numbers.subject)
        if let person = numbers.person { people.release(number: person) }
        questions.release(number: numbers.questions)
    }

    mutating func forgetUnused() {
        subjects.forgetUnused()
        people.forgetUnused()
        questions.forgetUnused()
    }
}
