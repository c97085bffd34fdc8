import CacheStore
import Disk
import Model
import OutboxStore
import SystemPackage

/// Examines every file and folder: its kind, its owner, its permissions, its names, its time, and whether its
/// writer is still alive.
struct TreeExaminer: Examiner {
    let examination: Examination

    func examine() {
        let volume: Volume
        do {
            volume = try fileSystem.volume()
        } catch {
            // Named where the place was looked at.
            return
        }
        check(FilePath()) {
            guard let root = try fileSystem.status(at: FilePath()) else { return }
            checkRoot(root, volume)
            walk(FilePath(), TreeContext(owner: root.owner, volume: volume), depth: 0)
        }
    }

    /// The context that the checks of a file need.
    private struct TreeContext {
        var owner: UInt32
        var volume: Volume
        /// Checks are relaxed in `hooks` and in the quarantine.
        var isQuarantine = false
        var isHooks = false
    }

    private func checkRoot(_ root: FileStatus, _ volume: Volume) {
        guard volume.kind != .withoutPermissions else { return }
        if root.owner != volume.user {
            report(FilePath(), .storeOwner(root.owner, user: volume.user))
        }
        if !root.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]) {
            report(FilePath(), .openStore) {
                try self.fileSystem.setPermissions(FilePath(), [.ownerReadWriteExecute])
                return true
            }
        }
    }

    private func walk(_ folder: FilePath, _ tree: TreeContext, depth: Int) {
        check(folder) {
            let entries: [FolderEntry]
            do throws(FileError) {
                entries = try fileSystem.list(folder).sorted { $0.name < $1.name }
            } catch {
                if error.isMissing { return }
                throw error
            }
            if !tree.isQuarantine { reportLeftovers(in: folder, entries) }
            var open: [(FilePath, FileStatus)] = []
            for entry in entries {
                let path = folder.appending(name: entry.name)
                guard !isNamed(path), let status = try fileSystem.status(at: path) else { continue }
                if status.kind == .symbolicLink || status.kind == .other {
                    if !tree.isQuarantine { reportForQuarantine(path, .neverFollowed(status.kind)) }
                    continue
                }
                // Its writer has it open, and it is gone in a moment.
                if fileSystem.isTemporaryName(entry.name) { continue }
                reportOwner(path, status, tree)
                if isOpen(status, tree) { open.append((path, status)) }
                if status.kind == .regular, !tree.isQuarantine {
                    reportLinks(path, status)
                    reportTime(path, status)
                }
                if status.kind == .folder, depth < Self.deepest {
                    var inner = tree
                    inner.isQuarantine = inner.isQuarantine || path == StoreLayout.quarantine
                    inner.isHooks = inner.isHooks || path == StoreLayout.hooks
                    walk(path, inner, depth: depth + 1)
                }
            }
            reportPermissions(open, folder)
        }
    }

    /// Deeper than this there is nothing of ours.
    private static let deepest = 8

    private func reportLeftovers(in folder: FilePath, _ entries: [FolderEntry]) {
        guard entries.contains(where: { fileSystem.isTemporaryName($0.name) }) else { return }
        check(folder) {
            for path in try fileSystem.abandonedTemporaryFiles(in: folder, removing: false) {
                report(path, .leftover) {
                    // Resumable content is kept as a part.
                    if folder == CacheLayout.temporary { try self.store.cache.parts.settleAbandonedFiles() }
                    // Only files that no process has open, checked again by the lock.
                    try self.fileSystem.removeAbandonedTemporaryFiles(in: folder)
                    return try self.fileSystem.status(at: path) == nil
                }
            }
        }
    }

    private func reportOwner(_ path: FilePath, _ status: FileStatus, _ tree: TreeContext) {
        guard status.owner != tree.owner, tree.volume.kind != .withoutPermissions else { return }
        report(path, .owner(status.owner, storeOwner: tree.owner, store: store.path))
    }

    // MARK: Permissions

    private func isOpen(_ status: FileStatus, _ tree: TreeContext) -> Bool {
        guard tree.volume.kind != .withoutPermissions else { return false }
        let permissions = status.permissions
        let others: FilePermissions = [.groupReadWriteExecute, .otherReadWriteExecute]
        if !permissions.isDisjoint(with: others) || permissions.contains(.setUserID) { return true }
        // A folder may have it from the one above, where new files get that one's group.
        if permissions.contains(.setGroupID), status.kind != .folder { return true }
        if tree.isQuarantine { return false }
        let own: FilePermissions =
            status.kind == .folder || tree.isHooks ? .ownerReadWriteExecute : .ownerReadWrite
        if status.kind == .folder { return !permissions.contains(own) }
        return !permissions.contains(.ownerReadWrite) || !permissions.subtracting(own).isDisjoint(with: .ownerExecute)
    }

    /// Of many in one folder, the folder is named once.
    private func reportPermissions(_ open: [(path: FilePath, status: FileStatus)], _ folder: FilePath) {
        let areHooks = folder.isWithin(StoreLayout.hooks)
        func mend(_ path: FilePath, _ status: FileStatus) throws {
            do throws(FileError) {
                try fileSystem.setPermissions(path, rightMode(path, status))
            } catch {
                if !error.isMissing { throw error }
            }
        }
        if open.count > Self.mostNames {
            report(folder, .modes(count: open.count, areHooks: areHooks)) {
                for (path, status) in open { try mend(path, status) }
                return true
            }
            return
        }
        for (path, status) in open {
            report(path, .mode(status.permissions, expected: rightMode(path, status), isHook: areHooks)) {
                try mend(path, status)
                return true
            }
        }
    }

    /// A program of the owner's stays one.
    private func rightMode(_ path: FilePath, _ status: FileStatus) -> FilePermissions {
        let isProgram = path.isWithin(StoreLayout.hooks) && status.permissions.contains(.ownerExecute)
        return status.kind == .folder || isProgram ? .ownerReadWriteExecute : .ownerReadWrite
    }

    private static let mostNames = 5

    // MARK: Names and times

    private func reportLinks(_ path: FilePath, _ status: FileStatus) {
        // On a file system that cannot rename without replacing, a test on its way has two names for a moment.
        guard status.links > 1, (try? fileSystem.status(at: path))??.links ?? 1 > 1 else { return }
        let isLock = Self.locks.contains(path)
        report(path, .hardLink(names: status.links, isLock: isLock)) {
            // A lock is its inode: another one would let two in.
            guard !isLock else { return false }
            return try self.store.outbox.queue.exclusively { _ in try self.makeOwn(path) } ?? false
        }
    }

    private static let locks: Set<FilePath> = [
        OutboxLayout.sweeperLock, OutboxLayout.editLock, CacheLayout.lock, CacheLayout.ledger,
    ]

    /// A copy with the same bytes, time and name, in a file without other links.
    private func makeOwn(_ path: FilePath) throws -> Bool {
        let (bytes, status) = try fileSystem.readFile(path, maximumBytes: Int64(Cache.maximumContentBytes))
        guard status.links > 1 else { return true }
        try fileSystem.writeDurably(bytes, to: path, temporaryFolder: OutboxLayout.temporary, modified: status.modified)
        return true
    }

    /// In `done` a time to come means “not before”; anywhere else it is a clock that was wrong.
    private func reportTime(_ path: FilePath, _ status: FileStatus) {
        guard status.modified.seconds(since: now) > 86_400, !path.isWithin(OutboxLayout.folder(.done)) else {
            return
        }
        report(path, .futureTime(status.modified)) {
            try self.fileSystem.setModified(path, nanoseconds: self.now.nanosecondsSinceEpoch)
            return true
        }
    }
}
