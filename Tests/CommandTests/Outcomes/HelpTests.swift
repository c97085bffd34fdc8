import Testing

@Suite("The help that a user reads")
struct HelpTests {
    /// What a command prints; lines end where the terminal's width wants it, so its words are looked at.
    private func help(_ arguments: [String]) throws -> (lines: String, words: String) {
        let folder = try TemporaryFolder()
        let outcome = try Device(folder.path).quire(arguments)
        guard outcome.exitCode == 0, outcome.errors.isEmpty else { throw Unexpected(outcome.description) }
        return (outcome.output, outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }

    @Test("quire --help shows the first five commands, every verb, and the exit codes")
    func root() throws {
        let text = try help(["--help"])
        for line in [
            "USAGE: quire <subcommand>", "quire init --remote URL quire pull quire list quire take ID quire sync",
            "Exit codes: 0 done · 64 usage · 65 bad data · 69 remote unavailable · 74 input/output · 75 kept for later",
            "The store is $QUIRE_STORE, else $XDG_DATA_HOME/quire",
        ] { #expect(text.words.contains(line), "\(line)") }
        for verb in [
            "init", "remote", "pull", "list", "search", "show", "favorite", "new", "edit", "delete",
            "conflicts", "resolve", "diff", "take", "answer", "finish", "tests", "why",
            "sync", "watch", "status", "person", "cache", "outbox", "snapshot", "log", "doctor", "host", "hub", "serve",
        ] { #expect(text.lines.contains("\n  \(verb) "), "\(verb)") }
        let version = try help(["--version"]).lines
        #expect(version.wholeMatch(of: /0\.1\.0( \([0-9a-f]{9}(, changed)?\))?\n/) != nil, "\(version)")
    }

    @Test(
        "each command shows its usage and its options",
        arguments: [
            (["init"], "USAGE: quire init", ["--remote <url>", "--quota <size>", "--token-file <file>"]),
            (["pull"], "USAGE: quire pull", ["<ids>", "--discard-edits", "--quota <size>", "--json"]),
            (["list"], "USAGE: quire list", ["--sort <sort>", "--json", "--store <dir>", "--offline", "--quiet"]),
            (["search"], "USAGE: quire search", ["--titles", "<text>", "ё/е", "--json"]),
            (
                ["take"], "USAGE: quire take",
                ["<id>", "--answers <file.json>", "--finish", "--new", "{\"questionId\": \"answer\""]
            ),
            (
                ["sync"], "USAGE: quire sync",
                ["--dry-run", "--now", "--probe", "--verify", "Exit code 0", "69", "75", "65"]
            ),
            (["cache", "purge"], "USAGE: quire cache purge", ["--stale", "--older-than <time>", "--ttl", "7d"]),
            (
                ["cache"], "USAGE: quire cache",
                ["ls", "stats", "trim", "purge", "verify", "pin", "unpin", "path", "cat", "edit"]
            ),
            (["outbox"], "USAGE: quire outbox", ["ls", "path", "retry", "discard", "reopen", "export", "import"]),
            (["outbox", "retry"], "USAGE: quire outbox retry", ["--all", "--lost", "[<test>]"]),
            (["watch"], "USAGE: quire watch", ["--pull", "quietHours", "contrib/"]),
            (["outbox", "export"], "USAGE: quire outbox export", ["--status", "--since <time>", "<file>"]),
            (["person"], "USAGE: quire person", ["set", "list", "use", "clear", "claim", "people/"]),
            (["person", "set"], "USAGE: quire person set", ["<name>", "--id <id>", "--group <group>"]),
            (["snapshot"], "USAGE: quire snapshot", ["save", "restore", "show"]),
            (
                ["snapshot", "save"], "USAGE: quire snapshot save",
                [
                    "--format <format>", "json", "protobuf", "--without-cache", "--with-secrets", "--since <file>",
                    "<file>",
                ]
            ),
            (
                ["snapshot", "restore"], "USAGE: quire snapshot restore",
                ["--store <dir>", "--json", "exit code is 65"]
            ),
            (["snapshot", "show"], "USAGE: quire snapshot show", ["<file>", "--json", "exit code is 65"]),
            (["doctor"], "USAGE: quire doctor", ["--repair", "exit code 65"]),
            (["hub"], "USAGE: quire hub", ["--upstream <url>", "--listen <addr:port>", "--keep-all", "/_hub/status"]),
            (
                ["serve"], "USAGE: quire serve",
                ["--listen <addr:port>", "--allow-network", "--manual", "not encrypted"]
            ),
            (
                ["host"], "quire host --data DIR",
                [
                    "--questionnaires", "--listen", "--token-file", "--author-token-file", "--open", "--collect",
                    "rate", "tests",
                    "quire host questionnaires --data DIR", "quire host keys add --data DIR --role ROLE",
                ]
            ),
            (["host", "keys"], "USAGE: quire host keys", ["taker", "author", "teacher", "admin", "add", "revoke"]),
            (
                ["host", "keys", "add"], "USAGE: quire host keys add",
                ["--role <role>", "--person <id>", "--label <text>", "--expires <time>", "--json"]
            ),
        ])
    func commands(_ command: [String], _ usage: String, _ words: [String]) throws {
        let text = try help(command + ["--help"]).words
        for word in [usage] + words { #expect(text.contains(word), "\(word) in \(text)") }
    }

    @Test("a person with a Russian locale is spoken to in Russian")
    func russian() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.done("init")
        let environment = ["LC_ALL": "ru_RU.UTF-8"]
        #expect(try device.quire(["status"], environment: environment).output.contains("Нет сети"))
        #expect(try device.quire(["list"], environment: environment).output == "Пока ничего нет: quire pull\n")
        #expect(
            try device.quire(["status"], environment: ["LC_ALL": "", "LANG": "ru_RU.UTF-8"]).output.contains("Тесты"))
        #expect(try device.quire(["list", "--quiet"]).output.isEmpty)
    }
}
