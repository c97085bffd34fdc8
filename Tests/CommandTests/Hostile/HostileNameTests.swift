import Foundation
import Testing

/// What a person, or a script that a person was given, may write on the command line.
@Suite("Hostile words on the command line")
struct HostileNameTests {
    private static let names = [
        "../../../etc/passwd", "..", ".", "", "/etc/passwd", "%2e%2e%2fx", String(repeating: "a", count: 10_000), "CON",
        "a\u{1B}[31mb", "a\nb", "a\rb", "\u{202E}evil", "Q", "\u{51}\u{301}", "е", "*", "~root", "$(id)", "a\\b",
        String(repeating: "\u{1F600}", count: 3000),
    ]

    @Test("an id that is a path, a control, a look-alike or 10 kB long is a name that is not there, and nothing else")
    func ids() throws {
        let folder = try TemporaryFolder()
        let server = try RawServer.ofOne(rest: .status("404 X"))
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        try device.done("pull")
        let draft = try device.take("q", answers: #"{"1": "x"}"#, isFinished: false)
        let before = Files.tree(device.store).filter { !$0.contains("/log/") && !$0.contains("/index/") }
        for name in Self.names {
            for command in [
                ["show"], ["take", "--answers", "-"], ["cache", "path"], ["cache", "cat"], ["why"], ["finish"],
                ["outbox", "retry"], ["outbox", "discard"],
            ] {
                let outcome = try device.bounded(command + ["--", name], input: #"{"1": "x"}"#)
                #expect(outcome.exitCode != 0, "\(outcome)")
            }
            try device.bounded(["search", "--", name])
            let answer = try device.bounded(["answer", "--", draft, name, "x"])
            #expect(answer.exitCode == 65, "\(answer)")
        }
        let after = Files.tree(device.store).filter { !$0.contains("/log/") && !$0.contains("/index/") }
        #expect(after == before)
        // A mark may name what is not here yet; it is a file in its folder, whatever the name.
        for name in Self.names { try device.bounded(["favorite", "--", name]) }
        let marks = Set(Files.tree(device.store)).subtracting(after)
            .filter { $0 != device.store + "/marks" && !$0.contains("/log/") && !$0.contains("/index/") }
        #expect(marks.allSatisfy { $0.hasPrefix(device.store + "/marks/") }, "\(marks)")
        try device.bounded(["list"])
    }

    @Test("a remote that is no URL of a server is refused, and its password is not repeated")
    func remotes() throws {
        let folder = try TemporaryFolder()
        for (number, url) in [
            "file:///etc/passwd", "ftp://127.0.0.1", "http://", "http:///x", "127.0.0.1:80", "javascript:x", "",
            "http://ada:secret@127.0.0.1/", "http://127.0.0.1/?a", "http://127.0.0.1/#a", "http://127.0.0.1:99999",
            "http://a b/", "http://\u{0}", "http://127.0.0.1\r\nX: y", String(repeating: "h", count: 10_000),
        ].enumerated() where !url.contains("\u{0}") {
            let device = Device(folder.path, name: "store-\(number)")
            let outcome = try device.bounded(["init", "--remote", url])
            #expect(outcome.exitCode != 0, "\(outcome)")
            #expect(!outcome.errors.contains("secret"), "\(outcome)")
        }
    }

    @Test(
        "a file of answers that is none is refused by name",
        arguments: [
            String(repeating: "[", count: 100_000), #"{"1": "x", "1": "y"}"#, #"{"1": 1e999}"#, #"{"1": [["x"]]}"#,
            "\u{FEFF}{}", "", #"{"1": "\ud800"}"#, "[" + String(repeating: "0,", count: 1_000_000),
            #"{"1": ""# + String(repeating: "x", count: 20_000_000) + #""}"#, #"{"../x": "y"}"#, #"{"1": null}"#,
        ].map(AnswersFile.init))
    func answers(_ file: AnswersFile) throws {
        let folder = try TemporaryFolder()
        let server = try RawServer.ofOne()
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        try device.done("pull")
        let path = folder.path + "/answers.json"
        try Files.write(file.text, to: path)
        let outcome = try device.bounded(["take", "q", "--answers", path])
        #expect(outcome.exitCode == 65, "\(outcome)")
        #expect(outcome.errors.contains("answers.json") || outcome.errors.contains("../x"), "\(outcome)")
        #expect(device.tests("in-progress").isEmpty)
        for special in ["/dev/zero", folder.path] {
            #expect(try device.bounded(["take", "q", "--answers", special]).exitCode != 0)
        }
    }
}

/// The log of a run names it by its beginning: some are 20 MB long.
struct AnswersFile: CustomTestStringConvertible, Sendable {
    let text: String

    var testDescription: String { text.utf8.count > 60 ? "\(text.prefix(20))… (\(text.utf8.count) bytes)" : text }
}
