import Foundation
import Testing

@Suite("A host that asks for a token")
struct TokenTests {
    @Test("without the token all is kept; with it in a file of the user's own it is sent, and it is shown nowhere")
    func token() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let bytes = try Files.read(device.testPath(id, "done"))
        try host.stop()
        let file = folder.path + "/token"
        let secret = "s3cret-0123456789abcdef"
        try Files.write(secret + "\n", to: file)
        #expect(chmod(file, 0o600) == 0)
        try host.start("--token-file", file)

        let refused = try device.quire("sync")
        #expect(refused.exitCode == 75 && refused.isOneSentence && refused.errors.contains("token"), "\(refused)")
        #expect(device.tests("done") == [id] && host.tests.isEmpty)
        #expect(try Files.read(device.testPath(id, "done")) == bytes)
        #expect(try device.quire("pull").exitCode != 0)
        #expect(try device.done("list").output.contains("Keyed"))

        // A wrong one is no better.
        let wrong = try device.quire(["sync", "--now"], environment: ["QUIRE_TOKEN": "wrong"])
        #expect(wrong.exitCode == 75 && device.tests("done") == [id])

        #expect(chmod(file, 0o644) == 0)
        try device.done("remote", "set", host.address, "--token-file", file)
        let open = try device.quire("sync", "--now")
        #expect(open.exitCode == 65 && open.isOneSentence && open.errors.contains("chmod 600"), "\(open)")
        #expect(device.tests("done") == [id] && host.tests.isEmpty)

        #expect(chmod(file, 0o600) == 0)
        #expect(try device.json("sync", "--now")["sent"].whole == 1)
        #expect(try host.tests == [id] && host.test(id) == bytes)
        try device.done("pull")
        for path in Files.regularFiles(below: device.store) + Files.regularFiles(below: host.data) {
            #expect(try Files.read(path).range(of: Data(secret.utf8)) == nil, "\(path)")
        }
        // A new remote does not get the former one's token.
        try device.done("remote", "set", host.address)
        #expect(try device.quire("pull").exitCode != 0)
        #expect(try device.quire(["pull"], environment: ["QUIRE_TOKEN": secret]).exitCode == 0)
    }

    @Test("whatever is done, and whatever fails, the token stands in no file, on no screen and in no list of processes")
    func nowhere() throws {
        let folder = try TemporaryFolder()
        let refusing = try ScriptedServer { request in
            request.path.hasSuffix("/questionnaires")
                ? ScriptedServer.plain("500 Internal Server Error", "broken")
                : ScriptedServer.plain("401 Unauthorized", #"{"title": "no"}"#, type: "application/problem+json")
        }
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let secret = "s3cret-0123456789abcdef"
        let file = folder.path + "/token"
        try Files.write(secret + "\n", to: file)
        let refused = "http://127.0.0.1:\(refusing.port)"
        try device.done("remote", "set", refused, "--token-file", file)
        // Beyond loopback, where the token would go in the clear: doctor says so, without it.
        let far = Device(folder.path, name: "far")
        try far.done("init", "--remote", "http://192.0.2.1:9", "--token-file", file)
        var said: [Outcome] = [try far.quire("doctor"), try far.quire("doctor", "--json")]
        #expect(said[0].exitCode == 65 && said[0].output.contains("192.0.2.1"), "\(said[0])")
        for environment in [[:], ["QUIRE_TOKEN": secret], ["QUIRE_TOKEN": secret + "\u{7}"]] {
            for arguments in [
                ["pull"], ["pull", "keyed"], ["sync"], ["sync", "--now"], ["status"], ["remote"], ["why", id], ["log"],
                ["tests"], ["doctor"], ["doctor", "--repair"], ["show", "none"], ["cache", "ls"],
            ] {
                said.append(try device.quire(arguments, environment: environment))
                said.append(try device.quire(arguments + ["--json"], environment: environment))
            }
        }
        #expect(refusing.received.contains { $0.field("Authorization") == "Bearer " + secret })
        let waiting = try device.begin(["log", "-f"], environment: ["QUIRE_TOKEN": secret])
        let line = try Files.text("/proc/\(waiting.identifier)/cmdline")
        #expect(!line.contains(secret))
        waiting.send(SIGKILL)
        for outcome in said {
            #expect(!outcome.output.contains(secret) && !outcome.errors.contains(secret), "\(outcome.arguments)")
        }
        for path in Files.regularFiles(below: device.store) + Files.regularFiles(below: far.store) {
            #expect(try Files.read(path).range(of: Data(secret.utf8)) == nil, "\(path)")
        }
    }

    /// Refused changes of questionnaires.
    private func changes(_ device: Device) -> [String] {
        Files.names(in: device.store + "/outbox/rejected", suffix: ".questionnaire.json")
            .map { String($0.dropLast(".questionnaire.json".count)) }
    }

    @Test("with the takers' token a device takes and hands in; a change is refused until it has the author's")
    func author() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        let files = (takers: folder.path + "/takers", authors: folder.path + "/authors")
        for (file, token) in [(files.takers, "class-0123456789"), (files.authors, "staff-0123456789")] {
            try Files.write(token + "\n", to: file)
            #expect(chmod(file, 0o600) == 0)
        }
        try host.start("--token-file", files.takers, "--author-token-file", files.authors)
        let device = Device(folder.path)
        try device.done("init", "--remote", host.address, "--token-file", files.takers)
        try device.done("pull")
        let draft = folder.path + "/new.json"
        try Files.write(#"{"title": "Mine", "questions": [{"id": "q1", "text": "?"}]}"#, to: draft)
        try device.done("new", "--from", draft)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        // The refused change holds up no test.
        let refused = try device.quire("sync")
        #expect(device.deliveredStatus(id) == "rated", "\(refused)")
        #expect(changes(device).count == 1, "\(refused)")
        try device.done("remote", "set", host.address, "--token-file", files.authors)
        try device.done("outbox", "retry", try #require(changes(device).first))
        try device.done("sync")
        try device.done("pull")
        #expect(changes(device).isEmpty)
        #expect(Files.names(in: host.questionnaires, suffix: ".json").count == 2)
    }

    @Test("tokens and --open that contradict one another are refused in a sentence")
    func contradictions() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let file = folder.path + "/token"
        try Files.write("0123456789abcdef0123456789\n", to: file)
        #expect(chmod(file, 0o600) == 0)
        let host = ["host", "--data", folder.path + "/data", "--listen", "127.0.0.1:0"]
        let both = try device.quire(host + ["--open", "--author-token-file", file])
        #expect(both.exitCode == 64 && both.errors.contains("--open"), "\(both)")
        let same = try device.quire(host + ["--token-file", file, "--author-token-file", file])
        #expect(same.exitCode == 74 && same.isOneSentence && same.errors.contains("another one"), "\(same)")
    }

    @Test("the store itself, and a folder in it, is no remote, by whatever path, and nothing is made there")
    func remoteInStore() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.done("init")
        try Command.run("ln", "-s", device.store, folder.path + "/link", in: folder.path)
        let before = Files.regularFiles(below: device.store)
        for place in [
            device.store, device.store + "/outbox", folder.path + "/link", folder.path + "/link/../store/cache",
        ] {
            let refused = try device.quire("remote", "set", "file://" + place)
            #expect(refused.exitCode == 64 && refused.isOneSentence, "\(place): \(refused)")
            #expect(refused.errors.contains("the store itself"), "\(place): \(refused)")
        }
        #expect(Files.regularFiles(below: device.store) == before)
        try Files.makeFolder(folder.path + "/empty")
        let other = Device(folder.path, name: "empty")
        let made = try other.quire("init", "--remote", "file://" + other.store)
        #expect(made.exitCode == 64 && Files.names(in: other.store, suffix: "").isEmpty, "\(made)")
        try device.done("remote", "set", "file://" + folder.path)
    }

    /// A remote that cannot be used, the exit code of what needs it, and words of the reason.
    private struct Unusable {
        /// A member of `store.json` and its value.
        var member: (name: String, value: String)?
        var token: String?
        var remote: String?
        var exitCode: Int32
        var words: String
    }

    @Test("a token, certificates or a proxy that cannot be used stop what needs the network, and nothing else")
    func unusable() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let settings = device.store + "/store.json"
        let plain = try Files.text(settings)
        let (empty, open) = (folder.path + "/empty", folder.path + "/open")
        try Files.write("\n", to: empty)
        try Files.write("0123456789abcdef\n", to: open)
        #expect(chmod(open, 0o644) == 0)
        for unusable in [
            Unusable(member: ("tokenFile", "/nonexist"), exitCode: 74, words: "/nonexist"),
            Unusable(member: ("tokenFile", "/"), exitCode: 65, words: "names no file"),
            Unusable(member: ("tokenFile", empty), exitCode: 65, words: "no token"),
            Unusable(member: ("tokenFile", open), exitCode: 65, words: "chmod 600"),
            Unusable(token: "a b", exitCode: 65, words: "$QUIRE_TOKEN"),
            Unusable(
                member: ("caFile", "/nonexist.pem"), remote: "https://127.0.0.1:9", exitCode: 65, words: "/nonexist.pem"
            ),
            Unusable(member: ("proxy", "socks5://x"), exitCode: 64, words: "proxy"),
        ] {
            var text = plain
            if let member = unusable.member {
                text = text.replacing(
                    "\"cacheControl\"", with: "\"\(member.name)\": \"\(member.value)\",\n  \"cacheControl\"")
            }
            if let remote = unusable.remote { text = text.replacing(host.address, with: remote) }
            try Files.write(text, to: settings)
            let environment = unusable.token.map { ["QUIRE_TOKEN": $0] } ?? [:]
            for options in [[], ["--offline"]] {
                let taken = try device.quire(
                    ["take", "keyed", "--answers", "-"] + options, environment: environment,
                    input: Questionnaire.rightAnswers)
                #expect(taken.exitCode == 0, "\(unusable): \(taken)")
                for arguments in [
                    ["show", "keyed"], ["list"], ["export", "keyed"], ["status"], ["status", "--json"],
                ] {
                    let outcome = try device.quire(arguments + options, environment: environment)
                    #expect(outcome.exitCode == 0, "\(unusable): \(outcome)")
                }
            }
            for arguments in [["pull"], ["sync"]] {
                let refused = try device.quire(arguments, environment: environment)
                #expect(refused.exitCode == unusable.exitCode && refused.isOneSentence, "\(unusable): \(refused)")
                #expect(refused.errors.contains(unusable.words), "\(unusable): \(refused)")
            }
            let found = try device.quire(["doctor", "--json"], environment: environment)
            let findings = try found.json().elements.filter { ["settings", "token"].contains($0["kind"].text) }
            #expect(found.exitCode == 65 && findings.count == 1, "\(unusable): \(found)")
        }
        try Files.write(plain, to: settings)
        #expect(try device.json("doctor") == .array([]))
        #expect(!device.tests("in-progress").isEmpty && host.tests.isEmpty)
    }

    @Test("the host does not take a token from a file that others can read")
    func hostFile() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let file = folder.path + "/token"
        try Files.write("0123456789abcdef0123456789\n", to: file)
        #expect(chmod(file, 0o644) == 0)
        let refused = try device.quire(
            "host", "--data", folder.path + "/data", "--listen", "127.0.0.1:0", "--token-file", file)
        #expect(refused.exitCode == 74 && refused.isOneSentence && refused.errors.contains(file), "\(refused)")
    }
}
