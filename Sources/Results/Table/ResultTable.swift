import Model

/// The results of one questionnaire: a row for each test, a column for each question.
///
/// The points are those of the receipts, which were given by the key of the version that was taken. A question that only
/// some versions have is a column, too; in the rows of other versions it was not asked.
package struct ResultTable: Sendable {
    package struct Column: Hashable, Sendable {
        /// As its newest version has it.
        package var question: Question
        /// Whether the questionnaire's current version has it.
        package var isCurrent: Bool
        /// Whether its texts are formatted.
        package var textFormat: TextFormat

        /// Of a repeated section, with the number of the instance.
        package var id: String { question.id }
        /// The same as people and scripts read it: `name[2]`.
        package var writtenID: String { QuestionInstance.written(question.id) }
    }

    /// One person's answer to one question, and what it is worth.
    package struct Cell: Hashable, Sendable {
        /// Whether the person was asked: the version has it, and no condition hid it.
        package var isAsked = false
        /// One, or one for each repetition of the question's section.
        package var answers: [Answer] = []
        /// The answers as people read them.
        package var texts: [String] = []
        /// `nil` while it waits for a person, and where the test has no points.
        package var points: Double?
        package var maximum: Double?
        package var correct: Bool?
        package var comment: String?
        package var files: [Attachment] = []

        package var isAnswered: Bool { !files.isEmpty || answers.contains { !$0.isBlank } }
        /// Whether a person has to give it points.
        package var waits: Bool { maximum != nil && points == nil }

        /// The answer on one line; files by their names.
        package var line: String { (texts + files.map(\.name)).joined(separator: "; ") }
    }

    package struct Row: Hashable, Sendable {
        package var test: TestID
        package var person: Person?
        /// Whether a key of the person came with the test.
        package var isProven: Bool
        /// Counts the person's tests of this questionnaire by the time of their arrival, from 1.
        package var attempt: Int
        package var status: TestStatus
        package var receivedAt: Timestamp?
        package var score: Double?
        package var maximum: Double?
        package var late: Bool
        package var parent: TestID?
        package var comment: String?
        package var ratedBy: String?
        /// Whether a rated test is passed; `nil` where its version does not say from when.
        package var isPassed: Bool?
        /// In the order of the columns.
        package var cells: [Cell]

        /// The part of the points that were reached, from 0 to 1; `nil` without points.
        package var fraction: Double? {
            guard let score, let maximum, maximum > 0 else { return nil }
            return score / maximum
        }

        /// The same as a whole number from 0 to 100, of a rated test.
        package var percent: Int? { status == .rated ? fraction.map { Int(bounded: $0 * 100) } : nil }
    }

    package var id: String
    package var title: String
    package var columns: [Column]
    /// Of the current version, or the newest that there is.
    package var sections: [SectionColumns]
    /// By person's name, then attempt.
    package var rows: [Row]

    /// - Parameters:
    ///   - current: the version that is published now; `nil` where there is none any more.
    ///   - tests: in any order; of one questionnaire.
    ///   - versions: those of other tests, the newest first: their questions are columns, too.
    ///   - attempts: the number of each test, where these are not all of them.
    ///   - mapping: makes the rows of many tests.
    package init(
        id: String, current: Questionnaire?, tests: [HandedInTest], versions: [Questionnaire] = [],
        attempts: [TestID: Int]? = nil,
        mapping: ([HandedInTest], @Sendable (HandedInTest) -> Row) throws -> [Row]
    ) rethrows {
        self.id = id
        let asked = Self.asked(in: tests)
        let tests = tests.sorted { Self.order($0) < Self.order($1) }.map(\.withInstances)
        let newest = current ?? versions.first ?? tests.last?.version
        let current = current.map { Self.repeated($0, by: tests) }
        title = current?.title ?? tests.last?.record.questionnaire.title ?? id
        columns = Self.columns(current, versions.map { Self.repeated($0, by: tests) }, tests, Set(asked.keys))
        let columns = columns
        sections = SectionColumns.all(of: newest, in: columns)
        let counted =
            attempts
            ?? AttemptNumbers.numbers(
                of: tests.map {
                    AttemptNumbers.Item(
                        test: $0.record.id, person: $0.record.person?.id, questionnaire: id,
                        receivedAt: $0.receipt.receivedAt)
                })
        // Where the host counts attempts, the receipt says which one it is.
        rows = try mapping(tests) { Self.row($0, $0.receipt.attempt ?? counted[$0.record.id] ?? 1, columns, asked) }
        rows.sort { Self.name($0) < Self.name($1) }
    }

    /// The same, its rows made one after the other.
    package init(
        id: String, current: Questionnaire?, tests: [HandedInTest], versions: [Questionnaire] = [],
        attempts: [TestID: Int]? = nil
    ) {
        self.init(id: id, current: current, tests: tests, versions: versions, attempts: attempts) { $0.map($1) }
    }

    /// Whether any test has points.
    package var hasPoints: Bool { rows.contains { ($0.maximum ?? 0) > 0 } }

    /// The people of a class list who have handed in nothing, in the order of the list: of the groups from which someone has, or
    /// of all groups where no one has.
    package func missing(of people: [Person]) -> [Person] {
        let present = Set(rows.compactMap { $0.person?.id })
        let groups = Set(people.filter { present.contains($0.id) }.map(\.group))
        return people.filter { !present.contains($0.id) && (groups.isEmpty || groups.contains($0.group)) }
    }

    package func place(of question: String) -> Int? {
        columns.firstIndex { $0.id == question || $0.writtenID == question }
    }

    /// The same with the attempts that count.
    package func choosing(_ attempts: AttemptChoice) -> ResultTable {
        var table = self
        table.rows = attempts.rows(of: rows)
        return table
    }

    /// The same with the persons of one class alone.
    ///
    /// - Parameter group: `nil` for those without one.
    package func ofGroup(_ group: String?) -> ResultTable {
        var table = self
        table.rows = rows.filter { $0.person?.group == group }
        return table
    }

    // MARK: Orders

    private static func order(_ test: HandedInTest) -> (Int64, TestID) {
        (test.receipt.receivedAt?.millisecondsSinceEpoch ?? .max, test.record.id)
    }

    private static func name(_ row: Row) -> (String, String, Int, TestID) {
        // Tests without a person are behind the others.
        let name = row.person.map { "0" + TextFolding.fold($0.name) } ?? "1"
        return (name, row.person?.id ?? "", row.attempt, row.test)
    }

    // MARK: Columns and cells

    /// The current version with as many instances of its sections as any test has.
    private static func repeated(_ current: Questionnaire, by tests: [HandedInTest]) -> Questionnaire {
        guard current.hasRepeatedSections, var record = tests.first?.record else { return current.repeated(for: nil) }
        (record.answers, record.attachments) = ([], [])
        for section in current.repeatedSections {
            let numbers = tests.flatMap { section.instances(in: $0.record) }
            record.instances[section.id] = Set(numbers).sorted()
        }
        return current.repeated(for: record)
    }

    private static func columns(
        _ current: Questionnaire?, _ versions: [Questionnaire], _ tests: [HandedInTest], _ shared: Set<Digest>
    ) -> [Column] {
        var columns: [Column] = []
        var known: Set<String> = []
        func add(_ questionnaire: Questionnaire, isCurrent: Bool) {
            for question in questionnaire.questions where question.kind.takesAnswer {
                guard known.insert(question.id).inserted else { continue }
                columns.append(
                    Column(
                        question: question.named(by: questionnaire.section(of: question.id)?.instance, questionnaire),
                        isCurrent: isCurrent, textFormat: questionnaire.textFormat))
            }
        }
        if let current { add(current, isCurrent: true) }
        for version in versions { add(version, isCurrent: false) }
        var seen: Set<Digest> = []
        for test in tests.reversed() {
            if let version = test.version {
                let digest = test.record.questionnaire.digest
                if shared.contains(digest), !seen.insert(digest).inserted { continue }
                add(version, isCurrent: false)
                continue
            }
            // Of an unknown version, the answers are all that is known.
            let ids = test.record.answers.map(\.questionId) + test.record.attachments.map(\.questionId)
            for id in ids where known.insert(id).inserted {
                columns.append(
                    Column(
                        question: Question(id: id, text: QuestionInstance.written(id), kind: .text), isCurrent: false,
                        textFormat: .plain))
            }
        }
        return columns
    }

    /// The questions of each version that asks them all of everyone, once each, by their ids.
    private static func asked(in tests: [HandedInTest]) -> [Digest: [String: Question]] {
        var asked: [Digest: [String: Question]] = [:]
        var seen: Set<Digest> = []
        for test in tests where seen.insert(test.record.questionnaire.digest).inserted {
            guard let version = test.version, !version.shuffle.options, !version.hasRepeatedSections,
                version.sections.allSatisfy({ $0.pick == nil })
            else { continue }
            asked[test.record.questionnaire.digest] = byID(version)
        }
        return asked
    }

    private static func byID(_ version: Questionnaire) -> [String: Question] {
        Dictionary(version.questions.map { ($0.id, $0) }) { first, _ in first }
    }

    /// - Parameter asked: the questions of versions that are the same for all.
    private static func row(
        _ test: HandedInTest, _ attempt: Int, _ columns: [Column], _ asked: [Digest: [String: Question]]
    ) -> Row {
        let (record, receipt) = (test.record, test.receipt)
        return Row(
            test: record.id, person: record.person?.reference, isProven: receipt.person?.verified == true,
            attempt: attempt, status: receipt.status ?? .sent, receivedAt: receipt.receivedAt,
            score: receipt.evaluation?.score, maximum: receipt.evaluation?.maximum, late: receipt.late ?? false,
            parent: record.parent, comment: receipt.evaluation?.comment, ratedBy: receipt.evaluation?.ratedBy,
            isPassed: receipt.status == .rated ? receipt.evaluation?.isPassed(test.version) : nil,
            cells: cells(test, columns, asked[record.questionnaire.digest]))
    }

    /// - Parameter known: the questions of its version, where they are the same for all.
    private static func cells(_ test: HandedInTest, _ columns: [Column], _ known: [String: Question]?) -> [Cell] {
        let answers = Dictionary(grouping: test.record.answers, by: \.questionId)
        let files = Dictionary(grouping: test.record.attachments, by: \.questionId)
        let verdicts = Dictionary(
            (test.receipt.evaluation?.questions ?? []).map { ($0.questionId, $0) },
            uniquingKeysWith: { first, _ in first })
        // What a pool did not draw for this test was not asked.
        let version = known == nil ? test.version?.arranged(for: test.record.orderID) : test.version
        let hidden = version?.hiddenQuestions(by: test.record.answers, test.record.attachments) ?? []
        let asked = known ?? version.map(byID)
        return columns.map { column in
            var cell = Cell()
            cell.answers = answers[column.id] ?? []
            cell.files = files[column.id] ?? []
            let question = asked.map { $0[column.id] } ?? column.question
            cell.isAsked = question != nil && !hidden.contains(column.id)
            if test.version == nil { cell.isAsked = cell.isAnswered || verdicts[column.id] != nil }
            cell.texts = cell.answers.filter { !$0.isBlank }.map { (question ?? column.question).line($0) }
            let place = QuestionInstance(column.id)
            // Of a test without instances, the first.
            if let verdict = verdicts[column.id] ?? (place.number == 1 ? verdicts[place.question] : nil) {
                // Hosts of earlier versions gave no points: then a right answer was worth one.
                cell.maximum = verdict.maximum ?? verdict.correct.map { _ in 1 }
                cell.points = verdict.points ?? (verdict.maximum == nil ? verdict.correct.map { $0 ? 1 : 0 } : nil)
                cell.correct = verdict.correct
                cell.comment = verdict.comment
            }
            return cell
        }
    }
}
