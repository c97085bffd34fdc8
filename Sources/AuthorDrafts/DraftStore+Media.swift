import Disk
import Model
import SystemPackage

/// The pictures and sounds of drafts: in the folder of each, under the names that the document has for them. A file is written
/// once and never changed, and stays until the draft goes: an earlier state may name it.
///
/// All calls block on the disk.
extension DraftStore {
    package static let maximumMediaBytes = 16 << 20
    /// So many files a draft may have, those of its earlier states included.
    package static let mostMedia = 500

    /// Keeps a file durably, before a state of the draft names it.
    ///
    /// - Parameter type: as its bytes say.
    /// - Returns: the path that the document names it by; `nil` where the draft has too many already.
    package func keep(_ bytes: [UInt8], type: String, of id: TestID) throws -> ContentPath? {
        try withLock { try store(bytes, type: type, of: id) }
    }

    private func store(_ bytes: [UInt8], type: String, of id: TestID) throws -> ContentPath? {
        let path = ContentPath(Digest(sha256Of: bytes), mediaType: type)
        let folder = layout.media(of: id)
        try fileSystem.makeDurableFolder(layout.folder)
        try fileSystem.makeDurableFolder(layout.folder(of: id))
        try fileSystem.makeDurableFolder(folder)
        guard try fileSystem.list(folder).count < Self.mostMedia else { return nil }
        let isFirst = try fileSystem.writeDurablyIfAbsent(
            bytes, to: layout.media(path, of: id), temporaryFolder: layout.temporary)
        // Another writer of the same bytes may not have made the name durable yet.
        if !isFirst { try fileSystem.makeDurable(folder: folder) }
        return path
    }

    /// The bytes of a file of the draft; `nil` where it has none of this name.
    package func media(_ path: ContentPath, of id: TestID) throws -> [UInt8]? {
        try fileSystem.readFileIfPresent(
            layout.media(path, of: id), maximumBytes: Int64(Self.maximumMediaBytes))?.bytes
    }

    package func hasMedia(_ path: ContentPath, of id: TestID) throws -> Bool {
        try fileSystem.status(at: layout.media(path, of: id))?.kind == .regular
    }

    /// Removes the files of a draft whose states are gone.
    func removeMedia(of id: TestID) throws {
        let folder = layout.media(of: id)
        guard try fileSystem.status(at: folder) != nil else { return }
        for entry in try fileSystem.list(folder) where ContentPath(ContentPath.folder + "/" + entry.name) != nil {
            try fileSystem.removeIfPresent(folder.appending(entry.name))
        }
        do throws(FileError) {
            try fileSystem.removeFolder(folder)
        } catch {
            // Someone put a file of their own into it.
        }
    }
}
