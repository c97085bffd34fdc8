import Foundation
import Testing

/// The main job, from the pull to the rated result.
@Suite("The main job, over a real socket with real files")
struct MainJobTests {
    static let folders = [Command.samples] + (Command.realQuestionnaires.map { [$0] } ?? [])

    @Test("everything is pulled, and a second pull transfers no document", arguments: folders)
    func pull(_ questionnaires: String) throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, questionnaires: questionnaires)
        try host.start()
        let device = Device(folder.path)
        try device.done("init", "--remote", host.address)
        let ids = try Files.names(in: questionnaires, suffix: ".json").map {
            try JSON(file: "\(questionnaires)/\($0)")["id"].text
        }
        let first = try device.json("pull")
        #expect(first["listed"].whole == ids.count)
        #expect(Set(first["new"].texts) == Set(ids.compactMap(\.self)))
        #expect(first["failed"].keys.isEmpty)
        #expect((first["transferredBytes"].number ?? 0) > 0)
        #expect(try device.cachedIDs.count == ids.count)
        // What is here is what was published, without the key.
        let sample = try #require(ids.compactMap(\.self).randomElement())
        let shown = try device.json("show", sample)
        #expect(shown["id"].text == sample && shown["answerKey"] == .null && !shown["questions"].elements.isEmpty)

        let asked = host.exchanges
        let second = try device.json("pull")
        #expect(second["transferredBytes"].whole == 0 && second["unchanged"].whole == ids.count)
        let askedAgain = host.exchanges.dropFirst(asked.count).filter { $0.path != "/v1/people" }
        // One answer: what has changed since the list.
        #expect(askedAgain.map(\.path) == ["/v1/questionnaires"])
    }

    @Test("with the host stopped everything works at once; with the host back the tests arrive byte for byte")
    func loop() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, questionnaires: Command.samples, isRestarted: true)
        try host.start()
        let device = try Device(folder.path, of: host)
        #expect(try device.json("status")["online"].bool == true)
        let stopped = try host.stop()
        #expect(stopped.exitCode == 0)

        #expect(try device.json("status")["online"].bool == false)
        #expect(try device.done("list").lines.count == Files.names(in: Command.samples, suffix: ".json").count)
        #expect(try device.json("search", "НЕБЕСНЫЕ МЕДОВЫЕ СЛОВА").elements.isEmpty)
        #expect(try device.json("search", "ОЗЕРО байкал").elements.map { $0["id"].text } == ["baikal"])
        #expect(try device.json("search", "SKY").elements.contains { $0["id"].text == "sky-and-planets" })
        #expect(try device.done("show", "baikal").output.contains("Озеро Байкал"))

        var ids: [String] = []
        for name in Files.names(in: Command.sampleAnswers, suffix: ".json") {
            let questionnaire = String(name.dropLast(5))
            let taken = try device.json(
                "take", questionnaire, "--answers", "\(Command.sampleAnswers)/\(name)", "--finish")
            #expect(taken["status"].text == "done")
            ids.append(try #require(taken["id"].text))
        }
        let draft = try device.take(
            "sky-and-planets", answers: try Files.text("\(Command.sampleAnswers)/sky-and-planets.json"),
            isFinished: false)
        #expect(device.tests("in-progress") == [draft])
        #expect(try device.json("finish", draft)["status"].text == "done")
        ids.append(draft)
        #expect(device.tests("done") == ids.sorted())
        #expect(Files.names(in: device.store + "/outbox/done") == ids.sorted().map { $0 + ".test.json" })
        #expect(try device.json("status")["waiting"].whole == ids.count)
        let sealed = try Dictionary(uniqueKeysWithValues: ids.map { ($0, try Files.read(device.testPath($0, "done"))) })

        try host.start()
        let report = try device.json("sync")
        #expect(report["sent"].whole == ids.count && report["waiting"].whole == 0)
        #expect(report["rejected"].whole == 0 && report["conflicts"].whole == 0)
        #expect(device.tests("done").isEmpty && device.tests("sending").isEmpty)
        #expect(host.tests == ids.sorted())
        for id in ids {
            let status = try #require(device.deliveredStatus(id))
            #expect(try Files.read(device.testPath(id, status)) == sealed[id])
            #expect(try host.test(id) == sealed[id])
            let sums = try Command.run(
                "sha256sum", device.testPath(id, status), "\(host.data)/tests/\(id).test.json", in: folder.path
            ).split(separator: "\n").map { $0.prefix(64) }
            #expect(sums.count == 2 && sums[0] == sums[1])
            let receipt = try JSON(file: device.receiptPath(id, status))
            #expect(receipt["digest"].text == "sha256:" + sums[0] && receipt["status"].text == status)
        }
        // With a key it is rated at once, without one a teacher is awaited.
        let statuses = try device.json("tests").elements.map { ($0["questionnaire"]["id"].text, $0["status"].text) }
        #expect(statuses.allSatisfy { $0.1 == ($0.0 == "posle-uroka" ? "sent" : "rated") })
        #expect(try device.json("status")["online"].bool == true)
        #expect(try device.json("status")["lastSync"].text != nil)

        let quiet = try device.json("sync")
        #expect(quiet["sent"].whole == 0)
        #expect(host.exchanges.count { $0.method == "PUT" } == ids.count)
    }

    @Test("ё is found as е, in any case, in titles and in questions")
    func yo() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "tree", title: "Зелёная ёлка", description: "Про Щёлкунчика"))
        try host.publish(Questionnaire(id: "cafe", title: "Le Café", description: "Déjà vu"))
        try host.start()
        let device = try Device(folder.path, of: host)
        for words in ["ЕЛКА", "ёлка зелёная", "зеленая", "щелкунчик", "ЩЁЛКУНЧИКА", "елка, зеленая!"] {
            #expect(try device.json("search", words).elements.map { $0["id"].text } == ["tree"], "\(words)")
        }
        #expect(try device.json("search", "cafe", "DEJA").elements.map { $0["id"].text } == ["cafe"])
        #expect(try device.json("search", "question", "1", "of", "cafe").elements.map { $0["id"].text } == ["cafe"])
        #expect(try device.json("search", "cafe", "ёлка").elements.isEmpty)
    }

    @Test("a teacher's rating comes with the next sync")
    func rating() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "open", title: "Open", hasKey: false))
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("open", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        #expect(device.tests("sent") == [id])
        try device.done("host", "rate", "--data", host.data, id, "--checking")
        try device.done("sync")
        #expect(device.tests("checking") == [id] && device.tests("sent").isEmpty)
        try device.done(
            "host", "rate", "--data", host.data, id, "--score", "3", "--max", "4", "--by", "Ada", "--comment", "Fine.")
        #expect(try device.json("sync")["rated"].whole == 1)
        #expect(device.tests("rated") == [id] && device.tests("checking").isEmpty)
        let receipt = try JSON(file: device.receiptPath(id, "rated"))
        #expect(receipt["evaluation"]["score"].number == 3 && receipt["evaluation"]["comment"].text == "Fine.")
        #expect(try device.done("tests").output.contains("3 of 4"))
        #expect(try device.done("why", id).output.contains("3 of 4"))
        #expect(try host.test(id) == Files.read(device.testPath(id, "rated")))
    }
}
