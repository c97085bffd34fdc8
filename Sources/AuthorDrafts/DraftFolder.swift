import Disk
import Model
import SystemPackage

/// Drafts in a folder: one for each, with a file for each state. A lock file is held while drafts are saved, published and
/// removed: a state that was acknowledged does not go with one that its author did not see.
package struct DraftFolder: DraftFiles {
    private let fileSystem: any FileSystem
    private let layout: DraftLayout

    package init(_ fileSystem: any FileSystem, _ layout: DraftLayout) {
        self.fileSystem = fileSystem
        self.layout = layout
    }

    package func place(of version: Int, of id: TestID) -> FilePath {
        fileSystem.root.pushing(layout.state(version, of: id))
    }

    package func all() throws -> [TestID: [Int]] {
        guard try fileSystem.status(at: layout.folder) != nil else { return [:] }
        var all: [TestID: [Int]] = [:]
        for entry in try fileSystem.list(layout.folder) {
            guard let id = DraftLayout.id(ofFolder: entry.name) else { continue }
            let versions = try states(of: id).versions
            if !versions.isEmpty { all[id] = versions }
        }
        return all
    }

    package func states(of id: TestID) throws -> DraftStates {
        guard try fileSystem.status(at: layout.folder(of: id)) != nil else { return DraftStates([]) }
        return DraftStates(
            try fileSystem.list(layout.folder(of: id)).compactMap { DraftLayout.version(ofFile: $0.name) }.sorted())
    }

    package func bytes(ofEach states: [(version: Int, id: TestID)], maximumBytes: Int64) throws -> [[UInt8]?] {
        try states.map {
            try fileSystem.readFileIfPresent(layout.state($0.version, of: $0.id), maximumBytes: maximumBytes)?.bytes
        }
    }

    package func put(_ bytes: [UInt8], _ version: Int, of id: TestID) throws -> Bool {
        try fileSystem.makeDurableFolder(layout.folder)
        try fileSystem.makeDurableFolder(layout.folder(of: id))
        return try fileSystem.writeDurablyIfAbsent(
            bytes, to: layout.state(version, of: id), temporaryFolder: layout.temporary)
    }

    package func remove(_ versions: [Int], of id: TestID) throws {
        for version in versions { try fileSystem.removeIfPresent(layout.state(version, of: id)) }
    }

    /// The latest state goes last: after a crash the draft is there as before, or gone. The lock must be held.
    package func end(_ id: TestID, after version: Int) throws -> Bool {
        let versions = try states(of: id).versions
        guard versions.last ?? 0 <= version else { return false }
        if let latest = versions.last {
            try remove(versions.dropLast(), of: id)
            // Removals that are not durable may come back in any order.
            try fileSystem.makeDurable(folder: layout.folder(of: id))
            try remove([latest], of: id)
        }
        guard try fileSystem.status(at: layout.folder(of: id)) != nil else { return true }
        try removeFiles(of: id)
        do throws(FileError) {
            try fileSystem.removeFolder(layout.folder(of: id))
        } catch {
            // Someone put a file of their own into it. The states are gone all the same.
            try fileSystem.makeDurable(folder: layout.folder(of: id))
        }
        try fileSystem.makeDurable(folder: layout.folder)
        return true
    }

    package func freeID(forDraftOf questionnaire: String) -> TestID? { nil }

    package func locked<Result>(_ body: () throws -> Result) throws -> Result {
        let lock = try LockFile.acquire(layout.lock, in: fileSystem, wait: true)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    // MARK: Files of drafts

    package func countFiles(of id: TestID) throws -> Int {
        let folder = layout.media(of: id)
        return try fileSystem.status(at: folder) == nil ? 0 : fileSystem.list(folder).count
    }

    package func put(_ bytes: [UInt8], file: ContentPath, of id: TestID) throws {
        let folder = layout.media(of: id)
        try fileSystem.makeDurableFolder(layout.folder)
        try fileSystem.makeDurableFolder(layout.folder(of: id))
        try fileSystem.makeDurableFolder(folder)
        let isFirst = try fileSystem.writeDurablyIfAbsent(
            bytes, to: layout.media(file, of: id), temporaryFolder: layout.temporary)
        // Another writer of the same bytes may not have made the name durable yet.
        if !isFirst { try fileSystem.makeDurable(folder: folder) }
    }

    package func bytes(file: ContentPath, of id: TestID, maximumBytes: Int64) throws -> [UInt8]? {
        try fileSystem.readFileIfPresent(layout.media(file, of: id), maximumBytes: maximumBytes)?.bytes
    }

    package func hasFile(_ file: ContentPath, of id: TestID) throws -> Bool {
        try fileSystem.status(at: layout.media(file, of: id))?.kind == .regular
    }

    private func removeFiles(of id: TestID) throws {
        let folder = layout.media(of: id)
        guard try fileSystem.status(at: folder) != nil else { return }
        for entry in try fileSystem.list(folder) where ContentPath(ContentPath.folder + "/" + entry.name) != nil {
            try fileSystem.removeIfPresent(folder.appending(name: entry.name))
        }
        do throws(FileError) {
            try fileSystem.removeFolder(folder)
        } catch {
            // Someone put a file of their own into it.
        }
    }
}
