import Foundation
import Testing

/// A test taken at a real terminal: tmux.
@Suite("A test at the terminal")
struct TerminalTests {
    @Test(
        "killed in the middle of a word, take goes on at the same question and cursor, and the test is finished and sent",
        .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func take() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, questionnaires: Command.samples)
        try host.start()
        let device = try Device(folder.path, of: host)
        let terminal = TmuxTerminal(folder.path, "first")
        func draft() throws -> JSON? {
            try (device.tests("in-progress") + device.tests("empty")).first.map { id in
                let status = Files.exists(device.testPath(id, "in-progress")) ? "in-progress" : "empty"
                return try JSON(file: device.testPath(id, status))
            }
        }

        try terminal.start(device, "take posle-uroka")
        try terminal.see("Какая тема была на уроке?")
        try terminal.type("Дроби", "Tab")
        try terminal.see("Насколько понятно было объяснение?")
        try terminal.type("2")
        // Saved after each answer, before anything else is pressed.
        let saved = try wait(for: "the second answer") {
            try draft().flatMap { $0["answers"].elements.count == 2 ? $0 : nil }
        }
        #expect(saved["answers"][1]["answer"].text == "Почти всё понятно")
        try terminal.type("BTab")
        try terminal.see("Какая тема была на уроке?")
        try terminal.type("End", "Left", "Left")
        try wait(for: "the place of the cursor") {
            let place = try draft()?["resume"]
            return place?["question"].text == "q1" && place?["cursor"].whole == 3 ? true : nil
        }
        kill(try terminal.process, SIGKILL)
        try terminal.waitForEnd()
        #expect(device.tests("in-progress").count == 1 && device.tests("done").isEmpty)

        let again = TmuxTerminal(folder.path, "second")
        try again.start(device, "take posle-uroka")
        try again.see("Какая тема была на уроке?")
        #expect(try again.screen.contains("Дроби"))
        try again.type("X")
        try again.see("ДроXби")
        try again.type("Tab", "Tab")
        try again.see("Что помогло разобраться?")
        try again.type("Tab")
        try again.see("Оцените темп урока.")
        try again.type("3", "C-r", "End", "Enter")
        // Questions without an answer are asked about once.
        try wait(for: "the end") {
            if !device.tests("in-progress").isEmpty { try again.type("Enter") }
            return device.tests("in-progress").isEmpty ? true : nil
        }
        try again.waitForEnd()
        // The host was there: it went at once.
        try wait(for: "the delivery") { host.tests.isEmpty ? nil : true }
        let id = try #require(host.tests.first)
        #expect(device.tests("sent") == [id])
        let answers = try JSON(file: device.testPath(id, "sent"))["answers"].elements
        #expect(Set(answers.compactMap { $0["answer"].text }) == ["ДроXби", "Почти всё понятно", "В самый раз"])
    }
}
