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
                finding.advice = language.text("it could not be repaired: \(error)")
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
}

extension Examination {
    /// Examines a store; a repair may reveal further faults, so it is then examined again.
    static func findings(
        in store: QuireStore, repairing: Bool, hasToken: Bool, remoteFault: String?, _ language: Language
    ) -> [Finding] {
        func examined() -> [Finding] {
            examineOnce(store, repairing, hasToken: hasToken, remoteFault: remoteFault, language)
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
        _ store: QuireStore, _ repairing: Bool, hasToken: Bool, remoteFault: String?, _ language: Language
    ) -> [Finding] {
        let examination = Examination(store, isRepairing: repairing, language: language)
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
    /// Checks the complete store and reports faults in plain words; with `repairing` it repairs what is safe and moves
    /// the rest to quarantine. Other processes may use the store meanwhile.
    ///
    /// - Parameter hasToken: whether a token is sent that the settings do not name.
    public func examine(
        repairing: Bool, hasToken: Bool = false, remoteFault: String? = nil, _ language: Language = .english
    ) throws -> [Finding] {
        Examination.findings(
            in: self, repairing: repairing, hasToken: hasToken, remoteFault: remoteFault, language)
    }

    /// Notes about the location of the store that are not faults: they do not count as findings.
    package func notes(_ language: Language = .english) throws -> [String] {
        try PlaceExaminer.notes(fileSystem, language)
    }
}

extension Finding {
    /// Whether both are about one fault of one file.
    fileprivate func isSame(as other: Finding) -> Bool { kind == other.kind && path == other.path }
}
