import Disk
import Model
import OutboxStore
import SystemPackage

/// Examines the complete store: reports its faults, and with `isRepairing` repairs what is safe and moves
/// the rest to quarantine.
///
/// Other processes may use the store meanwhile. A possible concurrent change is checked again before it counts as a
/// finding, and is repaired only under the writers' lock.
final class Examination {
    let store: QuireStore
    let isRepairing: Bool
    /// Gives the text that is written beside a file when it is moved to quarantine.
    let reason: (Finding) -> String
    /// The quarantine is a folder, so that things can be moved there.
    var canQuarantine = true
    private(set) var findings: [Finding] = []
    private var named: Set<String> = []

    init(_ store: QuireStore, isRepairing: Bool, reason: @escaping (Finding) -> String) {
        self.store = store
        self.isRepairing = isRepairing
        self.reason = reason
    }

    /// Adds a finding, and repairs it on request.
    ///
    /// - Parameter repair: repairs it; returns whether it did. After a failure the finding stays, with the reason.
    func report(_ path: FilePath, _ what: Finding.What, repair: (() throws -> Bool)? = nil) {
        var finding = Finding(path: path.isEmpty ? "." : path.string, what: what)
        named.insert(finding.path)
        if isRepairing, let repair {
            do {
                finding.isRepaired = try repair()
            } catch {
                finding.repairFault = "\(error)"
            }
        }
        findings.append(finding)
    }

    /// Whether something was said about the file, or about a folder above it.
    func isNamed(_ path: FilePath) -> Bool {
        var path = path
        while !path.isEmpty {
            if named.contains(path.string) { return true }
            path = path.folder
        }
        return false
    }
}

extension Examination {
    /// Examines a store; a repair may reveal further faults, so it is then examined again.
    static func findings(
        in store: QuireStore, repairing: Bool, hasToken: Bool, remoteFault: String?,
        reason: @escaping (Finding) -> String
    ) -> [Finding] {
        func examined() -> [Finding] {
            examineOnce(store, repairing, hasToken: hasToken, remoteFault: remoteFault, reason: reason)
        }
        var findings = examined()
        guard repairing, findings.contains(where: \.isRepaired) else { return findings }
        // A file is named by its worst fault alone: with that one repaired, the next one shows.
        for _ in 0..<mostPasses {
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

    private static func examineOnce(
        _ store: QuireStore, _ repairing: Bool, hasToken: Bool, remoteFault: String?,
        reason: @escaping (Finding) -> String
    ) -> [Finding] {
        let examination = Examination(store, isRepairing: repairing, reason: reason)
        let examiners: [any Examiner] = [
            // The folders first: later checks must not follow a link.
            FolderExaminer(examination: examination),
            PlaceExaminer(examination: examination),
            SettingsExaminer(examination: examination, hasToken: hasToken, remoteFault: remoteFault),
            OutboxExaminer(examination: examination),
            CacheExaminer(examination: examination),
            RecordExaminer(examination: examination),
            PeopleExaminer(examination: examination),
            AuthorDraftExaminer(examination: examination),
            // Last, so that a file is named once, by its worst fault.
            TreeExaminer(examination: examination),
        ]
        for examiner in examiners { examiner.examine() }
        return examination.findings
    }
}

extension QuireStore {
    /// Checks the complete store and reports its faults; with `repairing` it repairs what is safe and moves the rest to
    /// quarantine. Other processes may use the store meanwhile.
    ///
    /// - Parameters:
    ///   - hasToken: whether a token is sent that the settings do not name.
    ///   - remoteFault: why the configured remote cannot be used; `nil` if it can.
    ///   - reason: what is written beside a file that is moved to quarantine, such as the finding's words; without it, the
    ///     kind of the finding, such as `unreadable`.
    public func examine(
        repairing: Bool, hasToken: Bool = false, remoteFault: String? = nil, reason: ((Finding) -> String)? = nil
    ) throws -> [Finding] {
        Examination.findings(
            in: self, repairing: repairing, hasToken: hasToken, remoteFault: remoteFault,
            reason: reason ?? { $0.kind.rawValue })
    }

    /// Notes about the location of the store that are not faults: they do not count as findings.
    package func notes() throws -> [PlaceNote] { try PlaceExaminer.notes(fileSystem.volume()) }
}

extension Finding {
    /// Whether both are about one fault of one file.
    fileprivate func isSame(as other: Finding) -> Bool { kind == other.kind && path == other.path }
}
