import Foundation
import Testing

@Suite("A store in one file")
struct SnapshotTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        try Files.makeFolder(host.questionnaires + "/media")
        try Files.write("GIF89a one", to: host.questionnaires + "/media/map.gif")
        try Self.publish("Which river is on the map?", host)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        device = try Device(folder.path, of: host)
    }

    private static func publish(_ question: String, _ host: HostProcess) throws {
        try Files.write(
            """
            {"id": "map", "title": "The map", "questions": [
              {"id": "q1", "text": "\(question)", "media": [{"path": "media/map.gif"}]},
              {"id": "q2", "text": "Why?", "media": [{"path": "media/map.gif"}]}]}
            """, to: host.questionnaires + "/map.json")
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    @Test(
        "restored elsewhere without a network, drafts resume and results show; after both sync nothing is there twice")
    func moved() throws {
        let delivered = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        let draft = try device.take("map", answers: #"{"q1": "The Ob"}"#, isFinished: false)
        try Files.write("a photo", to: path("photo.jpg"))
        try device.done("attach", draft, "q2", path("photo.jpg"))
        let waiting = try device.take("keyed", answers: #"{"q1": "no"}"#)
        // By now the server asks something else, and shows something else.
        try Files.write("GIF89a two", to: host.questionnaires + "/media/map.gif")
        try Self.publish("Which lake is on the map?", host)
        try device.done("pull")
        try host.stop()

        try device.done("snapshot", "save", path("backup.quire"))
        try Files.makeFolder(path("elsewhere"))
        let other = Device(path("elsewhere"), name: "restored")
        let outcome = try other.done("snapshot", "restore", path("backup.quire"))
        #expect(outcome.output.contains("3 new tests"), "\(outcome)")
        #expect(try other.json("doctor") == .array([]))

        #expect(try other.done("show", "map").output.contains("lake"))
        let shown = try other.quire(["take", "map"], input: "")
        #expect((shown.output + shown.errors).contains("river") || shown.exitCode == 64, "\(shown)")
        #expect(other.tests("in-progress") == [draft])
        try other.done("answer", draft, "q2", "It is long.")
        try other.done("finish", draft)
        #expect(other.deliveredStatus(delivered) == "rated")

        try host.start()
        try other.done("sync")
        try device.done("sync")
        #expect(host.tests == [delivered, draft, waiting].sorted())
        #expect(host.exchanges.count { $0.method == "PUT" && $0.path.contains(waiting) && $0.status == 201 } == 1)
        #expect(try other.json("tests").elements.count == 3)
        // What the other device did comes to this one with a snapshot, too.
        try other.done("snapshot", "save", path("later.quire"), "--format", "protobuf")
        let merged = try device.json("snapshot", "restore", path("later.quire"))
        #expect(merged["isNew"] == .bool(false))
        // Its own draft is an earlier version of the one that was finished there.
        #expect(merged["conflicts"].texts == [] && merged["advanced"].texts.contains(draft))
        #expect(Set(try device.json("tests").elements.compactMap { $0["id"].text }).count == 3)
        #expect(try device.json("doctor") == .array([]))
    }

    /// A screen of the page, and the picture that it shows first.
    private func screen(_ test: String, on device: Device) throws -> (text: String, picture: String?) {
        let page = try PageWriter(device)
        try page.start()
        defer { try? page.kill() }
        let text = try page.screen("/t/\(test)")
        let address = text.components(separatedBy: "\"/media/").dropFirst().first?.prefix { $0 != "\"" }
        return (text, try address.map { try page.screen("/media/\($0)") })
    }

    @Test(
        "restored elsewhere or merged there, drafts open at their place with their pictures, results show what was asked",
        arguments: [false, true])
    func elsewhere(isMerged: Bool) throws {
        let delivered = try device.take("map", answers: #"{"q1": "The Ob", "q2": "It is long."}"#)
        try device.done("sync")
        let draft = try device.take("map", answers: #"{"q1": "The Ob"}"#, isFinished: false)
        let waiting = try device.take("keyed", answers: #"{"q1": "no"}"#)
        // By now the server has a newer version with another picture, and so has the other device.
        try Files.write("GIF89a two", to: host.questionnaires + "/media/map.gif")
        try Self.publish("Which lake is on the map?", host)
        try device.done("pull")
        try Files.makeFolder(path("elsewhere"))
        var own: [String] = []
        let other = try isMerged ? Device(path("elsewhere"), of: host) : Device(path("elsewhere"))
        if isMerged {
            own = [
                try other.take("map", answers: #"{"q1": "Baikal"}"#),
                try other.take("keyed", answers: #"{"q1": "yes"}"#),
            ]
        }
        try host.stop()

        for format in ["json", "protobuf", "json"] {
            try device.done("snapshot", "save", path("backup.quire"), "--format", format)
            let merged = try other.json("snapshot", "restore", path("backup.quire"))
            #expect(merged["conflicts"].texts == [])
        }
        #expect(try other.json("doctor") == .array([]))
        for (id, status) in [(draft, "in-progress"), (waiting, "done")] {
            #expect(try Files.read(other.testPath(id, status)) == Files.read(device.testPath(id, status)))
        }
        let place = try JSON(file: other.testPath(draft, "in-progress"))["resume"]["question"].text
        let opened = try screen(draft, on: other)
        #expect(opened.text.contains(place == "q1" ? "Which river is on the map?" : "Why?"), "\(opened)")
        #expect(opened.picture == "GIF89a one")
        let result = try screen(delivered, on: other)
        #expect(result.text.contains("Which river is on the map?") && !result.text.contains("lake"), "\(result)")

        try other.done("answer", draft, "q2", "It is long.")
        try other.done("finish", draft)
        try host.start()
        try other.done("sync")
        try device.done("sync")
        #expect(host.tests == ([delivered, waiting, draft] + own).sorted())
        #expect(host.exchanges.count { $0.method == "PUT" && $0.path.contains(waiting) && $0.status == 201 } == 1)
        #expect(try other.json("tests").elements.compactMap { $0["id"].text }.sorted() == host.tests)
    }

    @Test(
        "it can be read with zcat and jq, and with the reader in the documentation",
        .enabled(if: Command.isInstalled("python3")))
    func readers() throws {
        _ = try device.take("map", answers: #"{"q1": "Обь"}"#, isFinished: false)
        let report = try device.json("snapshot", "save", path("s.quire"))
        let kinds = try Command.run(
            "bash", "-c", "zcat \"$0\" | cut -d'\"' -f2 | sort -u | tr '\\n' ' '", path("s.quire"), in: folder.path)
        #expect(kinds == "end file manifest snapshot ")
        try Files.write(Self.documentedReader(0), to: path("reader.py"))
        let count = try #require(report["files"].whole)
        #expect(
            try Command.run("python3", path("reader.py"), path("s.quire"), in: folder.path)
                == "\(count) files, all intact\n")
        func check(_ name: String) throws -> Outcome {
            try ChildProcess(
                ["python3", path("reader.py"), path(name)], environment: Command.environment(home: folder.path),
                folder: folder.path
            ).end()
        }
        #expect(
            try Command.run(
                "bash", "-c", "zcat \"$0\" | head -n -1 | sha256sum | cut -d' ' -f1", path("s.quire"), in: folder.path)
                == report["digest"].text.map { $0.dropFirst("sha256:".count) + "\n" })
        // One letter of a questionnaire, in a file that is gzip and JSON still.
        try Command.run(
            "bash", "-c", "zcat \"$0\" | sed 's/Which river/Whicn river/' | gzip > \"$1\"", path("s.quire"),
            path("changed.quire"), in: folder.path)
        let changed = try check("changed.quire")
        #expect(changed.exitCode == 1 && changed.errors.hasSuffix(".json.gz: damaged\n"), "\(changed)")
        var bytes = try Files.read(path("s.quire"))
        let place = bytes.count / 2
        bytes[place] ^= 0xFF
        try bytes.write(to: URL(filePath: path("byte.quire")))
        #expect(try check("byte.quire").exitCode != 0)
        bytes.removeLast(bytes.count / 2)
        try bytes.write(to: URL(filePath: path("cut.quire")))
        #expect(try check("cut.quire").exitCode != 0)
    }

    /// A reader in Python of the documentation.
    private static func documentedReader(_ place: Int) throws -> String {
        let text = try Files.text(Command.repository + "/docs/snapshots.md")
        let blocks = text.components(separatedBy: "```python\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        try #require(blocks.count > place && blocks[place].split(separator: "\n").count <= 60)
        return blocks[place]
    }

    /// Python with the library for protobuf, or one that QUIRE_PYTHON names.
    private static let pythonWithProtobuf: String? = {
        let python = ProcessInfo.processInfo.environment["QUIRE_PYTHON"] ?? "python3"
        guard Command.isInstalled("protoc"), python.contains("/") || Command.isInstalled(python) else { return nil }
        let found = try? ChildProcess(
            [python, "-c", "import google.protobuf"], environment: Command.environment(home: "/tmp"), folder: "/tmp"
        ).end()
        return found?.exitCode == 0 ? python : nil
    }()

    @Test(
        "one of protobuf can be read with the code that protoc generates, as documented",
        .enabled(
            if: SnapshotTests.pythonWithProtobuf != nil,
            "needs protoc, and the package protobuf for python3 or $QUIRE_PYTHON"))
    func protobufReader() throws {
        let python = try #require(Self.pythonWithProtobuf)
        let draft = try device.take("map", answers: #"{"q1": "Обь"}"#, isFinished: false)
        try Data(repeating: 7, count: 600_000).write(to: URL(filePath: path("photo.bin")))
        try device.done("attach", draft, "q2", path("photo.bin"))
        let report = try device.json("snapshot", "save", path("p.quire"), "--format", "protobuf")
        let format = Command.repository + "/Sources/Snapshots/Format"
        try Command.run(
            "protoc", "--proto_path=\(format)", "--python_out=\(folder.path)", "\(format)/snapshot.proto",
            in: folder.path)
        try Files.write(Self.documentedReader(1), to: path("reader.py"))
        func check(_ name: String) throws -> Outcome {
            try ChildProcess(
                [python, path("reader.py"), path(name)], environment: Command.environment(home: folder.path),
                folder: folder.path
            ).end()
        }
        let count = try #require(report["files"].whole)
        let read = try check("p.quire")
        #expect(read.output == "\(count) files, all intact\n", "\(read)")
        var bytes = try Files.read(path("p.quire"))
        bytes[bytes.count / 2] ^= 0xFF
        try bytes.write(to: URL(filePath: path("changed.quire")))
        #expect(try check("changed.quire").exitCode != 0)
        bytes.removeLast(bytes.count / 2)
        try bytes.write(to: URL(filePath: path("cut.quire")))
        #expect(try check("cut.quire").exitCode != 0)
    }

    @Test("a damaged one is restored as far as it is intact, the rest is named, and the exit code is 65")
    func damaged() throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("snapshot", "save", path("s.quire"))
        #expect(try device.json("snapshot", "show", path("s.quire"))["isIntact"] == .bool(true))
        var bytes = try Files.read(path("s.quire"))
        bytes.removeLast(300)
        try bytes.write(to: URL(filePath: path("cut.quire")))
        let shown = try device.quire("snapshot", "show", path("cut.quire"))
        #expect(shown.exitCode == 65 && shown.errors.contains("its end is missing"), "\(shown)")
        let other = Device(folder.path, name: "restored")
        let restored = try other.quire("snapshot", "restore", path("cut.quire"))
        #expect(restored.exitCode == 65 && other.tests("done") == [id], "\(restored)")
        try Files.write("no snapshot", to: path("text"))
        for (arguments, code) in [
            (["snapshot", "show", path("text")], 65), (["snapshot", "restore", path("text")], 65),
            (["snapshot", "show", path("missing")], 74), (["snapshot", "save", path("missing/s.quire")], 74),
            (["snapshot", "save"], 64), (["snapshot", "save", path("s"), "--format", "xml"], 64),
        ] as [([String], Int32)] {
            let outcome = try device.quire(arguments)
            #expect(outcome.exitCode == code, "\(outcome)")
            if code != 64 { #expect(outcome.isOneSentence, "\(outcome)") }
        }
    }

    @Test("secrets are in it only where they are asked for")
    func secrets() throws {
        try Files.write("a-secret-token\n", to: path("token"))
        #expect(chmod(path("token"), 0o600) == 0)
        try device.done("remote", "set", host.address, "--token-file", path("token"))
        try device.done("snapshot", "save", path("plain.quire"))
        try device.done("snapshot", "save", path("secret.quire"), "--with-secrets")
        func has(_ name: String) throws -> Bool {
            try Command.run("zcat", path(name), in: folder.path).contains("a-secret-token")
        }
        #expect(try !has("plain.quire"))
        #expect(try has("secret.quire"))
        let other = Device(folder.path, name: "restored")
        try other.done("snapshot", "restore", path("secret.quire"))
        #expect(try Files.text(other.store + "/token") == "a-secret-token\n")
    }

    @Test("a host's data is saved while the host runs, and restored into a new folder; nothing there is overwritten")
    func hostData() throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        try device.done("host", "snapshot", "save", path("h.quire"), "--data", host.data, "--format", "protobuf")
        #expect(try device.json("host", "snapshot", "show", path("h.quire"))["isIntact"] == .bool(true))
        let copy = path("copy")
        try device.done("host", "snapshot", "restore", path("h.quire"), "--data", copy)
        for name in ["tests/\(id).test.json", "receipts/\(id).receipt.json"] {
            #expect(try Files.read("\(copy)/\(name)") == Files.read("\(host.data)/\(name)"))
        }
        #expect(
            try device.done("host", "tests", "--data", copy, "--json").output
                == device.done("host", "tests", "--data", host.data, "--json").output)
        let again = try device.done("host", "snapshot", "restore", path("h.quire"), "--data", copy)
        #expect(again.output.contains("0 files restored"), "\(again)")
        let running = try device.quire("host", "snapshot", "restore", path("h.quire"), "--data", host.data)
        #expect(running.exitCode == 65 && running.isOneSentence, "\(running)")
        let store = try device.quire("snapshot", "restore", path("h.quire"))
        #expect(store.exitCode == 65 && store.errors.contains("quire host snapshot restore"), "\(store)")
        try device.done("snapshot", "save", path("s.quire"))
        let other = try device.quire("host", "snapshot", "restore", path("s.quire"), "--data", path("none"))
        #expect(other.exitCode == 65 && !Files.exists(path("none")), "\(other)")
    }

    @Test("a host that is restored from a complete snapshot and one that continues it has the later receipts")
    func continuedHostData() throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        try device.done("host", "snapshot", "save", path("base.quire"), "--data", host.data, "--quiet")
        let receipt = "/receipts/\(id).receipt.json"
        try Files.write(Files.text(host.data + receipt) + " ", to: host.data + receipt)
        let next = ["host", "snapshot", "save", path("next.quire"), "--data", host.data, "--since", path("base.quire")]
        #expect(try device.quire(next + ["--json"]).json()["files"].whole == 1)
        let alone = try device.quire("host", "snapshot", "restore", path("next.quire"), "--data", path("copy"))
        #expect(alone.exitCode == 65 && alone.isOneSentence && !Files.exists(path("copy")), "\(alone)")
        let first = try device.json("host", "snapshot", "restore", path("base.quire"), "--data", path("copy"))
        #expect(first["restored"].texts.contains("tests/\(id).test.json"))
        let second = try device.json("host", "snapshot", "restore", path("next.quire"), "--data", path("copy"))
        #expect(second["replaced"].texts == [String(receipt.dropFirst())] && second["absent"].texts == [])
        #expect(try Files.read(path("copy") + receipt) == Files.read(host.data + receipt))
    }

    @Test("a Russian locale is spoken to in Russian")
    func russian() throws {
        let environment = ["LC_ALL": "ru_RU.UTF-8"]
        let saved = try device.quire(["snapshot", "save", path("s.quire")], environment: environment)
        #expect(saved.output.contains("Восстановить: quire snapshot restore"), "\(saved)")
        let shown = try device.quire(["snapshot", "show", path("s.quire")], environment: environment)
        #expect(shown.output.contains("Снимок цел"), "\(shown)")
    }
}
