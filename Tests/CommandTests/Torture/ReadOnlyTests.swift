import Foundation
import Testing

/// A store that cannot be written is still a store to read.
@Suite("A store that cannot be written", .serialized)
struct ReadOnlyTests {
    private static let reading = [
        ["list"], ["show", "keyed"], ["search", "keyed"], ["tests"], ["status"], ["log"], ["outbox", "ls"],
        ["cache", "ls"],
        ["cache", "stats"], ["cache", "cat", "keyed"], ["sync", "--dry-run"], ["sync", "--offline"],
        ["remote", "show"],
    ]
    private static let writing = [
        ["pull"], ["sync"], ["take", "keyed", "--answers", "-", "--finish"], ["favorite", "keyed"],
        ["cache", "pin", "keyed"],
        ["remote", "set", "http://127.0.0.1:9"], ["cache", "purge", "--stale"],
    ]

    /// A store with a draft, a finished test, a delivered one, and a damaged entry of the cache.
    private func inhabit(
        _ store: String, _ folder: String
    ) throws -> (host: HostProcess, draft: String, waiting: String) {
        let host = try HostProcess(folder: folder)
        for questionnaire in Questionnaire.many(3) { try host.publish(questionnaire) }
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        func done(_ arguments: [String], _ input: String? = nil) throws -> Outcome {
            let outcome = try Device(folder).quire(arguments, environment: ["QUIRE_STORE": store], input: input)
            guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
            return outcome
        }
        _ = try done(["init", "--remote", host.address])
        _ = try done(["pull"])
        let take = ["take", "keyed", "--answers", "-", "--json"]
        _ = try done(take + ["--finish"], Questionnaire.rightAnswers)
        _ = try done(["sync"])
        let draft = try #require(try done(take, Questionnaire.rightAnswers).json()["id"].text)
        let waiting = try #require(try done(take + ["--finish"], Questionnaire.rightAnswers).json()["id"].text)
        let entries = store + "/cache/entries"
        let name = try #require(Files.names(in: entries, suffix: "+many-1.json").first)
        try Files.write("{", to: entries + "/" + name)
        return (host, draft, waiting)
    }

    private func contents(_ store: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in Files.regularFiles(below: store) { contents[path] = try Files.read(path) }
        return contents
    }

    @Test(
        "remounted read-only: readers work, writers get an error, nothing is damaged; remounted, everything works",
        .enabled(if: PrivateMounts.obstacle == nil, Comment(rawValue: PrivateMounts.obstacle ?? "")))
    func remount() throws {
        let folder = try TemporaryFolder()
        let disk = try PrivateMounts(folder.path, type: "tmpfs", options: "size=8m")
        let store = disk.path + "/store"
        let (host, draft, waiting) = try inhabit(store, folder.path)
        func quire(_ arguments: [String]) throws -> Outcome {
            try Device(folder.path).quire(
                arguments, environment: ["QUIRE_STORE": store], input: Questionnaire.rightAnswers)
        }
        let before = try contents(store)
        try disk.remount("ro")
        for arguments in Self.reading + [["why", draft], ["why", waiting]] {
            let outcome = try quire(arguments)
            #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
        }
        #expect(try quire(["tests", "--json"]).json().elements.count == 3)
        let more = [
            ["finish", draft], ["answer", draft, "q2", "no"], ["outbox", "discard", draft],
            ["outbox", "reopen", waiting],
        ]
        for arguments in Self.writing + more {
            let outcome = try quire(arguments)
            #expect(outcome.exitCode == 74 && outcome.isOneSentence, "\(outcome)")
            #expect(outcome.errors.contains("read-only"), "\(outcome)")
        }
        #expect(try contents(store) == before)
        try disk.remount("rw")
        #expect(try quire(["finish", draft]).exitCode == 0)
        #expect(try quire(["pull"]).exitCode == 0)
        #expect(try quire(["sync"]).exitCode == 0)
        #expect(host.tests.count == 3 && host.tests.contains(draft) && host.tests.contains(waiting))
        #expect(try quire(["doctor"]).exitCode == 0)
    }

    @Test(
        "a store of another user that may be read but not written",
        .enabled(if: geteuid() == 0 && Command.isInstalled("setpriv"), "only root can become another user"))
    func foreign() throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let (host, draft, waiting) = try inhabit(store, folder.path)
        try Command.run("chmod", "-R", "a+rX", folder.path, in: folder.path)
        let outside = folder.path + "/outside"
        try Files.makeFolder(outside)
        chmod(outside, 0o777)
        // The program where the other user finds it.
        try Command.run("cp", Command.binary, folder.path + "/quire", in: folder.path)
        chmod(folder.path + "/quire", 0o755)
        func quire(_ arguments: [String]) throws -> Outcome {
            let child = try ChildProcess(
                ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", folder.path + "/quire"]
                    + arguments,
                environment: Command.environment(home: outside, ["QUIRE_STORE": store]), folder: folder.path,
                input: Questionnaire.rightAnswers)
            return try child.end()
        }
        // What the input file of the tests is, the other user must be able to read.
        let before = try contents(store)
        for arguments in Self.reading + [["why", draft], ["why", waiting]] {
            let outcome = try quire(arguments)
            #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
        }
        for arguments in Self.writing + [["finish", draft], ["outbox", "discard", draft]] {
            let outcome = try quire(arguments)
            #expect(outcome.exitCode == 74 && outcome.isOneSentence, "\(outcome)")
            #expect(outcome.errors.contains("permission denied"), "\(outcome)")
        }
        #expect(try contents(store) == before)
        #expect(host.tests.count == 1)
    }
}
