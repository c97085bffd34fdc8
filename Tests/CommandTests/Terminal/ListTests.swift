import Foundation
import Testing

@Suite("A list at the terminal, and parts of it")
struct ListTests {
    /// A store with so many questionnaires of its own.
    private func device(_ folder: TemporaryFolder, _ count: Int) throws -> Device {
        let device = Device(folder.path)
        try device.done("init")
        for number in 1...count {
            let file = folder.path + "/made.json"
            let document =
                #"{"id": "n", "title": "Number \#(number)", "questions": [{"id": "q", "text": "?", "options": ["a", "b"]}]}"#
            try Files.write(document, to: file)
            try device.done("new", "--from", file)
        }
        return device
    }

    @Test(
        "what does not fit on the screen is shown by the person's pager, what fits and what is piped is not",
        .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func pager() throws {
        let folder = try TemporaryFolder()
        let device = try device(folder, 12)
        let pager = folder.path + "/pager"
        // The first line leaves the screen when the pane's program has ended.
        try Files.writeScript("#!/bin/sh\necho\necho \"pager with LESS=$LESS\"\nwc -l\n", to: pager)
        func screen(_ rows: Int, _ arguments: String, _ variables: String, _ words: String) throws -> String {
            let terminal = TmuxTerminal(folder.path, "t\(rows)\(arguments.count)\(variables.count)")
            try terminal.run(
                "exec env -u LESS QUIRE_STORE=\(device.store) \(variables) \(Command.binary) \(arguments)",
                columns: 120,
                rows: rows)
            try terminal.see(words)
            try terminal.waitForEnd()
            return try terminal.screen
        }
        let long = try screen(10, "list", "QUIRE_PAGER=\(pager) PAGER=false", "pager with LESS=FRX")
        #expect(long.contains("12"))
        #expect(try screen(10, "search number", "PAGER=\(pager)", "pager").contains("12"))
        #expect(try !screen(40, "list", "PAGER=\(pager)", "Number 2 ").contains("pager"))
        #expect(try !screen(11, "list --no-pager", "PAGER=\(pager)", "Number 12").contains("pager"))
        #expect(try !screen(11, "list", "QUIRE_PAGER= PAGER=\(pager)", "Number 12").contains("pager"))
        let piped = try device.quire(["list"], environment: ["PAGER": pager])
        #expect(piped.output.split(separator: "\n").count == 12 && !piped.output.contains("pager"), "\(piped)")
    }

    @Test("a list by language, subject and state")
    func filters() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        func publish(_ id: String, _ more: String) throws {
            let text = #"{"id": "\#(id)", "title": "\#(id)", \#(more) "questions": [{"id": "q", "text": "?"}]}"#
            try Files.write(text, to: host.questionnaires + "/\(id).json")
        }
        try publish("algebra", #""locale": "en-GB", "subject": "Mathematics", "level": "B1","#)
        try publish("geometriya", #""locale": "ru", "subject": "Математика", "tags": ["mathematics", "школа"],"#)
        try publish("both", #""locale": "en", "translations": {"ru": {"title": "Оба"}},"#)
        try publish("plain", "")
        try host.start()
        let device = try Device(folder.path, of: host)
        try device.done("favorite", "plain")
        func ids(_ arguments: String...) throws -> Set<String> {
            let lines = try device.json(["list"] + arguments).elements.compactMap { $0["id"].text }
            let outcome = try device.quire(["list"] + arguments)
            #expect(outcome.output.split(separator: "\n").count == max(1, lines.count), "\(outcome)")
            return Set(lines)
        }
        #expect(try ids("--language", "ru") == ["geometriya", "both"])
        #expect(try ids("--language", "EN") == ["algebra", "both"])
        #expect(try ids("--language", "en-gb") == ["algebra"])
        #expect(try ids("--subject", "mathematics") == ["algebra", "geometriya"])
        #expect(try ids("--level", "b1") == ["algebra"] && ids("--level", "B2").isEmpty)
        #expect(try device.done("show", "algebra").output.contains("Mathematics · B1"))
        #expect(try ids("--subject", "МАТЕМАТИКА", "--language", "ru") == ["geometriya"])
        #expect(try ids("--state", "favorite") == ["plain"])
        let (fresh, stale) = (try ids("--state", "fresh"), try ids("--state", "stale"))
        #expect(fresh.union(stale).count == 4)
        #expect(try ids("--state", "draft").isEmpty)
        let wrong = try device.quire("list", "--state", "odd")
        #expect(wrong.exitCode == 64 && wrong.isOneSentence, "\(wrong)")
    }

    @Test(
        "times are the person's at a terminal, and UTC elsewhere",
        .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func zone() throws {
        let folder = try TemporaryFolder()
        let device = try device(folder, 1)
        let id = try #require(try device.cachedOrMade().first)
        let test = try device.take(id, answers: "{}", isFinished: false)
        let file = device.testPath(test, "empty")
        let text = try Files.text(file)
        let moment = /"dateStarted" ?: ?"[^"]*"/
        try Files.write(text.replacing(moment, with: #""dateStarted": "2026-01-31T22:30:00.000Z""#), to: file)
        #expect(try device.done("why", test).output.contains("Started 2026-01-31 22:30 UTC"))
        #expect(try device.quire(["why", test], environment: ["TZ": "Asia/Tokyo"]).output.contains("22:30 UTC"))
        let terminal = TmuxTerminal(folder.path, "zone")
        try terminal.run("exec env TZ=UTC-9 QUIRE_STORE=\(device.store) \(Command.binary) why \(test)", columns: 120)
        try terminal.see("Started 2026-02-01 07:30,")
        let utc = TmuxTerminal(folder.path, "utc")
        try utc.run("exec env TZ=UTC QUIRE_STORE=\(device.store) \(Command.binary) why \(test)", columns: 120)
        try utc.see("Started 2026-01-31 22:30 UTC")
    }
}

extension Device {
    fileprivate func cachedOrMade() throws -> [String] { try json("list").elements.compactMap { $0["id"].text } }
    fileprivate func json(_ arguments: [String]) throws -> JSON {
        let outcome = try quire(arguments + ["--json"])
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return try outcome.json()
    }
}
