import Disk
import Model
import Synchronization
import SystemPackage

/// The origins of submissions, stored beside the outbox so that a copy of the outbox contains no secrets.
///
/// All calls block on the disk.
final class SubmissionLog: Sendable {
    let fileSystem: any FileSystem
    /// Held while an origin is changed: what two devices show at once is both kept.
    private let lock = Mutex(())

    /// Eight heads of the longest.
    private static let maximumBytes: Int64 = 1 << 20

    init(fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    func makeFolders() throws(FileError) {
        for folder in [HubLayout.root, HubLayout.temporary, HubLayout.arrivals, HubLayout.uploads] {
            try fileSystem.makeDurableFolder(folder)
        }
        try fileSystem.removeAbandonedTemporaryFiles(in: HubLayout.temporary)
    }

    private func write(_ origin: SubmissionOrigin, of id: TestID) throws {
        try fileSystem.writeDurably(
            try DocumentCoding.encode(origin), to: HubLayout.arrivalPath(id), temporaryFolder: HubLayout.temporary)
    }

    /// What a submission changed in the log.
    struct Note: Sendable {
        fileprivate var id: TestID
        /// The whole origin is new.
        fileprivate var isFirst: Bool
        /// The key that was added.
        fileprivate var added: String?

        /// Whether the submission may be sent in another way than before.
        var isNew: Bool { isFirst || added != nil }
    }

    /// Notes, durably, that a submission came now, with a key or without one. One without a key changes nothing where there is
    /// an origin.
    ///
    /// - Parameters:
    ///   - isUnderWay: its bytes are still coming.
    ///   - isKnown: whether the upstream has accepted a key before.
    func note(
        _ authorization: String?, of id: TestID, at now: Timestamp, isUnderWay: Bool = false,
        isKnown: (String) -> Bool
    ) throws -> Note {
        try lock.withLock { _ in
            guard let former = self.origin(of: id) else {
                let origin = SubmissionOrigin(keptAt: now, authorization: authorization, isUnderWay: isUnderWay)
                try write(origin, of: id)
                return Note(id: id, isFirst: true, added: authorization)
            }
            var origin = former
            var note = Note(id: id, isFirst: false, added: nil)
            if let shown = authorization, origin.add(shown, isKnown: isKnown) { note.added = shown }
            if origin.isUnderWay == true, !isUnderWay {
                origin.isUnderWay = nil
                origin.keptAt = now
            }
            if origin != former { try write(origin, of: id) }
            return note
        }
    }

    /// Takes back what a submission noted: its sender has no say in how the existing one is sent.
    func takeBack(_ note: Note) throws {
        guard note.isNew else { return }
        try lock.withLock { _ in
            guard var origin = self.origin(of: note.id) else { return }
            if let added = note.added { origin.drop(added) }
            if note.isFirst, origin.keys.isEmpty {
                try fileSystem.removeIfPresent(HubLayout.arrivalPath(note.id))
            } else {
                try write(origin, of: note.id)
            }
        }
    }

    /// Drops a key that the upstream refused.
    ///
    /// - Parameter keepsLast: the only one stays.
    func drop(_ refused: String, of id: TestID, keepsLast: Bool) throws {
        try lock.withLock { _ in
            guard var origin = self.origin(of: id), !keepsLast || origin.keys.count > 1 else { return }
            let former = origin
            origin.drop(refused)
            if origin != former { try write(origin, of: id) }
        }
    }

    /// `nil` when there is none that can be read: then the test is sent with the hub's own token, or without one.
    func origin(of id: TestID) -> SubmissionOrigin? {
        guard
            let (bytes, _) = try? fileSystem.readFile(HubLayout.arrivalPath(id), maximumBytes: Self.maximumBytes)
        else { return nil }
        return try? DocumentCoding.decode(SubmissionOrigin.self, from: bytes)
    }

    func forget(_ id: TestID) throws(FileError) {
        try lock.withLock { (_) throws(FileError) in try fileSystem.removeIfPresent(HubLayout.arrivalPath(id)) }
    }

    func all() throws(FileError) -> [TestID] {
        try fileSystem.list(HubLayout.arrivals).compactMap { HubLayout.arrivalID(name: $0.name) }
    }
}
