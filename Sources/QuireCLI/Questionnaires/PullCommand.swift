import ArgumentParser
import Model
import Quire
import Sync
import Wording

struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Update the questionnaires on this device.",
        discussion: """
            Only what changed is transferred. When the quota is full, what is here stays and the rest is named; a \
            questionnaire asked for by its id takes the place of the least recently used ones. Exit code 74 when it is \
            the disk that is full. What an empty or much shorter list of the server lacks is kept until a list of a day later \
            confirms it, or --remove is given.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var quota: QuotaOption
    @OptionGroup var format: JSONOption

    @Argument(help: "Update only these.", completion: StoreCompletion.questionnaire)
    var ids: [String] = []

    @Flag(help: "Replace what was edited here with the server's version.")
    var discardEdits = false

    @Flag(
        help:
            "Remove everything that the server's list lacks, even where the list is empty or much shorter than before.")
    var remove = false

    @Flag(help: "Show a desktop notification about new questionnaires.") var notify = false

    private struct Result: Encodable {
        var listed, unchanged: Int
        var new, updated, removed, held, keptThoughGone, notStored, noRoom, edited, changedOnBothSides: [String]
        /// The system's error, if the disk is full.
        @Nullable var diskFull: String?
        var failed: [String: String]
        var transferredBytes: Int64
    }

    func validate() throws {
        if remove, !ids.isEmpty { throw ValidationError("--remove is for a pull of everything: give no ids") }
    }

    func run() async throws {
        try await Session.run(options, quota: quota.quota) { session in
            let remote = try session.requireRemote()
            let progress = Progress(Output.language.text("Pulling"), isQuiet: options.quiet || format.json)
            let announcer = Announcer()
            let report: Puller.Report
            do {
                report = try await session.store.puller(remote, observer: announcer.observer).pull(
                    .init(ids: ids.isEmpty ? nil : ids, discardsEdits: discardEdits, confirmsRemovals: remove)
                ) { state in
                    progress.show(done: state.done, total: state.total, ByteCount.format(state.bytes, Output.language))
                }
            } catch {
                progress.clear()
                throw error
            }
            progress.clear()
            if ids.isEmpty, report.isComplete, session.hasPeople {
                try await session.store.people.classList.pull(remote)
            }
            await announcer.announce(session.store, notifies: notify)
            if let ttl = session.store.settings.ttlSeconds {
                _ = try session.store.cache.space.purge(.init(olderThanSeconds: ttl))
            }
            if format.json {
                try Output.json(
                    Result(
                        listed: report.listed, unchanged: report.unchanged, new: report.new.sorted(),
                        updated: report.updated.sorted(), removed: report.removed.sorted(), held: report.held.sorted(),
                        keptThoughGone: report.keptThoughGone.sorted(), notStored: report.notStored.sorted(),
                        noRoom: report.noRoom.sorted(), edited: report.edited.keys.sorted(),
                        changedOnBothSides: report.edited.filter(\.value).keys.sorted(), diskFull: report.diskFull,
                        failed: report.failed, transferredBytes: report.transferredBytes))
            } else {
                tell(report)
            }
            for (id, reason) in report.failed.sorted(by: { $0.key < $1.key }) { Output.complain("\(id): \(reason)") }
            if let reason = report.diskFull { throw Failure(Exit.inputOutput, reason) }
            if !report.failed.isEmpty {
                let isForNow = report.failedForNow.isSuperset(of: report.failed.keys)
                throw ExitCode(isForNow ? Exit.unavailable : Exit.badData)
            }
            // Asked for by name and not got: that is not done.
            if !ids.isEmpty, !report.noRoom.isEmpty {
                throw Failure(Exit.badData, report.noRoomReason ?? "the quota is full")
            }
        }
    }

    private func tell(_ report: Puller.Report) {
        let language = Output.language
        let transferred = ByteCount.format(report.transferredBytes, language)
        options.say(
            "\(report.listed) on the server: \(report.new.count) new, \(report.updated.count) updated, \(report.unchanged) unchanged (\(transferred) transferred)."
        )
        func list(_ ids: [String], _ what: String) {
            guard !ids.isEmpty else { return }
            let names = ids.sorted().prefix(5).joined(separator: ", ") + (ids.count > 5 ? ", …" : "")
            options.say(line: "\(what) (\(ids.count)): \(names)")
        }
        list(report.removed, language.text("Removed, no longer on the server"))
        list(
            report.held,
            language.text(
                "Missing from the server's list, which is much shorter than before; kept (“quire pull --remove” removes them)"
            ))
        list(report.keptThoughGone, language.text("No longer on the server, kept since it is in use here"))
        list(report.notStored, language.text("Not kept, as the server asks (no-store)"))
        if report.diskFull == nil {
            list(report.noRoom, language.text("Not downloaded, the quota is full"))
        } else {
            list(report.noRoom, language.text("Not downloaded, the disk is full"))
        }
        let edited = report.edited.filter { !$0.value }.map(\.key)
        let both = report.edited.filter(\.value).map(\.key)
        list(edited, language.text("Edited here, left as it is"))
        list(
            both,
            language.text("Edited here and changed on the server, yours is kept (--discard-edits takes the server's)"))
    }
}
