import Foundation
import Testing

@Suite("Others on the machine see nothing")
struct PermissionTests {
    @Test("whatever the umask, folders are 0700 and files 0600")
    func umask() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(3) { try host.publish(questionnaire) }
        try host.start()
        let device = Device(folder.path)
        try Files.write(Questionnaire.rightAnswers, to: folder.path + "/answers.json")
        let script = """
            umask 0
            "$QUIRE" init --remote "$URL" --quota 10MB
            "$QUIRE" pull
            "$QUIRE" favorite many-1
            "$QUIRE" take many-1 --answers answers.json
            "$QUIRE" take many-2 --answers answers.json --finish
            "$QUIRE" sync
            "$QUIRE" take many-3 --answers answers.json --finish
            printf broken > "$QUIRE_STORE/outbox/done/broken"
            "$QUIRE" doctor --repair
            "$QUIRE" list
            """
        try Command.run(
            "sh", "-e", "-c", "cd \"$HOME\"\n" + script, in: folder.path,
            environment: ["QUIRE": Command.binary, "URL": host.address, "QUIRE_STORE": device.store])
        let corner = device.store + "/quarantine/"
        let paths = Files.tree(device.store).filter { !($0.hasPrefix(corner) && $0.hasSuffix("-broken")) }
        #expect(paths.count > 30)
        for path in paths {
            let mode = try Files.status(path).st_mode
            #expect(mode & 0o7777 == (mode & S_IFMT == S_IFDIR ? 0o700 : 0o600), "\(path)")
        }
        // The host's tests are as private.
        #expect(host.tests.count == 1)
        for path in Files.regularFiles(below: host.data) {
            #expect(try Files.status(path).st_mode & 0o077 == 0, "\(path)")
        }
    }

    @Test("a store that was opened to others is found by doctor and closed by --repair")
    func opened() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.done("init")
        #expect(chmod(device.store, 0o755) == 0)
        let found = try device.quire("doctor")
        #expect(found.exitCode == 65 && found.output.contains("others"))
        try device.done("doctor", "--repair")
        #expect(try Files.status(device.store).st_mode & 0o777 == 0o700)
        try device.done("doctor")
    }
}
