import Foundation
import Testing

@Suite("An outbox is exported here and imported there")
struct TransferTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let first: Device
    private let second: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.publish(Questionnaire(id: "open", title: "Open", hasKey: false))
        try host.start()
        first = try Device(folder.path, name: "first", of: host)
        second = try Device(folder.path, name: "second", of: host, pulls: false)
    }

    private var archive: String { folder.path + "/outbox.tar" }

    @Test(
        "exported on one machine, imported on another, synced from there and from here: one test each, and both have the receipts"
    )
    func both() throws {
        let ids = try (0..<6).map { try first.take($0 < 3 ? "keyed" : "open", answers: Questionnaire.rightAnswers) }
        #expect(try first.json("outbox", "export", archive)["exported"].texts.sorted() == ids.sorted())
        let copy = try Files.read(archive)
        try first.done("outbox", "export", archive)
        #expect(try Files.read(archive) == copy)
        #expect(try second.json("outbox", "import", archive)["taken"].texts.sorted() == ids.sorted())
        #expect(try second.json("sync")["sent"].whole == 6)
        #expect(try first.json("sync")["sent"].whole == 6)
        #expect(host.tests == ids.sorted())
        #expect(host.exchanges.count { $0.method == "PUT" && $0.status == 201 } == 6)
        for id in ids {
            let status = try #require(first.deliveredStatus(id))
            #expect(second.deliveredStatus(id) == status)
            #expect(try Files.read(first.receiptPath(id, status)) == Files.read(second.receiptPath(id, status)))
        }
        for device in [first, second] { #expect(try device.json("doctor") == .array([])) }
    }

    @Test("where a file may grow no further, the export says so and leaves nothing")
    func cutShort() throws {
        for _ in 0..<6 { _ = try first.take("keyed", answers: Questionnaire.rightAnswers) }
        let limited = try ChildProcess(
            ["bash", "-c", "ulimit -f 4; exec \"$0\" outbox export \"$1\"", Command.binary, archive],
            environment: Command.environment(home: folder.path, ["QUIRE_STORE": first.store]), folder: folder.path)
        let outcome = try limited.end()
        #expect(outcome.exitCode == 74, "\(outcome)")
        #expect(outcome.isOneSentence && outcome.errors.contains("outbox.tar"), "\(outcome)")
        #expect(Files.names(in: folder.path, suffix: "").filter { $0.contains("outbox") }.isEmpty)
    }

    @Test("the receipts come back with an archive: who has no network learns what was delivered elsewhere")
    func back() throws {
        let id = try first.take("keyed", answers: Questionnaire.rightAnswers)
        try first.done("outbox", "export", archive)
        try second.done("outbox", "import", archive)
        try second.done("sync")
        try second.done("outbox", "export", archive)
        #expect(try first.json("outbox", "import", archive)["advanced"].texts == [id])
        #expect(first.tests("rated") == [id] && first.tests("done").isEmpty)
        #expect(try first.json("outbox", "import", archive)["known"].whole == 1)
        #expect(try first.done("why", id).output.contains("The receipt matches this file"))
        #expect(try first.json("sync")["sent"].whole == 0)
        #expect(try first.done("log").output.contains("imported"))
    }

    @Test("an answer to a draft whose questionnaire is not here is kept, called unchecked, and checked once it is here")
    func unchecked() throws {
        let count = """
            {"id": "count", "title": "Count", "questions": [{"id": "n", "kind": "number", "text": "How many?"}]}
            """
        try Files.write(count, to: host.questionnaires + "/count.json")
        try first.done("pull")
        let id = try first.take("count", answers: "{}", isFinished: false)
        try first.done("outbox", "export", archive)
        try second.done("outbox", "import", archive)
        let unread = try second.done("answer", id, "n", "many")
        #expect(unread.isOneSentence && unread.errors.contains("nothing was checked"), "\(unread)")
        try second.done("pull")
        let refused = try second.quire("finish", id)
        #expect(refused.exitCode == 65 && refused.isOneSentence && refused.errors.contains("many"), "\(refused)")
        // As it was given before the pull.
        let path = second.testPath(id, "in-progress")
        try Files.write(try Files.text(path).replacingOccurrences(of: "many", with: "3 500"), to: path)
        #expect(try second.done("finish", id).errors == "")
        #expect(try JSON(file: second.testPath(id, "done"))["answers"].elements.map { $0["answer"].text } == ["3500"])
    }

    @Test("it goes through a pipe, and filters choose")
    func pipes() throws {
        let done = try first.take("keyed", answers: Questionnaire.rightAnswers)
        _ = try first.take("open", answers: Questionnaire.rightAnswers, isFinished: false)
        let script =
            "\"$0\" outbox export --store \"$1\" - --status done --since 1d | \"$0\" outbox import --store \"$2\" - --json"
        let output = try Command.run(
            "bash", "-o", "pipefail", "-c", script, Command.binary, first.store, second.store, in: folder.path)
        #expect(try JSON(parsing: output)["taken"].texts == [done])
        #expect(try first.json("outbox", "export", archive, "--since", "2100-01-01")["exported"].elements.isEmpty)
        #expect(try first.json("outbox", "export", archive, "--status", "in-progress")["exported"].elements.count == 1)
    }

    @Test("archives made by tar are imported, in each of its formats", arguments: ["gnu", "ustar", "pax", "v7"])
    func tar(_ format: String) throws {
        let id = try first.take("keyed", answers: Questionnaire.rightAnswers)
        try first.done("sync")
        let late = try first.take("open", answers: Questionnaire.rightAnswers)
        try Command.run("tar", "--format=\(format)", "-C", first.store, "-cf", archive, "outbox", in: folder.path)
        #expect(try second.json("outbox", "import", archive)["taken"].texts.sorted() == [id, late].sorted())
        #expect(second.tests("rated") == [id] && second.tests("done") == [late])
        try Command.run(
            "tar", "--format=\(format)", "-C", first.store + "/outbox", "-cf", archive, ".", in: folder.path)
        #expect(try second.json("outbox", "import", archive)["known"].whole == 2)
        #expect(try second.json("doctor") == .array([]))
    }

    @Test(
        "an archive with something else in it is refused whole, in one sentence that names it",
        arguments: [
            ("ln -s done/x outbox/done/link && tar -cf $A outbox", "done/link"),
            ("mkfifo outbox/done/pipe && tar -cf $A outbox", "pipe"),
            ("ln outbox/done/*.test.json outbox/sent/ && tar -cf $A outbox", "link"),
            ("tar -P -cf $A --transform 's,^outbox,/etc,' outbox", "absolute"),
            ("tar -P -cf $A --transform 's,^outbox/done,outbox/../..,' outbox", ".."),
            ("tar -cf $A outbox && tar -rf $A outbox", "twice"),
            ("cp outbox/done/*.test.json outbox/notes && tar -cf $A outbox", "outbox/notes"),
            ("tar -cf $A outbox store.json", "store.json"),
            ("tar -czf $A outbox", "zcat"),
            ("tar -cf whole.tar outbox && head -c 12000 whole.tar >$A", "breaks off"),
            ("echo hello >$A", "no tar archive"),
            (": >$A", "empty"),
            (
                "truncate -s 20M outbox/done/00000000-0000-4000-8000-000000000000.test.json && tar -cf $A outbox",
                "more than"
            ),
            ("truncate -s 20M outbox/x && tar -Scf $A outbox", "outbox/x"),
        ])
    func hostile(_ script: String, _ word: String) throws {
        _ = try first.take("keyed", answers: Questionnaire.rightAnswers)
        try Command.run(
            "bash", "-c", "cd \"$0\" && A=$1 && \(script.replacing("$A", with: "\"$A\""))", first.store, archive,
            in: folder.path)
        let outcome = try second.quire("outbox", "import", archive)
        #expect(outcome.exitCode == 65 && outcome.isOneSentence && outcome.errors.contains(word), "\(outcome)")
        #expect(Files.regularFiles(below: second.store + "/outbox").allSatisfy { !$0.hasSuffix(".test.json") })
        #expect(Files.names(in: second.store + "/outbox/tmp").isEmpty)
    }

    @Test("an import that is killed at any moment is repeated, and nothing is there twice")
    func killed() throws {
        for _ in 0..<40 { _ = try first.take("keyed", answers: Questionnaire.rightAnswers) }
        try first.done("outbox", "export", archive)
        for _ in 0..<6 {
            let child = try second.begin(["outbox", "import", archive])
            // After a different number of tests each time.
            let goal = second.tests("done").count + 3
            _ = try wait(for: "some tests") {
                second.tests("done").count >= min(goal, 40) || !child.isRunning ? true : nil
            }
            child.send(SIGKILL)
            _ = try child.end()
        }
        try second.done("outbox", "import", archive)
        #expect(second.tests("done") == first.tests("done") && second.tests("done").count == 40)
        #expect(try second.json("doctor") == .array([]))
    }

    @Test("an archive is there whole or not at all, and for its owner alone")
    func file() throws {
        _ = try first.take("keyed", answers: Questionnaire.rightAnswers)
        let missing = try first.quire("outbox", "export", folder.path + "/none/outbox.tar")
        #expect(missing.exitCode == 74 && missing.isOneSentence)
        try first.done("outbox", "export", archive)
        #expect(try Files.status(archive).st_mode & 0o777 == 0o600)
        #expect(Files.names(in: folder.path, suffix: ".tmp").isEmpty)
    }
}
