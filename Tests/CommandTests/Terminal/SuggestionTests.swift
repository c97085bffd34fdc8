import Testing

@Suite("What a mistyped word gets for an answer")
struct SuggestionTests {
    @Test(
        "an unknown command or option is answered with what it resembles, and with the command's own help",
        arguments: [
            (["lst"], "there is no command “quire lst”: see “quire --help”. Did you mean “list”?"),
            (["sycn"], "there is no command “quire sycn”: see “quire --help”. Did you mean “sync”?"),
            (["xylophone"], "there is no command “quire xylophone”: see “quire --help”"),
            (
                ["outbox", "retyr"],
                "there is no command “quire outbox retyr”: see “quire outbox --help”. Did you mean “retry”?"
            ),
            (
                ["host", "kyes", "add"],
                "there is no command “quire host kyes”: see “quire host --help”. Did you mean “keys”?"
            ),
            (
                ["list", "--jsom"],
                "there is no option “--jsom” of “quire list”: see “quire list --help”. Did you mean “--json”?"
            ),
            (["list", "-x"], "there is no option “-x” of “quire list”: see “quire list --help”"),
            (["take"], "Missing expected argument '<id>': see “quire take --help”"),
            (["outbox", "retry"], "name one test, or give --all, --lost or both: see “quire outbox retry --help”"),
            (
                ["help", "outbox", "lss"],
                "there is no command “quire outbox lss”: see “quire outbox --help”. Did you mean “ls”?"
            ),
        ])
    func usage(_ arguments: [String], _ sentence: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Device(folder.path).quire(arguments)
        #expect(outcome.exitCode == 64 && outcome.errors == "quire: \(sentence)\n", "\(outcome)")
    }

    @Test("values of which one is to be chosen are in one sentence")
    func values() throws {
        let folder = try TemporaryFolder()
        let outcome = try Device(folder.path).quire("tests", "--status", "foo")
        #expect(outcome.isOneSentence && outcome.errors.contains("following: empty, in-progress, done"), "\(outcome)")
    }

    @Test("ids of questionnaires, tests and people resemble others, in the person's language")
    func ids() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.done("init")
        let file = Command.samples + "/griby.json"
        let made = try #require(try device.json("new", "--from", file)["id"].text)
        let test = try device.take(made, answers: "{}", isFinished: false)
        try device.done("person", "set", "Maria", "--id", "maria")

        func answer(_ arguments: String...) throws -> String {
            let outcome = try device.quire(arguments)
            #expect(outcome.exitCode != 0 && outcome.isOneSentence, "\(outcome)")
            return outcome.errors
        }
        let mistyped = "x" + made.dropFirst()
        let question = "Did you mean “\(made)” (По грибы)?"
        #expect(try answer("favorite", mistyped).contains(question))
        #expect(try answer("show", mistyped).contains(question))
        #expect(try answer("why", mistyped).contains(question))
        // By its title, or a word of it.
        #expect(try answer("favorite", "По грибi").contains(question))
        #expect(try answer("favorite", "грибы").contains(question))
        let other = (test.first == "0" ? "1" : "0") + test.dropFirst().prefix(7)
        #expect(try answer("outbox", "path", String(other)).contains("Did you mean “\(test.prefix(8))” (По грибы)?"))
        #expect(try answer("person", "use", "marai").contains("Did you mean “maria” (Maria)?"))
        #expect(try !answer("favorite", "entirely-different").contains("Did you mean"))

        let russian = try device.quire(["favorite", mistyped], environment: ["LC_ALL": "ru_RU.UTF-8"])
        #expect(russian.errors.contains("Возможно, вы имели в виду «\(made)» (По грибы)?"), "\(russian)")
    }

    @Test("prose of a help text is wrapped once, at the terminal's width")
    func prose() throws {
        let folder = try TemporaryFolder()
        let dump = try Device(folder.path).quire("--experimental-dump-help").json()
        func check(_ command: JSON) {
            let name = command["commandName"].text ?? "?"
            for paragraph in (command["discussion"].text ?? "").components(separatedBy: "\n\n") {
                let lines = paragraph.split(separator: "\n")
                // A line that is not indented goes on in the next one only where the source has it so.
                let broken = zip(lines, lines.dropFirst()).first { !$0.hasPrefix(" ") && !$1.hasPrefix(" ") }
                #expect(broken == nil, "\(name): end the line with a backslash: \(broken?.0 ?? "")")
            }
            for below in command["subcommands"].elements { check(below) }
        }
        check(dump["command"])
    }
}
