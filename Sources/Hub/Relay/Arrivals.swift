import Disk
import Model
import SystemPackage

/// How a test came to the hub: when, and what its device showed to be let in. It is kept until the test is delivered.
struct Arrival: Hashable, Sendable, Codable {
    var keptAt: Timestamp
    /// The device's Authorization, where the hub does not lend its token. It is a secret: the file is the owner's alone,
    /// and it is never shown or logged.
    var authorization: String?
}

/// The arrivals on disk, beside the outbox: who copies the outbox copies no secrets.
struct Arrivals: Sendable {
    let fileSystem: any FileSystem

    func makeFolders() throws(FileError) {
        for folder in [HubLayout.root, HubLayout.temporary, HubLayout.arrivals, HubLayout.uploads] {
            try fileSystem.makeDurableFolder(folder)
        }
        try fileSystem.removeAbandonedTemporaryFiles(in: HubLayout.temporary)
    }

    func note(_ arrival: Arrival, of id: TestID) throws {
        try fileSystem.writeDurably(
            try DocumentCoding.encode(arrival), to: HubLayout.arrivalPath(id), temporaryFolder: HubLayout.temporary)
    }

    /// `nil` when there is none that can be read: then the test is sent with the hub's own token, or without one.
    func arrival(of id: TestID) -> Arrival? {
        guard let (bytes, _) = try? fileSystem.readFile(HubLayout.arrivalPath(id), maximumBytes: 64 << 10) else {
            return nil
        }
        return try? DocumentCoding.decode(Arrival.self, from: bytes)
    }

    func forget(_ id: TestID) throws(FileError) { try fileSystem.removeIfPresent(HubLayout.arrivalPath(id)) }

    func all() throws(FileError) -> [TestID] {
        try fileSystem.list(HubLayout.arrivals).compactMap { HubLayout.arrivalID(name: $0.name) }
    }
}
