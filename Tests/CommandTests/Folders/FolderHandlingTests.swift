import Foundation
import Testing

/// Sticks are handled by people, and are small, old and slow.
@Suite("A folder that is named wrongly, damaged, or full")
struct FolderHandlingTests {
    private let folder: TemporaryFolder
    private let questionnaires: String
    private let stick: String

    init() throws {
        folder = try TemporaryFolder()
        // A stick's name is what its owner made it.
        stick = folder.path + "/My Stick — флешка"
        questionnaires = folder.path + "/questionnaires"
        for path in [stick, questionnaires] { try Files.makeFolder(path) }
        try Files.write(Questionnaire(id: "keyed", title: "Keyed").json, to: questionnaires + "/a.json")
    }

    private func host(_ arguments: String...) throws -> Outcome {
        try Device(folder.path).quire(["host", "--data", folder.path + "/data"] + arguments)
    }

    private func collect(_ arguments: String...) throws -> JSON {
        let outcome = try Device(folder.path).quire(
            ["host", "--data", folder.path + "/data", "--questionnaires", questionnaires, "--collect", stick, "--json"]
                + arguments)
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return try outcome.json()
    }

    private func device() throws -> Device {
        let device = Device(folder.path, name: "device")
        try device.done("init", "--remote", "file://" + stick)
        try device.done("pull")
        return device
    }

    @Test("the host's own folders are not taken for a stick: no questionnaire loses its place or its key")
    func ownFolders() throws {
        _ = try collect()
        let shared = folder.path + "/shared"
        try Files.makeFolder(shared + "/questionnaires")
        try Files.write(Questionnaire(id: "keyed", title: "Keyed").json, to: shared + "/questionnaires/My-File.json")
        for (questionnaires, collected) in [
            (questionnaires, folder.path + "/data"), (questionnaires, questionnaires),
            (shared + "/questionnaires", shared), (folder.path + "/data/questionnaires", folder.path + "/data"),
        ] {
            let outcome = try host("--questionnaires", questionnaires, "--collect", collected)
            #expect([64, 65].contains(outcome.exitCode) && outcome.isOneSentence, "\(outcome)")
        }
        #expect(try Files.text(shared + "/questionnaires/My-File.json").contains("answerKey"))
        #expect(try Files.text(questionnaires + "/a.json").contains("answerKey"))
        #expect(!Files.exists(shared + "/quire-folder.json") && !Files.exists(questionnaires + "/quire-folder.json"))
        // Nor by a device.
        let outcome = try Device(folder.path, name: "other").quire("init", "--remote", "file://" + shared)
        #expect(outcome.exitCode != 0 && outcome.isOneSentence, "\(outcome)")
    }

    @Test("a host without the path of its questionnaires does not take them for deleted")
    func forgottenQuestionnaires() throws {
        _ = try collect()
        let device = try device()
        let test = try device.take("keyed", answers: Questionnaire.rightAnswers)
        _ = try device.quire("sync")
        let outcome = try host("--collect", stick)
        #expect(outcome.exitCode == 74 && outcome.isOneSentence, "\(outcome)")
        #expect(outcome.errors.contains("--questionnaires"), "\(outcome)")
        #expect(Files.exists(stick + "/questionnaires/keyed.json"))
        #expect(try collect()["taken"].texts == [test])
    }

    @Test("one file that cannot be read stops nothing else, and is put there again")
    func unreadable() throws {
        _ = try collect()
        let device = try device()
        let ids = try (0..<4).map { _ in try device.take("keyed", answers: Questionnaire.rightAnswers) }
        _ = try device.quire("sync")
        // A length gone wrong, a folder where a receipt is to be, and a pipe.
        try Command.run("truncate", "-s", "5M", "\(stick)/tests/\(ids[0]).test.json", in: folder.path)
        try Files.makeFolder("\(stick)/receipts/\(ids[1]).receipt.json")
        try Command.run("mkfifo", "\(stick)/receipts/\(ids[2]).refusal.json", in: folder.path)
        let again = try device.quire("sync", "--now")
        #expect(again.exitCode == 75 && again.output.contains("4 kept in the folder"), "\(again)")
        #expect(try Files.read("\(stick)/tests/\(ids[0]).test.json") == Files.read(device.testPath(ids[0], "done")))
        try Command.run("rmdir", "\(stick)/receipts/\(ids[1]).receipt.json", in: folder.path)
        #expect(try collect()["taken"].texts.count == 4)
        #expect(try device.json("sync", "--now")["sent"].whole == 4)
    }

    @Test("a rejected item is judged again when it is sent again")
    func refused() throws {
        _ = try collect()
        let device = try device()
        let film = try Files.film(folder.path + "/film.mp4", bytes: 300_000)
        let test = try device.take("keyed", answers: Questionnaire.rightAnswers, isFinished: false)
        let media = try #require(try device.json("attach", test, "q1", film)["attachment"]["id"].text)
        try device.done("finish", test)
        _ = try device.quire("sync")
        #expect(try collect("--media-limit", "100KB")["refused"].texts == [media])
        let refused = try device.quire("sync", "--now")
        #expect(refused.output.contains("1 not accepted"), "\(refused)")
        try device.done("outbox", "retry", media)
        let sent = try device.quire("sync", "--now")
        #expect(sent.exitCode == 75 && sent.output.contains("1 kept in the folder"), "\(sent)")
        #expect(try collect()["attachments"].texts == [media])
        #expect(try device.json("sync", "--now")["waiting"].whole == 0)
    }

    @Test("a truncated marker is rewritten; everyone who may use the folder may put files into it")
    func marker() throws {
        try Command.run("chmod", "777", stick, in: folder.path)
        try Files.makeFolder(stick + "/tmp")
        try Command.run("chmod", "700", stick + "/tmp", in: folder.path)
        _ = try collect()
        for name in ["tmp", "tests", "receipts"] {
            #expect(try Files.status(stick + "/" + name).st_mode & 0o777 == 0o777, "\(name)")
        }
        let device = try device()
        try Files.write("", to: stick + "/quire-folder.json")
        let outcome = try device.quire("pull")
        #expect(outcome.exitCode == 69 && outcome.isOneSentence && outcome.errors.contains("collect"), "\(outcome)")
        _ = try collect()
        #expect(try device.json("pull")["unchanged"].whole == 1)
    }

    @Test(
        "a stick without a free byte is emptied: collected files make room for the receipts",
        .enabled(if: geteuid() == 0))
    func full() throws {
        _ = try collect()
        let device = try device()
        let film = try Files.film(folder.path + "/film.mp4", bytes: 5_000_000)
        let test = try device.take("keyed", answers: Questionnaire.rightAnswers, isFinished: false)
        let media = try #require(try device.json("attach", test, "q1", film)["attachment"]["id"].text)
        try device.done("finish", test)
        _ = try device.quire("sync")
        let small = folder.path + "/small"
        try Files.makeFolder(small)
        let script = """
            mount --make-rprivate / && mount -t tmpfs -o size=8m tmpfs "$1" && cp -a "$2/." "$1" && \
            { head -c 9M /dev/zero >"$1/fill" || true; } 2>/dev/null; \
            "$0" host --data "$3" --questionnaires "$4" --collect "$1" --json && rm -r "$2" && cp -a "$1" "$2"
            """
        let child = try ChildProcess(
            [
                "unshare", "-m", "bash", "-c", script, Command.binary, small, stick, folder.path + "/data",
                questionnaires,
            ],
            environment: Command.environment(home: folder.path), folder: folder.path)
        let outcome = try child.end()
        #expect(outcome.exitCode == 0, "\(outcome)")
        let report = try JSON(parsing: outcome.output)
        #expect(report["taken"].texts == [test] && report["attachments"].texts == [media], "\(outcome)")
        #expect(try device.json("sync", "--now")["sent"].whole == 2)
    }

    @Test("a file that the host has no room for stops nothing else", .enabled(if: geteuid() == 0))
    func fullHost() throws {
        _ = try collect()
        let device = try device()
        let test = try device.take("keyed", answers: Questionnaire.rightAnswers, isFinished: false)
        let files = try [40_000_000, 2000].map { try Files.film(folder.path + "/film\($0).mp4", bytes: $0) }
        let media = try files.map { try device.json("attach", test, "q1", $0)["attachment"]["id"].text ?? "" }
        try device.done("finish", test)
        _ = try device.quire("sync")
        try Files.write(Questionnaire(id: "later", title: "Later").json, to: questionnaires + "/later.json")
        let small = folder.path + "/small"
        try Files.makeFolder(small)
        let script = """
            mount --make-rprivate / && mount -t tmpfs -o size=24m tmpfs "$1" && \
            "$0" host --data "$1" --questionnaires "$3" --collect "$2" --json
            """
        let child = try ChildProcess(
            ["unshare", "-m", "bash", "-c", script, Command.binary, small, stick, questionnaires],
            environment: Command.environment(home: folder.path), folder: folder.path)
        let outcome = try child.end()
        #expect(outcome.exitCode == 74 && outcome.errors.contains(media[0]), "\(outcome)")
        let report = try JSON(parsing: outcome.output)
        #expect(report["taken"].texts == [test] && report["attachments"].texts == [media[1]], "\(outcome)")
        #expect(report["questionnaires"].whole == 2 && Files.exists(stick + "/questionnaires/later.json"))
        #expect(Files.exists("\(stick)/attachments/\(media[0]).media.json"))
    }

    @Test("what a killed sync left on the stick makes room for what is put there", .enabled(if: geteuid() == 0))
    func leftOver() throws {
        _ = try collect()
        let device = try device()
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let script = """
            mount --make-rprivate / && cp -a "$1" "$1.was" && mount -t tmpfs -o size=1m tmpfs "$1" && \
            cp -a "$1.was/." "$1" && { head -c 2M /dev/zero >"$1/tmp/00000000000000000000000000000000.tmp" || true; } \
            2>/dev/null; "$0" sync
            """
        let child = try ChildProcess(
            ["unshare", "-m", "bash", "-c", script, Command.binary, stick],
            environment: Command.environment(home: folder.path, ["QUIRE_STORE": device.store]), folder: folder.path)
        let outcome = try child.end()
        #expect(outcome.exitCode == 75 && outcome.output.contains("1 kept in the folder"), "\(outcome)")
    }
}
