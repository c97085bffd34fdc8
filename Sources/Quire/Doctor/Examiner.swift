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
    var language: Language { examination.language }
    var fileSystem: any FileSystem { store.fileSystem }
    var now: Timestamp { store.clock.now }

    /// A text in the person's language.
    func say(_ text: LocalizedText) -> String { language.text(text) }

    func report(
        _ kind: Finding.Kind, _ path: FilePath, _ what: String, _ advice: String, repair: (() throws -> Bool)? = nil
    ) {
        examination.report(kind, path, what, advice, repair: repair)
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
            report(
                .unknown, path, say("it cannot be looked at: \(error)"),
                say("see that you may read it, then run “quire doctor” again"))
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
    func quarantine(_ path: FilePath, _ reason: String) throws -> Bool {
        guard examination.canQuarantine else { return false }
        if let fault = accessFault(path) { throw fault }
        return try store.quarantine.take(path, reason: reason) != nil
    }

    // MARK: Advice that is given often

    var quarantineAdvice: String {
        say("run “quire doctor --repair” to move it to quarantine")
    }

    var repairAdvice: String { say("run “quire doctor --repair” to repair it") }

    // MARK: Files that others made

    /// Reports a file that Quire did not create.
    ///
    /// - Parameter canBeMoved: whether `--repair` may move it to quarantine; anything in the store's own folder is its
    ///   owner's to move.
    func reportStranger(_ path: FilePath, _ entry: FolderEntry, _ what: String, canBeMoved: Bool = true) {
        let isCopy = Self.isConflictCopy(entry.name)
        let text =
            isCopy
            ? say("a program that syncs folders made this copy, since the file was changed on two machines")
            : what
        let move = say("move it elsewhere")
        report(isCopy ? .conflictCopy : .stranger, path, text, canBeMoved ? quarantineAdvice : move) {
            guard canBeMoved || isCopy else { return false }
            return try self.quarantine(path, text)
        }
    }

    /// Dropbox and Nextcloud, Syncthing, OneDrive and Google Drive name their copies so.
    private static func isConflictCopy(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.contains("conflicted copy") || name.contains(".sync-conflict-") || name.contains("_conflict-")
            || name.contains("конфликтующая копия") || name.contains("(case conflict")
    }

    func words(_ kind: FileKind) -> String {
        switch kind {
        case .regular: say("a file")
        case .folder: say("a folder")
        case .symbolicLink: say("a symbolic link")
        case .other: say("a pipe, socket or device")
        }
    }
}
