import Foundation
import Testing

/// What kills, power cuts and other programs leave, and what two programs do at once.
@Suite("What is left behind is put right without a word")
struct LeftoverTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed", questions: 8))
        try host.start()
        device = try Device(folder.path, of: host)
    }

    @Test("several programs answer questions of one draft at once: none undoes an answer that another one acknowledged")
    func answers() throws {
        let draft = try device.take("keyed", answers: #"{"q1": "no"}"#, isFinished: false)
        for round in 0..<4 {
            let value = round % 2 == 0 ? "yes" : "no"
            let children = try (1...8).map { try device.begin(["answer", draft, "q\($0)", value, "--json"]) }
            for child in children { #expect(try child.end().exitCode == 0) }
            let answers = try JSON(file: device.testPath(draft, "in-progress"))["answers"].elements
            #expect(
                answers.count == 8 && answers.allSatisfy { $0["answer"].text == value }, "round \(round): \(answers)")
        }
    }

    @Test(
        "what another program answers while the test is on the screen stays",
        .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func screen() throws {
        let terminal = TmuxTerminal(folder.path, "screen")
        try terminal.start(device, "take keyed")
        try terminal.see("Question 1 of keyed?")
        func answers() -> [JSON] {
            guard let id = device.tests("in-progress").first else { return [] }
            return (try? JSON(file: device.testPath(id, "in-progress")))?["answers"].elements ?? []
        }
        try terminal.type("1")
        try wait(for: "the first answer") { answers().count == 1 ? true : nil }
        let draft = try #require(device.tests("in-progress").first)
        try device.done("answer", draft, "q7", "no")
        try terminal.type("Tab")
        try terminal.see("Question 2 of keyed?")
        try terminal.type("2")
        try wait(for: "the second answer") { answers().contains { $0["questionId"].text == "q2" } ? true : nil }
        #expect(Set(answers().compactMap { $0["questionId"].text }) == ["q1", "q2", "q7"])
        kill(try terminal.process, SIGTERM)
        try terminal.waitForEnd()
    }

    @Test("folders of the cache that a power cut took are made again", arguments: ["blobs", "entries", "tmp"])
    func cacheFolder(_ name: String) throws {
        try Files.remove("\(device.store)/cache/\(name)")
        try device.done("pull")
        #expect(try device.cachedIDs == ["keyed"])
        #expect(device.hasContent("keyed"))
    }

    @Test("temporary files of the killed go from every folder, and no others do")
    func temporaryFiles() throws {
        try device.done("favorite", "keyed")
        let folders = ["log", "index", "marks", "outbox/tmp"]
        for name in folders { try Files.write("half", to: "\(device.store)/\(name)/t0123456789abcdef.tmp") }
        try Files.write("mine", to: device.store + "/log/notes.tmp")
        try host.publish(Questionnaire(id: "other", title: "Other"))
        try device.done("pull")
        try device.done("sync")
        try device.done("favorite", "other")
        for name in folders {
            #expect(!Files.exists("\(device.store)/\(name)/t0123456789abcdef.tmp"), "in \(name)")
        }
        #expect(try Files.text(device.store + "/log/notes.tmp") == "mine")
    }

    @Test("a line of the log that was broken off does not spoil the next one")
    func log() throws {
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let path = device.store + "/log/events.jsonl"
        try Files.write(try Files.text(path) + #"{"at":"2026-11-2"#, to: path)
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        #expect(try device.done("log").lines.count { $0.contains("finished") } == 2)
    }
}
