import Model
import SystemPackage

/// The corner for damaged files: they are moved here with the reason beside them, never deleted.
public struct Quarantine: Sendable {
    private let fileSystem: any FileSystem
    private let folder: FilePath
    private let clock: any StoreClock

    public init(fileSystem: any FileSystem, folder: FilePath, clock: any StoreClock) {
        self.fileSystem = fileSystem
        self.folder = folder
        self.clock = clock
    }

    /// Removes the temporary files that the dead have left here.
    public func tidy() throws(FileError) {
        if try fileSystem.continuing({ () throws(FileError) in try fileSystem.status(at: folder) })?.kind == .folder {
            try fileSystem.removeAbandonedTemporaryFiles(in: folder, isShared: true)
        }
    }

    /// Makes the names durable of what others may have moved here a moment ago.
    public func makeDurable() throws(FileError) {
        if try fileSystem.continuing({ () throws(FileError) in try fileSystem.status(at: folder) })?.kind == .folder {
            try fileSystem.makeDurable(folder: folder)
        }
    }

    /// Moves a file here, the reason first, both durably.
    ///
    /// - Returns: where it lies now; `nil` when it was gone already.
    @discardableResult
    public func take(_ path: FilePath, reason: String) throws(FileError) -> FilePath? {
        guard let name = path.lastComponent?.string,
            try fileSystem.continuing({ () throws(FileError) in try fileSystem.status(at: path) }) != nil
        else { return nil }
        try fileSystem.makeDurableFolder(folder)
        try fileSystem.removeAbandonedTemporaryFiles(in: folder, isShared: true)
        let stem = clock.now.description.filter { $0 != ":" } + "-" + String(name.suffix(180))
        for attempt in 1... {
            let target = folder.appending(attempt == 1 ? stem : "\(attempt)-\(stem)")
            let taken = try fileSystem.continuing { () throws(FileError) in try fileSystem.status(at: target) }
            if taken != nil { continue }
            let explanation = "\(path.string): \(reason)\n"
            let reasonPath = folder.appending((target.lastComponent?.string ?? stem) + ".reason.txt")
            try fileSystem.writeDurably(Array(explanation.utf8), to: reasonPath, temporaryFolder: folder)
            do throws(FileError) {
                try fileSystem.move(path, to: target, replacing: false)
            } catch {
                // Any other failure may have come after the move: then the reason stays, which hurts nobody.
                guard error.isMissing || error.code == .fileExists else { throw error }
                try fileSystem.removeIfPresent(reasonPath)
                if error.isMissing { return nil }
                continue
            }
            try fileSystem.makeDurable(folder: folder)
            try fileSystem.makeDurable(folder: path.removingLastComponent())
            return target
        }
        return nil
    }
}
