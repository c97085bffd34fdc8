import Foundation
import Testing

/// What is too old goes, and what must not be stored never comes.
@Suite("Purge removes what is old or stale, and just that")
struct PurgeTests {
    @Test("purge --older-than 7d removes what was last used more than seven days ago")
    func older() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(10) { try host.publish(questionnaire) }
        try host.start()
        let device = try Device(folder.path, of: host)
        let draft = try device.take("many-4", answers: #"{"q1": "no"}"#, isFinished: false)
        try device.done("cache", "pin", "many-5")
        try device.done("favorite", "many-6")
        for (number, age) in [
            (1, "8 days"), (2, "6 days"), (3, "1000 days"), (4, "8 days"), (5, "8 days"), (6, "8 days"),
        ] {
            let entry = try device.entryPath("many-\(number)")
            try Command.run("touch", "-d", "\(age) ago", entry, in: folder.path)
        }
        let removed = try device.json("cache", "purge", "--older-than", "7d")
        #expect(removed["entries"].whole == 2)
        let left = Set(try device.cachedIDs)
        #expect(left == Set((1...10).map { "many-\($0)" }).subtracting(["many-1", "many-3"]))
        #expect(!device.hasEntry("many-1") && !device.hasContent("many-3"))
        #expect(device.hasContent("many-4") && device.hasContent("many-5") && device.hasContent("many-6"))
        #expect(device.tests("in-progress") == [draft])
        // No blob is left without an entry.
        let list = 1
        #expect(Files.regularFiles(below: device.store + "/cache/blobs").count == left.count + list)
        #expect(try device.json("cache", "purge", "--older-than", "7d")["entries"].whole == 0)
        #expect(try device.json("doctor") == .array([]))
    }

    @Test("purge --stale removes what is no longer fresh by its server's word")
    func stale() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, isRestarted: true)
        for questionnaire in Questionnaire.many(6) { try host.publish(questionnaire) }
        try host.start("--cache-control", "max-age=86400")
        let device = try Device(folder.path, of: host)
        try host.stop()
        try host.start("--cache-control", "max-age=0")
        for number in 1...2 {
            try host.publish(Questionnaire(id: "many-\(number)", title: "Another \(number)", description: "Newer."))
        }
        #expect(try device.json("pull")["updated"].texts == ["many-1", "many-2"])
        let states = try Dictionary(
            uniqueKeysWithValues: device.json("list").elements.map { ($0["id"].text, $0["state"].text) })
        #expect(states["many-1"] == "stale" && states["many-2"] == "stale" && states["many-3"] == "fresh")
        try device.done("cache", "purge", "--stale")
        #expect(try device.cachedIDs == ["many-3", "many-4", "many-5", "many-6"])
        // The next pull fetches them again.
        #expect(Set(try device.json("pull")["new"].texts) == ["many-1", "many-2"])
    }

    @Test("purge needs an explicit rule, and --ttl takes the store's own")
    func rules() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(3) { try host.publish(questionnaire) }
        try host.start()
        let device = try Device(folder.path, of: host)
        for arguments in [
            ["cache", "purge"], ["cache", "purge", "--ttl"], ["cache", "purge", "--older-than", "soon"],
        ] {
            let refused = try device.quire(arguments)
            #expect(refused.exitCode == 64 && refused.isOneSentence, "\(refused)")
        }
        #expect(try device.cachedIDs.count == 3)
        let settings = try Files.text(device.store + "/store.json")
        try Files.write("{\"ttlSeconds\": 3600," + settings.dropFirst(), to: device.store + "/store.json")
        try Command.run("touch", "-d", "2 hours ago", try device.entryPath("many-2"), in: folder.path)
        try device.done("cache", "purge", "--ttl")
        #expect(try device.cachedIDs == ["many-1", "many-3"])
    }

    @Test("a host that sends no-store leaves no blob and no entry on the disk")
    func noStore() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, isRestarted: true)
        for questionnaire in Questionnaire.many(5) { try host.publish(questionnaire) }
        try host.start("--cache-control", "no-store")
        let device = Device(folder.path)
        try device.done("init", "--remote", host.address)
        let pulled = try device.json("pull")
        #expect(pulled["notStored"].texts.count == 5)
        let shown = try device.done("show", "many-1")
        #expect(shown.output.hasPrefix("Of many 1\n"))
        let id = try device.take("many-2", answers: Questionnaire.rightAnswers)
        func kept() -> [String] {
            ["blobs", "entries", "tmp"].flatMap { Files.regularFiles(below: "\(device.store)/cache/\($0)") }
        }
        #expect(kept() == [])
        // Nowhere else either: only the title is in the test, which is the person's own.
        for path in Files.regularFiles(below: device.store) where !path.contains(id) {
            #expect(try Files.read(path).range(of: Data("Question 1 of".utf8)) == nil, "\(path)")
        }
        #expect(try device.json("list") == .array([]))

        // What was kept under other rules goes as soon as the server says so.
        try host.stop()
        try host.start("--cache-control", "max-age=600")
        try device.done("pull")
        #expect(try device.cachedIDs.count == 5)
        try host.stop()
        try host.start("--cache-control", "no-store")
        for questionnaire in Questionnaire.many(5, bytes: 500) { try host.publish(questionnaire) }
        try device.done("pull")
        // But for the version of the test that is here.
        let taken = try #require(JSON(file: device.testPath(id, "done"))["questionnaire"]["digest"].text?.suffix(64))
        #expect(kept().allSatisfy { $0.contains(taken) })
    }
}
