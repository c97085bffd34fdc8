import Foundation
import Testing

/// Everything is plain files, and edits made with a shell are noticed.
@Suite("A store is plain files")
struct PlainFileTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, questionnaires: nil)
        for name in Files.names(in: Command.samples, suffix: ".json") {
            try FileManager.default.copyItem(
                atPath: "\(Command.samples)/\(name)", toPath: "\(host.questionnaires)/\(name)")
        }
        try FileManager.default.copyItem(
            atPath: Command.samples + "/media", toPath: host.questionnaires + "/media")
        try host.start()
        device = try Device(folder.path, of: host)
    }

    private func shell(_ script: String) throws {
        try Command.run("sh", "-e", "-c", script, in: folder.path, environment: ["STORE": device.store])
    }

    @Test("zcat of a blob gives its name; what does not compress is stored as it is")
    func names() throws {
        let blobs = Files.regularFiles(below: device.store + "/cache/blobs")
        #expect(blobs.count >= 17)
        #expect(blobs.contains { $0.hasSuffix(".png") })
        for blob in blobs {
            let program = blob.hasSuffix(".gz") ? "zcat" : "cat"
            let sum = try Command.run("sh", "-c", "\(program) \"$1\" | sha256sum", "sh", blob, in: folder.path)
            let name = try #require(blob.split(separator: "/").last)
            #expect(name.hasPrefix(sum.prefix(64)))
            #expect(blob.hasSuffix("/blobs/\(name.prefix(2))/\(name)"))
        }
        // The same document is always the same file, so that rsync and backups see no change.
        let gzip = try #require(blobs.first { $0.hasSuffix(".gz") })
        let header = try Files.read(gzip).prefix(8)
        #expect(Array(header) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
    }

    @Test("every entry, test and receipt is JSON with the documented keys")
    func keys() throws {
        let right = try Files.text("\(Command.sampleAnswers)/sky-and-planets.json")
        let rated = try device.take("sky-and-planets", answers: right)
        try device.done("sync")
        let waiting = try device.take("sky-and-planets", answers: right)
        let draft = try device.take("sky-and-planets", answers: right, isFinished: false)

        let entries = Files.names(in: device.store + "/cache/entries")
        #expect(entries.count >= 17)
        for name in entries {
            let entry = try JSON(file: "\(device.store)/cache/entries/\(name)")
            let keys: Set = [
                "url", "digest", "blob", "sizeBytes", "mediaType", "status", "fields", "requestTime", "responseTime",
            ]
            #expect(entry.keys.isSuperset(of: keys), "\(name)")
            #expect(entry["url"].text?.hasPrefix(host.address) == true)
            #expect(Files.exists("\(device.store)/cache/blobs/\(entry["blob"].text ?? "?")"))
            if entry["document"] != .null {
                #expect(
                    entry["document"].keys.isSuperset(of: ["id", "title", "description", "questionCount", "media"]))
                #expect(name.contains(entry["document"]["id"].text ?? "?"))
            }
        }
        for (id, status) in [(rated, "rated"), (waiting, "done"), (draft, "in-progress")] {
            let test = try JSON(file: device.testPath(id, status))
            let keys: Set = ["id", "questionnaire", "dateStarted", "answers", "resume", "deviceId", "sequence"]
            #expect(test.keys.isSuperset(of: keys))
            #expect(test.keys.contains("dateFinished") == (status != "in-progress"))
            #expect(test["id"].text == id && test["status"] == .null)
            #expect(test["questionnaire"].keys.subtracting(["media"]) == ["id", "title", "digest"])
            #expect(test["answers"][0].keys.isSuperset(of: ["questionId", "answer"]))
        }
        let receipt = try JSON(file: device.receiptPath(rated, "rated"))
        #expect(receipt.keys == ["test", "digest", "status", "receivedAt", "evaluation"])
        #expect(receipt["evaluation"].keys.isSuperset(of: ["score", "maximum", "ratedAt", "ratedBy", "questions"]))
        #expect(try JSON(file: device.store + "/store.json").keys.isSuperset(of: ["format", "remote", "deviceId"]))
        for line in try Files.text(device.store + "/log/events.jsonl").split(separator: "\n") {
            #expect(try JSON(parsing: String(line)).keys.isSuperset(of: ["at", "event"]))
        }
    }

    @Test(
        "a title edited with zcat, sed and gzip is noticed, shown, and not overwritten by a pull without a word",
        arguments: ["cat \"$STORE/../new\" > \"$BLOB\"", "mv \"$STORE/../new\" \"$BLOB\""])
    func edit(_ putBack: String) throws {
        let blob = try device.blobPath("baikal")
        try shell(
            "BLOB='\(blob)'; zcat \"$BLOB\" | sed 's/Озеро Байкал/Море Байкал/' | gzip > \"$STORE/../new\"; \(putBack)")

        func listed() throws -> JSON {
            try #require(try device.json("list").elements.first { $0["id"].text == "baikal" })
        }
        #expect(try listed()["title"].text == "Море Байкал")
        #expect(try listed()["state"].text == "edited")
        #expect(try device.done("show", "baikal").output.hasPrefix("Море Байкал\n"))
        #expect(try device.json("search", "море байкал").elements.count == 1)
        // It has its own digest from now on.
        let adopted = try device.blobPath("baikal")
        let sum = try Command.run("sh", "-c", "zcat \"$1\" | sha256sum", "sh", adopted, in: folder.path).prefix(64)
        #expect(adopted.contains(sum) && adopted != blob)

        let pulled = try device.done("pull")
        #expect(pulled.output.contains("Edited here, left as it is (1): baikal"))
        #expect(try device.json("pull")["edited"].texts == ["baikal"])
        #expect(try listed()["title"].text == "Море Байкал")

        // The server publishes another version meanwhile.
        try shell("sed -i 's/Озеро Байкал/Байкал, озеро/' '\(host.questionnaires)/baikal.json'")
        let both = try device.done("pull")
        #expect(both.output.contains("Edited here and changed on the server, yours is kept"))
        #expect(try device.json("pull")["changedOnBothSides"].texts == ["baikal"])
        #expect(try device.done("show", "baikal").output.hasPrefix("Море Байкал\n"))

        #expect(try device.json("pull", "--discard-edits", "baikal")["updated"].texts == ["baikal"])
        #expect(try listed()["title"].text == "Байкал, озеро")
        #expect(try listed()["edited"].bool == false)
        #expect(try device.json("pull")["edited"].texts.isEmpty)
    }

    @Test("a discarded edit gives way to the same version that it was made from")
    func discard() throws {
        let blob = try device.blobPath("griby")
        try shell(
            "zcat '\(blob)' | sed 's/По грибы/За грибами/' | gzip > \"$STORE/../new\"; mv \"$STORE/../new\" '\(blob)'")
        #expect(try device.done("show", "griby").output.hasPrefix("За грибами\n"))
        try device.done("pull", "--discard-edits", "griby")
        #expect(try device.done("show", "griby").output.hasPrefix("По грибы\n"))
        #expect(try device.json("doctor") == .array([]))
    }

    @Test("a damaged blob goes to quarantine with a reason, and the next pull fetches it again")
    func damage() throws {
        let blob = try device.blobPath("griby")
        try Files.write("not what it was", to: blob)
        let shown = try device.quire("show", "griby", "--offline")
        #expect(shown.exitCode == 69 && shown.isOneSentence)
        #expect(shown.errors.contains("quarantine"))
        let corner = Files.names(in: device.store + "/quarantine")
        #expect(corner.count == 2 && corner.contains { $0.hasSuffix(".reason.txt") })
        try device.done("pull")
        #expect(try device.done("show", "griby", "--offline").output.hasPrefix("По грибы\n"))
    }

    @Test("quire cache edit takes what the editor wrote, and refuses what is no questionnaire")
    func editor() throws {
        let edited = try device.quire(
            ["cache", "edit", "griby"], environment: ["EDITOR": "sed -i s/По/Пойдём.по/", "VISUAL": ""])
        #expect(edited.exitCode == 0)
        #expect(try device.json("show", "griby")["title"].text == "Пойдём.по грибы")
        let refused = try device.quire(
            ["cache", "edit", "griby"], environment: ["EDITOR": "sed -i s/griby/other/", "VISUAL": ""])
        #expect(refused.exitCode == 65 && refused.isOneSentence)
        #expect(try device.json("show", "griby")["title"].text == "Пойдём.по грибы")
    }
}
