import Foundation
import Testing

@Suite("A file that a command writes takes no other thing's place")
struct WrittenFileTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "open", title: "Open", hasKey: false))
        try host.start()
        device = try Device(folder.path, of: host)
        _ = try device.take("open", answers: Questionnaire.rightAnswers)
        try device.done("sync")
    }

    /// The commands that write a file, without its name.
    private var commands: [[String]] {
        [
            ["outbox", "export"], ["export", "open", "--output"],
            [
                "host", "results", "open", "--csv", "--data", host.data, "--questionnaires", host.questionnaires,
                "--code-book",
            ],
        ]
    }

    @Test("a folder, a link and a pipe stay what they are, and one sentence says what to name instead")
    func others() throws {
        let place = folder.path + "/place"
        try Files.makeFolder(place)
        try Files.write("kept", to: folder.path + "/file")
        #expect(symlink(folder.path + "/file", folder.path + "/link") == 0 && mkfifo(folder.path + "/pipe", 0o600) == 0)
        for (number, command) in commands.enumerated() {
            for (name, words) in [
                ("/place", "is a folder"), ("/place/..", "names no file"), ("/link", "symbolic link"),
                ("/pipe", "is a pipe"),
            ] {
                let outcome = try device.quire(command + [folder.path + name])
                #expect(outcome.exitCode == 64 && outcome.isOneSentence && outcome.errors.contains(words), "\(outcome)")
            }
            let missing = try device.quire(command + [folder.path + "/none/file"])
            #expect(missing.exitCode != 0 && missing.isOneSentence && missing.errors.contains("none"), "\(missing)")
            let new = folder.path + "/new\(number)"
            let written = try device.quire(command + [new])
            #expect(written.exitCode == 0, "\(written)")
            #expect(try !Files.read(new).isEmpty)
        }
        #expect(try Files.text(folder.path + "/file") == "kept" && Files.names(in: place, suffix: "").isEmpty)
    }

    @Test("a token's file that can only be a folder is complained about, not taken for none")
    func token() throws {
        try device.done("remote", "set", host.address, "--token-file", "/")
        let outcome = try device.quire(["pull"])
        #expect(try device.quire(["list"]).exitCode == 0, "what needs no network does not ask for the token")
        #expect(
            outcome.exitCode == 65 && outcome.isOneSentence && outcome.errors.contains("names no file"), "\(outcome)")
    }
}
