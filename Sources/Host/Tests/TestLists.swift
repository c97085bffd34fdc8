import Disk
import Model
import Results

/// Lists of the tests that a host received, from an index that follows their files.
package struct TestLists: Sendable {
    let received: ReceivedTests
    let index: TestIndex

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
        let (items, hasMore) = try index.page(filter, after: id, limit: limit, of: received)
        // Of all of them together: over the network one after the other would take long.
        var arrived = try received.haveArrived(items.flatMap(\.attachments))[...]
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
        try index.page(filter, after: nil, limit: .max, of: received).items.map(\.summary)
    }

    /// Reads the index's part of the files before a list is asked for, and keeps the index in its file.
    func prepareLists() throws {
        // In a bucket each look at the files is a request to the store: they are read when a list is asked for.
        if received.files.isShared { return }
        _ = try index.page(Filter(), after: nil, limit: 0, of: received)
        try index.save(isLast: false)
    }

    /// Keeps the index in its file when the host ends.
    func keepIndex() {
        do {
            try index.save(isLast: true)
        } catch {
            // The next start reads those tests.
            received.logger.warning("\(error)")
        }
    }

    /// The test whose id begins so, in either case.
    ///
    /// - Throws: `HostError.unknownTest` or `.ambiguousTest`.
    package func test(startingWith prefix: String) throws -> TestID {
        let wanted = prefix.lowercased()
        let found = try received.ids().filter { $0.description.hasPrefix(wanted) }
        if found.count > 1 { throw HostError.ambiguousTest(prefix, count: found.count) }
        guard let id = found.first, !wanted.isEmpty else { throw HostError.unknownTest(prefix) }
        return id
    }

    /// The tests of a person of a questionnaire, in no order.
    func tests(of person: String, in questionnaire: String) throws -> [TestSummary] {
        guard let noted = try received.files.tests(of: person, in: questionnaire) else {
            return try index.tests(of: person, in: questionnaire, of: received)
        }
        // A test that was noted may have been refused, or its writer killed before it was stored.
        return try noted.compactMap { id in
            do {
                return try received.item(of: id)?.summary
            } catch let error as HostError {
                // A damaged one keeps no one from handing in.
                received.logger.warning("\(error)")
                return nil
            }
        }
        .filter { $0.person?.id == person && $0.questionnaire.id == questionnaire }
    }

    // MARK: Attempts and corrections

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

    /// The chains of the tests that revise others.
    ///
    /// - Parameter tests: all tests, or all of one questionnaire, unfiltered.
    package static func revisionChains(of tests: [TestSummary]) -> [TestID: RevisionChain] {
        let revisions = tests.filter { $0.parent != nil }
        if revisions.isEmpty { return [:] }
        let links = Dictionary(tests.map { ($0.id, RevisionChain.Link(parent: $0.parent)) }) { first, _ in first }
        return Dictionary(
            revisions.map { ($0.id, RevisionChain(of: $0.id, parent: $0.parent) { links[$0] }) }
        ) { first, _ in first }
    }

    /// A test with those that it corrects and those that correct it, the earliest first.
    ///
    /// - Returns: the test alone where there are no others; nothing when there is no such test.
    package func corrections(of id: TestID) throws -> [TestSummary] {
        guard let (record, _) = try received.stored(id) else { return [] }
        let tests: [TestSummary]
        if let person = record.person {
            tests = try self.tests(of: person.id, in: record.questionnaire.id)
        } else {
            tests = try summaries(Filter(questionnaire: record.questionnaire.id))
        }
        let known = Dictionary(tests.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let children = Dictionary(grouping: tests.filter { $0.parent != nil }) { $0.parent ?? $0.id }
        var first = id
        var seen: Set<TestID> = [id]
        // A parent may be a draft, which is not here, and hostile tests may name each other.
        while let parent = known[first]?.parent, known[parent] != nil, seen.insert(parent).inserted { first = parent }
        var chain: [TestSummary] = []
        var open = [first]
        var taken: Set<TestID> = []
        while let next = open.popLast() {
            guard taken.insert(next).inserted, let test = known[next] else { continue }
            chain.append(test)
            open += (children[next] ?? []).map(\.id)
        }
        return chain.sorted {
            ($0.receivedAt?.millisecondsSinceEpoch ?? .max, $0.id) < (
                $1.receivedAt?.millisecondsSinceEpoch ?? .max, $1.id
            )
        }
    }
}
