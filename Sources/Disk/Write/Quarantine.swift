import Model
import SystemPackage

/// The folder of damaged files: they are moved here with the reason beside them, never deleted.
package struct Quarantine: Sendable {
    private let fileSystem: any FileSystem
    private let folder: FilePath
    private let clock: any StoreClock

    package init(fileSystem: any FileSystem, folder: FilePath, clock: any StoreClock) {
        self.fileSystem = fileSystem
        self.folder = folder
        self.clock = clock
    }

    /// Removes abandoned temporary files here.
    package func tidy() throws(FileError) {
        if try fileSystem.continuing({ () throws(FileError) in try fileSystem.status(at: folder) })?.kind == .folder {
            try fileSystem.removeAbandonedTemporaryFiles(in: folder, isShared: true)
        }
    }

    /// Makes the names durable that other processes may just have moved here.
    package func makeDurable() throws(FileError) {
        if try fileSystem.continuing({ () throws(FileError) in try fileSystem.status(at: folder) })?.kind == .folder {
            try fileSystem.makeDurable(folder: folder)
        }
    }

    /// Moves a file here, the reason first, both durably.
    ///
    /// - Returns: its new path; `nil` if it was already gone.
    @discardableResult
    package func take(_ path: FilePath, reason: String) throws(FileError) -> FilePath? {
        guard let name = path.name,
            try fileSystem.continuing({ () throws(FileError) in try fileSystem.status(at: path) }) != nil
        else { return nil }
        try fileSystem.makeDurableFolder(folder)
        try fileSystem.removeAbandonedTemporaryFiles(in: folder, isShared: true)
        let stem = clock.now.description.filter { $0 != ":" } + "-" + String(name.suffix(180))
        for attempt in 1... {
            let target = folder.appending(name: attempt == 1 ? stem : "\(attempt)-\(stem)")
            let taken = try fileSystem.continuing { () throws(FileError) in try fileSystem.status(at: target) }
            if taken != nil { continue }
            let explanation = "\(path.string): \(reason)\n"
            let reasonPath = folder.appending(name: (target.name ?? stem) + ".reason.txt")
            try fileSystem.writeDurably(Array(explanation.utf8), to: reasonPath, temporaryFolder: folder)
            do throws(FileError) {
                try fileSystem.move(path, to: target, replacing: false)
            } catch {
                // Any other failure may have happened after the move: then the reason stays, which is harmless.
                guard error.isMissing || error.code == .fileExists else { throw error }
                try fileSystem.removeIfPresent(reasonPath)
                if error.isMissing { return nil }
                continue
            }
            try fileSystem.makeDurable(folder: folder)
            try fileSystem.makeDurable(folder: path.folder)
            return target
        }
        return nil
    }

    /// Stores bytes here that have no file yet, the reason first, both durably. Equal bytes of that name are stored
    /// once.
    ///
    /// - Returns: whether they were new.
    package func add(_ bytes: [UInt8], named name: String, reason: String) throws(FileError) -> Bool {
        try fileSystem.makeDurableFolder(folder)
        let entries = try fileSystem.continuing { () throws(FileError) in try fileSystem.list(folder) }
        for entry in entries where entry.kind == .regular && entry.name.hasSuffix("-" + name) {
            let path = folder.appending(name: entry.name)
            guard try fileSystem.readFile(path, maximumBytes: .max - 1).bytes == bytes else { continue }
            // The writer may have been killed before it was durable.
            try fileSystem.makeDurable(file: path)
            try fileSystem.makeDurable(folder: folder)
            return false
        }
        let stem = clock.now.description.filter { $0 != ":" } + "-" + String(name.suffix(180))
        for attempt in 1... {
            let target = folder.appending(name: attempt == 1 ? stem : "\(attempt)-\(stem)")
            if try fileSystem.continuing({ () throws(FileError) in try fileSystem.status(at: target) }) != nil {
                continue
            }
            let reasonPath = folder.appending(name: (target.name ?? stem) + ".reason.txt")
            try fileSystem.writeDurably(Array("\(name): \(reason)\n".utf8), to: reasonPath, temporaryFolder: folder)
            if try fileSystem.writeDurablyIfAbsent(bytes, to: target, temporaryFolder: folder) { return true }
        }
        return true
    }
}
