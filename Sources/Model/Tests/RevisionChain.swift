/// The tests that a test revises, by their parents.
///
/// A draft that was moved to a newer version of its questionnaire is the same attempt: it is no test of the chain, and its
/// own parent is the next one.
package struct RevisionChain: Hashable, Sendable {
    /// The parts of a test that decide its place in a chain.
    package struct Link: Hashable, Sendable {
        package var parent: TestID?
        package var isDraft: Bool

        package init(parent: TestID?, isDraft: Bool = false) {
            self.parent = parent
            self.isDraft = isDraft
        }
    }

    /// The finished tests before it that are known, the first of them first.
    package let earlier: [TestID]
    /// The parent that is not here, where the chain ends with one: a test, or a draft that went on in a newer version.
    package let missing: TestID?

    /// - Parameter link: what is known of a test; `nil` for one that is not here.
    package init(of id: TestID, parent: TestID?, _ link: (TestID) throws -> Link?) rethrows {
        var earlier: [TestID] = []
        var missing: TestID?
        var next = parent
        // Hostile tests may name each other.
        var seen: Set<TestID> = [id]
        while let known = next, seen.insert(known).inserted {
            guard let found = try link(known) else {
                missing = known
                break
            }
            if !found.isDraft { earlier.append(known) }
            next = found.parent
        }
        self.earlier = earlier.reversed()
        self.missing = missing
    }

    /// The place of the test among the versions, from 1; `nil` for a test that revises none that is here.
    package var number: Int? { earlier.isEmpty ? nil : earlier.count + 1 }
}
