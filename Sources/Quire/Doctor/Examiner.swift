import Disk
import Model
import OutboxStore
import SystemPackage

/// Examines one part of a store, and adds what it finds to the examination.
protocol Examiner {
    var examination: Examination { get }

    func examine()
}

/// Used by all examiners.
extension Examiner {
    var store: QuireStore { examination.store }
    var isRepairing: Bool { examination.isRepairing }
    var fileSystem: any FileSystem { store.fileSystem }
    var now: Timestamp { store.clock.now }

    func report(_ path: FilePath, _ what: Finding.What, repair: (() throws -> Bool)? = nil) {
        examination.report(path, what, repair: repair)
    }

    /// Reports a file that is moved to quarantine on request.
    func reportForQuarantine(_ path: FilePath, _ what: Finding.What) {
        report(path, what) { try self.quarantine(path, what) }
    }

    func isNamed(_ path: FilePath) -> Bool { examination.isNamed(path) }

    private func isNamed(_ error: FileError) -> Bool {
        var path = error.path
        return path.removePrefix(fileSystem.root) && isNamed(path)
    }

    /// Runs one check; an error is a finding of its own and stops none of the others.
    func check(_ path: FilePath, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            // The reason is often one that was named already: a link in the place of a folder.
            if isNamed(path) || (error as? FileError).map(isNamed) == true { return }
            report(path, .notExamined(reason: "\(error)"))
        }
    }

    /// Why the bytes of a file cannot be had at this moment, where that says nothing about them: it may not be read, or the
    /// disk fails.
    func accessFault(_ path: FilePath) -> FileError? {
        do throws(FileError) {
            guard try fileSystem.status(at: path)?.kind == .regular else { return nil }
            _ = try fileSystem.readFile(path, maximumBytes: Outbox.maximumTestBytes)
            return nil
        } catch {
            return error.isMissing || error.code == .fileTooLarge ? nil : error
        }
    }

    /// Gives a file that its owner may not read its mode back.
    func restoreAccess(_ path: FilePath) throws(FileError) {
        guard accessFault(path)?.code == .permissionDenied else { return }
        try fileSystem.setPermissions(path, .ownerReadWrite)
    }

    /// Moves a file to quarantine, with the reason beside it. A file that is only temporarily unreadable stays.
    func quarantine(_ path: FilePath, _ what: Finding.What) throws -> Bool {
        try quarantine(path, reason: examination.reason(Finding(path: path.string, what: what)))
    }

    func quarantine(_ path: FilePath, reason: String) throws -> Bool {
        guard examination.canQuarantine else { return false }
        if let fault = accessFault(path) { throw fault }
        return try store.quarantine.take(path, reason: reason) != nil
    }

    /// Reports a file that Quire did not create. `--repair` moves it to quarantine; anything in the store's own folder is its
    /// owner's to move, except for a copy of one of the store's files.
    func reportStranger(_ path: FilePath, _ what: Finding.What) {
        let isInStoreFolder = what == .stranger(.store)
        if Self.isConflictCopy(path.name ?? "") {
            reportForQuarantine(path, .conflictCopy(isInStoreFolder: isInStoreFolder))
        } else if isInStoreFolder {
            report(path, what)
        } else {
            reportForQuarantine(path, what)
        }
    }

    /// Dropbox and Nextcloud, Syncthing, OneDrive and Google Drive name their copies so.
    private static func isConflictCopy(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.contains("conflicted copy") || name.contains(".sync-conflict-") || name.contains("_conflict-")
            || name.contains("конфликтующая копия") || name.contains("(case conflict")
    }
}
