import Foundation
import Testing

/// A file that is no test, or a damaged one, among those that wait.
@Suite("A wrong file in the outbox stops nothing")
struct StrangerTests {
    private let names = [
        "half": "11111111-1111-4111-8111-111111111111.test.json",
        "folder": "22222222-2222-4222-8222-222222222222.test.json",
        "link": "33333333-3333-4333-8333-333333333333.test.json",
        "pipe": "44444444-4444-4444-8444-444444444444.test.json",
        "other": "55555555-5555-4555-8555-555555555555.test.json",
        "empty": "66666666-6666-4666-8666-666666666666.test.json",
        "wrong": "answers of Ada.json",
        "capitals": "AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA.test.json",
    ]

    @Test("the others are sent; doctor names each wrong file, moves it to quarantine, and is then content")
    func strangers() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let ids = try (0..<3).map { _ in try device.take("keyed", answers: Questionnaire.rightAnswers) }
        let done = device.store + "/outbox/done"
        let good = try Files.text(device.testPath(ids[0], "done"))
        func path(_ what: String) throws -> String { done + "/" + (try #require(names[what])) }
        try Files.write(String(good.prefix(good.count / 2)), to: try path("half"))
        try Files.makeFolder(try path("folder"))
        try Files.write("content", to: try path("folder") + "/inside.txt")
        #expect(symlink("/etc/passwd", try path("link")) == 0)
        #expect(mkfifo(try path("pipe"), 0o600) == 0)
        // A test, but not the one that its name says.
        try Files.write(good, to: try path("other"))
        try Files.write("", to: try path("empty"))
        try Files.write(good, to: try path("wrong"))
        try Files.write(good, to: try path("capitals"))
        let passwords = try (Files.read("/etc/passwd"), Files.status("/etc/passwd"))

        // Whatever looks into the outbox works, and waits for no pipe.
        for arguments in [["tests"], ["status"], ["list"], ["outbox", "ls"], ["sync", "--dry-run"]] {
            #expect(try device.quire(arguments).exitCode == 0, "\(arguments)")
        }
        let synced = try device.quire("sync", "--json")
        #expect(synced.exitCode == 65, "\(synced)")
        let report = try synced.json()
        #expect(report["sent"].whole == 3)
        #expect(report["unreadable"].elements.count == 3)
        #expect(host.tests == ids.sorted())
        #expect(device.tests("rated") == ids.sorted())

        let examined = try device.quire("doctor", "--json")
        #expect(examined.exitCode == 65)
        let findings = try examined.json().elements
        #expect(findings.count == names.count)
        for (what, name) in names {
            let finding = findings.first { $0["path"].text == "outbox/done/" + name }
            #expect(finding?["what"].text?.isEmpty == false && finding?["advice"].text?.isEmpty == false, "\(what)")
            #expect(finding?["isRepaired"].bool == false)
        }
        let words = try device.quire("doctor")
        for name in names.values { #expect(words.output.contains(name)) }

        #expect(try device.quire("doctor", "--repair").exitCode == 0)
        #expect(try device.json("doctor") == .array([]))
        #expect(Files.names(in: done).isEmpty)
        let corner = Files.names(in: device.store + "/quarantine")
        for (what, name) in names {
            let moved = corner.filter { $0.hasSuffix("-" + name) }
            #expect(moved.count == 1, "\(what)")
            #expect(corner.contains("\(moved.first ?? "?").reason.txt"), "\(what)")
        }
        // Moved, not followed and not deleted.
        let folderPath = try path("folder")
        let folderName = try #require(corner.first { folderPath.hasSuffix($0.suffix(40)) && !$0.hasSuffix(".txt") })
        #expect(try Files.text("\(device.store)/quarantine/\(folderName)/inside.txt") == "content")
        let after = try (Files.read("/etc/passwd"), Files.status("/etc/passwd"))
        #expect(passwords.0 == after.0)
        #expect(passwords.1.st_ino == after.1.st_ino && passwords.1.st_mode == after.1.st_mode)
        #expect(passwords.1.st_mtim.tv_sec == after.1.st_mtim.tv_sec)
        #expect(host.tests == ids.sorted())
    }

    @Test("what is done with an unreadable test says which file it is, and leaves it as it was")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let draft = try device.take("keyed", answers: #"{"q1": "yes"}"#, isFinished: false)
        let path = device.testPath(draft, "in-progress")
        let half = String(try Files.text(path).prefix(100))
        try Files.write(half, to: path)
        for arguments in [["finish", draft], ["answer", draft, "q1", "no"]] {
            let outcome = try device.quire(arguments)
            #expect(outcome.exitCode == 65 && outcome.isOneSentence, "\(outcome)")
            #expect(outcome.errors.contains("in-progress/\(draft).test.json"), "\(outcome)")
        }
        let why = try device.done("why", draft)
        #expect(why.output.contains("Unreadable") && why.output.contains("quire doctor"))
        #expect(try device.json("tests")[0]["fault"].text != nil)
        #expect(try device.done("tests").output.contains("Unreadable"))
        // It blocks nothing.
        #expect(try device.done("list").output.contains("Keyed"))
        let other = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        #expect(host.tests == [other])
        #expect(try Files.text(path) == half)
        #expect(try device.quire("doctor").exitCode == 65)
    }

    @Test(
        "a link out of the store in the place of a document or a folder is not followed",
        arguments: [
            "cache/entries", "cache/blobs", "outbox/done", "marks",
        ])
    func linkedFolder(_ place: String) throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let outside = folder.path + "/outside"
        try Files.makeFolder(outside)
        let path = "\(device.store)/\(place)"
        if Files.exists(path) { try Files.remove(path) }
        #expect(symlink(outside, path) == 0)
        for arguments in [
            ["pull"], ["list"], ["favorite", "keyed"], ["take", "keyed", "--answers", "-", "--finish"], ["sync"],
            ["doctor", "--repair"],
        ] {
            let outcome = try device.quire(arguments, input: Questionnaire.rightAnswers)
            #expect(outcome.exitCode < 128, "\(outcome)")
            if outcome.exitCode != 0, arguments[0] != "doctor" { #expect(outcome.isOneSentence, "\(outcome)") }
            #expect(Files.names(in: outside).isEmpty, "after \(arguments)")
        }
    }

    @Test(
        "a link in the place of a blob or an entry is a miss, and what it leads to is not read",
        arguments: [true, false])
    func linkedFile(_ isBlob: Bool) throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let path = try isBlob ? device.blobPath("keyed") : device.entryPath("keyed")
        let outside = folder.path + "/outside"
        try Files.move(path, outside)
        let content = try Files.read(outside)
        #expect(symlink(outside, path) == 0)
        let shown = try device.quire("show", "keyed", "--offline")
        #expect(shown.exitCode == 69 && shown.isOneSentence, "\(shown)")
        #expect(try device.quire("doctor").exitCode == 65)
        _ = try device.quire("doctor", "--repair")
        _ = try device.quire("pull")
        #expect(try Files.read(outside) == content)
        #expect(try device.done("show", "keyed", "--offline").output.hasPrefix("Keyed\n"))
        #expect(try device.json("doctor") == .array([]))
    }
}
