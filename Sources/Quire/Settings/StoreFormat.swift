import CacheStore
import Disk
import Model
import OutboxStore
import SystemPackage

/// The formats of a store that a program knows: the one that it uses, and the steps that lead there from older ones.
package struct StoreFormat: Sendable {
    /// From one format to the next.
    package struct Step: Sendable {
        package var from: Int
        /// Durably adds the files of the next format. It removes and changes nothing: as long as `store.json` names the
        /// former format, a program of that format finds its store intact. After a crash it is called again on the
        /// result so far.
        package var prepare: @Sendable (any FileSystem) throws -> Void
        /// Changes the settings. They are written last, with the number of the format, in one piece: that is the step.
        package var settings: @Sendable (inout [String: JSONValue]) -> Void

        package init(
            from: Int, prepare: @escaping @Sendable (any FileSystem) throws -> Void,
            settings: @escaping @Sendable (inout [String: JSONValue]) -> Void = { _ in }
        ) {
            self.from = from
            self.prepare = prepare
            self.settings = settings
        }
    }

    package var current: Int
    package var steps: [Step]

    package init(current: Int, steps: [Step]) {
        self.current = current
        self.steps = steps
    }

    /// Format 1 is the first.
    package static let known = StoreFormat(current: StoreSettings.currentFormat, steps: [])

    private struct Version: Decodable { var format: Int }

    /// The format that some settings name: read before anything else, since a newer one may have settings that this
    /// program cannot read.
    ///
    /// - Throws: `StoreError.newerFormat`, `.damagedSettings`.
    func check(_ bytes: [UInt8], at root: FilePath) throws(StoreError) -> Int {
        let found: Int
        do throws(DocumentFault) {
            found = try DocumentCoding.decode(Version.self, from: bytes).format
        } catch {
            throw .damagedSettings(root.pushing(StoreLayout.settings), reason: error.description)
        }
        if found > current { throw .newerFormat(root, found: found, known: current) }
        if found < current, steps(from: found) == nil {
            throw .damagedSettings(
                root.pushing(StoreLayout.settings), reason: "format: is \(found), which this program does not know")
        }
        return found
    }

    /// Upgrades an older store to the current format, step by step, under the locks of its writers.
    ///
    /// - Throws: `StoreError.inUse` when another process holds one of the store's locks.
    func upgrade(_ fileSystem: any FileSystem) throws {
        let locks = try [OutboxLayout.sweeperLock, OutboxLayout.editLock, CacheLayout.lock].map { path in
            try fileSystem.makeDurableFolder(path.folder)
            // Never waits: a holder may be of the older format, and busy for long.
            guard let lock = try LockFile.acquire(path, in: fileSystem, wait: false) else {
                throw StoreError.inUse(fileSystem.root)
            }
            return lock
        }
        defer { for lock in locks { lock.release() } }
        try fileSystem.makeDurableFolder(StoreLayout.temporary)
        // Another process may have done it since the settings were read.
        let bytes = try fileSystem.readFile(StoreLayout.settings, maximumBytes: 1 << 20).bytes
        guard let steps = steps(from: try check(bytes, at: fileSystem.root)), !steps.isEmpty,
            case .object(var members) = try DocumentCoding.decode(JSONValue.self, from: bytes)
        else { return }
        for step in steps {
            try step.prepare(fileSystem)
            step.settings(&members)
            members["format"] = .integer(Int64(step.from + 1))
            try fileSystem.writeDurably(
                try DocumentCoding.encode(JSONValue.object(members)), to: StoreLayout.settings,
                temporaryFolder: StoreLayout.temporary)
        }
    }

    /// The steps from a format to the current one; `nil` when one is missing.
    private func steps(from format: Int) -> [Step]? {
        var found: [Step] = []
        var at = format
        while at < current {
            guard let step = steps.first(where: { $0.from == at }) else { return nil }
            found.append(step)
            at += 1
        }
        return found
    }
}
