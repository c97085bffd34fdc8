import SystemPackage

/// A file that a person names by a path from anywhere, whether there is one or not.
package struct NamedFile: Sendable {
    /// The folder that it is in.
    package let folder: POSIXFileSystem
    /// Its path within `folder`.
    package let path: FilePath

    /// - Returns: `nil` for a path that can only be a folder's, like `/`, `.` and `a/..`.
    /// - Throws: `FileError` where its folder cannot be opened.
    package init?(_ file: FilePath) throws(FileError) {
        guard let name = file.lastComponent, name.kind == .regular else { return nil }
        let parent = file.folder
        folder = try POSIXFileSystem(root: parent.isEmpty ? "." : parent)
        path = FilePath(name.string)
    }

    package func status() throws(FileError) -> FileStatus? { try folder.status(at: path) }

    package func read(maximumBytes: Int64) throws(FileError) -> (bytes: [UInt8], status: FileStatus) {
        try folder.readFile(path, maximumBytes: maximumBytes)
    }
}
