import ArgumentParser
import Disk
import Model
import Quire
import Sync
import Terminal

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Show what happened, one event a line.",
        discussion: """
            What it shows is in log/events.jsonl, one JSON object a line. Programs in the store's hooks/ get events \
            as they happen: see docs/format.md.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Flag(name: .shortAndLong, help: "Keep showing new events, until Ctrl-C.") var follow = false

    func run() async throws {
        let store = try options.openStore()
        if follow { try store.journal.prepare() }
        // Before the first look: what comes after it is a change.
        let changes = follow ? try FolderChanges([Journal.folder], in: POSIXFileSystem(root: store.path)) : nil
        var tail = try store.journal.tail(fromBeginning: true)
        for event in try tail.next() { try show(event) }
        guard let changes else { return }
        for await _ in changes.stream {
            try changes.renew()
            if changes.isRootRemoved { throw StoreError.noStore(store.path) }
            for event in try tail.next() { try show(event) }
        }
    }

    private func show(_ event: JournalEvent) throws {
        if format.json {
            let line = String(decoding: try DocumentCoding.encodeLine(event), as: UTF8.self)
            return Output.write(terminalSafeJSON(line))
        }
        let parts = [event.test?.description, event.questionnaire, event.title, event.detail].compactMap(\.self)
        Output.line("\(event.at)  \(event.event)  " + parts.joined(separator: " · "))
    }
}
