import Disk
import Model
import SystemPackage

/// When a device submitted a test, and with which credentials. Kept until the test is delivered.
struct SubmissionOrigin: Hashable, Sendable, Codable {
    var keptAt: Timestamp
    /// The device's Authorization, where the hub does not lend its token. It is a secret: the file is the owner's alone,
    /// and it is never shown or logged.
    var authorization: String?
}

/// The origins of submissions, stored beside the outbox so that a copy of the outbox contains no secrets.
struct SubmissionLog: Sendable {
    let fileSystem: any FileSystem

    func makeFolders() throws(FileError) {
        for folder in [HubLayout.root, HubLayout.temporary, HubLayout.arrivals, HubLayout.uploads] {
            try fileSystem.makeDurableFolder(folder)
        }
        try fileSystem.removeAbandonedTemporaryFiles(in: HubLayout.temporary)
    }

    func note(_ origin: SubmissionOrigin, of id: TestID) throws {
        try fileSystem.writeDurably(
            try DocumentCoding.encode(origin), to: HubLayout.arrivalPath(id), temporaryFolder: HubLayout.temporary)
    }

    /// `nil` when there is none that can be read: then the test is sent with the hub's own token, or without one.
    func origin(of id: TestID) -> SubmissionOrigin? {
        guard let (bytes, _) = try? fileSystem.readFile(HubLayout.arrivalPath(id), maximumBytes: 64 << 10) else {
            return nil
        }
        return try? DocumentCoding.decode(SubmissionOrigin.self, from: bytes)
    }

    func forget(_ id: TestID) throws(FileError) { try fileSystem.removeIfPresent(HubLayout.arrivalPath(id)) }

    func all() throws(FileError) -> [TestID] {
        try fileSystem.list(HubLayout.arrivals).compactMap { HubLayout.arrivalID(name: $0.name) }
    }
}
