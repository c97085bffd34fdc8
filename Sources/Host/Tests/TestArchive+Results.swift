import Disk
import Model
import Results

extension TestArchive {
    /// The results of a questionnaire, of the attempts that count, from the files as they are now.
    ///
    /// - Parameter id: the host's id, or the one of the device that made it.
    /// - Throws: `HostError.unknownQuestionnaire` where there is neither such a questionnaire nor a test of it; `FileError`.
    package func results(of id: String, attempts: AttemptChoice) throws -> ResultTable {
        try results(of: overview(of: id), attempts: attempts)
    }

    private func results(of overview: ResultOverview, attempts: AttemptChoice) throws -> ResultTable {
        // How often a section was answered, and the questions of a version that is not here, are in the tests alone.
        if overview.hasRepeatedSections || overview.lacksVersions {
            return try table(of: overview, tests: overview.entries).choosing(attempts)
        }
        return try table(of: overview, tests: overview.choosing(attempts))
    }

    /// The figures of a questionnaire's results; made once, as long as nothing changes.
    package func statistics(of id: String, attempts: AttemptChoice) throws -> ResultStatistics {
        let overview = try overview(of: id)
        return try overviews.statistics(of: overview.id, attempts) {
            // Tests may have arrived since.
            try ResultStatistics(try results(of: self.overview(of: id), attempts: attempts)) {
                try $0.concurrentMap(partSize: 1, $1)
            }
        }
    }

    /// The free answers to a questionnaire's questions, of the attempts that count, and the languages that it is in.
    ///
    /// - Throws: as `results`.
    package func freeAnswers(
        of id: String, attempts: AttemptChoice
    ) throws -> (answers: FreeAnswers, languages: [String]) {
        let overview = try overview(of: id)
        let answers = try overviews.freeAnswers(of: overview.id, attempts) {
            FreeAnswers(try results(of: self.overview(of: id), attempts: attempts))
        }
        let versions = [overview.current].compactMap(\.self) + overview.versions
        let languages = versions.flatMap { [$0.locale].compactMap(\.self) + $0.translations.keys }
        return (answers, Set(languages).sorted())
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
