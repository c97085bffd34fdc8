import Model
import Results

extension TestArchive {
    /// The results of a questionnaire, of all attempts, from the files as they are now.
    ///
    /// - Parameter id: the host's id, or the one of the device that made it.
    /// - Throws: `HostError.unknownQuestionnaire` where there is neither such a questionnaire nor a test of it; `FileError`.
    package func results(of id: String) throws -> ResultTable {
        let current = try catalog.document(id: id)
        let hostID = current?.entry.id ?? id
        // A test that was started on the device of its author names the device's id.
        let names = Set([hostID, current?.entry.localId].compactMap { $0 })
        var tests: [HandedInTest] = []
        var versions: [Digest: Questionnaire?] = [:]
        for name in names.sorted() {
            for summary in try summaries(Filter(questionnaire: name)) {
                // It was taken away since it was listed.
                guard let (record, receipt) = try stored(summary.id) else { continue }
                let digest = record.questionnaire.digest
                if versions[digest] == nil { versions[digest] = .some(try version(of: record)?.questionnaire) }
                tests.append(HandedInTest(record: record, receipt: receipt, version: versions[digest] ?? nil))
            }
        }
        guard current != nil || !tests.isEmpty else { throw HostError.unknownQuestionnaire(id) }
        return ResultTable(id: hostID, current: current?.published.questionnaire, tests: tests)
    }

    /// The figures of a questionnaire's results; made once, as long as nothing changes.
    package func statistics(of id: String, attempts: AttemptChoice) throws -> ResultStatistics {
        let overview = try overview(of: id)
        return try overviews.statistics(of: overview.id, attempts) {
            ResultStatistics(try results(of: id).choosing(attempts))
        }
    }

    /// The number of each test among those of its person and questionnaire.
    ///
    /// - Parameter tests: all tests, unfiltered.
    package static func attempts(of tests: [TestSummary]) -> [TestID: Int] {
        AttemptNumbers.numbers(
            of: tests.map {
                AttemptNumbers.Item(
                    test: $0.id, person: $0.person?.id, questionnaire: $0.questionnaire.id, receivedAt: $0.receivedAt)
            })
    }
}
