import Foundation
import MotoServer
import Testing

/// Two hosts of one bucket, as processes, with moto in the place of a store.
@Suite(
    "Hosts that share a bucket", .serialized, .enabled(if: MotoServer.isInstalled, "moto cannot be had here"))
struct SharedHostTests {
    private let folder: TemporaryFolder
    private let moto: MotoServer
    private let data: String
    private let hosts: [HostProcess]

    init() throws {
        folder = try TemporaryFolder()
        moto = try MotoServer.shared.get()
        data = "s3://\(try moto.makeBucket())/school"
        hosts = [
            try HostProcess(folder: folder.path, name: "one", data: data, isRestarted: true),
            try HostProcess(folder: folder.path, name: "other", data: data, isRestarted: true),
        ]
        try hosts[0].publish(Questionnaire(id: "keyed", title: "Keyed"))
    }

    private func command(_ arguments: String...) throws -> Outcome {
        try Device(folder.path).quire(arguments + ["--data", data], environment: moto.environment)
    }

    private func reply(_ host: HostProcess, _ path: String) throws -> String {
        try ChildProcess(
            ["/usr/bin/curl", "--silent", "--fail", "\(host.address)/v1/\(path)"],
            environment: Command.environment(home: folder.path, [:]), folder: folder.path
        ).end().output
    }

    /// Whom a host names to a key.
    private func names(_ host: HostProcess, _ key: String) throws -> String {
        try ChildProcess(
            ["/usr/bin/curl", "--silent", "-H", "Authorization: Bearer \(key)", "\(host.address)/v1/people"],
            environment: Command.environment(home: folder.path, [:]), folder: folder.path
        ).end().output
    }

    private func start(_ host: HostProcess) throws { try host.start(environment: moto.environment) }

    /// The ids of all tests, as a command sees them in the bucket.
    private func stored() throws -> [String] {
        let outcome = try command("host", "tests", "--json")
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return try outcome.json().elements.compactMap { $0["id"].text }
    }

    @Test("a class uses the other host when one is killed: no test is lost, and marks reach everyone")
    func oneIsKilled() throws {
        for host in hosts { try start(host) }
        let first = try Device(folder.path, name: "first", of: hosts[0])
        let second = try Device(folder.path, name: "second", of: hosts[1])
        let ids = try [first, second].map { try $0.take("keyed", answers: Questionnaire.rightAnswers) }
        for device in [first, second] { try device.done("sync", "--now") }
        #expect(first.tests("rated") == [ids[0]] && second.tests("rated") == [ids[1]])

        hosts[0].kill()
        let late = try first.take("keyed", answers: Questionnaire.rightAnswers)
        #expect(try first.quire("sync", "--now").exitCode != 0)
        try first.done("remote", "set", hosts[1].address)
        try first.done("sync", "--now")
        #expect(first.deliveredStatus(late) != nil)
        #expect(Set(try stored()) == Set(ids + [late]))

        // A teacher's mark, given where neither host runs.
        let rated = try command("host", "rate", ids[0], "--score", "1", "--max", "4", "--by", "Teacher")
        #expect(rated.exitCode == 0, "\(rated)")
        try start(hosts[0])
        try first.done("remote", "set", hosts[0].address)
        try first.done("sync", "--now")
        let receipt = try JSON(file: first.receiptPath(ids[0], "rated"))
        #expect(receipt["evaluation"]["score"].number == 1, "\(receipt)")
        let replies = try hosts.map { try reply($0, "tests/\(ids[0])") }
        #expect(replies[0] == replies[1] && replies[0].contains(ids[0]), "\(replies)")
    }

    @Test("hosts that are killed while tests arrive have lost none that was acknowledged, and have none twice")
    func killedWhileTestsArrive() throws {
        for host in hosts { try start(host) }
        let device = try Device(folder.path, name: "device", of: hosts[1])
        var taken: [String] = []
        for round in 0..<4 {
            let host = hosts[round % 2]
            try device.done("remote", "set", host.address)
            for _ in 0..<3 { taken.append(try device.take("keyed", answers: Questionnaire.rightAnswers)) }
            let sync = try device.begin(["sync", "--now"])
            // Somewhere in the middle, or before, or after: each is a case.
            usleep(useconds_t(round * 60_000))
            host.kill()
            _ = try sync.end()
            let acknowledged = taken.filter { device.deliveredStatus($0) != nil }
            #expect(Set(try stored()).isSuperset(of: acknowledged))
            try start(host)
        }
        try device.done("sync", "--now")
        #expect(try stored().sorted() == taken.sorted())
        #expect(taken.allSatisfy { device.deliveredStatus($0) != nil })
    }

    @Test("a film whose host is killed in the middle goes on at the other one, and each of them shows it")
    func film() throws {
        for host in hosts { try start(host) }
        let size = 24_000_000
        let (reached, isKilled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let stop: @Sendable () -> Void = {
            reached.signal()
            isKilled.wait()
        }
        let first = try CuttingProxy(to: hosts[0].listeningPort, .init(moments: [(size / 2, stop)]))
        let second = try CuttingProxy(to: hosts[1].listeningPort, .init())
        defer { for proxy in [first, second] { proxy.end() } }
        let device = Device(folder.path, name: "device")
        try device.done("init", "--remote", first.address)
        try device.done("pull")
        let film = try Files.film("\(folder.path)/film.mp4", bytes: size)
        let test = try device.take("keyed", answers: "{}", isFinished: false)
        let made = try device.json("attach", test, "q1", film)
        let id = try #require(made["attachment"]["id"].text)
        try device.done("finish", test)

        let sync = try device.begin(["sync", "--now"])
        reached.wait()
        // What has gone up by then are two pieces of 4 MiB and more.
        let bucket = String(data.dropFirst("s3://".count).dropLast("/school".count))
        try wait(for: "two pieces") { try moto.list(of: bucket).contains("/0000000004194304<") ? true : nil }
        hosts[0].kill()
        isKilled.signal()
        #expect(try sync.end().exitCode != 0)

        try device.done("remote", "set", second.address)
        try device.done("sync", "--now")
        #expect(second.uploadedBytes < size - (8 << 20) + 500_000)
        try start(hosts[0])
        for (number, host) in hosts.enumerated() {
            let path = "\(folder.path)/copy\(number)"
            _ = try Command.run(
                "curl", "-s", "-f", "-o", path, "\(host.address)/v1/tests/\(test)/media/\(id)", in: folder.path)
            #expect(try Files.read(path) == Files.read(film))
            #expect(try reply(host, "tests/\(test)/media").contains("\"arrived\""))
        }
        let left = try moto.list(of: bucket)
        #expect(left.contains("<Key>school/media/") && !left.contains("<Key>school/uploads/"), "\(left)")
        #expect(try device.quire("doctor").exitCode == 0)
    }

    @Test("a store that ignores create-only writes is refused in one sentence, and nothing is left in it")
    func refusedStore() throws {
        let forgetful = try MotoServer.ignoringConditions.get()
        let bucket = try forgetful.makeBucket()
        let outcome = try Device(folder.path).quire(
            [
                "host", "--data", "s3://\(bucket)/school", "--questionnaires", hosts[0].questionnaires, "--listen",
                "127.0.0.1:0",
            ], environment: forgetful.environment)
        #expect(outcome.exitCode == 74 && outcome.isOneSentence, "\(outcome)")
        #expect(outcome.errors.contains("let 8 of 8 writers make the same object"), "\(outcome)")
        #expect(outcome.errors.contains("If-None-Match"), "\(outcome)")
        let list = try forgetful.list(of: bucket)
        #expect(list.contains("<KeyCount>0</KeyCount>") && !list.contains("<Key>"), "\(list)")
    }

    @Test("a class list of the bucket is every host's: codes open both, and end with the person")
    func classList() throws {
        let list = "\(folder.path)/class.csv"
        try Files.write("id,name,group,code\nada,Ada,7b,ABCD2345\nbob,Bob,7b,\n", to: list)
        for host in hosts { try start(host) }
        let imported = try command("host", "people", "import", list, "--yes")
        #expect(imported.exitCode == 0, "\(imported)")
        let cards = try command("host", "people", "cards", "-o", folder.path + "/cards.html")
        #expect(cards.exitCode == 0, "\(cards)")
        let people = try command("host", "people", "list", "--json")
        #expect(try people.json().elements.compactMap { $0["id"].text } == ["ada", "bob"], "\(people)")
        #expect(try people.json().elements.allSatisfy { $0["code"].bool == true }, "\(people)")
        for host in hosts {
            try wait(for: "the code") { try names(host, "ABCD2345").contains("Ada") ? true : nil }
        }
        let removed = try command("host", "people", "remove", "bob")
        #expect(removed.exitCode == 0, "\(removed)")
        let left = try command("host", "people", "list", "--json")
        #expect(try left.json().elements.compactMap { $0["id"].text } == ["ada"], "\(left)")
        let keys = try command("host", "keys", "list", "--json").json().elements
        #expect(keys.count { $0["person"].text == "bob" && $0["revoked"].text != nil } == 1)
        #expect(keys.count { $0["person"].text == "ada" && $0["revoked"].text == nil } == 1)
    }

    @Test("keys of the bucket open every host, and what cannot be done is said in one sentence")
    func refusals() throws {
        try start(hosts[0])
        let key = try command("host", "keys", "add", "--role", "teacher")
        #expect(key.exitCode == 0, "\(key)")
        try start(hosts[1])
        // A host looks for new keys every few seconds.
        for host in hosts {
            try wait(for: "the refusal") { try reply(host, "questionnaires").isEmpty ? true : nil }
        }
        let keys = try command("host", "keys", "list", "--json")
        #expect(try keys.json().elements.count == 1, "\(keys)")
        let collecting = try command("host", "--desk", "--collect", folder.path)
        #expect(collecting.exitCode == 64 && collecting.errors.contains("--desk or --collect"), "\(collecting)")
        let empty = try Device(folder.path).quire(
            ["host", "tests", "--data", "s3://\(try moto.makeBucket())/none"], environment: moto.environment)
        #expect(empty.exitCode == 74 && empty.isOneSentence && empty.errors.contains("s3://"), "\(empty)")
    }

    @Test("questionnaires of two devices go to either host, killed in between, and each of them has both once")
    func authors() throws {
        for host in hosts { try start(host) }
        let first = try Device(folder.path, name: "first", of: hosts[0])
        let second = try Device(folder.path, name: "second", of: hosts[1])
        func file(_ title: String) throws -> String {
            let path = "\(folder.path)/\(title.filter(\.isLetter)).json"
            try Files.write(Questionnaire(id: "keyed", title: title).json, to: path)
            return path
        }
        try first.done("edit", "keyed", "--from", try file("Mine"))
        try second.done("edit", "keyed", "--from", try file("Theirs"))
        try first.done("sync", "--now")
        let late = try second.quire("sync", "--now", "--json")
        #expect(try late.exitCode == 65 && late.json()["conflicts"].whole == 1, "\(late)")
        let conflict = try #require(try second.json("conflicts")[0]["id"].text)
        hosts[1].kill()
        try second.done("resolve", conflict, "--mine")
        #expect(try second.quire("sync", "--now").exitCode != 0)
        try second.done("remote", "set", hosts[0].address)
        try second.done("sync", "--now")
        #expect(try reply(hosts[0], "questionnaires/keyed").contains("Theirs"))

        // A new one, at the host that starts again with its folder as it was.
        try start(hosts[1])
        try first.done("remote", "set", hosts[1].address)
        #expect(try reply(hosts[1], "questionnaires/keyed").contains("Theirs"))
        let made = try first.quire(["new", "Spring", "--json"], environment: ["EDITOR": "true"])
        #expect(made.exitCode == 0, "\(made)")
        try first.done("sync", "--now")
        #expect(try reply(hosts[0], "changes").contains("spring-"))
        #expect(try reply(hosts[0], "questionnaires").contains("Spring"))
        try second.done("pull")
        let listed = try second.json("list")
        #expect(Set(listed.elements.compactMap { $0["title"].text }) == ["Theirs", "Spring"], "\(listed)")
        for device in [first, second] { #expect(try device.quire("doctor").exitCode == 0) }
    }

    @Test("a folder and a bucket of devices are collected into the bucket of hosts, again and again, each test once")
    func collects() throws {
        for host in hosts { try start(host) }
        let stick = "\(folder.path)/stick"
        try Files.makeFolder(stick)
        let bucket = try moto.makeBucket()
        let exchange = "s3://\(bucket)/exchange"
        func collect(_ place: String) throws -> JSON {
            let outcome = try command("host", "--collect", place, "--json")
            guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
            return try outcome.json()
        }
        var taken: [String] = []
        let remotes = ["file://\(stick)", "s3+\(moto.endpoint)/\(bucket)/exchange"]
        for (place, remote) in zip([stick, exchange], remotes) {
            #expect(try collect(place)["questionnaires"].whole == 1)
            let device = Device(folder.path, name: "device\(taken.count)")
            func done(_ arguments: String...) throws {
                let outcome = try device.quire(arguments, environment: moto.environment)
                #expect([0, 75].contains(outcome.exitCode), "\(outcome)")
            }
            try done("init", "--remote", remote)
            try done("pull")
            let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
            taken.append(id)
            try done("favorite", "keyed")
            try done("sync", "--now")
            let report = try collect(place)
            #expect(report["taken"].texts == [id] && report["changes"].elements.count == 1, "\(report)")
            let again = try collect(place)
            #expect(again["taken"].elements.isEmpty && again["known"].whole == 1, "\(again)")
            try done("sync", "--now")
            #expect(device.tests("rated") == [id])
        }
        #expect(try stored().sorted() == taken.sorted())
        for host in hosts { for id in taken { #expect(try reply(host, "tests/\(id)").contains(id)) } }
        for own in [data, data + "/devices"] {
            let outcome = try command("host", "--collect", own)
            #expect(
                outcome.exitCode == 64 && outcome.isOneSentence && outcome.errors.contains("own files"), "\(outcome)")
        }
    }

    @Test("a snapshot of a bucket is one of a host: restored into a folder, and copied to a bucket, nothing differs")
    func snapshot() throws {
        try start(hosts[0])
        let device = try Device(folder.path, name: "device", of: hosts[0])
        func deliver() throws -> String {
            let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
            try device.done("sync", "--now")
            return id
        }
        let first = try deliver()
        let (base, next) = (folder.path + "/base.quire", folder.path + "/next.quire")
        let saved = try command("host", "snapshot", "save", base)
        #expect(saved.exitCode == 0 && saved.output.contains("files"), "\(saved)")
        let second = try deliver()
        let rated = try command("host", "rate", first, "--score", "1", "--max", "4")
        #expect(rated.exitCode == 0, "\(rated)")
        #expect(try command("host", "snapshot", "save", next, "--since", base).exitCode == 0)
        #expect(try !Command.run("/bin/sh", "-c", "ls -A", in: folder.path).contains("quire-host-"))

        let (copy, other) = ("\(folder.path)/copy", "s3://\(try moto.makeBucket())/school")
        for file in [base, next] {
            let restored = try Device(folder.path).quire(["host", "snapshot", "restore", file, "--data", copy])
            #expect(restored.exitCode == 0, "\(restored)")
        }
        let copied = try Device(folder.path).quire(["host", "copy", copy, other], environment: moto.environment)
        #expect(copied.exitCode == 0, "\(copied)")
        let third = try HostProcess(folder: folder.path, name: "third", data: other)
        try start(third)
        let tests = try [data, copy, other].map { place in
            try Device(folder.path).quire(["host", "tests", "--json", "--data", place], environment: moto.environment)
        }
        #expect(try Set(tests[0].json().elements.compactMap { $0["id"].text }) == [first, second])
        #expect(tests.allSatisfy { $0.output == tests[0].output && $0.exitCode == 0 }, "\(tests)")
    }
}
