import Disk
import Logging
import Model
import SystemPackage

extension HostCopy {
    /// The names of the files that a copy notes its own state in.
    package static let notes: Set<String> = [CopyNames.marker, CopyNames.completion]

    /// Runs something with a copy of a host's data in a folder of its own, which is removed afterwards.
    ///
    /// - Parameter parent: where the folder is made. A killed program leaves it there; it may be deleted.
    /// - Throws: `HostError`, `FileError`, and the errors of `body`.
    package static func withFolder(
        of source: HostConfiguration, in parent: FilePath, clock: any StoreClock = SystemClock(), logger: Logger,
        _ body: (FilePath) throws -> Void
    ) async throws {
        let folder = try ScratchFolder(in: parent)
        defer { withExtendedLifetime(folder) {} }
        let target = HostConfiguration(data: folder.fileSystem.root)
        _ = try await HostCopy(from: source, to: target, clock: clock, logger: logger).run()
        try body(target.data)
    }

    /// Copies to another place what is written into a folder of its own, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - origin: names what is written: a copy that was interrupted is completed by one of the same origin.
    ///   - parent: where the folder is made. A killed program leaves it there; it may be deleted.
    /// - Throws: `HostError`, `FileError`, and the errors of `write`.
    package static func copy(
        _ origin: String, in parent: FilePath, to target: HostConfiguration, clock: any StoreClock = SystemClock(),
        logger: Logger, _ write: (FilePath) throws -> Void
    ) async throws -> Report {
        let folder = try ScratchFolder(in: parent)
        defer { withExtendedLifetime(folder) {} }
        let source = HostConfiguration(data: folder.fileSystem.root)
        try write(source.data)
        // Of a host without a test there is no such folder yet.
        try folder.fileSystem.makeFolderIfMissing(HostLayout.tests)
        return try await HostCopy(from: source, to: target, origin: origin, clock: clock, logger: logger).run()
    }
}
