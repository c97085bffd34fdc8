import Foundation
import Testing

@Suite("Who has handed in, at the hub, also without the server")
struct HubPeopleTests {
    @Test(
        "quire hub people and the status page: not started, waiting, delivered and rated; names where the room may see them"
    )
    func standings() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed <i>"))
        try host.start()
        let teacher = Device(folder.path, name: "teacher")
        let file = folder.path + "/class.csv"
        try Files.write("id,name,group\ns-1,Ada,7b\ns-2,Boris <i>,7b\ns-3,Clara,8a\n", to: file)
        try teacher.done("host", "people", "import", file, "--data", host.data)
        let hub = HubProcess(folder: folder.path, upstream: host.address)
        try hub.start()
        let device = Device(folder.path, name: "device")
        try device.done("init", "--remote", hub.address)
        try device.done("pull")
        func states(_ more: String...) throws -> [String] {
            let outcome = try teacher.quire(
                ["hub", "people", "--questionnaire", "keyed", "--store", hub.store, "--json"] + more)
            #expect(outcome.exitCode == 0, "\(outcome)")
            return try outcome.json().elements.map { "\($0["id"].text ?? "") \($0["state"].text ?? "")" }
        }
        #expect(try states() == ["s-1 not-begun", "s-2 not-begun", "s-3 not-begun"])

        try device.done("person", "use", "s-1")
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        try wait(for: "the receipt at the hub") { try states("--group", "7b").first == "s-1 rated" ? true : nil }
        try host.stop()
        try device.done("person", "use", "s-2")
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("person", "set", "Eve")
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        _ = try device.quire("sync")
        let all = try states()
        #expect(all.prefix(3) == ["s-1 rated", "s-2 waiting", "s-3 not-begun"] && all[3].hasSuffix(" waiting"))
        #expect(try states("--group", "8a") == ["s-3 not-begun"])
        let text = try teacher.done("hub", "people", "--store", hub.store).output
        #expect(text.contains("Boris <i> (7b)\ts-2\twaiting at the hub") && text.contains("Handed in: 3 of 4"))

        // Numbers for everyone in the room, names only where the hub may show them.
        let counted = try hub.status()["handedIn"]["questionnaires"][0]
        #expect(counted["states"]["waiting"].whole == 2 && counted["states"]["rated"].whole == 1)
        #expect(counted["people"].whole == 4 && counted["persons"] == .null)
        try hub.stop()
        try hub.start("--show-people")
        let named = try hub.status()["handedIn"]["questionnaires"][0]["persons"].elements
        #expect(named.map { $0["state"].text } == ["rated", "waiting", "not-begun", "waiting"])
        let page = try Command.run(
            "curl", "-sS", "-H", "Accept: text/html", hub.address + "/_hub/status", in: folder.path)
        #expect(page.contains("Boris &lt;i&gt; (7b)") && page.contains("waiting at the hub") && !page.contains("<i>"))
        try hub.stop()
        #expect(try states().prefix(2) == ["s-1 rated", "s-2 waiting"])
    }
}
