import Disk
import Model
import SystemPackage

/// The pictures, sounds and films that questionnaires name.
extension QuestionnaireCatalog {
    /// So much of files whose digests are not known is read for one list.
    private static let bytesReadForAList: Int64 = 64 << 20

    /// Whether a questionnaire names such a file, and the type that it states for it.
    func naming(_ path: MediaPath) throws(FileError) -> (isNamed: Bool, type: String?) {
        let named = try refresh().media(path)
        return (named != nil, named?.type)
    }

    /// A media file that a questionnaire names.
    ///
    /// - Returns: `nil` when none names it or there is no such file. A symbolic link is no file, and nor is anything
    ///   behind one.
    func media(_ requested: MediaPath) throws(FileError) -> MediaFile? {
        guard let (path, type) = try refresh().media(requested) else { return nil }
        return try media(path, type: type, in: try openFolder())
    }

    /// A file in the folder of questionnaires that is named by its content, whether one that is published now names it or not.
    func media(_ path: ContentPath) throws(FileError) -> MediaFile? {
        try media(MediaPath(path), type: nil, in: try openFolder())
    }

    /// Whether there is such a file.
    func hasMedia(_ path: ContentPath) throws(FileError) -> Bool {
        let folder = try openFolder()
        let path = MediaPath(path)
        for parent in path.folders where try folder.status(at: parent)?.kind != .folder { return false }
        return try folder.status(at: path.file)?.kind == .regular
    }

    /// The digests of the media files that questionnaires name, as far as they are known now, and when one of the files was
    /// last changed.
    ///
    /// A file that changed, or that was not asked for yet, is read for it; where there are many, some each time, and a long one
    /// when it is first sent: no list waits for films.
    func mediaDigests(
        of snapshot: CatalogSnapshot
    ) throws(FileError) -> (digests: [MediaPath: Digest], modified: Timestamp) {
        let paths = snapshot.mediaPaths
        var modified = Timestamp.epoch
        guard !paths.isEmpty else { return ([:], modified) }
        let folder = try openFolder()
        let statuses = try folder.statuses(of: paths.map(\.file.string), in: "")
        let known = knownDigests.withLock { $0 }
        var digests: [MediaPath: Digest] = [:]
        var readBytes: Int64 = 0
        for (path, status) in zip(paths, statuses) {
            guard let status, status.kind == .regular else { continue }
            modified = max(modified, status.modified)
            if let found = known[path], found.stamp == FileStamp(status) {
                digests[path] = found.digest
            } else if readBytes + status.sizeBytes <= Self.bytesReadForAList {
                readBytes += status.sizeBytes
                do throws(FileError) {
                    digests[path] = try media(path, type: nil, in: folder)?.digest
                } catch {
                    // No reason to fail the list: a request for the file reports it.
                    continue
                }
            }
        }
        return (digests, modified)
    }

    private func media(_ path: MediaPath, type: String?, in folder: any FileSystem) throws(FileError) -> MediaFile? {
        for parent in path.folders where try folder.status(at: parent)?.kind != .folder { return nil }
        guard try folder.status(at: path.file)?.kind == .regular else { return nil }
        let content = try OpenContent(path.file, in: folder)
        let status = try content.status()
        guard status.kind == .regular else { return nil }
        let stamp = FileStamp(status)
        if let remembered = knownDigests.withLock({ $0[path] }), remembered.stamp == stamp {
            return MediaFile(path: path, statedType: type, status: status, digest: remembered.digest, content: content)
        }
        let isConclusive = stamp.isConclusive(at: clock.now)
        let digest = try content.digest()
        knownDigests.withLock { $0[path] = isConclusive ? (stamp, digest) : nil }
        return MediaFile(path: path, statedType: type, status: status, digest: digest, content: content)
    }
}
