import Model
import Results

/// All tests of a questionnaire with what lists show and sort by: from the index, without reading a test.
package struct ResultOverview: Sendable {
    package struct Entry: Sendable {
        package var summary: TestSummary
        package var attempt: Int
        /// Whether a teacher sent it back to be corrected.
        package var isReturned: Bool
        /// Whether it was taken with the version that is published now.
        package var isOfCurrentVersion: Bool
        /// Whether it names files.
        package var hasFiles: Bool
        package var points: QuestionPoints
        var version: Digest

        package var test: TestID { summary.id }

        /// The part of the points that were reached, from 0 to 1.
        package var fraction: Double? {
            guard let score = summary.score, let maximum = summary.maximum, maximum > 0 else { return nil }
            return score / maximum
        }
    }

    package var id: String
    package var title: String
    /// The questions of all versions of which there are tests.
    package var columns: [ResultTable.Column]
    /// The sections with their places among the columns.
    package var sections: [SectionColumns]
    /// By person's name, then attempt.
    package var entries: [Entry]
    package var groups: [String]
    var current: Questionnaire?
    var versions: [Questionnaire]

    /// Whether any test has points.
    package var hasPoints: Bool { entries.contains { ($0.summary.maximum ?? 0) > 0 } }

    /// Whether there are tests of versions that are not here.
    var lacksVersions: Bool

    var hasRepeatedSections: Bool { ([current].compactMap(\.self) + versions).contains(where: \.hasRepeatedSections) }

    package var hasFiles: Bool { entries.contains { $0.hasFiles } }

    package var waiting: Int { entries.count { $0.summary.status == .checking } }

    /// The same with the attempts that count.
    package func choosing(_ attempts: AttemptChoice) -> [Entry] {
        if attempts == .all { return entries }
        let chosen = attempts.tests(
            of: entries.lazy.map {
                AttemptChoice.Item(
                    test: $0.test, person: $0.summary.person?.id, isProven: $0.summary.verified == true,
                    receivedAt: $0.summary.receivedAt, status: $0.summary.status,
                    fraction: $0.fraction)
            })
        return entries.filter { chosen.contains($0.test) }
    }

    package func place(of question: String) -> Int? { columns.firstIndex { $0.id == question } }

    /// The people of a class list who have handed in nothing: of the groups from which someone has, or of all groups where no one has.
    package func missing(of people: [Person]) -> [Person] {
        let present = Set(entries.compactMap { $0.summary.person?.id })
        let groups = Set(people.filter { present.contains($0.id) }.map(\.group))
        return people.filter { !present.contains($0.id) && (groups.isEmpty || groups.contains($0.group)) }
    }
}

extension ResultOverview {
    init(id: String, title: String) {
        self.id = id
        self.title = title
        (columns, sections, entries, groups, versions, lacksVersions) = ([], [], [], [], [], false)
    }

    /// - Parameter version: the version that an item was taken with; asked for once of each.
    init(
        id: String, current: PublishedQuestionnaire?, items: [TestIndex.Item],
        version: (TestIndex.Item) throws -> Questionnaire?
    ) throws {
        self.id = id
        self.current = current?.questionnaire
        // A device that made the questionnaire has an id of its own for it.
        let attempts = AttemptNumbers.numbers(
            of: items.map {
                AttemptNumbers.Item(
                    test: $0.summary.id, person: $0.summary.person?.id, questionnaire: id,
                    receivedAt: $0.summary.receivedAt)
            })
        let last = items.max { ($0.summary.receivedAt ?? .epoch) < ($1.summary.receivedAt ?? .epoch) }
        title = current?.questionnaire.title ?? last?.summary.questionnaire.title ?? id
        // Folded once, and not for each comparison.
        let named = items.map { item -> (name: String, entry: Entry) in
            let summary = item.summary
            let entry = Entry(
                summary: summary, attempt: summary.attempt ?? attempts[summary.id] ?? 1, isReturned: item.isReturned,
                isOfCurrentVersion: current.map { $0.digest == item.version } ?? true,
                hasFiles: !item.attachments.isEmpty,
                points: item.points,
                version: item.version)
            // Tests without a person are behind the others.
            return (summary.person.map { "0" + TextFolding.fold($0.name) } ?? "1", entry)
        }
        entries = named.sorted {
            ($0.name, $0.entry.summary.person?.id ?? "", $0.entry.attempt, $0.entry.test)
                < ($1.name, $1.entry.summary.person?.id ?? "", $1.entry.attempt, $1.entry.test)
        }.map(\.entry)
        groups = Set(items.compactMap { $0.summary.person?.group }).sorted()
        var versions: [Questionnaire] = []
        var seen: Set<Digest> = []
        let latest = items.sorted { ($0.summary.receivedAt ?? .epoch) > ($1.summary.receivedAt ?? .epoch) }
        lacksVersions = false
        for item in latest where item.version != current?.digest && seen.insert(item.version).inserted {
            if let version = try version(item) { versions.append(version) } else { lacksVersions = true }
        }
        self.versions = versions
        let table = ResultTable(id: id, current: current?.questionnaire, tests: [], versions: versions)
        (columns, sections) = (table.columns, table.sections)
    }
}
