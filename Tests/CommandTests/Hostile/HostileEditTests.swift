import Foundation
import Testing

/// A person who edits a file of the store by hand, or sends a store, may write any name into it: it stays a name.
@Suite("Hostile words in files edited by hand")
struct HostileEditTests {
    /// As JSON.
    private static let words = [
        #""../../../outside""#, #""..""#, #""""#, #""/etc/passwd""#, #""\u0000""#, #""a\u001b[2Jb\u009b1m""#,
        #""\u202eevil\r\nquire: done""#, "\"\(String(repeating: "a", count: 10_000))\"", #""e\u0301""#, "7", "null",
        #"["q"]"#, #"{"q": 1}"#,
    ]

    /// Members of the files that name something, as jq writes their places.
    private static let places: [(file: String, members: [String], commands: [[String]])] = [
        (
            "entry",
            [".document.id", ".document.title", ".document.media[0]", ".blob", ".url", ".edited", ".mediaType"],
            [
                ["list"], ["search", "q"], ["show", "--offline", "q"], ["cache", "ls"], ["cache", "path", "q"],
                ["pull"],
            ]
        ),
        ("mark", [".id", ".since"], [["list"], ["cache", "trim", "--quota", "1MB"], ["unfavorite", "q"]]),
        (
            "test",
            [
                ".id", ".questionnaire.id", ".questionnaire.title", ".questionnaire.digest", ".answers[0].questionId",
                ".answers[0].answer", ".deviceId", ".parent", ".resume",
            ],
            [["tests"], ["why", "ID"], ["outbox", "reopen", "ID"], ["sync", "--now"]]
        ),
        (
            "receipt",
            [
                ".test", ".digest", ".delivery.reason", ".delivery.problem", ".delivery.httpStatus", ".status",
                ".keptAt",
            ],
            [["tests"], ["why", "ID"], ["outbox", "retry", "ID"], ["sync", "--now"]]
        ),
        (
            "settings", [".deviceId", ".remote", ".tokenFile", ".caFile", ".keep", ".quotaBytes"],
            [["status"], ["list"]]
        ),
    ]

    @Test(
        "an id, path or text that a person has written into a file leads nowhere, and steers no terminal",
        arguments: 0..<5)
    func edits(_ place: Int) throws {
        let folder = try TemporaryFolder()
        let server = try RawServer.ofOne(rest: .status("503 Away"))
        let model = Device(folder.path, name: "model")
        try model.done("init", "--remote", server.address)
        try model.done("pull")
        let id = try model.take("q", answers: #"{"1": "x"}"#)
        try model.done("favorite", "q")
        // What was tried has a receipt.
        _ = try model.quire("sync")
        let (file, members, commands) = Self.places[place]
        let path: String =
            switch file {
            case "entry": try model.entryPath("q")
            case "mark": model.store + "/marks/q.favorite.json"
            case "test": model.testPath(id, "done")
            case "receipt": model.receiptPath(id, "done")
            default: model.store + "/store.json"
            }
        let outside = folder.path + "/outside"
        try Files.write("secret", to: outside)
        for (number, member) in members.enumerated() {
            // With the other tests, one or two for each member, other ones for the next.
            let words = Self.words.enumerated().filter {
                Torture.isWhole || ($0.offset + number + 7 * place) % 12 == 0
            }
            for (_, word) in words {
                let device = Device(folder.path, name: "copy")
                try Command.run("rm", "-rf", device.store, in: folder.path)
                try Command.run("cp", "-a", model.store, device.store, in: folder.path)
                let edited = device.store + path.dropFirst(model.store.count)
                try Command.run(
                    "bash", "-c", #"jq "$1 = $2" "$3" >"$3.new" && mv "$3.new" "$3""#, "edit", member, word, edited,
                    in: folder.path)
                for arguments in commands + [["doctor"], ["doctor", "--repair"]] {
                    let outcome = try device.bounded(arguments.map { $0 == "ID" ? id : $0 })
                    #expect(!(outcome.output + outcome.errors).contains("secret"), "\(member) = \(word): \(outcome)")
                }
                let names = Set(Files.names(in: folder.path)).filter { !$0.hasPrefix(".") }
                #expect(names.subtracting(["model", "copy", "outside"]).isEmpty, "\(member) = \(word): \(names)")
                #expect(try Files.text(outside) == "secret")
            }
        }
    }
}
