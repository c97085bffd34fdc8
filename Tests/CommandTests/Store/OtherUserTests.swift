import Foundation
import Testing

@Suite("A second user on the machine")
struct OtherUserTests {
    private static let canTry = getuid() == 0 && Command.isInstalled("setpriv")

    @Test(
        "can neither read nor write the store, wherever it lies",
        .enabled(if: canTry, "only root can become another user, by setpriv"))
    func stranger() throws {
        let folder = try TemporaryFolder()
        // The way to the store is open: its own mode is what keeps others out.
        #expect(chmod(folder.path, 0o755) == 0)
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("favorite", "keyed")
        let before = try state(device.store)
        func asStranger(_ arguments: [String]) throws -> Outcome {
            try ChildProcess(
                ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + arguments,
                environment: Command.environment(home: "/", ["QUIRE_STORE": device.store]), folder: folder.path
            ).end()
        }
        // The stranger is one, and the way is open.
        #expect(try asStranger(["id", "-u"]).output == "65534\n")
        #expect(try asStranger(["ls", folder.path]).exitCode == 0)
        let test = device.testPath(id, "done")
        for arguments in [
            ["ls", device.store], ["cat", device.store + "/store.json"], ["cat", test], ["touch", device.store + "/x"],
            ["sh", "-c", "echo x > '\(test)'"], ["rm", "-f", test], ["mv", device.store + "/outbox", "/tmp/outbox"],
            ["chmod", "777", device.store], ["ln", test, folder.path + "/link"], ["ls", host.data],
        ] {
            #expect(try asStranger(arguments).exitCode != 0, "\(arguments)")
        }
        if access(Command.binary, X_OK) == 0, try asStranger([Command.binary, "--version"]).exitCode == 0 {
            let outcome = try asStranger([Command.binary, "list"])
            #expect(
                outcome.exitCode == 74 && outcome.isOneSentence && outcome.errors.contains("another user"), "\(outcome)"
            )
        }
        #expect(try state(device.store) == before)
        #expect(try device.json("doctor") == .array([]))
        // Another user's file in the store is reported.
        #expect(chown(device.store + "/store.json", 65534, 65534) == 0)
        #expect(try device.quire("doctor").output.contains("store.json: it belongs to another user (65534)"))
    }

    private func state(_ folder: String) throws -> [String: Data] {
        var state: [String: Data] = [:]
        for path in Files.regularFiles(below: folder) { state[path] = try Files.read(path) }
        return state
    }
}
