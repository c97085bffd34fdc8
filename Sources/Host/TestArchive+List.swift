import Disk
import Model

/// One line in the list of tests.
public struct TestSummary: Hashable, Sendable, Codable {
    public struct Subject: Hashable, Sendable, Codable {
        public var id: String
        public var title: String
    }

    public var id: TestID
    public var questionnaire: Subject
    /// `sent`, `checking` or `rated`.
    public var status: TestStatus
    public var receivedAt: Timestamp?
    /// SHA-256 of the test's bytes.
    public var digest: Digest?
    /// How many files it names, and how many of them have not arrived; absent where it names none.
    public var media: MediaCount?
    /// Whether the time limit was exceeded; `false` too where there is none.
    public var late: Bool
    /// How long the test took, where its time is limited.
    public var timeTaken: TimeTaken?

    public struct MediaCount: Hashable, Sendable, Codable {
        public var named: Int
        public var missing: Int
    }
}

extension TestArchive {
    /// Which tests are listed.
    public struct Filter: Hashable, Sendable {
        public var status: TestStatus?
        /// The id of the questionnaire.
        public var questionnaire: String?

        public init(status: TestStatus? = nil, questionnaire: String? = nil) {
            self.status = status
            self.questionnaire = questionnaire
        }

        func takes(_ summary: TestSummary) -> Bool {
            if let status, status != summary.status { return false }
            return questionnaire.map { $0.utf8.elementsEqual(summary.questionnaire.id.utf8) } ?? true
        }
    }

    /// The tests in the order of their ids. A test whose files are damaged is left out, with a word in the log.
    ///
    /// - Parameters:
    ///   - id: only tests whose id comes after this one.
    ///   - limit: at most so many.
    /// - Returns: the tests, and whether more may follow.
    public func list(
        _ filter: Filter = Filter(), after id: String? = nil, limit: Int = .max
    ) throws -> (tests: [TestSummary], hasMore: Bool) {
        var tests: [TestSummary] = []
        for test in try ids() where id.map({ test.description > $0 }) ?? true {
            if tests.count == limit { return (tests, true) }
            do {
                if let summary = try summary(of: test), filter.takes(summary) { tests.append(summary) }
            } catch let error as HostError {
                logger.warning("\(error)")
            }
        }
        return (tests, false)
    }

    /// The test whose id begins so, in either case.
    ///
    /// - Throws: `HostError.unknownTest` or `.ambiguousTest`.
    public func test(startingWith prefix: String) throws -> TestID {
        let wanted = prefix.lowercased()
        let found = try ids().filter { $0.description.hasPrefix(wanted) }
        if found.count > 1 { throw HostError.ambiguousTest(prefix, count: found.count) }
        guard let id = found.first, !wanted.isEmpty else { throw HostError.unknownTest(prefix) }
        return id
    }

    private func summary(of id: TestID) throws -> TestSummary? {
        guard let (record, receipt) = try stored(id) else { return nil }
        let missing = try record.attachments.count { try !hasArrived($0) }
        let media = TestSummary.MediaCount(named: record.attachments.count, missing: missing)
        return TestSummary(
            id: id,
            questionnaire: TestSummary.Subject(id: record.questionnaire.id, title: record.questionnaire.title),
            status: receipt.status ?? .sent, receivedAt: receipt.receivedAt, digest: receipt.digest,
            media: media.named > 0 ? media : nil, late: receipt.late ?? false, timeTaken: receipt.timeTaken)
    }

    /// Whether the bytes of an attachment are here, whole.
    func hasArrived(_ attachment: Attachment) throws(FileError) -> Bool {
        let status = try fileSystem.status(at: HostLayout.mediaFile(attachment.digest))
        return status?.kind == .regular && status?.sizeBytes == attachment.sizeBytes
    }
}
