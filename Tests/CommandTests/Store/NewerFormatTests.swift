import Foundation
import Testing

@Suite("A store of a newer format")
struct NewerFormatTests {
    @Test("is refused by every command in one sentence with both numbers, and nothing in it is touched")
    func refused() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let settings = device.store + "/store.json"
        try Files.write(
            try Files.text(settings).replacing("\"format\" : 1", with: "\"format\" : 2, \"new\" : {}")
                .replacing("\"remote\" : \"", with: "\"remote\" : 7, \"former\" : \""),
            to: settings)
        let before = try state(device.store)
        let commands = [
            ["pull"], ["pull", "keyed"], ["list"], ["search", "keyed"], ["show", "keyed"], ["favorite", "keyed"],
            ["take", "keyed", "--answers", "-", "--finish"], ["answer", id, "q1", "yes"], ["finish", id], ["tests"],
            ["why", id], ["sync"], ["sync", "--offline"], ["sync", "--dry-run"], ["status"], ["cache", "ls"],
            ["cache", "stats"], ["cache", "trim"], ["cache", "trim", "--quota", "1kB"], ["cache", "purge", "--stale"],
            ["cache", "verify"], ["cache", "pin", "keyed"], ["cache", "unpin", "keyed"], ["cache", "path", "keyed"],
            ["cache", "cat", "keyed"], ["cache", "edit", "keyed"], ["outbox", "ls"], ["outbox", "path", id],
            ["outbox", "retry", id], ["outbox", "discard", id], ["outbox", "reopen", id], ["log"], ["doctor"],
            ["doctor", "--repair"], ["remote"], ["remote", "set", host.address],
        ]
        for arguments in commands {
            let outcome = try device.quire(
                arguments, environment: ["EDITOR": "true"], input: Questionnaire.rightAnswers)
            #expect(outcome.exitCode == 65 && outcome.isOneSentence && outcome.output.isEmpty, "\(outcome)")
            #expect(outcome.errors.contains("format 2 and this program knows 1"), "\(outcome)")
        }
        let again = try device.quire("init", "--remote", host.address)
        #expect(again.exitCode == 64 && again.isOneSentence, "\(again)")
        #expect(try state(device.store) == before)
        #expect(host.tests.isEmpty)
    }

    /// Every path with its inode, times, mode and content.
    private func state(_ folder: String) throws -> [String] {
        try Files.tree(folder).map { path in
            let status = try Files.status(path)
            let content = status.st_mode & S_IFMT == S_IFREG ? try Files.read(path).base64EncodedString() : ""
            return "\(path) \(status.st_ino) \(status.st_mode) \(status.st_mtim) \(content)"
        }
    }
}
