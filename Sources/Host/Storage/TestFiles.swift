import Disk
import Model
import SystemPackage

/// A test and its current receipt, as they are stored.
package struct StoredTest: Sendable {
    var bytes: [UInt8]
    var arrivedAt: Timestamp
    var receipt: FileVersion?
}

/// Where a host keeps tests, their files and receipts: in its folder, or in a bucket that any number of hosts share.
///
/// A test is written once. A receipt is replaced: its writer names the version that its own is to follow.
///
/// When a call returns, its effect is durable, but for `arrive`. All calls block but `place`: run them with `offload`.
package protocol TestFiles: Sendable {
    /// Whether hosts on other machines write here, too.
    var isShared: Bool { get }

    /// Where a file is, for people.
    func place(of path: FilePath) -> FilePath

    // MARK: Tests

    /// All tests, in the order of their ids.
    func ids() throws(FileError) -> [TestID]

    func isStored(_ id: TestID) throws(FileError) -> Bool

    /// The bytes of a test, and when it arrived; `nil` where there is none.
    func test(_ id: TestID, maximumBytes: Int64) throws(FileError) -> (bytes: [UInt8], arrivedAt: Timestamp)?

    /// Stores a test; it is durable after `confirmTests`.
    ///
    /// - Parameter time: when it arrived. Hosts that share their tests go by the store's clock.
    /// - Returns: `nil` where there was one of this id; else when it arrived.
    func arrive(_ bytes: [UInt8], _ id: TestID, at time: Timestamp) throws(FileError) -> Timestamp?

    /// The time that a test would have which arrived now.
    ///
    /// - Parameter now: by the host's clock.
    func time(_ now: Timestamp) throws(FileError) -> Timestamp

    /// Makes tests durable whose writers may have been killed before they were.
    func confirmTests() throws(FileError)

    // MARK: Receipts

    /// The ids of all that have a receipt.
    func receiptIDs() throws(FileError) -> Set<TestID>

    /// The current receipt; `nil` where there is none.
    func receipt(_ id: TestID, maximumBytes: Int64) throws(FileError) -> FileVersion?

    func confirmReceipts() throws(FileError)

    /// - Parameter former: the version that it follows; `nil` where there was none.
    /// - Returns: `false` where another writer was quicker: nothing was written.
    func put(receipt bytes: [UInt8], of id: TestID, after former: FileVersion?) throws(FileError) -> Bool

    /// Keeps a receipt as a former version before another one takes its place.
    func keepFormer(_ bytes: [UInt8], of id: TestID) throws(FileError)

    /// The versions of a receipt that others followed, the oldest first; in a folder perhaps with the current one.
    func formers(of id: TestID) throws(FileError) -> [(number: Int, bytes: [UInt8])]

    /// Carries out a change of receipts while other processes wait. Where there are no locks it does so at once.
    func lockedReceipts<Result>(_ body: () throws -> Result) throws -> Result

    /// The same for a test of which each person may hand in so many.
    func lockedAttempts<Result>(_ body: () throws -> Result) throws -> Result

    // MARK: Files of tests

    /// The sizes of files of tests, in bytes, by their places in the list; `nil` for one that has not arrived.
    func mediaSizes(_ digests: [Digest]) throws(FileError) -> [Int64?]

    /// A file of tests; `nil` where it has not arrived.
    func media(_ digest: Digest) throws(FileError) -> OpenContent?

    // MARK: Finding

    /// Notes a person's test of a questionnaire, before it is stored.
    func note(_ test: TestID, of person: String, in questionnaire: String) throws(FileError)

    /// The tests that were noted for a person of a questionnaire; `nil` where an index finds them.
    func tests(of person: String, in questionnaire: String) throws(FileError) -> [TestID]?

    /// The attempts that were taken of a questionnaire whose attempts are limited, in their order; `nil` where a lock decides.
    func takenAttempts(of person: String, in questionnaire: String) throws(FileError) -> [TakenAttempt]?

    /// Takes the attempt after the one with a number; 0 for the first one.
    ///
    /// - Returns: `false` where another writer was quicker: nothing was written.
    func take(
        _ attempt: TakenAttempt, of person: String, in questionnaire: String, after number: Int
    ) throws(FileError) -> Bool

    /// Shows changes of tests and receipts; `nil` for a file that is not there.
    func stamps(of ids: [TestID]) throws(FileError) -> [(test: FileStamp?, receipt: FileStamp?)]

    /// Reads tests and their receipts with as few requests as it takes; `nil` where one after the other is as good.
    ///
    /// - Parameter tests: with the stamp of the receipt that `stamps` showed.
    /// - Returns: in their order; `nil` for a test that is not there. Of long ones only the first, at least one: as many as one may
    ///   hold in memory.
    func read(_ tests: [(id: TestID, receipt: FileStamp?)]) throws(FileError) -> [StoredTest?]?

    /// Reports the names of tests and receipts that change.
    ///
    /// - Throws: `FileError` with the code `notSupported` where that cannot be had.
    func nameChanges() throws(FileError) -> NameChanges
}
