import Model

/// What is known about arriving tests beside their files: a snapshot says more than an archive.
package struct ImportFacts: Sendable {
    /// Files of the outbox, by path: a version of the same test takes the place of one that is here with exactly this
    /// content. What a server may have is never replaced.
    package var outdated: [String: Digest]
    /// Earlier versions of the arriving tests, under any path; they are replaced in the same way.
    package var earlier: [TestID: Set<Digest>]
    /// Tests and changes whose receipts were saved and did not arrive.
    package var lostReceipts: Set<TestID>
    /// A receipt whose test did not arrive is used for the test that is here, or kept in quarantine.
    package var keepsReceipts: Bool

    package init(
        outdated: [String: Digest] = [:], earlier: [TestID: Set<Digest>] = [:], lostReceipts: Set<TestID> = [],
        keepsReceipts: Bool = false
    ) {
        self.outdated = outdated
        self.earlier = earlier
        self.lostReceipts = lostReceipts
        self.keepsReceipts = keepsReceipts
    }
}
