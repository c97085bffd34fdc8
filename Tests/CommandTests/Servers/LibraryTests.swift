import Foundation
import Testing

@Suite("The questionnaires on a device")
struct LibraryTests {
    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
    }

    @Test("they are sorted without regard to case in any script, numbers by their value, favourites first")
    func order() throws {
        let titles = [
            "apple", "Banana", "cherry", "Éclair", "Ticket 2", "ticket 10", "TICKET 1", "билет 3", "Билет 20",
            "БИЛЕТ 1",
            "ёлка", "Ель", "яблоко",
        ]
        for (number, title) in titles.enumerated() {
            try host.publish(Questionnaire(id: "d\(number)", title: title))
        }
        try host.start()
        let device = try Device(folder.path, of: host)
        func listed() throws -> [String] { try device.json("list").elements.compactMap { $0["title"].text } }
        let sorted = [
            "apple", "Banana", "cherry", "Éclair", "TICKET 1", "Ticket 2", "ticket 10", "БИЛЕТ 1", "билет 3",
            "Билет 20",
            "ёлка", "Ель", "яблоко",
        ]
        #expect(try listed() == sorted)
        #expect(try device.done("list").lines.map { $0.split(separator: "\t")[1] }.map(String.init) == sorted)

        try device.done("favorite", "d12")
        try device.done("favorite", "d4")
        let favorites = ["Ticket 2", "яблоко"]
        #expect(try listed() == favorites + sorted.filter { !favorites.contains($0) })
        #expect(try device.json("list")[0]["favorite"].bool == true)
        // A mark is the user's own: it outlives the cache and its index.
        try Files.remove(device.store + "/cache")
        try Files.remove(device.store + "/index")
        #expect(try device.json("list") == .array([]))
        try device.done("pull")
        #expect(try listed() == favorites + sorted.filter { !favorites.contains($0) })
        try device.done("favorite", "--off", "d4")
        #expect(try listed().first == "яблоко")
        #expect(try listed()[1] == "apple")
    }

    @Test("a server that ends a connection it was expected to keep is asked again over another one")
    func endedConnection() throws {
        let document = Array(Questionnaire(id: "q", title: "Q").json.utf8)
        let server = try RawServer { request in
            switch request.number {
            case 0: .listOfOne
            // The list's connection is used again, and ends without a word.
            case 1: RawReply("", closes: true)
            default: .ok(document)
            }
        }
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        try device.done("pull")
        let targets = server.received.map(\.target).filter { $0 != "/v1/people" }
        #expect(targets.suffix(2) == ["/v1/questionnaires/q", "/v1/questionnaires/q"])
        #expect(targets.count == 3)
        #expect(try device.json("list")[0]["id"].text == "q")
    }

    @Test("the last used comes first with --sort used")
    func used() throws {
        for questionnaire in Questionnaire.many(4) { try host.publish(questionnaire) }
        try host.start()
        let device = try Device(folder.path, of: host)
        for number in 1...4 {
            try Command.run(
                "touch", "-d", "\(number) hours ago", try device.entryPath("many-\(number)"), in: folder.path)
        }
        try device.done("show", "many-3")
        let ids = try device.json("list", "--sort", "used").elements.compactMap { $0["id"].text }
        #expect(ids == ["many-3", "many-1", "many-2", "many-4"])
    }

    @Test("a draft keeps the version it was started with; it is not trimmed, and the newer one is shown to others")
    func version() throws {
        for questionnaire in Questionnaire.many(20) { try host.publish(questionnaire) }
        try host.start()
        let device = try Device(folder.path, of: host)
        let draft = try device.take("many-1", answers: #"{"q1": "yes"}"#, isFinished: false)
        let begun = try #require(try JSON(file: device.testPath(draft, "in-progress"))["questionnaire"]["digest"].text)
        let blob = try device.blobPath("many-1")
        #expect(blob.contains(begun.dropFirst("sha256:".count)))

        // The new version has other options: the old answer would not fit.
        let path = host.questionnaires + "/many-1.json"
        try Files.write(
            try Files.text(path).replacing("\"yes\"", with: "\"certainly\"").replacing("Of many 1", with: "Newer 1"),
            to: path)
        #expect(try device.json("pull")["updated"].texts == ["many-1"])
        #expect(try device.json("show", "many-1")["title"].text == "Newer 1")
        #expect(Files.exists(blob))
        _ = try device.quire("cache", "trim", "--quota", "60kB")
        _ = try device.quire("cache", "purge", "--older-than", "0s")
        #expect(Files.exists(blob))
        #expect(try device.cachedIDs.count < 20)

        // Answers are checked against the version that the draft was started with.
        #expect(try device.quire("answer", draft, "q2", "certainly").exitCode == 65)
        try device.done("answer", draft, "q2", "yes")
        try device.done("finish", draft)
        #expect(try JSON(file: device.testPath(draft, "done"))["questionnaire"]["digest"].text == begun)
        // Results show what was asked: it stays as long as the test is here.
        try device.done("sync")
        try device.done("pull")
        #expect(Files.exists(blob))
    }

    @Test("what is deleted on the server is removed here, and kept as long as a draft, a pin or a favourite needs it")
    func deleted() throws {
        for questionnaire in Questionnaire.many(15) { try host.publish(questionnaire) }
        try host.start()
        let device = try Device(folder.path, of: host)
        let draft = try device.take("many-2", answers: #"{"q1": "yes"}"#, isFinished: false)
        try device.done("cache", "pin", "many-3")
        for number in 1...3 { try host.withdraw("many-\(number)") }
        let pulled = try device.json("pull")
        #expect(pulled["removed"].texts == ["many-1"])
        #expect(pulled["keptThoughGone"].texts == ["many-2", "many-3"])
        #expect(!device.hasEntry("many-1"))
        let states = try Dictionary(
            uniqueKeysWithValues: device.json("list").elements.map { ($0["id"].text, $0["state"].text) })
        var expected = ["many-2": "gone", "many-3": "gone"]
        for number in 4...15 { expected["many-\(number)"] = "fresh" }
        #expect(states == expected)
        #expect(try device.done("show", "many-2").output.hasPrefix("Of many 2\n"))
        try device.done("answer", draft, "q2", "yes")
        try device.done("finish", draft)
        try device.done("sync")
        #expect(host.tests == [draft])
        try device.done("cache", "unpin", "many-3")
        #expect(Set(try device.json("pull")["removed"].texts) == ["many-2", "many-3"])
        #expect(Set(try device.cachedIDs) == Set((4...15).map { "many-\($0)" }))
        // It comes back like any other.
        try host.publish(Questionnaire(id: "many-1", title: "Again"))
        #expect(try device.json("pull")["new"].texts == ["many-1"])
    }

    @Test("only what changed is transferred")
    func changes() throws {
        for questionnaire in Questionnaire.many(30) { try host.publish(questionnaire) }
        try host.start()
        let device = try Device(folder.path, of: host)
        try host.publish(Questionnaire(id: "many-7", title: "Changed"))
        try host.publish(Questionnaire(id: "more", title: "More"))
        let before = host.exchanges.count
        let pulled = try device.json("pull")
        #expect(pulled["updated"].texts == ["many-7"] && pulled["new"].texts == ["more"])
        #expect(pulled["unchanged"].whole == 29)
        let documents = host.exchanges.dropFirst(before).filter { $0.path.hasPrefix("/v1/questionnaires/") }
        #expect(documents.map(\.path).sorted() == ["/v1/questionnaires/many-7", "/v1/questionnaires/more"])
    }

    @Test("a stale document is shown offline with its age; --sort and search need no network either")
    func stale() throws {
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start("--cache-control", "max-age=0")
        let device = try Device(folder.path, of: host)
        try host.stop()
        #expect(try device.json("list")[0]["state"].text == "stale")
        #expect(try device.done("show", "keyed").output.contains("ago"))
        for order in ["title", "updated", "used"] {
            #expect(try device.json("list", "--sort", order).elements.count == 1)
        }
    }

    @Test("what must be asked for each time is not shown unasked")
    func noCache() throws {
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start("--cache-control", "no-cache")
        let device = try Device(folder.path, of: host)
        #expect(try device.done("show", "keyed").output.hasPrefix("Keyed\n"))
        #expect(host.exchanges.last == .init(method: "GET", path: "/v1/questionnaires/keyed", status: 304))
        try host.stop()
        let refused = try device.quire("show", "keyed")
        #expect(refused.exitCode == 69 && refused.isOneSentence)
        // The user's own rule in store.json goes before the server's.
        let path = device.store + "/store.json"
        let rule = #"{"pattern": "*", "value": "max-age=86400"}"#
        try Files.write(
            try Files.text(path).replacing(#/"cacheControl" : \[\s*\]/#, with: "\"cacheControl\" : [\(rule)]"), to: path
        )
        try host.start("--cache-control", "no-cache")
        try host.publish(Questionnaire(id: "keyed", title: "Keyed again"))
        try device.done("pull")
        try host.stop()
        #expect(try device.done("show", "keyed").output.hasPrefix("Keyed again\n"))
    }

    @Test("a cache and an index that are gone cost nothing but a pull, and never a test")
    func cleared() throws {
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let draft = try device.take("keyed", answers: #"{"q1": "yes"}"#, isFinished: false)
        try Files.remove(device.store + "/index")
        #expect(try device.cachedIDs == ["keyed"])
        #expect(try device.json("search", "keyed").elements.count == 1)
        try Files.remove(device.store + "/cache")
        #expect(try device.json("list") == .array([]))
        try device.done("answer", draft, "q2", "no")
        try device.done("finish", draft)
        try device.done("sync")
        #expect(host.tests == [draft])
        try device.done("pull")
        #expect(try device.cachedIDs == ["keyed"])
    }
}
