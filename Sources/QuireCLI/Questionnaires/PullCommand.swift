import ArgumentParser
import Model
import Quire
import Sync

struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Update the questionnaires on this device.",
        discussion: """
            Only what changed is transferred. When the quota is full, what is here stays and the rest is named; a
            questionnaire asked for by its id takes the place of the least recently used ones. Exit code 74 when it is
            the disk that is full. What an empty or much shorter list of the server lacks is kept until a list of a day later
            confirms it, or --remove is given.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var quota: QuotaOption
    @OptionGroup var format: JSONOption

    @Argument(help: "Update only these.") var ids: [String] = []

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
            let progress = Progress(Output.language.pick("Pulling", "Загрузка"), isQuiet: options.quiet || format.json)
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
            await announcer.announce(session.store, notifies: notify)
            if let ttl = session.store.settings.ttlSeconds {
                _ = try session.store.cache.purge(.init(olderThanSeconds: ttl))
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
        options.say(
            "\(report.listed) on the server: \(report.new.count) new, \(report.updated.count) updated, "
                + "\(report.unchanged) unchanged (\(ByteCount.format(report.transferredBytes)) transferred).",
            "На сервере \(report.listed): новых \(report.new.count), обновлено \(report.updated.count), "
                + "без изменений \(report.unchanged) (передано \(ByteCount.format(report.transferredBytes, .russian)))."
        )
        func list(_ ids: [String], _ english: String, _ russian: String) {
            guard !ids.isEmpty else { return }
            let names = ids.sorted().prefix(5).joined(separator: ", ") + (ids.count > 5 ? ", …" : "")
            options.say("\(english) (\(ids.count)): \(names)", "\(russian) (\(ids.count)): \(names)")
        }
        list(report.removed, "Removed, no longer on the server", "Удалено, на сервере больше нет")
        list(
            report.held,
            "Missing from the server's list, which is much shorter than before; kept (“quire pull --remove” removes them)",
            "Нет в списке сервера, который стал намного короче; оставлено («quire pull --remove» удалит)")
        list(
            report.keptThoughGone, "No longer on the server, kept since it is in use here",
            "На сервере больше нет, оставлено, так как нужно здесь")
        list(report.notStored, "Not kept, as the server asks (no-store)", "Не сохранено по просьбе сервера (no-store)")
        if report.diskFull == nil {
            list(report.noRoom, "Not downloaded, the quota is full", "Не загружено: квота исчерпана")
        } else {
            list(report.noRoom, "Not downloaded, the disk is full", "Не загружено: на диске нет места")
        }
        let edited = report.edited.filter { !$0.value }.map(\.key)
        let both = report.edited.filter(\.value).map(\.key)
        list(edited, "Edited here, left as it is", "Изменено здесь, оставлено как есть")
        list(
            both, "Edited here and changed on the server, yours is kept (--discard-edits takes the server's)",
            "Изменено и здесь, и на сервере; оставлено ваше (--discard-edits возьмёт с сервера)")
    }
}
