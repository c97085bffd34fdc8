import Foundation
import Testing

@Suite("Arguments that are not UTF-8")
struct ArgumentBytesTests {
    @Test("are refused with their place and bytes, and neither an answer nor a file nor a store is made of them")
    func refused() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("keyed", answers: #"{"q1": "yes"}"#, isFinished: false)
        let before = Files.tree(folder.path).filter { !$0.contains("/.child-") }
        let test = try Files.read(device.testPath(id, "in-progress"))
        for (place, shown, script) in [
            (4, "caf\\xE9", #""$QUIRE" answer "$ID" q2 "$(printf 'caf\351')""#),
            (3, "o\\xE9.tar", #""$QUIRE" outbox export "$(printf 'o\351.tar')""#),
            (3, "st\\xE9", #""$QUIRE" init --store "$(printf 'st\351')""#),
            (1, "\\xFF\\xFE", #""$QUIRE" "$(printf '\377\376')""#),
        ] {
            let refused = try run(script, device, ["ID": id])
            #expect(refused.exitCode == 64 && refused.isOneSentence, "\(refused)")
            #expect(refused.errors.contains("argument \(place), “\(shown)”"), "\(refused)")
        }
        #expect(Files.tree(folder.path).filter { !$0.contains("/.child-") } == before)
        #expect(try Files.read(device.testPath(id, "in-progress")) == test)
        // Other letters than those of English are fine.
        try device.done("outbox", "export", folder.path + "/ответы é.tar")
        #expect(Files.exists(folder.path + "/ответы é.tar"))
    }

    @Test("a store that the environment names so is not opened under another name")
    func environment() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        for variable in ["QUIRE_STORE", "HOME"] {
            let unset = variable == "HOME" ? "unset QUIRE_STORE XDG_DATA_HOME; " : ""
            let script = unset + "export \(variable)=\"$PWD/$(printf 'st\\351')\"; exec \"$QUIRE\" init"
            let refused = try run(script, device)
            #expect(refused.exitCode == 64 && refused.errors.contains("--store"), "\(refused)")
        }
        #expect(Files.names(in: folder.path).allSatisfy { $0.hasPrefix(".child-") })
        try device.done("init")
    }

    private func run(_ script: String, _ device: Device, _ more: [String: String] = [:]) throws -> Outcome {
        let variables = ["QUIRE": Command.binary, "QUIRE_STORE": device.store].merging(more) { _, new in new }
        return try ChildProcess(
            ["sh", "-c", "cd \"$0\"; " + script, device.folder],
            environment: Command.environment(home: device.folder, variables), folder: device.folder
        ).end()
    }
}
