import Disk
import SystemPackage

/// A file that a command writes where a person says.
struct WrittenFile {
    private let file: NamedFile
    private let name: FilePath

    /// - Parameter isStandardOutput: whether the command takes `-` for standard output.
    /// - Throws: `Failure` where a file cannot take the place of what is there.
    init(_ name: String, orStandardOutput isStandardOutput: Bool) throws {
        self.name = FilePath(name)
        guard let file = try NamedFile(self.name) else {
            throw Failure(Exit.usage, "“\(name)” names no file: name one in that folder")
        }
        self.file = file
        let fault: String? =
            switch try file.status()?.kind {
            case nil, .regular: nil
            case .folder: "is a folder: name a file in it"
            case .symbolicLink: "is a symbolic link: name the file that it leads to"
            case .other:
                isStandardOutput
                    ? "is a pipe or a device: name - instead, and let the shell send standard output there"
                    : "is a pipe or a device: name a file"
            }
        if let fault { throw Failure(Exit.usage, "\(name) \(fault)") }
    }

    /// Writes it atomically and durably; what was there before is replaced once all is written.
    func write<Result>(_ produce: (_ take: ([UInt8]) throws -> Void) throws -> Result) throws -> Result {
        do {
            return try file.folder.writeDurably(to: file.path, temporaryFolder: FilePath(), producing: produce)
        } catch let error as FileError where error.path.extension == "tmp" {
            // The person knows the file, not the name that it had while it was written.
            throw FileError(error.operation, name, error.code)
        }
    }
}
