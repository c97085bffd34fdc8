import Disk
import SystemPackage

/// A file that a command writes where a person says.
struct WrittenFile {
    private let file: NamedFile

    /// - Parameter acceptsDash: whether `-` is standard output for the command.
    /// - Throws: `Failure` where a file cannot take the place of what is there.
    init(_ name: String, acceptsDash: Bool) throws {
        guard let file = try NamedFile(FilePath(name)) else {
            throw Failure(Exit.usage, "“\(name)” names no file: name one in that folder")
        }
        self.file = file
        let fault: String? =
            switch try file.status()?.kind {
            case nil, .regular: nil
            case .folder: "is a folder: name a file in it"
            case .symbolicLink: "is a symbolic link: name the file that it leads to"
            case .other: "is a pipe or a device: name a file"
            }
        guard let fault else { return }
        throw Failure(Exit.usage, "\(name) \(fault)" + (acceptsDash ? ", or - for standard output" : ""))
    }

    /// Writes it atomically and durably; what was there before is replaced once all is written.
    func write<Result>(_ produce: (_ take: ([UInt8]) throws -> Void) throws -> Result) throws -> Result {
        try file.folder.writeDurably(to: file.path, temporaryFolder: FilePath(), producing: produce)
    }
}
