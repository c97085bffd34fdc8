import Foundation
import Testing

/// Questionnaires made, changed and deleted here, favourites, and conflicts about them.
@Suite("Questionnaires that are written on a device")
struct AuthorTests {
    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "a", title: "First"))
    }

    private func editor(_ script: String) throws -> [String: String] {
        let path = folder.path + "/editor"
        try Files.writeScript("#!/bin/sh\n" + script + "\n", to: path)
        return ["EDITOR": path]
    }

    @Test("made and taken with no network, it reaches the server once, and is known by its first id for ever")
    func offline() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        try host.stop()
        let made = try device.quire(["new", "Spring quiz", "--json"], environment: try editor("true"))
        let id = try #require(try made.json()["id"].text)
        #expect(try device.json("list").elements.compactMap { $0["id"].text }.contains(id))
        #expect(try device.done("search", "spring").output.contains(id))
        #expect(try device.done("show", id).output.contains("Spring quiz"))
        let test = try device.take(id, answers: "{\"q1\": \"A\"}")
        #expect(try device.json("status")["waiting"].whole == 2)
        #expect(try device.done("outbox", "ls").output.contains("questionnaire"))
        let change = try #require(try made.json()["change"].text)
        #expect(try device.done("why", change).output.contains("Created here"))
        #expect(try device.quire("doctor").exitCode == 0)

        try host.start()
        #expect(try device.json("sync")["sent"].whole == 2)
        #expect(host.tests == [test])
        #expect(Files.names(in: host.questionnaires, suffix: ".json").count == 2)
        try device.done("pull")
        let line = try #require(try device.json("list").elements.first { $0["id"].text == id })
        #expect(line["serverId"].text == "spring-quiz-2")
        #expect(try device.quire("show", "spring-quiz-2").exitCode == 0)
        #expect(try device.json("list").elements.count == 2)
        #expect(try device.quire("doctor").exitCode == 0)

        try device.done("favorite", id)
        try device.done("delete", id)
        #expect(try device.json("list").elements.count == 1)
        #expect(try device.json("sync")["sent"].whole == 2)
        #expect(Files.names(in: host.questionnaires, suffix: ".json").count == 1)
        try device.done("pull")
        #expect(try device.json("list").elements.count == 1)
    }

    @Test("a text that is no questionnaire is not taken, and not lost")
    func invalid() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        let refused = try device.quire(["edit", "a"], environment: try editor("echo '{\"id\": \"a\",' > \"$1\""))
        #expect(refused.exitCode == 65)
        let path = try #require(refused.errors.split(separator: " ").first { $0.contains("quire-a-") })
            .trimmingCharacters(in: CharacterSet(charactersIn: ":"))
        #expect(try Files.text(path).contains("{\"id\": \"a\","))
        #expect(try device.json("status")["waiting"].whole == 0)
        // The corrected document is read from there.
        try Files.write(Questionnaire(id: "a", title: "Corrected").json, to: path)
        try device.done("edit", "a", "--from", path)
        #expect(try device.json("list")[0]["title"].text == "Corrected")
        #expect(try device.json("list")[0]["change"].text == "edit")
        try device.done("sync")
        #expect(try Files.text(host.questionnaires + "/a.json").contains("Corrected"))
    }

    @Test("a conflict keeps both versions until the person decides, and the other one afterwards too")
    func conflict() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        try device.done("edit", "a", "--from", try file("Mine"))
        try host.publish(Questionnaire(id: "a", title: "Theirs"))
        let synced = try device.quire("sync", "--json")
        #expect(synced.exitCode == 65)
        let report = try synced.json()
        #expect(report["conflicts"].whole == 1 && report["sent"].whole == 0)
        let conflict = try device.json("conflicts")[0]
        #expect(conflict["differences"][0]["field"].text == "title")
        #expect(conflict["mine"]["title"].text == "Mine" && conflict["theirs"]["title"].text == "Theirs")
        let shown = try device.done("conflicts").output
        #expect(shown.contains("Mine") && shown.contains("Theirs"))
        #expect(Files.names(in: device.store + "/outbox/conflict", suffix: ".json").count == 3)
        #expect(try device.quire("doctor").exitCode == 0)

        let id = try #require(conflict["id"].text)
        try device.done("resolve", id, "--mine")
        #expect(try device.json("sync")["sent"].whole == 1)
        #expect(try Files.text(host.questionnaires + "/a.json").contains("Mine"))
        let kept = Files.names(in: device.store + "/quarantine", suffix: ".theirs.json")
        #expect(try kept.count == 1 && Files.text(device.store + "/quarantine/" + kept[0]).contains("Theirs"))
        #expect(try device.quire("resolve", id, "--mine").exitCode == 65)
        #expect(try device.quire("resolve", id).exitCode == 64)

        // Under a rule, the person is not asked.
        try device.done("pull")
        try device.done("conflicts", "--rule", "duplicate")
        try device.done("edit", "a", "--from", try file("Mine again"))
        try host.publish(Questionnaire(id: "a", title: "Theirs again"))
        #expect(try device.json("sync")["conflicts"].whole == 0)
        #expect(Files.names(in: host.questionnaires, suffix: ".json").count == 2)
        #expect(try Files.text(host.questionnaires + "/a.json").contains("Theirs again"))
    }

    @Test("a deletion that met another version cannot be kept beside it, and nothing is dropped")
    func deletionInConflict() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        let none = try device.quire("resolve", "a", "--mine")
        #expect(none.exitCode == 65 && none.isOneSentence && none.errors.contains("“a” is no conflict"))
        let nothing = try device.quire("why", "a")
        #expect(nothing.exitCode == 65 && nothing.isOneSentence && nothing.errors.contains("quire show a"))
        #expect(try device.quire("why", "nowhere").errors.contains("neither a test nor a questionnaire"))

        try device.done("delete", "a")
        #expect(try device.done("why", "a").output.contains("Deleted here"))
        try host.publish(Questionnaire(id: "a", title: "Theirs"))
        let report = try device.quire("sync")
        #expect(report.output.contains("1 in “quire conflicts”"), "\(report)")
        #expect(report.exitCode == 65)
        #expect(try device.quire("sync", "--json").json()["undecided"].whole == 1)
        for shown in [try device.done("conflicts").output, try device.done("why", "a").output] {
            #expect(shown.contains("--mine") && shown.contains("--theirs") && !shown.contains("--both"), "\(shown)")
        }
        #expect(try device.json("conflicts")[0]["choices"].texts == ["mine", "theirs"])
        let both = try device.quire("resolve", "a", "--both")
        #expect(both.exitCode == 64 && both.isOneSentence && both.errors.contains("--theirs"), "\(both)")
        #expect(Files.names(in: device.store + "/outbox/conflict", suffix: ".questionnaire.json").count == 1)
        try device.done("resolve", "a", "--mine")
        try device.done("sync")
        #expect(Files.names(in: host.questionnaires, suffix: ".json").isEmpty)
    }

    private func file(_ title: String) throws -> String {
        let path = folder.path + "/\(title.filter(\.isLetter)).json"
        try Files.write(Questionnaire(id: "a", title: title).json, to: path)
        return path
    }

    @Test("a draft keeps its version, the person is notified, and continues in the newer one with matching answers")
    func newVersion() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        let draft = try device.take("a", answers: Questionnaire.rightAnswers, isFinished: false)
        #expect(try device.json("status")["outdatedDrafts"].whole == 0)
        try host.publish(Questionnaire(id: "a", title: "First", remark: " Really?"))
        try device.done("pull", "a")
        #expect(try device.json("status")["outdatedDrafts"].whole == 1)
        #expect(try device.json("status")["outdatedDraftIds"].texts == [draft])
        #expect(try device.done("status").output.contains("quire diff \(draft)"))
        #expect(try device.done("show", "a").output.contains("quire diff \(draft)"))
        let update = try device.json("diff", "a")
        #expect(update["carried"].texts == ["q2"] && update["left"][0]["questionId"].text == "q1")
        #expect(update["differences"][0]["field"].text == "questions[q1].text")
        let made = try #require(try device.json("take", "a", "--update")["id"].text)
        #expect(made != draft)
        #expect(Set(device.tests("in-progress")) == [draft, made])
        #expect(try JSON(file: device.testPath(made, "in-progress"))["parent"].text == draft)
        #expect(try device.json("take", "a", "--update")["id"].text == made)
        // Answers of a file go into that draft, too, and make no other one.
        let refused = try device.quire(["take", "a", "--update", "--answers", "-"], input: #"{"q9": "no"}"#)
        #expect(refused.exitCode == 65 && refused.isOneSentence, "\(refused)")
        let filled = try device.quire(
            ["take", "a", "--update", "--answers", "-", "--json"], input: #"{"q1": "no"}"#)
        #expect(try filled.json()["id"].text == made)
        #expect(Set(device.tests("in-progress")) == [draft, made])
        #expect(try JSON(file: device.testPath(made, "in-progress"))["answers"].elements.count == 2)
        // No beginning of a draft's id, as a letter up to f may be.
        let other = try device.quire(["take", "none", "--update"])
        #expect(other.exitCode == 65 && other.isOneSentence && other.errors.contains("no draft"))
        #expect(try device.json("status")["outdatedDrafts"].whole == 0)
    }

    @Test("killed between storing and answering, the host has one of it, and the receipt comes with the next sync")
    func hostKilled() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        try device.done("new", "--from", try file("Spring"))
        try device.done("sync")
        // As if the reply had been lost: the change is sent again under its id.
        let name = try #require(Files.names(in: device.store + "/outbox/sent", suffix: ".questionnaire.json").first)
        try Files.move(device.store + "/outbox/sent/" + name, device.store + "/outbox/done/" + name)
        let receipt = name.replacingOccurrences(of: ".questionnaire.json", with: ".receipt.json")
        let former = try Files.text(device.store + "/outbox/sent/" + receipt)
        try Files.remove(device.store + "/outbox/sent/" + receipt)
        // And as if the host had been killed before its receipt was written.
        host.kill()
        try Files.remove(host.data + "/receipts/" + receipt)
        try host.start()
        #expect(try device.json("sync")["sent"].whole == 1)
        #expect(Files.names(in: host.questionnaires, suffix: ".json").count == 2)
        let learned = try JSON(file: device.store + "/outbox/sent/" + receipt)
        #expect(try learned["published"] == JSON(parsing: former)["published"])
    }
}
