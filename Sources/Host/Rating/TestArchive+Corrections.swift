import Model

/// Tests that correct one another, by their parents.
extension TestArchive {
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
        guard let (record, _) = try stored(id) else { return [] }
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
