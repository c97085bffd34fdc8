import Foundation
import Testing

@Suite("quire person pin: people with PINs on one store")
struct PersonPINTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        device = try Device(folder.path, of: host)
    }

    private func use(_ name: String, _ pin: String?) throws -> Outcome {
        try device.quire(["person", "use", name], input: pin.map { $0 + "\n" } ?? "")
    }

    @Test("three people, each with a PIN: each sees their own only, everything is sent")
    func three() throws {
        let pins = ["Ada": "1111", "Boris": "2222", "Clara": "3333"]
        var tests: [String: String] = [:]
        for (name, pin) in pins {
            try device.done("person", "set", name)
            let set = try device.quire(["person", "pin"], input: "\(pin)\n")
            #expect(set.exitCode == 0, "\(set)")
            tests[name] = try device.take("keyed", answers: Questionnaire.rightAnswers)
        }
        for (name, pin) in pins {
            try device.done("person", "clear")
            #expect(try use(name, nil).exitCode == 65)
            let wrong = try use(name, "9999")
            #expect(wrong.exitCode == 65 && wrong.isOneSentence && !wrong.errors.contains("9999"), "\(wrong)")
            #expect(try device.quire("person", "set", name).exitCode == 65)
            #expect(try device.json("status")["person"] == .null)
            #expect(try use(name, pin).exitCode == 0)
            let shown = try device.quire(["tests", "--json"]).json().elements.compactMap { $0["id"].text }
            #expect(shown == [tests[name]])
        }
        #expect(try device.json("person", "list").elements.allSatisfy { $0["pin"] == .bool(true) })
        // No one needs to be there.
        try device.done("person", "clear")
        #expect(try device.json("sync")["sent"].whole == 3)
        #expect(try device.json("doctor") == .array([]))

        // A snapshot has the people and no PIN.
        let snapshot = folder.path + "/all.snapshot"
        try device.done("snapshot", "save", snapshot)
        let restored = Device(folder.path, name: "restored")
        try restored.done("snapshot", "restore", snapshot)
        #expect(try restored.json("person", "list").elements.allSatisfy { $0["pin"] == .bool(false) })
        #expect(try restored.json("person", "list").elements.count == 3)
        #expect(try Files.read(snapshot).range(of: Data("scrypt".utf8)) == nil)
    }

    @Test("it is changed with the one of now, bounded, reset by the operator, and a damaged one is found by doctor")
    func changing() throws {
        try device.done("person", "set", "Ada", "--id", "s-1")
        #expect(try device.quire(["person", "pin"], input: "12\n").exitCode == 65)
        #expect(try device.quire(["person", "pin"], input: "1234\n").exitCode == 0)
        #expect(try device.quire(["person", "pin"], input: "4321\n5678\n").exitCode == 65)
        #expect(try device.quire(["person", "pin"], input: "1234\n5678\n").exitCode == 0)
        try device.done("person", "clear")
        for _ in 1...5 { #expect(try use("Ada", "0000").exitCode == 65) }
        let waiting = try use("Ada", "5678")
        #expect(
            waiting.exitCode == 75 && waiting.isOneSentence && waiting.errors.contains("try again in"), "\(waiting)")
        try device.done("person", "pin", "--reset", "Ada")
        #expect(try use("Ada", nil).exitCode == 0)
        #expect(try device.quire(["person", "pin"], input: "1234\n").exitCode == 0)
        #expect(try device.quire(["person", "pin", "--remove"], input: "1234\n").exitCode == 0)
        #expect(try device.json("person", "list").elements.allSatisfy { $0["pin"] == .bool(false) })

        #expect(try device.quire(["person", "pin"], input: "1234\n").exitCode == 0)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: device.store + "/keys/s-1.pin.json"))
        let findings = try device.quire("doctor", "--json").json().elements
        #expect(findings.compactMap { $0["path"].text } == ["keys/s-1.pin.json"])
    }

    @Test("the code of the card opens in place of the PIN, without the host")
    func code() throws {
        let (file, code) = (folder.path + "/class.csv", "code-1-ABCDEFGH")
        try Files.write("id,name,group,code\ns-1,Ada,7b,\(code)\n", to: file)
        try device.done("host", "people", "import", file, "--data", host.data)
        try device.done("person", "set", "Ada", "--id", "s-1")
        #expect(try device.quire(["person", "pin"], input: "1234\n").exitCode == 0)
        let logged = try device.quire("person", "login", code)
        #expect(logged.exitCode == 0, "\(logged)")
        try device.done("person", "clear")
        try host.stop()
        #expect(try use("Ada", code).exitCode == 0)
    }
}
