import Foundation
import Testing

@Suite("quire doctor")
struct DoctorTests {
    /// Something wrong in a store, how it is made, and what doctor says of it.
    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: String
        var path: String
        /// After `--repair` nothing is left to say.
        var isMended = true
        var script: String
    }

    private static let id = "11111111-1111-4111-8111-111111111111"

    /// `$S` is the store, `$DONE`, `$DRAFT` and `$RATED` are tests in these states, `$BLOB` and `$ENTRY` are files.
    static let faults: [Fault] = [
        Fault(
            testDescription: "a link", kind: "not-a-file", path: "outbox/done/x", script: "ln -s /etc $S/outbox/done/x"),
        Fault(
            testDescription: "a link among the marks", kind: "not-a-file", path: "marks/x.pin.json",
            script: "mkdir -m 700 -p $S/marks; ln -s /etc/passwd $S/marks/x.pin.json"),
        Fault(testDescription: "a pipe", kind: "not-a-file", path: "log/pipe", script: "mkfifo -m 600 $S/log/pipe"),
        Fault(
            testDescription: "a folder in the place of a file", kind: "stranger", path: "outbox/done/dir",
            script: "mkdir -m 700 $S/outbox/done/dir"),
        Fault(
            testDescription: "a link in the place of a folder", kind: "not-a-file", path: "outbox/rejected",
            script: "rmdir $S/outbox/rejected; ln -s /tmp $S/outbox/rejected"),
        Fault(
            testDescription: "a stranger in the store", kind: "stranger", path: "notes", isMended: false,
            script: "echo > $S/notes"),
        Fault(
            testDescription: "a stranger in the cache", kind: "stranger", path: "cache/notes",
            script: "echo > $S/cache/notes"),
        Fault(
            testDescription: "a stranger in the index", kind: "stranger", path: "index/notes",
            script: "echo > $S/index/notes"),
        Fault(
            testDescription: "a copy by Dropbox", kind: "conflict-copy",
            path: "outbox/done/a (conflicted copy 2026-01-01).test.json",
            script: "cp $DONE \"$S/outbox/done/a (conflicted copy 2026-01-01).test.json\""),
        Fault(
            testDescription: "a copy by Syncthing", kind: "conflict-copy",
            path: "store.sync-conflict-20260101-101010-ABC.json",
            script: "cp $S/store.json $S/store.sync-conflict-20260101-101010-ABC.json"),
        Fault(
            testDescription: "another name", kind: "hard-link", path: "outbox/done/$DONEID.test.json",
            script: "ln $DONE $HOME/other"),
        Fault(
            testDescription: "another name of a blob", kind: "hard-link", path: "$BLOBPATH",
            script: "ln $BLOB $HOME/blob"),
        Fault(
            testDescription: "an open file", kind: "permissions", path: "outbox/done/$DONEID.test.json",
            script: "chmod 644 $DONE"),
        Fault(
            testDescription: "an open folder", kind: "permissions", path: "outbox/done",
            script: "chmod 755 $S/outbox/done"),
        Fault(
            testDescription: "a file that runs as its owner", kind: "permissions", path: "store.json",
            script: "chmod 4600 $S/store.json"),
        Fault(testDescription: "an open store", kind: "permissions", path: ".", script: "chmod 711 $S"),
        Fault(
            testDescription: "a token for all", kind: "permissions", path: "token",
            script: "echo x > $S/token; chmod 644 $S/token"),
        Fault(
            testDescription: "half a test", kind: "unreadable", path: "outbox/done/$DONEID.test.json",
            script: "truncate -s 20 $DONE"),
        Fault(
            testDescription: "half of a delivered test", kind: "unreadable", path: "outbox/rated/$RATEDID.test.json",
            script: "truncate -s 100 $RATED"),
        Fault(
            testDescription: "a hook that others may read", kind: "permissions", path: "hooks/sent",
            script: "mkdir -m 700 $S/hooks; echo > $S/hooks/sent; chmod 755 $S/hooks/sent"),
        Fault(
            testDescription: "half a receipt", kind: "unreadable", path: "outbox/done/\(id).receipt.json",
            script:
                "cp $DONE $S/outbox/done/\(id).test.json; sed -i s/$DONEID/\(id)/ $S/outbox/done/\(id).test.json; echo '{' > $S/outbox/done/\(id).receipt.json"
        ),
        Fault(
            testDescription: "half an entry", kind: "unreadable", path: "$ENTRYPATH", script: "truncate -s 20 $ENTRY"),
        Fault(
            testDescription: "half a mark", kind: "unreadable", path: "marks/x.pin.json",
            script: "mkdir -m 700 -p $S/marks; echo '{' > $S/marks/x.pin.json"),
        Fault(
            testDescription: "half a person", kind: "unreadable", path: "people/ada.person.json",
            script: "mkdir -m 700 -p $S/people; echo '{' > $S/people/ada.person.json"),
        Fault(
            testDescription: "a person without a name", kind: "unreadable", path: "people/ada.person.json",
            script: "mkdir -m 700 -p $S/people; echo '{\"id\": \"ada\"}' > $S/people/ada.person.json"),
        Fault(
            testDescription: "a stranger among the people", kind: "stranger", path: "people/list.csv",
            script: "mkdir -m 700 -p $S/people; echo Ada > $S/people/list.csv"),
        Fault(
            testDescription: "half a draft of a questionnaire", kind: "unreadable", path: "writing/\(id)/1.json",
            script: "mkdir -m 700 -p $S/writing/\(id); echo '{' > $S/writing/\(id)/1.json"),
        Fault(
            testDescription: "a picture of a draft that is another one", kind: "damaged",
            path: "writing/\(id)/media/$GZ.png",
            script: "mkdir -m 700 -p $S/writing/\(id)/media; echo > $S/writing/\(id)/media/$GZ.png"),
        Fault(
            testDescription: "a stranger among the drafts", kind: "stranger", path: "writing/notes",
            script: "mkdir -m 700 -p $S/writing; echo > $S/writing/notes"),
        Fault(
            testDescription: "a torn log", kind: "unreadable", path: "log/events.jsonl",
            script: "printf '{\"at\": \"20' >> $S/log/events.jsonl"),
        Fault(
            testDescription: "a contact that is none", kind: "unreadable", path: "log/contact.json",
            script: "echo nothing > $S/log/contact.json"),
        Fault(
            testDescription: "a mark under a wrong name", kind: "stranger", path: "marks/y.pin.json",
            script: "mkdir -m 700 -p $S/marks; echo '{\"id\": \"x\", \"since\": \"2026-01-01\"}' > $S/marks/y.pin.json"),
        Fault(
            testDescription: "one fault behind another: a mark under a wrong name that others can read",
            kind: "stranger", path: "marks/y.pin.json",
            script: "cd $S; mkdir -m 700 -p marks; echo '{\"id\": \"x\", \"since\": \"2026-01-01\"}' "
                + "> marks/y.pin.json; chmod 644 marks/y.pin.json; touch -d '+3 years' marks/y.pin.json"),
        Fault(
            testDescription: "a damaged blob", kind: "damaged", path: "$BLOBPATH", isMended: false,
            script: "printf X | dd of=$BLOB bs=1 seek=30 conv=notrunc status=none"),
        Fault(
            testDescription: "a blob that is gone", kind: "orphan", path: "$ENTRYPATH", isMended: false,
            script: "rm $BLOB"),
        Fault(
            testDescription: "a blob without an entry", kind: "orphan", path: "cache/blobs/$GZ2/$GZ.json.gz",
            script: "mkdir -m 700 -p $S/cache/blobs/$GZ2; printf x | gzip -n > $S/cache/blobs/$GZ2/$GZ.json.gz"),
        Fault(
            testDescription: "a test in two folders", kind: "duplicate", path: "outbox/done/$DONEID.test.json",
            script: "cp $DONE $S/outbox/in-progress/"),
        Fault(
            testDescription: "a receipt of no test", kind: "orphan", path: "outbox/sent/\(id).receipt.json",
            script: "echo '{\"test\": \"\(id)\"}' > $S/outbox/sent/\(id).receipt.json"),
        Fault(
            testDescription: "a reason of no file", kind: "orphan", path: "quarantine/x.reason.txt",
            script:
                "mkdir -m 700 -p $S/quarantine; echo why > $S/quarantine/x.reason.txt; touch -d 2026-01-01 $S/quarantine/x.reason.txt"
        ),
        Fault(
            testDescription: "a draft without its version", kind: "orphan",
            path: "outbox/in-progress/$DRAFTID.test.json", isMended: false,
            script: "sed -i 's/sha256:[0-9a-f]*/sha256:\(String(repeating: "0", count: 64))/' $DRAFT; chmod 600 $DRAFT"),
        Fault(
            testDescription: "a delivered test without a receipt", kind: "receipt",
            path: "outbox/rated/$RATEDID.test.json", isMended: false, script: "rm $S/outbox/rated/$RATEDID.receipt.json"
        ),
        Fault(
            testDescription: "a delivered test that was changed", kind: "receipt",
            path: "outbox/rated/$RATEDID.test.json", isMended: false, script: "echo >> $RATED"),
        Fault(
            testDescription: "half a file of a dead writer", kind: "leftover", path: "outbox/tmp/t1.tmp",
            script: "echo > $S/outbox/tmp/t1.tmp"),
        Fault(
            testDescription: "the same among the marks", kind: "leftover", path: "log/t1.tmp",
            script: "echo > $S/log/t1.tmp"),
        Fault(
            testDescription: "a ledger that is too low", kind: "derived", path: "cache/ledger.json",
            script:
                "sed -i 's/\"usedBytes\":[0-9]*/\"usedBytes\":1/' $S/cache/ledger.json; chmod 600 $S/cache/ledger.json"),
        Fault(
            testDescription: "an index that is none", kind: "derived", path: "index/catalog.pb",
            script: "echo > $S/index/catalog.pb"),
        Fault(
            testDescription: "lines of an index that are none", kind: "derived", path: "index/lines.pb",
            script: "echo > $S/index/lines.pb; chmod 600 $S/index/lines.pb"),
        Fault(
            testDescription: "a sequence that is none", kind: "derived", path: "outbox/sequence.json",
            script: "echo > $S/outbox/sequence.json"),
        Fault(testDescription: "no reserve", kind: "space", path: "outbox/reserve", script: "rm $S/outbox/reserve"),
        Fault(
            testDescription: "a reserve without space", kind: "space", path: "outbox/reserve",
            script: "rm $S/outbox/reserve; truncate -s 256K $S/outbox/reserve; chmod 600 $S/outbox/reserve"),
        Fault(
            testDescription: "a time to come", kind: "clock", path: "$ENTRYPATH", script: "touch -d '+3 years' $ENTRY"),
        Fault(
            testDescription: "a setting that is none", kind: "settings", path: "store.json", isMended: false,
            script: "sed -i 's/\"deviceId\"/\"qouta\": 1, \"deviceId\"/' $S/store.json; chmod 600 $S/store.json"),
        Fault(
            testDescription: "a token's file for all", kind: "token", path: "store.json", isMended: false,
            script:
                "echo x > $HOME/token; chmod 644 $HOME/token; sed -i \"s|\\\"deviceId\\\"|\\\"tokenFile\\\": \\\"$HOME/token\\\", \\\"deviceId\\\"|\" $S/store.json; chmod 600 $S/store.json"
        ),
        Fault(
            testDescription: "no folder of the cache", kind: "missing", path: "cache",
            script: "rm -r $S/cache $S/outbox/in-progress"),
    ]

    @Test("names each fault in plain words of either language, repairs what can be, and is then content")
    func faults() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let model = try Device(folder.path, name: "model", of: host)
        let rated = try model.take("keyed", answers: Questionnaire.rightAnswers)
        try model.done("sync")
        let done = try model.take("keyed", answers: Questionnaire.rightAnswers)
        let draft = try model.take("keyed", answers: #"{"q1": "yes"}"#, isFinished: false)
        try model.done("list")
        #expect(try model.json("doctor") == .array([]))
        let blob = try model.blobPath("keyed").dropFirst(model.store.count + 1)
        let entry = try model.entryPath("keyed").dropFirst(model.store.count + 1)
        // printf x | sha256sum
        let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
        for (number, fault) in Self.faults.enumerated() {
            let device = Device(folder.path, name: "store-\(number)")
            try Command.run("cp", "-a", model.store, device.store, in: folder.path)
            let home = "\(folder.path)/home-\(number)"
            try Files.makeFolder(home)
            let names = [
                "S": device.store, "DONE": device.testPath(done, "done"), "DONEID": done, "HOME": home,
                "DRAFT": device.testPath(draft, "in-progress"), "DRAFTID": draft, "RATEDID": rated,
                "RATED": device.testPath(rated, "rated"), "BLOB": "\(device.store)/\(blob)", "BLOBPATH": String(blob),
                "ENTRY": "\(device.store)/\(entry)", "ENTRYPATH": String(entry), "GZ": digest, "GZ2": "2d",
            ]
            try Command.run("sh", "-ec", "umask 077; \(fault.script)", in: folder.path, environment: names)
            var path = fault.path
            for (name, value) in names.sorted(by: { $0.key.count > $1.key.count }) {
                path = path.replacing("$" + name, with: value)
            }
            try check(fault, path, device)
        }
    }

    private static let ownFiles = [
        "cache/ledger.json", "cache/lock", "cache/CACHEDIR.TAG", "outbox/lock", "outbox/edit.lock",
        "outbox/watch.lock", "outbox/sequence.json", "outbox/reserve", "log/events.jsonl", "log/contact.json",
        "index/catalog.pb", "index/lines.pb", "index/texts.pb", "page.key",
    ]

    @Test(
        "names what is no file where one of the store's own belongs, and after a repair everything works again",
        arguments: ["mkdir -m 700", "ln -s /nowhere", "mkfifo -m 600"].enumerated().map { $0 })
    func noFiles(turn: Int, plant: String) throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let model = try Device(folder.path, name: "model", of: host)
        _ = try model.take("keyed", answers: Questionnaire.rightAnswers)
        try model.done("list")
        // Each file with one of the three, and with `QUIRE_BIG=1` with all of them; locks always as a pipe, which holds who opens it.
        for (number, file) in Self.ownFiles.enumerated()
        where triesAll || number % 3 == turn || file.hasSuffix("lock") && plant.hasPrefix("mkfifo") {
            let device = Device(folder.path, name: "store-\(number)")
            try Command.run("cp", "-a", model.store, device.store, in: folder.path)
            let path = "\(device.store)/\(file)"
            if Files.exists(path) { try Files.remove(path) }
            try Command.run("sh", "-c", plant + " \"$0\"", path, in: folder.path)
            let found = try device.bounded(["doctor", "--json"])
            let named = try found.json().elements.filter { $0["path"].text == file && $0["kind"].text == "not-a-file" }
            #expect(found.exitCode == 65 && named.count == 1, "\(file): \(found)")
            let repaired = try device.bounded(["doctor", "--repair"])
            #expect(repaired.exitCode == 0, "\(file): \(repaired)")
            #expect(try device.json("doctor") == .array([]), "\(file)")
            for arguments in [
                ["pull"], ["take", "keyed", "--answers", "-", "--finish"], ["sync"], ["search", "keyed"], ["status"],
            ] {
                let outcome = try device.bounded(arguments, input: Questionnaire.rightAnswers)
                #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(file), \(arguments): \(outcome)")
            }
            #expect(device.tests("rated").count == 2, "\(file)")
            #expect(try device.json("doctor") == .array([]), "\(file)")
        }
    }

    private func check(_ fault: Fault, _ path: String, _ device: Device) throws {
        let name = Comment(rawValue: fault.testDescription)
        let before = try listing(device.store)
        let found = try device.quire(["doctor", "--json"], environment: ["LC_ALL": "ru_RU.UTF-8"])
        #expect(found.exitCode == 65 && found.errors.isEmpty, "\(name): \(found)")
        let finding = try found.json().elements.first { $0["path"].text == path && $0["kind"].text == fault.kind }
        #expect(finding?["isRepaired"].bool == false, "\(name): \(found)")
        for words in [finding?["what"].text ?? "", finding?["advice"].text ?? ""] {
            #expect(words.unicodeScalars.count { (0x400...0x4FF).contains($0.value) } > 5, "\(name): \(found)")
        }
        // Looking changes nothing, but for what the look itself derives.
        #expect(try listing(device.store) == before, name)
        let repaired = try device.quire("doctor", "--repair", "--json")
        #expect(!repaired.output.unicodeScalars.contains { (0x400...0x4FF).contains($0.value) }, "\(name): \(repaired)")
        let isMended = try repaired.json().elements.allSatisfy { $0["isRepaired"].bool == true }
        #expect(repaired.exitCode == (isMended ? 0 : 65), "\(name): \(repaired)")
        let after = try device.quire("doctor", "--json")
        #expect((after.exitCode == 0) == fault.isMended, "\(name): \(repaired)\(after)")
        // No answer goes with a repair: it lies in its folder or in quarantine.
        let tests = Files.regularFiles(below: device.store).filter { $0.hasSuffix(".test.json") }
        #expect(tests.count >= (fault.kind == "missing" ? 2 : 3), name)
    }

    private func listing(_ folder: String) throws -> [String] {
        try Files.tree(folder).map { path in
            let status = try Files.status(path)
            return "\(path) \(status.st_mode) \(status.st_size) \(status.st_ino) \(status.st_nlink)"
        }
    }

    @Test("is safe while others take, send and pull: it finds nothing, moves nothing, and blocks nothing")
    func amongOthers() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        try Files.write(Questionnaire.rightAnswers, to: folder.path + "/answers.json")
        let environment = Command.environment(
            home: folder.path, ["QUIRE": Command.binary, "QUIRE_STORE": device.store])
        func loop(_ command: String) throws -> ChildProcess {
            try ChildProcess(
                ["sh", "-c", "cd \"$HOME\"; i=0; while [ $i -lt 15 ]; do \(command); i=$((i+1)); done"],
                environment: environment, folder: folder.path)
        }
        let take = #""$QUIRE" take keyed --answers answers.json"#
        let writers = [
            try loop(take + " --finish --json || exit 1"),
            try loop("id=$(\(take) --json | cut -d'\"' -f4); \"$QUIRE\" finish $id --json || exit 1"),
        ]
        let others = [try loop(#""$QUIRE" sync >/dev/null 2>&1"#), try loop(#""$QUIRE" pull >/dev/null 2>&1"#)]
        var rounds = 0
        while (writers + others).contains(where: \.isRunning) || rounds < 3 {
            let outcome = try device.quire(
                rounds.isMultiple(of: 2) ? ["doctor", "--repair", "--json"] : ["doctor", "--json"])
            #expect(outcome.exitCode == 0 && outcome.output == "[\n\n]\n", "\(outcome)")
            rounds += 1
        }
        var finished = 0
        for child in writers + others {
            let outcome = try child.end()
            #expect(outcome.exitCode == 0, "\(outcome)")
            finished += outcome.output.split(separator: "\n").count { $0.contains("\"done\"") }
        }
        #expect(finished == 30)
        while try device.quire("sync").exitCode == 75 {}
        #expect(host.tests.count == 30 && device.tests("rated") == host.tests)
        #expect(!Files.exists(device.store + "/quarantine"))
        #expect(try device.json("doctor") == .array([]))
    }
}
