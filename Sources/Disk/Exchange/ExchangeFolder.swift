import Model
import SystemPackage

/// A folder of this layout.
package struct ExchangeFolder: Sendable {
    /// The folder format that this program reads and writes.
    package static let format = 1

    package let fileSystem: any FileSystem

    private struct Marker: Codable { var format: Int }

    /// Opens a folder that has its marker.
    ///
    /// - Throws: `FileError` if there is no such folder, `DocumentFault` if it is not an exchange folder or has a newer
    ///   format.
    package init(_ fileSystem: any FileSystem) throws {
        self.fileSystem = fileSystem
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try fileSystem.readFile(ExchangeLayout.marker, maximumBytes: 4096).bytes
        } catch {
            guard error.isMissing else { throw error }
            throw DocumentFault(
                field: nil, reason: "\(fileSystem.root) has no \(ExchangeLayout.marker): is the stick plugged in?")
        }
        let marker: Marker
        do throws(DocumentFault) {
            marker = try DocumentCoding.decode(Marker.self, from: bytes)
        } catch {
            throw DocumentFault(
                field: nil,
                reason: "\(fileSystem.root.appending(name: ExchangeLayout.marker.string)): \(error): "
                    + "collect the folder on the host, or name it as the remote once more")
        }
        guard marker.format <= Self.format else {
            throw DocumentFault(
                field: nil,
                reason: "\(fileSystem.root) has format \(marker.format) and this program knows \(Self.format): "
                    + "use a newer quire")
        }
    }

    /// Opens the folder, and adds the marker where it is missing. The folder itself must exist: a stick that is not
    /// mounted is never replaced with a new folder. A folder in use for something else is rejected, because its files
    /// could be overwritten.
    ///
    /// - Throws: `FileError`, `DocumentFault`.
    package init(making path: FilePath) throws {
        let fileSystem = try POSIXFileSystem(root: path)
        let unmarked = ExchangeFolder(unchecked: fileSystem)
        if try fileSystem.status(at: ExchangeLayout.marker) == nil {
            try unmarked.refuseOtherUse()
            try unmarked.mark()
        } else if let bytes = try? fileSystem.readFile(ExchangeLayout.marker, maximumBytes: 4096).bytes,
            (try? DocumentCoding.decode(Marker.self, from: bytes)) == nil
        {
            // Truncated: the stick was removed too soon.
            try unmarked.mark()
        }
        try self.init(fileSystem)
        for folder in ExchangeLayout.folders { try makeFolder(folder) }
        try openTemporary()
        try fileSystem.makeDurable(folder: FilePath())
    }

    private init(unchecked fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    private func mark() throws {
        try makeFolder(ExchangeLayout.temporary)
        try fileSystem.makeDurable(folder: FilePath())
        try write(
            try DocumentCoding.encode(Marker(format: Self.format)), to: ExchangeLayout.marker, replacing: true)
    }

    private func refuseOtherUse() throws {
        for path in ExchangeLayout.folders + [ExchangeLayout.list] where path != ExchangeLayout.temporary {
            guard let kind = try fileSystem.status(at: path)?.kind else { continue }
            if kind == .folder, try fileSystem.list(path).isEmpty { continue }
            throw DocumentFault(
                field: nil,
                reason: "\(fileSystem.root) is no folder for exchange (it has no \(ExchangeLayout.marker)), and has "
                    + "a “\(path)” of its own: name another folder, such as a new one in it")
        }
    }

    /// Everyone who may write to the folder may write temporary files.
    private func openTemporary() throws(FileError) {
        guard let mode = try fileSystem.status(at: FilePath())?.permissions,
            try fileSystem.status(at: ExchangeLayout.temporary)?.permissions != mode
        else { return }
        try permit(ExchangeLayout.temporary, mode)
    }

    /// Makes a folder where it is missing, with the permissions of its parent.
    package func makeFolder(_ path: FilePath) throws(FileError) {
        guard try fileSystem.makeFolderIfMissing(path) else { return }
        let parent = path.folder
        if let mode = try fileSystem.status(at: parent)?.permissions { try permit(path, mode) }
        try fileSystem.makeDurable(folder: parent)
    }

    /// Writes a file atomically; it is durable when this returns. Everyone with access to the folder may read it.
    package func write(_ bytes: [UInt8], to target: FilePath, replacing: Bool) throws(FileError) {
        var draft = try draft()
        do throws(FileError) {
            try append(bytes, to: &draft)
        } catch {
            giveUp(draft)
            throw error
        }
        try finish(draft, as: target, replacing: replacing)
    }

    /// A file that is being written.
    package struct Draft: Sendable {
        fileprivate let temporary: TemporaryFile
        package fileprivate(set) var sizeBytes: Int64 = 0
    }

    /// Starts a file that is written in pieces. The caller either finishes it or gives it up.
    package func draft() throws(FileError) -> Draft {
        Draft(temporary: try fileSystem.makeTemporaryFile(in: ExchangeLayout.temporary))
    }

    package func append(_ bytes: [UInt8], to draft: inout Draft) throws(FileError) {
        try fileSystem.writeAll(draft.temporary.file, bytes, at: draft.sizeBytes)
        draft.sizeBytes += Int64(bytes.count)
    }

    /// Renames a file to its final name; it is durable when this returns. After an error the draft is given up.
    package func finish(_ draft: Draft, as target: FilePath, replacing: Bool = true) throws(FileError) {
        let parent = target.folder
        do throws(FileError) {
            try refuseLinks(parent)
            if let mode = try fileSystem.status(at: parent)?.permissions {
                try permit(draft.temporary.path, mode.subtracting([.ownerExecute, .groupExecute, .otherExecute]))
            }
            // Synced before the rename: a name must never point at bytes that are not there.
            try fileSystem.continuing { () throws(FileError) in try fileSystem.sync(draft.temporary.file) }
            try move(draft.temporary.path, to: target, replacing: replacing)
        } catch {
            giveUp(draft)
            throw error
        }
        try fileSystem.close(draft.temporary.file)
        try fileSystem.makeDurable(folder: parent)
    }

    private func move(_ path: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        do throws(FileError) {
            try fileSystem.move(path, to: target, replacing: replacing)
        } catch {
            // Some shares have neither a rename that replaces nothing nor hard links.
            let codes: [Errno] = [.invalidArgument, .notPermitted, .notSupported, .noFunction]
            guard !replacing, codes.contains(error.code), try fileSystem.status(at: target) == nil else { throw error }
            try fileSystem.move(path, to: target, replacing: true)
        }
    }

    /// Removes a draft; the next collection removes the rest.
    package func giveUp(_ draft: Draft) {
        fileSystem.closeQuietly(draft.temporary.file)
        do throws(FileError) { try fileSystem.removeIfPresent(draft.temporary.path) } catch {}
    }

    /// Opens a long file; `nil` if it does not exist or is not a file. Links on its path are not followed.
    package func open(_ path: FilePath) throws(FileError) -> OpenContent? {
        try refuseLinks(path.folder)
        guard try fileSystem.status(at: path)?.kind == .regular else { return nil }
        return try OpenContent(path, in: fileSystem)
    }

    /// A stick's file system may have no permissions; then everyone has access.
    private func permit(_ path: FilePath, _ mode: FilePermissions) throws(FileError) {
        do throws(FileError) {
            try fileSystem.setPermissions(path, mode.union([.ownerReadWrite]).intersection(.init(rawValue: 0o777)))
        } catch {
            if !error.isUnwritable, error.code != .notSupported { throw error }
        }
    }

    /// The bytes of a file; `nil` if it does not exist. Links on its path are not followed.
    package func file(_ path: FilePath, maximumBytes: Int64) throws(FileError) -> (bytes: [UInt8], status: FileStatus)?
    {
        try refuseLinks(path.folder)
        do throws(FileError) {
            return try fileSystem.readFile(path, maximumBytes: maximumBytes)
        } catch {
            if error.isMissing || error.code == .notDirectory { return nil }
            throw error
        }
    }

    /// The same; also `nil` for anything that we did not write: a file that is too long, a folder, a pipe, a link, an
    /// unreadable file. One such file stops nothing else.
    package func ownFile(
        _ path: FilePath, maximumBytes: Int64
    ) throws(FileError) -> (bytes: [UInt8], status: FileStatus)? {
        do throws(FileError) {
            return try file(path, maximumBytes: maximumBytes)
        } catch {
            let codes: [Errno] = [
                .fileTooLarge, .isDirectory, .invalidArgument, .tooManySymbolicLinkLevels, .ioError,
                .noSuchAddressOrDevice,
            ]
            guard codes.contains(error.code) else { throw error }
            return nil
        }
    }

    private func refuseLinks(_ folder: FilePath) throws(FileError) {
        var path = FilePath()
        for component in folder.components {
            path.append(component)
            if try fileSystem.status(at: path)?.kind == .symbolicLink {
                throw FileError("use", fileSystem.root.pushing(path), .tooManySymbolicLinkLevels)
            }
        }
    }
}
