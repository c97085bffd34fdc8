import Disk
import Model

/// One line in the list of tests.
package struct TestSummary: Hashable, Sendable, Codable {
    package struct Subject: Hashable, Sendable, Codable {
        package var id: String
        package var title: String
    }

    package var id: TestID
    package var questionnaire: Subject
    /// The person who took it; absent if the test names none.
    package var person: Person?
    /// `sent`, `checking` or `rated`.
    package var status: TestStatus
    package var receivedAt: Timestamp?
    /// SHA-256 of the test's bytes.
    package var digest: Digest?
    /// Points, and how many there could be; while it is checked, those that it has by now.
    package var score: Double?
    package var maximum: Double?
    /// The test that this one is a revision of.
    package var parent: TestID?
    /// Which version it is of a test that was revised, from 2, and the first one: where all tests are known.
    package var revision: Int?
    package var first: TestID?
    /// The number of the person's test of this questionnaire, from 1.
    package var attempt: Int?
    /// Whether a key of the person came with the test; absent if it names no person.
    package var verified: Bool?
    /// How many files it names, and how many of them have not arrived; absent where it names none.
    package var media: MediaCount?
    /// Whether the time limit was exceeded; `false` too where there is none.
    package var late: Bool
    /// How long the test took, where its time is limited.
    package var timeTaken: TimeTaken?

    package struct MediaCount: Hashable, Sendable, Codable {
        package var named: Int
        package var missing: Int
    }
}

extension TestArchive {
    /// Which tests are listed.
    package struct Filter: Hashable, Sendable {
        package var status: TestStatus?
        /// The id of the questionnaire.
        package var questionnaire: String?

        package init(status: TestStatus? = nil, questionnaire: String? = nil) {
            self.status = status
            self.questionnaire = questionnaire
        }

        func takes(_ summary: TestSummary) -> Bool {
            if let status, status != summary.status { return false }
            return questionnaire.map { $0.utf8.elementsEqual(summary.questionnaire.id.utf8) } ?? true
        }
    }

    /// The tests in the order of their ids, as their files are now. A test whose files are damaged is left out, with a word in
    /// the log.
    ///
    /// - Parameters:
    ///   - id: only tests with greater ids.
    ///   - limit: the most tests.
    /// - Returns: the tests, and whether more may follow.
    package func list(
        _ filter: Filter = Filter(), after id: String? = nil, limit: Int = .max
    ) throws -> (tests: [TestSummary], hasMore: Bool) {
        let (items, hasMore) = try index.page(filter, after: id, limit: limit, of: self)
        // Of all of them together: over the network one after the other would take long.
        var arrived = try haveArrived(items.flatMap(\.attachments))[...]
        let tests = items.map { item in
            var summary = item.summary
            if !item.attachments.isEmpty {
                let missing = arrived.prefix(item.attachments.count).count { !$0 }
                arrived = arrived.dropFirst(item.attachments.count)
                summary.media = TestSummary.MediaCount(named: item.attachments.count, missing: missing)
            }
            return summary
        }
        return (tests, hasMore)
    }

    /// The same, all of them, without the state of their files.
    package func summaries(_ filter: Filter = Filter()) throws -> [TestSummary] {
        try index.page(filter, after: nil, limit: .max, of: self).items.map(\.summary)
    }

    /// Reads the index's part of the files before a list is asked for, and keeps the index in its file.
    func prepareLists() throws {
        // In a bucket each look at the files is a request to the store: they are read when a list is asked for.
        guard let indexFile else { return }
        _ = try index.page(Filter(), after: nil, limit: 0, of: self)
        if indexFile.isWritten { try index.save(to: indexFile, isLast: false) }
    }

    /// Keeps the index in its file when the host ends.
    func keepIndex() {
        guard let indexFile, indexFile.isWritten else { return }
        do {
            try index.save(to: indexFile, isLast: true)
        } catch {
            // The next start reads those tests.
            logger.warning("\(error)")
        }
    }

    /// The test whose id begins so, in either case.
    ///
    /// - Throws: `HostError.unknownTest` or `.ambiguousTest`.
    package func test(startingWith prefix: String) throws -> TestID {
        let wanted = prefix.lowercased()
        let found = try ids().filter { $0.description.hasPrefix(wanted) }
        if found.count > 1 { throw HostError.ambiguousTest(prefix, count: found.count) }
        guard let id = found.first, !wanted.isEmpty else { throw HostError.unknownTest(prefix) }
        return id
    }

    /// The index entry of a test, read from its files.
    ///
    /// - Returns: `nil` when there is no such test.
    func item(of id: TestID) throws -> TestIndex.Item? { try stored(id).map { item(of: id, $0.record, $0.receipt) } }

    /// The same of files that were read already.
    func item(of id: TestID, in files: StoredTest) throws -> TestIndex.Item {
        let (record, receipt) = try stored(id, files)
        return item(of: id, record, receipt)
    }

    private func item(of id: TestID, _ record: TestRecord, _ receipt: Receipt) -> TestIndex.Item {
        let summary = TestSummary(
            id: id,
            questionnaire: TestSummary.Subject(id: record.questionnaire.id, title: record.questionnaire.title),
            person: record.person?.reference, status: receipt.status ?? .sent, receivedAt: receipt.receivedAt,
            digest: receipt.digest,
            score: receipt.evaluation?.score, maximum: receipt.evaluation?.maximum, parent: record.parent,
            attempt: receipt.attempt, verified: receipt.person?.verified, late: receipt.late ?? false,
            timeTaken: receipt.timeTaken)
        return TestIndex.Item(
            summary: summary, attachments: record.attachments, version: record.questionnaire.digest,
            isReturned: receipt.returned != nil, points: QuestionPoints(receipt.evaluation))
    }

    /// Whether the bytes of an attachment are here, whole.
    func hasArrived(_ attachment: Attachment) throws(FileError) -> Bool {
        try haveArrived([attachment]) == [true]
    }

    /// The same of some, by their places in the list.
    func haveArrived(_ attachments: [Attachment]) throws(FileError) -> [Bool] {
        if attachments.isEmpty { return [] }
        return zip(try files.mediaSizes(attachments.map(\.digest)), attachments).map { $0 == $1.sizeBytes }
    }
}
