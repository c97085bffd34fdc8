import Disk
import Model

/// Tests from the outbox of another machine.
extension OutboxTransfer {
    package struct ImportReport: Sendable, Equatable {
        /// They are new here.
        package var taken: [TestID] = []
        /// They were here, and are further advanced now.
        package var advanced: [TestID] = []
        /// They were here already, equally or further advanced.
        package var known = 0
        /// Other bytes were here under their id: both are kept, one of them in `conflict`.
        package var conflicts: [TestID] = []
        /// The version in the archive is older than the one that is here, which stays.
        package var newer: [TestID] = []
        /// Their receipts did not arrive, so a server may have them: they are sent again as they are.
        package var unproven: [TestID] = []
        /// Their bytes are not those of their receipts: they are in `conflict`.
        package var contradicting: [TestID] = []
        /// A server has them, and their answers did not arrive: their receipts are in quarantine.
        package var withoutAnswers: [TestID] = []
        package init() {}
    }

    /// Imports a tar archive of an outbox, from `export` or from `tar`.
    ///
    /// It is read and checked completely before any of it is used; then each test is stored with its receipt. An import
    /// interrupted at any call is repeated with the same archive: imported tests are recognised.
    ///
    /// For a test that is here too, the most advanced status wins. Two contents under one id are both kept, the less
    /// advanced in `conflict` or, if one is there already, in quarantine. A test counts as delivered only with the
    /// server's receipt for exactly its bytes.
    ///
    /// - Parameter source: returns the archive's bytes.
    /// - Throws: `TarFault` if the archive is rejected; then nothing has changed. `OutboxError.sweeperIsRunning`.
    package func importTests(_ source: @escaping TarReader.Source) throws -> ImportReport {
        try importTests(source, knowing: { ImportFacts() }, refuse: { throw $0 }, doubt: { throw $0 })
    }

    /// The same where more is known about the tests, and where one bad file rejects nothing else.
    ///
    /// - Parameters:
    ///   - findFacts: asked when the archive was read.
    ///   - refuse: gets the reason why a file is skipped; if it throws, the archive is rejected.
    ///   - doubt: gets the reason why a delivered test goes to `conflict`; if it throws, the archive is rejected.
    package func importTests(
        _ source: @escaping TarReader.Source, knowing findFacts: () throws -> ImportFacts,
        refuse: (TarFault) throws -> Void, doubt: (TarFault) throws -> Void
    ) throws -> ImportReport {
        try outbox.makeFolders()
        // From now on, because a sweep would remove bytes of attachments that nothing names yet.
        guard let lock = try outbox.queue.acquireSweepLock() else { throw OutboxError.sweeperIsRunning }
        defer { lock.release() }
        let arrived = try ArrivedTests(reading: source, for: outbox, refuse: refuse, doubt: doubt)
        defer { arrived.end() }
        try outbox.queue.recover(lock)
        let facts = try findFacts()
        return try outbox.editing {
            var run = try OutboxImport(outbox: outbox, facts: facts)
            try run.take(arrived)
            return run.report
        }
    }
}
