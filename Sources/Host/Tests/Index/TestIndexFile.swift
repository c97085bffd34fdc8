import Disk
import Logging
import Model

/// The index of tests in the host's folder: derived, and made again where it is missing, damaged or of another format.
///
/// Each entry has the stamps of the files that it was made of, and counts only as long as they have them. The running host
/// alone writes it; commands read it.
///
/// The payload is a sequence of messages (`TestIndexRecord`). Names that many tests share are messages of their own, before the
/// tests that refer to them by number.
struct TestIndexFile: Sendable {
    let fileSystem: any FileSystem
    /// Whether this process is the one that writes it.
    let isWritten: Bool

    /// Another number where an entry has more, or is made otherwise: then all tests are read once more.
    static let format = IndexFormat("quire-host-tests 1")

    /// A test has at most 500 files, whose names are short.
    private static let longestMessage = 4 << 20

    // MARK: Reading

    /// Puts everything into an empty index. What is wrong with the file is logged, and nothing of it counts.
    func load(into state: inout TestIndex.State, _ logger: Logger) {
        do throws(FileError) {
            guard try fileSystem.status(at: HostLayout.testIndex)?.kind == .regular else { return }
            if try read(into: &state) { return }
            logger.info(
                "\(fileSystem.root.pushing(HostLayout.testIndex)) is damaged or of another version: it is made again")
        } catch {
            if !error.isMissing { logger.warning("\(error)") }
        }
        state.forget()
    }

    private func read(into state: inout TestIndex.State) throws(FileError) -> Bool {
        let file = try fileSystem.continuing { () throws(FileError) in
            try fileSystem.open(HostLayout.testIndex, .read)
        }
        defer { fileSystem.closeQuietly(file) }
        let reader = IndexReader(Self.format, file, in: fileSystem, longestMessage: Self.longestMessage)
        var entries: [TestOrders.Entry] = []
        let isWhole = try reader.eachMessage { message in
            do throws(FieldReader.Fault) {
                if let entry = try state.add(message) { entries.append(entry) }
                return true
            } catch {
                return false
            }
        }
        guard isWhole else { return false }
        state.tests.forgetUnusedNames()
        state.orders.apply(removed: [], added: entries)
        return true
    }

    // MARK: Writing

    /// Replaces the file. A reader finds the former one, or all of this.
    func write(_ state: TestIndex.State) throws {
        let writer = try IndexWriter(Self.format, in: HostLayout.index, fileSystem)
        try state.tests.eachMessage { try writer.append(FieldWriter.framed($0)) }
        try writer.finish(as: HostLayout.testIndex)
    }
}
