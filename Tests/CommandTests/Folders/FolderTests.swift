import Foundation
import Testing

@Suite("A folder on a stick takes the place of the server")
struct FolderTests {
    private let folder: TemporaryFolder
    private let questionnaires: String
    private let stick: String

    init() throws {
        folder = try TemporaryFolder()
        stick = folder.path + "/stick"
        questionnaires = folder.path + "/questionnaires"
        for path in [stick, questionnaires] { try Files.makeFolder(path) }
        try Files.write(Questionnaire(id: "keyed", title: "Keyed").json, to: questionnaires + "/a.json")
        try Files.write(Questionnaire(id: "open", title: "Open", hasKey: false).json, to: questionnaires + "/b.json")
    }

    private func collect() throws -> JSON {
        let outcome = try Device(folder.path).quire(
            "host", "--data", folder.path + "/data", "--questionnaires", questionnaires, "--collect", stick, "--json")
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return try outcome.json()
    }

    private func device(_ name: String) throws -> Device {
        let device = Device(folder.path, name: name)
        try device.done("init", "--remote", "file://" + stick)
        return device
    }

    @Test("there and back: questionnaires come, tests go, receipts and ratings come, and everything once")
    func whole() throws {
        let first = try device("first")
        // Before a host was there.
        let early = try first.quire("pull")
        #expect(early.exitCode == 65 && early.isOneSentence && early.errors.contains("--collect"), "\(early)")
        #expect(try collect()["questionnaires"].whole == 2)
        let second = try device("second")
        for device in [first, second] { #expect(try device.json("pull")["new"].elements.count == 2) }
        #expect(try first.json("pull")["unchanged"].whole == 2)
        #expect(!(try Files.text(stick + "/questionnaires/keyed.json")).contains("answerKey"))

        let keyed = try first.take("keyed", answers: Questionnaire.rightAnswers)
        let open = try second.take("open", answers: Questionnaire.rightAnswers)
        for device in [first, second] {
            for _ in 0..<2 {
                let outcome = try device.quire("sync")
                #expect(outcome.exitCode == 75 && outcome.output.contains("1 kept in the folder"), "\(outcome)")
            }
            #expect(try device.json("status")["kept"].whole == 1)
        }
        #expect(try first.done("why", keyed).output.contains("until the host collects it"))
        #expect(try Files.read(stick + "/tests/\(keyed).test.json") == Files.read(first.testPath(keyed, "done")))

        #expect(try collect()["taken"].texts.sorted() == [keyed, open].sorted())
        let again = try collect()
        #expect(again["taken"].elements.isEmpty && again["known"].whole == 2 && again["changedFiles"].whole == 0)
        for device in [first, second] {
            let sync = try device.json("sync")
            #expect(sync["sent"].whole == 1 && sync["waiting"].whole == 0 && sync["nextDue"] == .null, "\(sync)")
        }
        #expect(first.tests("rated") == [keyed] && second.tests("sent") == [open])
        try second.done("host", "rate", "--data", folder.path + "/data", open, "--score", "1", "--max", "2")
        _ = try collect()
        #expect(try second.json("sync")["rated"].whole == 1)
        for device in [first, second] { #expect(try device.json("doctor") == .array([])) }
    }

    @Test("attachments travel on the stick, are collected completely or not at all, and their receipts come back")
    func attachments() throws {
        _ = try collect()
        let devices = try ["first", "second"].map { try device($0) }
        let film = try Files.film(folder.path + "/film.mp4", bytes: 3_000_000)
        let sum = String(try Command.run("sha256sum", film, in: folder.path).prefix(64))
        var ids: [(test: String, media: String)] = []
        for device in devices {
            try device.done("pull")
            let test = try device.take("open", answers: "{}", isFinished: false)
            let media = try #require(try device.json("attach", test, "q1", film)["attachment"]["id"].text)
            try device.done("finish", test)
            ids.append((test, media))
            for _ in 0..<2 {
                let outcome = try device.quire("sync", "--now")
                #expect(outcome.exitCode == 75 && outcome.output.contains("2 kept in the folder"), "\(outcome)")
            }
            #expect(try device.done("why", media).output.contains("Kept in the folder"))
        }
        // Equal bytes lie there once.
        #expect(Files.names(in: stick + "/attachments", suffix: ".media.json").count == 2)
        #expect(Files.names(in: stick + "/attachments").filter { !$0.hasSuffix(".json") } == [sum])
        #expect(try Files.read(stick + "/attachments/" + sum) == Files.read(film))
        // Of the same length, and not the same: it is not taken, and put there again.
        try Files.write(String(repeating: "x", count: 3_000_000), to: stick + "/attachments/" + sum)
        let damaged = try collect()
        #expect(damaged["faults"].texts.first?.contains("not those of its name") == true, "\(damaged)")
        #expect(damaged["taken"].elements.count == 2 && damaged["attachments"].elements.isEmpty)
        #expect(Files.names(in: folder.path + "/data/media", suffix: "").isEmpty)
        for device in devices { _ = try device.quire("sync") }
        #expect(try Files.read(stick + "/attachments/" + sum) == Files.read(film))

        let taken = try collect()
        #expect(taken["attachments"].texts.count == 1 && taken["faults"].elements.isEmpty, "\(taken)")
        #expect(Files.names(in: folder.path + "/data/media", suffix: "") == [sum])
        // The host has it, so the stick has room again.
        #expect(Files.names(in: stick + "/attachments").isEmpty && Files.names(in: stick + "/tmp").isEmpty)
        #expect(try collect()["changedFiles"].whole == 0)
        for (device, id) in zip(devices, ids) {
            let last = try device.json("sync")
            #expect(last["waiting"].whole == 0, "\(last)")
            #expect(
                try JSON(file: device.receiptPath(id.media, "sent"))
                    == JSON(file: "\(folder.path)/data/receipts/\(id.media).receipt.json"))
            #expect(try device.json("doctor") == .array([]))
        }
    }

    @Test("a stick that is not there is said in a sentence, and nothing is lost by it")
    func away() throws {
        let nowhere = try Device(folder.path, name: "none").quire("init", "--remote", "file:///nowhere/stick")
        #expect(nowhere.exitCode == 64 && nowhere.isOneSentence, "\(nowhere)")
        _ = try collect()
        let device = try device("first")
        try device.done("pull")
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try Files.move(stick, stick + "-away")
        // An empty mount point is no stick.
        for isThere in [false, true] {
            if isThere { try Files.makeFolder(stick) }
            let outcome = try device.quire("sync")
            #expect(outcome.exitCode == 69 && outcome.errors.contains("plugged in"), "\(outcome)")
            #expect(Files.names(in: stick).isEmpty)
        }
        #expect(device.tests("done") == [id])
        try Files.remove(stick)
        try Files.move(stick + "-away", stick)
        #expect(try device.quire("sync").exitCode == 75)
        _ = try collect()
        try device.done("sync")
        #expect(device.tests("rated") == [id])
    }

    @Test("from the folder to a server and back, a test is still one")
    func changing() throws {
        _ = try collect()
        let device = try device("first")
        try device.done("pull")
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        #expect(try device.quire("sync").exitCode == 75)
        let host = try HostProcess(folder: folder.path, name: "data", questionnaires: questionnaires)
        try host.start()
        try device.done("remote", "set", host.address)
        #expect(try device.json("sync")["sent"].whole == 1)
        // The running host need not be stopped for the folder.
        #expect(try collect()["known"].whole == 1)
        #expect(host.tests == [id])
    }

    @Test("a full stick keeps the test on the device, and says so", .enabled(if: geteuid() == 0))
    func full() throws {
        let device = try device("first")
        _ = try collect()
        try device.done("pull")
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let script = """
            mount --make-rprivate / && mount -t tmpfs -o size=64k tmpfs "$1" && \
            "$0" remote set "file://$1" && { head -c 200k /dev/zero >"$1/fill" || true; } 2>/dev/null; "$0" sync
            """
        let child = try ChildProcess(
            ["unshare", "-m", "bash", "-c", script, Command.binary, stick],
            environment: Command.environment(home: folder.path, ["QUIRE_STORE": device.store]), folder: folder.path)
        let outcome = try child.end()
        #expect(outcome.exitCode == 75 && !outcome.output.contains("kept in the folder"), "\(outcome)")
        #expect(device.tests("done") == [id])
        #expect(try device.done("why", id).output.contains("full"))
    }
}
