import Foundation
import Testing

@Suite("The keys of a host on the command line")
struct HostKeysTests {
    @Test("a key is printed once, listed without its secret, used by a device, and revoked while the host runs")
    func life() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let made = try device.quire(
            "host", "keys", "add", "--data", host.data, "--role", "taker", "--label", "Room 5", "--person", "alice",
            "--expires", "2099-01-01", "--json"
        ).json()
        #expect(made.keys == ["id", "key", "role"] && made["role"].text == "taker")
        let (id, key) = (try #require(made["id"].text), try #require(made["key"].text))
        let listed = try device.quire("host", "keys", "list", "--data", host.data, "--json")
        let item = try listed.json()[0]
        #expect(item["id"].text == id && item["state"].text == "valid" && item["label"].text == "Room 5")
        #expect(item["person"].text == "alice" && item["expires"].text?.hasPrefix("2099-01-01") == true)
        #expect(!listed.output.contains(key.suffix(40)))
        #expect(try device.quire("pull").exitCode != 0)
        let environment = ["QUIRE_TOKEN": key]
        #expect(try device.quire(["pull"], environment: environment).exitCode == 0)
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        #expect(try device.quire(["sync"], environment: environment).exitCode == 0)
        try device.done("host", "keys", "revoke", id, "--data", host.data)
        #expect(try device.quire(["pull"], environment: environment).exitCode != 0)
        #expect(try device.quire("host", "keys", "list", "--data", host.data).output.contains("revoked"))
        for path in Files.regularFiles(below: host.data) {
            #expect(try Files.read(path).range(of: Data(key.suffix(40).utf8)) == nil, "\(path)")
        }
    }

    @Test("wrong input gets one sentence")
    func sentences() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let data = folder.path + "/data"
        func keys(_ arguments: String...) throws -> Outcome {
            try device.quire(["host", "keys"] + arguments + ["--data", data])
        }
        #expect(try keys("add", "--role", "boss").exitCode == 64)
        #expect(try keys("add", "--role", "taker", "--expires", "2001-01-01").exitCode == 64)
        #expect(try keys("add", "--role", "taker", "--person", "").exitCode == 64)
        let none = try keys("list")
        #expect(none.exitCode == 74 && none.isOneSentence, "\(none)")
        #expect(try keys("add", "--role", "taker").exitCode == 0)
        let unknown = try keys("revoke", "12345678")
        #expect(unknown.exitCode == 65 && unknown.isOneSentence && unknown.errors.contains("keys list"), "\(unknown)")
    }

    @Test(
        "a link and a QR code fill in a key, for the desk only",
        .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func link() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let data = folder.path + "/data"
        let add = ["host", "keys", "add", "--data", data]
        let made = try device.quire(add + ["--role", "teacher", "--address", "https://school.example/", "--json"])
            .json()
        let key = try #require(made["key"].text)
        #expect(made["link"].text == "https://school.example/desk/#key=" + key)
        let plain = try device.quire(add + ["--role", "admin", "--address", "http://10.0.0.2:8470"])
        let lines = plain.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[1] == "http://10.0.0.2:8470/desk/#key=" + lines[0])
        for wrong in ["school.example", "https://school.example/#a", "ftp://school.example"] {
            #expect(try device.quire(add + ["--role", "teacher", "--address", wrong]).exitCode == 64)
        }
        #expect(try device.quire(add + ["--role", "taker", "--address", "https://school.example"]).exitCode == 64)
        let terminal = TmuxTerminal(folder.path, "qr")
        try terminal.run(
            "exec \(Command.binary) host keys add --data \(data) --role teacher --address https://school.example",
            columns: 100, rows: 60)
        try terminal.see("write it down")
        #expect(try terminal.screen.contains("▀▀▀▀▀"))
    }

    @Test("beyond loopback a host without keys refuses to start, or says at each start what is open")
    func beyondLoopback() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let start = ["host", "--data", folder.path + "/data", "--listen", "0.0.0.0:0"]
        let refused = try device.quire(start)
        #expect(refused.exitCode == 64 && refused.isOneSentence, "\(refused)")
        #expect(refused.errors.contains("quire host keys add") && refused.errors.contains("--open"), "\(refused)")
        let host = try HostProcess(folder: folder.path)
        for _ in 0..<2 {
            try host.start("--open", at: "0.0.0.0")
            #expect(host.log.contains("everyone who reaches"))
            try host.stop()
        }
        try device.done("host", "keys", "add", "--data", host.data, "--role", "taker")
        try host.start(at: "0.0.0.0")
        let client = try RawClient(port: host.listeningPort)
        client.send("GET /v1/tests HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        #expect(client.status() == 401)
    }

    @Test("a host of a former version with its token files opens, and both tokens keep their rights beside keys")
    func upgrade() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        let files = ["takers", "authors"].map { "\(folder.path)/\($0)" }
        for file in files {
            try Files.write(URL(filePath: file).lastPathComponent + "-0123456789\n", to: file)
            #expect(chmod(file, 0o600) == 0)
        }
        try host.start("--token-file", files[0], "--author-token-file", files[1])
        let device = Device(folder.path)
        func status(_ path: String, _ key: String?) throws -> Int? {
            let client = try RawClient(port: host.listeningPort)
            let field = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
            client.send("GET /v1/\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(field)\r\n")
            return client.status()
        }
        for hasKey in [false, true] {
            if hasKey { try device.done("host", "keys", "add", "--data", host.data, "--role", "taker") }
            #expect(try status("questionnaires", nil) == 401)
            #expect(try status("questionnaires", "takers-0123456789") == 200)
            #expect(try status("tests", "takers-0123456789") == 403)
            #expect(try status("tests", "authors-0123456789") == 200)
        }
    }
}
