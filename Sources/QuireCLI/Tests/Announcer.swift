import Disk
import FoundationEssentials
import Model
import Quire
import Sync
import Synchronization
import SystemPackage

/// Notifies people and their programs after a round: runs the store's hooks, and notifies the desktop.
final class Announcer: Sendable {
    private let events = Mutex<[JournalEvent]>([])

    /// For the code whose events are announced.
    var observer: @Sendable ([JournalEvent]) -> Void {
        { [self] events in self.events.withLock { $0 += events } }
    }

    /// - Parameter notifies: whether the desktop is notified, too.
    func announce(_ store: QuireStore, notifies: Bool) async {
        let happened = events.withLock { events in
            defer { events = [] }
            return events
        }
        if happened.isEmpty { return }
        let environment = ProcessInfo.processInfo.environment
        let root = store.path.isAbsolute ? store.path : WorkingFolder.current.pushing(store.path)
        let notes =
            notifies && store.settings.notifications != false ? DesktopNote.notes(happened, Output.language) : []
        // Neither can fail in a way that matters here: what goes wrong is written into the journal.
        try? await offload {
            for note in notes { note.show(environment) }
            store.hooks(root: root).run(happened, environment: environment)
        }
    }
}

/// A line on the desktop.
struct DesktopNote: Hashable {
    var title: String
    var text: String

    /// The notes about some events: one for each kind.
    static func notes(_ events: [JournalEvent], _ language: Language) -> [DesktopNote] {
        var notes: [DesktopNote] = []
        func add(_ event: String, one: LocalizedText, many: (Int) -> String) {
            let found = events.filter { $0.event == event }
            guard let first = found.first else { return }
            if found.count == 1 {
                notes.append(DesktopNote(title: language.text(one), text: first.title ?? first.detail ?? ""))
            } else {
                notes.append(
                    DesktopNote(
                        title: many(found.count), text: found.prefix(3).compactMap(\.title).joined(separator: ", ")))
            }
        }
        add("sent", one: LocalizedText("Test sent for review")) { language.text("\($0) tests sent for review") }
        add("rated", one: LocalizedText("Test rated")) { language.text("\($0) tests rated") }
        add("returned", one: LocalizedText("Test returned to be corrected")) {
            language.text("\($0) tests returned to be corrected")
        }
        add("rejected", one: LocalizedText("Test not accepted")) { language.text("\($0) tests not accepted") }
        add("conflict", one: LocalizedText("Test changed elsewhere")) { language.text("\($0) tests changed elsewhere") }
        add("new-questionnaire", one: LocalizedText("New questionnaire")) { language.text("\($0) new questionnaires") }
        return notes
    }

    /// Shows it through the session bus, where there is one; says nothing where there is none.
    func show(_ environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard value("DBUS_SESSION_BUS_ADDRESS") != nil || value("XDG_RUNTIME_DIR").map(Self.hasBus) == true else {
            return
        }
        let path = value("PATH") ?? "/usr/bin:/bin"
        let program: (FilePath, [String])?
        if let sender = Program.find("notify-send", in: path) {
            program = (sender, ["--app-name=Quire", "--", title, text])
        } else if let bus = Program.find("gdbus", in: path) {
            program = (
                bus,
                [
                    "call", "--session", "--timeout", "2", "--dest", "org.freedesktop.Notifications", "--object-path",
                    "/org/freedesktop/Notifications", "--method", "org.freedesktop.Notifications.Notify", "Quire", "0",
                    "", title, text, "[]", "{}", "-1",
                ]
            )
        } else {
            program = nil
        }
        guard let (file, arguments) = program, let started = try? Program(file, arguments, environment: environment)
        else { return }
        _ = started.end(within: 5000)
    }

    private static func hasBus(_ folder: String) -> Bool {
        guard let files = try? POSIXFileSystem(root: FilePath(folder)) else { return false }
        return (try? files.status(at: "bus")) != nil
    }
}
