import Disk
import Model
import Sync
import SystemPackage

/// The programs in `STORE/hooks/` that are run when something happened, with the event on standard input.
///
/// Hooks are notified, not asked: the result of one is recorded in the journal and changes nothing else.
package struct Hooks: Sendable {
    /// The events that have one, by its name.
    package static let names: Set<String> = ["sent", "rated", "returned", "rejected", "conflict", "new-questionnaire"]
    /// One takes no longer than this, nor all those of one round together.
    static let longestMilliseconds: Int32 = 10_000
    static let longestRoundSeconds = 60.0

    private let fileSystem: any FileSystem
    private let root: FilePath
    private let journal: Journal
    private let clock: any StoreClock
    private let user: UInt32

    init(
        fileSystem: any FileSystem, root: FilePath, journal: Journal, clock: any StoreClock,
        user: UInt32 = Program.user
    ) {
        self.fileSystem = fileSystem
        self.root = root
        self.journal = journal
        self.clock = clock
        self.user = user
    }

    /// Runs the hooks of these events, one after the other. Blocks until the last one has ended.
    ///
    /// - Parameter environment: `PATH`, `HOME`, `LANG`, `LC_ALL` and `TZ` are passed on.
    package func run(_ events: [JournalEvent], environment: [String: String]) {
        let begun = clock.now
        var refused: Set<String> = []
        for event in events where Self.names.contains(event.event) {
            let path = StoreLayout.hook(event.event)
            do throws(FileError) {
                guard let status = try fileSystem.status(at: path) else { continue }
                if let reason = try fault(status) {
                    if refused.insert(event.event).inserted { tell(event, "\(path) is not run: \(reason)") }
                    continue
                }
            } catch {
                tell(event, error.description)
                continue
            }
            guard clock.now.seconds(since: begun) < Self.longestRoundSeconds else {
                return tell(event, "more than \(Int(Self.longestRoundSeconds)) s were over: no further one was run")
            }
            run(path, event, environment)
        }
    }

    private func run(_ path: FilePath, _ event: JournalEvent, _ environment: [String: String]) {
        var variables = environment.filter { ["PATH", "HOME", "LANG", "LC_ALL", "TZ"].contains($0.key) }
        variables["QUIRE_STORE"] = root.string
        variables["QUIRE_EVENT"] = event.event
        do {
            // Its folder is changed first, so its path is meant from there.
            let program = try Program(
                FilePath(".").pushing(path), environment: variables, folder: root,
                input: try DocumentCoding.encodeLine(event))
            switch program.end(within: Self.longestMilliseconds) {
            case .code(0): break
            case .code(let code): tell(event, "\(path) ended with code \(code)")
            case .signal(let number): tell(event, "\(path) was ended by signal \(number)")
            case .overtime: tell(event, "\(path) was ended after \(Self.longestMilliseconds / 1000) s")
            }
        } catch {
            tell(event, "\(error)")
        }
    }

    /// Why a hook must not be run: others could have put it there, or changed it.
    private func fault(_ hook: FileStatus) throws(FileError) -> String? {
        guard let folder = try fileSystem.status(at: StoreLayout.hooks), folder.kind == .folder else {
            return "its folder is none"
        }
        if hook.kind != .regular { return "it is no file" }
        if hook.owner != user || folder.owner != user { return "it or its folder belongs to another user" }
        let others: FilePermissions = [.groupWrite, .otherWrite]
        if !hook.permissions.isDisjoint(with: others) || !folder.permissions.isDisjoint(with: others) {
            return "others may write it or its folder: chmod go-w"
        }
        return hook.permissions.contains(.ownerExecute) ? nil : "it is not executable: chmod u+x"
    }

    private func tell(_ event: JournalEvent, _ reason: String) {
        journal.record("hook", test: event.test, questionnaire: event.questionnaire, detail: reason)
    }
}

extension QuireStore {
    /// - Parameter root: the store's folder, absolute.
    package func hooks(root: FilePath) -> Hooks {
        Hooks(fileSystem: fileSystem, root: root, journal: journal, clock: clock)
    }
}
