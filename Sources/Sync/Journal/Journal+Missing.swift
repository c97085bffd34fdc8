import Disk
import Model

extension Journal {
    /// 400 000 tests have room in it.
    private static let longestMissingBytes: Int64 = 16 << 20

    /// The tests that the server was found not to have any more; `nil` when there are none. Without the file the next sync
    /// finds them again.
    package func missing() -> MissingTests? {
        guard
            let (bytes, _) = try? fileSystem.readFile(
                JournalLayout.missing, maximumBytes: Self.longestMissingBytes),
            let known = try? DocumentCoding.decode(MissingTests.self, from: bytes), !known.tests.isEmpty
        else { return nil }
        return known
    }

    /// Notes which tests the server has and which it does not.
    ///
    /// - Returns: those of the missing ones that were not noted before.
    @discardableResult
    package func noteMissing(_ missing: Set<TestID>, there: Set<TestID> = [], now: Timestamp) -> Set<TestID> {
        let known = self.missing()
        let former = Set(known?.tests ?? [])
        let current = former.subtracting(there).union(missing)
        let new = missing.subtracting(former)
        guard current != former else { return new }
        do {
            if current.isEmpty {
                try fileSystem.removeIfPresent(JournalLayout.missing)
            } else {
                let list = MissingTests(since: known?.since ?? now, tests: current.sorted())
                try fileSystem.makeFolderIfMissing(JournalLayout.root)
                try fileSystem.writeUnsynced(
                    try DocumentCoding.encode(list), to: JournalLayout.missing, temporaryFolder: JournalLayout.root)
            }
        } catch {
            // As for events: the next sync finds them again.
        }
        return new
    }
}
