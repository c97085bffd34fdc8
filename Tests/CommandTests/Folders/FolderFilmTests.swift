import Foundation
import Testing

/// A film that is longer than the memory that any of the programs may take.
@Suite("Films travel on a stick")
struct FolderFilmTests {
    private func sum(_ path: String, in folder: TemporaryFolder) throws -> String {
        String(try Command.run("sha256sum", path, in: folder.path).prefix(64))
    }

    @Test(
        "attached on one device, it reaches the host and another device piece by piece, and goes when no questionnaire shows it"
    )
    func film() throws {
        let folder = try TemporaryFolder()
        let (stick, questionnaires) = (folder.path + "/stick", folder.path + "/questionnaires")
        for path in [stick, questionnaires] { try Files.makeFolder(path) }
        let original = Questionnaire(id: "a", title: "First").json
        try Files.write(original, to: questionnaires + "/a.json")
        let collecting = [
            "host", "--data", folder.path + "/data", "--questionnaires", questionnaires, "--collect", stick,
        ]
        func run(_ device: Device, _ arguments: [String], exitCode: Int32 = 0) throws {
            let run = try device.measured(arguments)
            #expect(run.outcome.exitCode == exitCode && run.outcome.errors.isEmpty, "\(run.outcome)")
            #expect(run.peakBytes < Measured.bound, "\(arguments): \(run.peakBytes)")
        }
        func device(_ name: String) throws -> Device {
            let device = Device(folder.path, name: name)
            try device.done("init", "--remote", "file://" + stick, "--quota", "300MB")
            try device.done("pull")
            return device
        }
        try Device(folder.path).done("init", "--remote", "file://" + stick)
        let host = Device(folder.path)
        try run(host, collecting)
        let (author, pupil) = (try device("author"), try device("pupil"))
        let film = try Files.film(folder.path + "/film.mp4", bytes: 80_000_000)
        let name = try sum(film, in: folder) + ".mp4"
        try author.done("attach", "a", "q1", film)
        try run(author, ["sync"], exitCode: 75)
        try run(host, collecting)
        let copies = [questionnaires + "/media/" + name, stick + "/questionnaires/media/" + name]
        for copy in copies { #expect(try sum(copy, in: folder) + ".mp4" == name) }
        #expect(Files.names(in: stick + "/attachments").isEmpty)
        #expect(try author.json("sync")["sent"].whole == 2)

        try run(pupil, ["pull"])
        let entry = try #require(
            try pupil.json("cache", "ls").elements.first { $0["url"].text?.hasSuffix("/media/" + name) == true })
        let blob = try #require(entry["blob"].text)
        #expect(try sum("\(pupil.store)/\(blob)", in: folder) + ".mp4" == name)
        #expect(try pupil.json("pull")["unchanged"].whole == 1)

        // The host shows it no more: sticks are small.
        try Files.write(original, to: questionnaires + "/a.json")
        try Files.write("mine", to: stick + "/questionnaires/media/notes.txt")
        try run(host, collecting)
        #expect(Files.names(in: stick + "/questionnaires/media") == ["notes.txt"])
        #expect(Files.exists(copies[0]))
    }

    @Test(
        "a film that has no room on the stick is named, and the questionnaires are there", .enabled(if: geteuid() == 0))
    func full() throws {
        let folder = try TemporaryFolder()
        let (stick, questionnaires) = (folder.path + "/stick", folder.path + "/questionnaires")
        for path in [stick, questionnaires + "/media"] { try Files.makeFolder(path) }
        _ = try Files.film(questionnaires + "/media/film.mp4", bytes: 3_000_000)
        try Files.write(
            #"{"id": "a", "title": "A", "questions": [{"id": "q", "text": "?", "media": [{"path": "media/film.mp4"}]}]}"#,
            to: questionnaires + "/a.json")
        let script = """
            mount --make-rprivate / && mount -t tmpfs -o size=1m tmpfs "$1" && \
            "$0" host --data "$2" --questionnaires "$3" --collect "$1" --json >"$4" && \
            cat "$1/questionnaires.json" && ls "$1/tmp"
            """
        let report = folder.path + "/report.json"
        let child = try ChildProcess(
            [
                "unshare", "-m", "bash", "-c", script, Command.binary, stick, folder.path + "/data", questionnaires,
                report,
            ],
            environment: Command.environment(home: folder.path), folder: folder.path)
        let outcome = try child.end()
        #expect(outcome.exitCode == 0 && outcome.errors.contains("media/film.mp4"), "\(outcome)")
        // Nothing is left of it in tmp, and the list does not name it.
        let list = try JSON(parsing: outcome.output)
        #expect(list["questionnaires"][0]["id"].text == "a" && list["questionnaires"][0]["media"].elements.isEmpty)
        #expect(try JSON(file: report)["faults"].elements.count == 1)
    }
}
