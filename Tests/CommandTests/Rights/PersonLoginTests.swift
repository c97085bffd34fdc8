import Foundation
import Testing

@Suite("A device that knows the class")
struct PersonLoginTests {
    private static let names = [
        "\u{0410}\u{043D}\u{043D}\u{0430}", "\u{0644}\u{064A}\u{0644}\u{0649}", "\u{738B}\u{82B3}",
    ]

    /// A host with a class of three, their codes, and the key of the class.
    private func world(_ folder: TemporaryFolder) throws -> (host: HostProcess, codes: [String], key: String) {
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "q", title: "Q"))
        try host.start()
        let device = Device(folder.path, name: "teacher")
        let file = folder.path + "/class.csv"
        let rows = Self.names.enumerated().map { "s-\($0 + 1),\($1),7b,code-\($0 + 1)-ABCDEFGH" }
        try Files.write("id,name,group,code\n" + rows.joined(separator: "\n"), to: file)
        try device.done("host", "people", "import", file, "--data", host.data)
        let key = try device.json("host", "keys", "add", "--data", host.data, "--role", "taker")["key"].text
        return (host, (1...3).map { "code-\($0)-abcdefgh" }, try #require(key))
    }

    @Test("pull fetches the class list, a name or an id chooses from it, and a removed list goes")
    func choosing() throws {
        let folder = try TemporaryFolder()
        let (host, _, key) = try world(folder)
        let device = try Device(folder.path, of: host, pulls: false)
        let environment = ["QUIRE_TOKEN": key]
        #expect(try device.quire(["pull"], environment: environment).exitCode == 0)
        #expect(try device.quire("person", "list", "--json").json().elements.isEmpty)
        #expect(try device.json("person", "list", "--class").elements.count == 3)
        #expect(try device.json("person", "list", "--class", Self.names[1]).elements.map { $0["id"].text } == ["s-2"])
        #expect(try device.json("person", "set", Self.names[2])["id"].text == "s-3")
        #expect(try device.json("person", "use", "s-1")["name"].text == Self.names[0])
        #expect(try device.json("person", "set", "Someone Else")["name"].text == "Someone Else")
        #expect(try device.quire("doctor").exitCode == 0)
        let removed = try device.quire("host", "people", "remove", "s-2", "--data", host.data)
        #expect(removed.exitCode == 0)
        #expect(try device.quire(["pull"], environment: environment).exitCode == 0)
        #expect(try device.json("person", "list", "--class").elements.count == 2)
    }

    @Test("a test that was delivered before its person proved themselves is not asked for with their code")
    func laterProof() throws {
        let folder = try TemporaryFolder()
        let (host, codes, key) = try world(folder)
        let device = try Device(folder.path, of: host, pulls: false)
        let environment = ["QUIRE_TOKEN": key]
        #expect(try device.quire(["pull"], environment: environment).exitCode == 0)
        try device.done("person", "use", "s-2")
        let typed = try device.take("q", answers: Questionnaire.rightAnswers)
        #expect(try device.quire(["sync"], environment: environment).exitCode == 0)
        try device.done("person", "login", codes[1])
        let proven = try device.take("q", answers: Questionnaire.rightAnswers)
        for _ in 1...2 { #expect(try device.quire(["sync", "--verify"], environment: environment).exitCode == 0) }
        #expect(
            !String(decoding: try Files.read(device.store + "/log/events.jsonl"), as: UTF8.self).contains("missing"))
        #expect(Set(device.tests("rated")) == [typed, proven])
    }

    @Test("a list that forbids typed names: only its people, and those whom a code proves, begin a test")
    func listedOnly() throws {
        let folder = try TemporaryFolder()
        let (host, codes, key) = try world(folder)
        let device = try Device(folder.path, of: host, pulls: false)
        let environment = ["QUIRE_TOKEN": key]
        let teacher = Device(folder.path, name: "teacher")
        try teacher.done("host", "people", "typed-names", "forbid", "--data", host.data)
        #expect(try device.quire(["pull"], environment: environment).exitCode == 0)
        for arguments in [["person", "set", "Someone Else"], ["person", "set", Self.names[0], "--id", "s-9"]] {
            let refused = try device.quire(arguments)
            #expect(
                refused.exitCode == 65 && refused.isOneSentence && refused.errors.contains("class list"), "\(refused)")
        }
        let answers = folder.path + "/answers.json"
        try Files.write(Questionnaire.rightAnswers, to: answers)
        #expect(try device.quire("take", "q", "--answers", answers).exitCode == 65)
        try device.done("person", "use", "s-2")
        _ = try device.take("q", answers: Questionnaire.rightAnswers)
        // A code proves one who is no longer on the list here.
        try device.done("person", "login", codes[0])
        _ = try device.take("q", answers: Questionnaire.rightAnswers)
        // An import keeps the setting, and it can be taken back.
        let file = folder.path + "/more.csv"
        try Files.write("id,name,group\nt-1,New,8a\n", to: file)
        try teacher.done("host", "people", "import", file, "--data", host.data)
        #expect(try device.quire(["pull"], environment: environment).exitCode == 0)
        #expect(try device.quire("person", "set", "Someone Else").exitCode == 65)
        try teacher.done("host", "people", "typed-names", "allow", "--data", host.data)
        #expect(try device.quire(["pull"], environment: environment).exitCode == 0)
        try device.done("person", "set", "Someone Else")
    }

    @Test("a code proves a person, and each test goes with the key of its own person, or the device's")
    func login() throws {
        let folder = try TemporaryFolder()
        let (host, codes, key) = try world(folder)
        let device = try Device(folder.path, of: host, pulls: false)
        let environment = ["QUIRE_TOKEN": key]
        #expect(try device.quire(["pull"], environment: environment).exitCode == 0)
        let person = try device.json("person", "login", codes[0])
        #expect(person["id"].text == "s-1" && person["name"].text == Self.names[0])
        let proven = try device.take("q", answers: Questionnaire.rightAnswers)
        try device.done("person", "use", "s-2")
        let typed = try device.take("q", answers: Questionnaire.rightAnswers)
        try device.done("person", "login", codes[2])
        let third = try device.take("q", answers: Questionnaire.rightAnswers)
        #expect(try device.quire(["sync"], environment: environment).exitCode == 0)
        let tests = try device.json("host", "tests", "--data", host.data).elements
        func verified(_ id: String) -> Bool? { tests.first { $0["id"].text == id }?["verified"].bool }
        #expect(verified(proven) == true && verified(typed) == false && verified(third) == true)
        #expect(tests.allSatisfy { $0["attempt"].number == 1 })
        let folderOfKeys = device.store + "/keys"
        for name in try FileManager.default.contentsOfDirectory(atPath: folderOfKeys) {
            let mode = try FileManager.default.attributesOfItem(atPath: "\(folderOfKeys)/\(name)")[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
        let snapshot = folder.path + "/snapshot"
        try device.done("snapshot", "save", snapshot)
        #expect(try Files.read(snapshot).range(of: Data("CODE1ABCDEFGH".utf8)) == nil)
        #expect(try device.quire("doctor").exitCode == 0)
    }

    @Test("a device without a key of its own sends with the code; a wrong code, and no server, get one sentence")
    func sentences() throws {
        let folder = try TemporaryFolder()
        let (host, codes, _) = try world(folder)
        let device = try Device(folder.path, of: host, pulls: false)
        let wrong = try device.quire("person", "login", "2222-2222-2222-2222")
        #expect(wrong.exitCode == 65 && wrong.isOneSentence, "\(wrong)")
        let short = try device.quire("person", "login", "12")
        #expect(short.exitCode == 65 && short.isOneSentence, "\(short)")
        try device.done("person", "login", codes[1])
        try device.done("pull")
        let id = try device.take("q", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        let tests = try device.json("host", "tests", "--data", host.data).elements
        #expect(tests.first { $0["id"].text == id }?["verified"].bool == true)
        try host.stop()
        let away = try device.quire("person", "login", codes[0])
        #expect(away.exitCode == 69 && away.isOneSentence, "\(away)")
    }

    @Test(
        "through a hub a device with a key has the class list, the upstream present or away; one without a key has none"
    )
    func hub() throws {
        let world = try RightsWorld()
        let file = world.folder.path + "/class.csv"
        try Files.write("id,name\nalice,Alice\nbob,Bob\n", to: file)
        try world.device.done("host", "people", "import", file, "--data", world.host.data)
        let hub = try world.startHub(with: .teacher)
        try world.waitForList(of: hub)
        let request = RightsWorld.Request("GET", "/v1/people")
        let limit = Date.now.addingTimeInterval(patienceSeconds)
        while !Files.exists(hub.store + "/hub/people.json"), Date.now < limit { usleep(20_000) }
        for isAway in [false, true] {
            if isAway { try world.host.stop() }
            #expect(try world.status(request, .none, port: hub.port) == 401)
            #expect(try world.status(request, .revoked, port: hub.port) == 401)
            let all = try world.reply(request, .taker, port: hub.port)
            #expect(all.contains("Alice") && all.contains("Bob"), "\(all)")
            let own = try world.reply(request, .other, port: hub.port)
            #expect(!own.contains("Alice") && own.contains("Bob"), "\(own)")
        }
    }
}
