import Disk
import Model
import OutboxStore
import SystemPackage

/// Examines the complete store: reports faults in plain words, and with `isRepairing` repairs what is safe and moves
/// the rest to quarantine.
///
/// Other processes may use the store meanwhile. A possible concurrent change is checked again before it counts as a
/// finding, and is repaired only under the writers' lock.
final class Examination {
    let store: QuireStore
    let isRepairing: Bool
    let language: Language
    /// The quarantine is a folder, so that things can be moved there.
    var canQuarantine = true
    private(set) var findings: [Finding] = []
    private var named: Set<String> = []

    init(_ store: QuireStore, isRepairing: Bool, language: Language) {
        self.store = store
        self.isRepairing = isRepairing
        self.language = language
    }

    var fileSystem: any FileSystem { store.fileSystem }
    var now: Timestamp { store.clock.now }

    /// A text in the person's language.
    func say(_ text: LocalizedText) -> String { language.text(text) }

    /// Adds a finding, and repairs it on request.
    ///
    /// - Parameter repair: repairs it; returns whether it did. After a failure the finding stays, with the reason.
    func report(
        _ kind: Finding.Kind, _ path: FilePath, _ what: String, _ advice: String, repair: (() throws -> Bool)? = nil
    ) {
        let name = path.isEmpty ? "." : path.string
        named.insert(name)
        var finding = Finding(kind: kind, path: name, what: what, advice: advice, isRepaired: false)
        if isRepairing, let repair {
            do {
                finding.isRepaired = try repair()
            } catch {
                finding.advice = say("it could not be repaired: \(error)")
            }
        }
        findings.append(finding)
    }

    /// Whether something was said about the file, or about a folder above it.
    func isNamed(_ path: FilePath) -> Bool {
        var path = path
        while !path.isEmpty {
            if named.contains(path.string) { return true }
            path = path.removingLastComponent()
        }
        return false
    }

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
        guard canQuarantine else { return false }
        if let fault = accessFault(path) { throw fault }
        return try store.quarantine.take(path, reason: reason) != nil
    }

    // MARK: Advice that is given often

    var quarantineAdvice: String {
        say("run “quire doctor --repair” to move it to quarantine")
    }

    var repairAdvice: String { say("run “quire doctor --repair” to repair it") }
}

extension QuireStore {
    /// Checks the complete store and reports faults in plain words; with `repairing` it repairs what is safe and moves
    /// the rest to quarantine. Other processes may use the store meanwhile.
    ///
    /// - Parameter hasToken: whether a token is sent that the settings do not name.
    public func examine(
        repairing: Bool, hasToken: Bool = false, remoteFault: String? = nil, _ language: Language = .english
    ) throws -> [Finding] {
        func examined() -> [Finding] { examineOnce(repairing, hasToken: hasToken, remoteFault: remoteFault, language) }
        var findings = examined()
        guard repairing, findings.contains(where: \.isRepaired) else { return findings }
        // A file is named by its worst fault alone: with that one repaired, the next one shows.
        for _ in 0..<Self.mostPasses {
            let next = examined()
            // A fault that is still there was not repaired, whatever an earlier check said; one that is gone was.
            findings.removeAll { former in
                let again = next.first { $0.isSame(as: former) }
                return former.isRepaired ? again?.isRepaired == false : again == nil
            }
            findings += next.filter { found in !findings.contains { $0.isSame(as: found) } }
            if !next.contains(where: \.isRepaired) { break }
        }
        return findings
    }

    /// Faults that hide one another are found by this many passes.
    private static var mostPasses: Int { 4 }

    private func examineOnce(
        _ repairing: Bool, hasToken: Bool, remoteFault: String?, _ language: Language
    ) -> [Finding] {
        let examination = Examination(self, isRepairing: repairing, language: language)
        // The folders first: later checks must not follow a link.
        examination.checkFolders()
        examination.checkPlace()
        examination.checkSettings(hasToken: hasToken, remoteFault: remoteFault)
        examination.checkOutbox()
        examination.checkCache()
        examination.checkRecords()
        examination.checkPeople()
        examination.checkWriting()
        // Last, so that a file is named once, by its worst fault.
        examination.checkTree()
        return examination.findings
    }
}

extension Finding {
    /// Whether both are about one fault of one file.
    fileprivate func isSame(as other: Finding) -> Bool { kind == other.kind && path == other.path }
}
