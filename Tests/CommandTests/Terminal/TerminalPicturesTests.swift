import Foundation
import Testing

/// The pictures of the terminal in the documents.
@Suite("Pictures of the terminal", .serialized)
struct TerminalPicturesTests {
    @Test("a screen with colours becomes runs of text at their columns")
    func runs() {
        var style = TerminalPicture.Style()
        let line = "  \u{1b}[1mBees & honey\u{1b}[0m\u{1b}[39m   \u{1b}[2mOffline\u{1b}[0m \u{1b}[32m━━"
        let found = TerminalPicture.runs(line[...], &style)
        #expect(
            found == [
                .init(column: 2, text: "Bees & honey", style: .init(isBold: true)),
                .init(column: 17, text: "Offline", style: .init(isDim: true)),
                .init(column: 25, text: "━━", style: .init(color: 2)),
            ])
        let picture = TerminalPicture.svg(line, columns: 40, title: "quire", about: "A terminal")
        #expect(picture.contains("<text x=\"32.8\" y=\"59\" textLength=\"100.8\""))
        #expect(picture.contains(">Bees &amp; honey</text>"))
    }

    @Test(
        "a test being taken, and the list with the status",
        .enabled(if: ProcessInfo.processInfo.environment["QUIRE_PICTURES"] != nil, "only make pictures takes them"),
        .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func pictures() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, questionnaires: Command.samples)
        try host.start()
        let device = try Device(folder.path, of: host)
        try device.done("favorite", "griby")
        try host.stop()

        let take = TmuxTerminal(folder.path, "take")
        let quire = "env QUIRE_STORE=\(device.store) \(Command.binary)"
        try take.run("exec \(quire) take bees-and-honey", columns: 82, rows: 16)
        try take.see("1 of 10")
        for number in 2...7 {
            try take.type("Tab")
            try take.see("\(number) of 10")
        }
        try take.type("1", "3", "Down")
        try take.see("› 4 [ ]")
        try take.see("Saved locally")
        try save(
            take, "take", columns: 82, title: "quire take bees-and-honey",
            about:
                "A terminal: quire take shows question 7 of 10 of “Bees and honey” while offline; two of five options are "
                + "marked, and below stands “Saved locally”")

        let list = TmuxTerminal(folder.path, "list")
        try list.run(
            "echo '$ quire list'; \(quire) list; echo '$ quire status'; \(quire) status; read wait", columns: 80,
            rows: 36)
        try list.see("Cache:")
        try save(
            list, "list", columns: 80, title: "quire list",
            about:
                "A terminal: quire list shows questionnaires in English and Russian with a favourite and a draft; "
                + "quire status says Offline")
    }

    private func save(
        _ terminal: TmuxTerminal, _ name: String, columns: Int, title: String, about: String
    ) throws {
        let target = try #require(ProcessInfo.processInfo.environment["QUIRE_PICTURES"])
        let folder = target.hasPrefix("/") ? target : Command.repository + "/" + target
        try Files.makeFolder(folder)
        var lines = try terminal.coloredScreen.split(separator: "\n", omittingEmptySubsequences: false)
        while let last = lines.last, last.allSatisfy(\.isWhitespace) {
            lines.removeLast()
        }
        try Files.write(
            TerminalPicture.svg(lines.joined(separator: "\n"), columns: columns, title: title, about: about),
            to: "\(folder)/\(name).svg")
    }
}
