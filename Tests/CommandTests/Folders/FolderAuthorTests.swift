import Foundation
import Testing

/// Questionnaires that are written where no network reaches, and carried to the host.
@Suite("A teacher's questionnaires travel on a stick")
struct FolderAuthorTests {
    private let folder: TemporaryFolder
    private let questionnaires: String
    private let data: String
    private let stick: String

    init() throws {
        folder = try TemporaryFolder()
        stick = folder.path + "/stick"
        questionnaires = folder.path + "/questionnaires"
        data = folder.path + "/data"
        for path in [stick, questionnaires] { try Files.makeFolder(path) }
        try Files.write(Questionnaire(id: "a", title: "First").json, to: questionnaires + "/a.json")
    }

    private var collecting: [String] {
        ["host", "--data", data, "--questionnaires", questionnaires, "--collect", stick]
    }

    private func collect() throws -> JSON {
        let outcome = try Device(folder.path).quire(collecting + ["--json"])
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return try outcome.json()
    }

    private func device(_ name: String, pulls: Bool = true) throws -> Device {
        let device = Device(folder.path, name: name)
        try device.done("init", "--remote", "file://" + stick)
        if pulls { try device.done("pull") }
        return device
    }

    private func make(_ device: Device, _ title: String = "Spring quiz") throws -> String {
        let editor = folder.path + "/editor"
        try Files.writeScript("#!/bin/sh\ntrue\n", to: editor)
        let made = try device.quire(["new", title, "--json"], environment: ["EDITOR": editor])
        return try #require(try made.json()["id"].text)
    }

    private func edit(_ device: Device, _ id: String, _ title: String) throws {
        let path = "\(folder.path)/\(title.filter(\.isLetter)).json"
        try Files.write(Questionnaire(id: id, title: title).json, to: path)
        try device.done("edit", id, "--from", path)
    }

    /// A sync whose changes stay in the folder.
    private func put(_ device: Device, kept: Int) throws {
        let outcome = try device.quire("sync", "--json")
        let report = try outcome.json()
        #expect(outcome.exitCode == 75 && report["kept"].whole == kept && report["waiting"].whole == kept, "\(outcome)")
        #expect(Files.names(in: stick + "/tmp").isEmpty)
    }

    private var published: [String] { Files.names(in: questionnaires, suffix: ".json") }
    private func expectTidy(_ devices: [Device]) throws {
        for device in devices { #expect(try device.json("doctor") == .array([])) }
        #expect(Files.names(in: stick + "/changes").isEmpty && Files.names(in: stick + "/attachments").isEmpty)
        #expect(try collect()["changedFiles"].whole == 0)
    }

    @Test("written offline, kept on the stick, published by the host, and on every device with its next pull")
    func whole() throws {
        _ = try collect()
        let (author, pupil) = (try device("author"), try device("pupil"))
        let id = try make(author)
        let test = try author.take(id, answers: "{\"q1\": \"A\"}")
        try author.done("favorite", id)
        let photo = folder.path + "/photo.png"
        try Files.write(String(repeating: "photo", count: 1000), to: photo)
        let medium = try #require(try author.json("attach", "a", "q1", photo)["attachment"]["id"].text)
        // Created, favourite, edit of “a”, its picture, and the test.
        try put(author, kept: 5)
        try put(author, kept: 5)
        #expect(try author.done("why", id).output.contains("Kept in the folder"))
        #expect(try author.done("why", medium).output.contains("Kept in the folder"))
        #expect(Files.names(in: stick + "/changes", suffix: ".questionnaire.json").count == 2)
        #expect(published == ["a.json"])

        let report = try collect()
        #expect(report["changes"].elements.count == 3 && report["taken"].texts == [test], "\(report)")
        #expect(report["attachments"].texts == [medium] && report["faults"].elements.isEmpty, "\(report)")
        #expect(published.count == 2 && published.contains("a.json"))
        #expect(Files.names(in: data + "/favorites/everybody") == published.filter { $0 != "a.json" })
        try pupil.done("pull")
        let titles = try pupil.json("list").elements.compactMap { $0["title"].text }
        #expect(Set(titles) == ["First", "Spring quiz"])
        #expect(Files.names(in: stick + "/questionnaires/media").count == 1)

        #expect(try author.json("sync")["sent"].whole == 5)
        try author.done("pull")
        let line = try #require(try author.json("list").elements.first { $0["id"].text == id })
        #expect(line["serverId"].text.map { published.contains($0 + ".json") } == true)
        #expect(try author.json("list").elements.count == 2)
        #expect(author.tests("sent") == [test])

        // Away again: a favourite, then the questionnaire itself, which another device had already.
        try author.done("favorite", "--off", id)
        try author.done("delete", id)
        try put(author, kept: 2)
        #expect(try collect()["changes"].elements.count == 2)
        #expect(published == ["a.json"] && Files.names(in: data + "/favorites/everybody").isEmpty)
        #expect(try author.json("sync")["sent"].whole == 2)
        for device in [author, pupil] {
            try device.done("pull")
            #expect(try device.json("list").elements.compactMap { $0["id"].text } == ["a"])
        }
        try expectTidy([author, pupil])
    }

    @Test("made, edited and deleted again between two collections, it is made, edited and deleted, and nothing is left")
    func between() throws {
        _ = try collect()
        let author = try device("author", pulls: false)
        let (id, gone) = (try make(author), try make(author, "Gone"))
        try put(author, kept: 2)
        try edit(author, id, "Edited")
        try put(author, kept: 3)
        try author.done("delete", gone)
        try edit(author, id, "Edited twice")
        // A stick that was moved is the same stick.
        try Files.move(stick, stick + "-moved")
        #expect(try author.quire("sync").exitCode == 69)
        try author.done("remote", "set", "file://\(stick)-moved")
        let outcome = try author.quire("sync", "--json")
        #expect(try outcome.json()["kept"].whole == 5, "\(outcome)")
        try Files.move(stick + "-moved", stick)
        try author.done("remote", "set", "file://" + stick)

        let report = try collect()
        #expect(report["changes"].elements.count == 5 && report["waiting"].whole == 0, "\(report)")
        #expect(published.count == 2)
        #expect(
            try Files.text(questionnaires + "/" + (published.first { $0 != "a.json" } ?? "")).contains("Edited twice"))
        #expect(try author.json("sync")["sent"].whole == 5)
        try author.done("pull")
        #expect(try author.json("list").elements.compactMap { $0["title"].text }.sorted() == ["Edited twice", "First"])
        try expectTidy([author])
    }

    @Test("two edits of one questionnaire on one stick: the second becomes a conflict on its device, and loses nothing")
    func conflict() throws {
        _ = try collect()
        let (first, second) = (try device("first"), try device("second"))
        // Its changes have the higher numbers.
        _ = try second.take("a", answers: "{}", isFinished: false)
        try edit(first, "a", "Of the first")
        try edit(second, "a", "Of the second")
        try put(first, kept: 1)
        try put(second, kept: 1)
        try edit(second, "a", "Of the second later")
        try put(second, kept: 2)
        let report = try collect()
        #expect(report["changes"].elements.count == 1 && report["conflicts"].elements.count == 1, "\(report)")
        #expect(report["waiting"].whole == 1)

        var reports: [JSON] = []
        for device in [first, second] { reports.append(try device.quire("sync", "--json").json()) }
        #expect(reports[0]["sent"].whole == 1 && reports[0]["conflicts"].whole == 0, "\(reports)")
        #expect(reports[1]["sent"].whole == 0 && reports[1]["conflicts"].whole == 1, "\(reports)")
        let conflict = try second.json("conflicts")[0]
        let title = "Of the second later"
        #expect(conflict["mine"]["title"].text == title && conflict["theirs"]["title"].text == "Of the first")
        let id = try #require(conflict["id"].text)
        // What goes on from it waits for that decision, whatever the folder still has.
        let later = try #require(Files.names(in: second.store + "/outbox/done", suffix: ".questionnaire.json").first)
        #expect(try second.done("why", String(later.prefix(36))).output.contains("quire resolve \(id.prefix(8))"))
        try second.done("resolve", id, "--mine")
        #expect(try second.quire("sync").exitCode == 75)
        #expect(try collect()["changes"].elements.count == 1)
        #expect(try Files.text(questionnaires + "/a.json").contains(title))
        #expect(try second.json("sync")["sent"].whole == 1)
        for device in [first, second] {
            try device.done("pull")
            #expect(try device.json("list")[0]["title"].text == title)
            #expect(try device.json("doctor") == .array([]))
        }
        #expect(Files.names(in: data + "/former").count == 2)

        // Under a rule, the person is not asked.
        try second.done("conflicts", "--rule", "duplicate")
        try edit(first, "a", "Third")
        try edit(second, "a", "Fourth")
        try put(first, kept: 1)
        _ = try collect()
        try put(second, kept: 1)
        #expect(try collect()["conflicts"].elements.count == 1)
        #expect(try second.quire("sync", "--json").json()["conflicts"].whole == 0)
        _ = try collect()
        #expect(published.count == 2)
        #expect(try Files.text(questionnaires + "/a.json").contains("Third"))
        for device in [first, second] { try device.done("sync") }
    }

    @Test("half files, a wiped stick and a change that came by the network too: each is carried out once")
    func damage() throws {
        _ = try collect()
        let author = try device("author")
        _ = try make(author)
        try edit(author, "a", "Edited")
        try put(author, kept: 2)
        // Pulled out too soon.
        for name in Files.names(in: stick + "/changes") {
            let whole = try Files.text("\(stick)/changes/\(name)")
            try Files.write(String(whole.prefix(whole.count / 2)), to: "\(stick)/changes/\(name)")
        }
        let report = try collect()
        #expect(report["faults"].elements.count == 2 && report["changes"].elements.isEmpty, "\(report)")
        try put(author, kept: 2)
        for name in Files.names(in: stick + "/changes") { try Files.remove("\(stick)/changes/\(name)") }
        try put(author, kept: 2)
        let host = try HostProcess(folder: folder.path, name: "data", questionnaires: questionnaires)
        try host.start()
        try author.done("remote", "set", host.address)
        #expect(try author.json("sync")["sent"].whole == 2)
        // The host runs meanwhile, and both number the same changes.
        let known = try collect()
        #expect(known["known"].whole == 2 && known["changes"].elements.isEmpty, "\(known)")
        try author.done("remote", "set", "file://" + stick)
        try edit(author, "a", "By the stick")
        try put(author, kept: 1)
        #expect(try collect()["changes"].elements.count == 1)
        try author.done("remote", "set", host.address)
        #expect(try author.json("sync")["sent"].whole == 1)
        try author.done("pull")
        let id = try #require(published.first { $0 != "a.json" }).dropLast(".json".count)
        try edit(author, String(id), "By the network")
        #expect(try author.json("sync")["sent"].whole == 1)
        #expect(published.count == 2)
        let changes = try Command.run("curl", "-s", host.address + "/v1/changes?since=0", in: folder.path)
        let list = try JSON(parsing: changes)
        #expect(Set(list["changes"].elements.compactMap { $0["sequence"].whole }).count == 2)
        #expect(list["last"].whole == 5, "\(list)")
        _ = try host.stop()
        // What was changed there over the network.
        _ = try collect()
        try expectTidy([author])
    }

    @Test(
        "a collection that is killed is done again, and everything is carried out once",
        .enabled(if: Tracing.isPossible, "strace cannot trace here"), arguments: ["renameat2", "unlinkat", "fsync"])
    func killed(_ call: String) throws {
        _ = try collect()
        let author = try device("author")
        let id = try make(author)
        _ = try author.take(id, answers: "{\"q1\": \"A\"}")
        try author.done("favorite", id)
        let photo = folder.path + "/photo.png"
        try Files.write(String(repeating: "photo", count: 1000), to: photo)
        try author.done("attach", "a", "q1", photo)
        try put(author, kept: 5)
        try edit(author, id, "Edited")
        try put(author, kept: 6)
        let parts = ["stick", "data", "questionnaires", "author"]
        let kept = folder.path + "/kept"
        try Files.makeFolder(kept)
        for part in parts { try Command.run("cp", "-a", "\(folder.path)/\(part)", kept, in: folder.path) }
        var killed = 0
        // Every call, a third of the many that flush, and of both a third with the other tests.
        for place in stride(from: 1, to: 400, by: (call == "fsync" ? 3 : 1) * (triesAll ? 1 : 3)) {
            for part in parts {
                try Files.remove("\(folder.path)/\(part)")
                try Command.run("cp", "-a", "\(kept)/\(part)", folder.path, in: folder.path)
            }
            let child = try ChildProcess(
                [
                    "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e",
                    "inject=\(call):signal=KILL:when=\(place)",
                ]
                    + [Command.binary] + collecting, environment: Command.environment(home: folder.path),
                folder: folder.path)
            let isWhole = try child.end().exitCode == 0
            if !isWhole { killed += 1 }
            let report = try collect()
            #expect(report["faults"].elements.isEmpty && report["waiting"].whole == 0, "\(call) \(place): \(report)")
            let last = try author.json("sync")
            #expect(last["sent"].whole == 6 && last["waiting"].whole == 0, "\(call) \(place): \(last)")
            #expect(published.count == 2 && Files.names(in: questionnaires + "/media").count == 1)
            #expect(Files.names(in: data + "/tests").count == 1 && Files.names(in: data + "/receipts").count == 6)
            #expect(Files.names(in: data + "/favorites/everybody").count == 1)
            try expectTidy([author])
            if isWhole { break }
        }
        #expect(killed > (triesAll ? 2 : 1))
    }
}
