import Disk
import Model
import Results

/// The results of questionnaires: what their tests say together, derived from their files and made again when anything changed.
package struct TestResults: Sendable {
    let lists: TestLists
    let catalog: QuestionnaireCatalog
    let memory: OverviewMemory

    /// The tests of a questionnaire as lists show them.
    ///
    /// - Parameter id: the host's id, or the one of the device that made it.
    /// - Throws: `HostError.unknownQuestionnaire` where there is neither such a questionnaire nor a test of it; `FileError`.
    package func overview(of id: String) throws -> ResultOverview {
        let current = try catalog.document(id: id)
        let hostID = current?.entry.id ?? id
        // A test that was started on the device of its author names the device's id.
        let names = Set([hostID, current?.entry.localId].compactMap { $0 }).sorted()
        let digest = current?.published.digest
        let known = memory.overview(of: hostID, current: digest)
        let (items, generation) = try lists.index.items(of: names, since: known?.generation, of: lists.received)
        guard let items else { return known?.overview ?? ResultOverview(id: hostID, title: hostID) }
        guard current != nil || !items.isEmpty else { throw HostError.unknownQuestionnaire(id) }
        var overview = try ResultOverview(id: hostID, current: current?.published, items: items) { item in
            try catalog.version(id: item.summary.questionnaire.id, digest: item.version)?.questionnaire
        }
        if overview.hasRepeatedSections {
            // How often a section was answered is in the tests alone.
            let table = try table(of: overview, tests: overview.entries)
            (overview.columns, overview.sections) = (table.columns, table.sections)
        }
        memory.keep(overview, current: digest, generation: generation)
        return overview
    }

    /// The rows of some tests of a questionnaire, in the order that is asked for, with the columns of all.
    package func table(of overview: ResultOverview, tests: [ResultOverview.Entry]) throws -> ResultTable {
        // A test that was taken away since it was listed is left out.
        let read = try tests.concurrentMap { try lists.received.stored($0.test) }.compactMap(\.self)
        var versions: [Digest: Questionnaire?] = [:]
        let handedIn = try read.map { record, receipt in
            let digest = record.questionnaire.digest
            if versions[digest] == nil { versions[digest] = .some(try catalog.version(of: record)?.questionnaire) }
            return HandedInTest(record: record, receipt: receipt, version: versions[digest] ?? nil)
        }
        var table = try ResultTable(
            id: overview.id, current: overview.current, tests: handedIn, versions: overview.versions,
            attempts: Dictionary(tests.map { ($0.test, $0.attempt) }, uniquingKeysWith: { first, _ in first })
        ) { try $0.concurrentMap($1) }
        let places = Dictionary(
            tests.enumerated().map { ($1.test, $0) }, uniquingKeysWith: { first, _ in first })
        table.rows.sort { places[$0.test] ?? .max < places[$1.test] ?? .max }
        return table
    }

    /// The results of a questionnaire, of the attempts that count, from the files as they are now.
    ///
    /// - Parameter id: the host's id, or the one of the device that made it.
    /// - Throws: `HostError.unknownQuestionnaire` where there is neither such a questionnaire nor a test of it; `FileError`.
    package func table(of id: String, attempts: AttemptChoice) throws -> ResultTable {
        try table(of: overview(of: id), attempts: attempts)
    }

    private func table(of overview: ResultOverview, attempts: AttemptChoice) throws -> ResultTable {
        // How often a section was answered, and the questions of a version that is not here, are in the tests alone.
        if overview.hasRepeatedSections || overview.lacksVersions {
            return try table(of: overview, tests: overview.entries).choosing(attempts)
        }
        return try table(of: overview, tests: overview.choosing(attempts))
    }

    /// The figures of a questionnaire's results; made once, as long as nothing changes.
    package func statistics(of id: String, attempts: AttemptChoice) throws -> ResultStatistics {
        let overview = try overview(of: id)
        return try memory.statistics(of: overview.id, attempts) {
            // Tests may have arrived since.
            try ResultStatistics(try table(of: self.overview(of: id), attempts: attempts)) {
                try $0.concurrentMap(partSize: 1, $1)
            }
        }
    }

    /// The free answers to a questionnaire's questions, of the attempts that count, and the languages that it is in.
    ///
    /// - Throws: as `table(of:attempts:)`.
    package func freeAnswers(
        of id: String, attempts: AttemptChoice
    ) throws -> (answers: FreeAnswers, languages: [String]) {
        let overview = try overview(of: id)
        let answers = try memory.freeAnswers(of: overview.id, attempts) {
            FreeAnswers(try table(of: self.overview(of: id), attempts: attempts))
        }
        let versions = [overview.current].compactMap(\.self) + overview.versions
        let languages = versions.flatMap { [$0.locale].compactMap(\.self) + $0.translations.keys }
        return (answers, Set(languages).sorted())
    }
}
