import Foundation
import Testing

/// What is written about formats, and what the programs write, is checked by programs that are not ours
/// (`.ci/documents`). Where one of them is missing, that is said, and the check is left out.
@Suite("Documents and screens by the rules of others", .enabled(if: Command.isInstalled("python3")))
struct DocumentTests {
    private func check(_ arguments: String..., in folder: TemporaryFolder) throws {
        let child = try ChildProcess(
            [Command.repository + "/.ci/documents"] + arguments, environment: ProcessInfo.processInfo.environment,
            folder: folder.path)
        let outcome = try child.end()
        if outcome.exitCode == 3 { return print("skipped: \(outcome.output)") }
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test("the description of the protocol is OpenAPI 3.1")
    func openAPI() throws { try check("openapi", in: TemporaryFolder()) }

    /// A store and a host with some of everything.
    private struct World {
        let folder: TemporaryFolder
        let host: HostProcess
        let device: Device

        init() throws {
            folder = try TemporaryFolder()
            let questionnaires = folder.path + "/questionnaires"
            try Command.run("cp", "-r", Command.samples, questionnaires, in: folder.path)
            host = try HostProcess(folder: folder.path, questionnaires: questionnaires, isRestarted: true)
            try host.start()
            device = try Device(folder.path, of: host)
            let answers = try Files.text(Command.sampleAnswers + "/sky-and-planets.json")
            _ = try device.take("sky-and-planets", answers: answers)
            _ = try device.done("sync")
            _ = try device.take("sky-and-planets", answers: answers)
            _ = try device.done("favorite", "griby")
            let compass = try Files.text(Command.sampleAnswers + "/karta-i-kompas.json")
            let draft = try device.take("karta-i-kompas", answers: compass, isFinished: false)
            let photo = folder.path + "/photo.png"
            try Command.run(
                "cp", Command.repository + "/docs/pictures/library-en-light-phone.png", photo, in: folder.path)
            let question = try device.json("show", "karta-i-kompas")["questions"].elements.first?["id"].text ?? "q1"
            _ = try device.done("attach", draft, question, photo)
            let made = folder.path + "/made.json"
            try Files.write(
                #"{"id": "x", "title": "Made here", "questions": [{"id": "q1", "text": "?", "options": ["a", "b"]}]}"#,
                to: made)
            _ = try device.done("new", "--from", made)
        }
    }

    @Test("what the programs write fits the JSON Schemas, while it waits and after it was sent")
    func schemas() throws {
        let world = try World()
        let folders = [world.device.store, world.host.data, world.folder.path + "/questionnaires"]
        try check("schemas", folders[0], folders[1], folders[2], in: world.folder)
        let draft = try #require(try world.device.json("tests").elements.first { $0["status"].text == "in-progress" })
        _ = try world.device.done("finish", try #require(draft["id"].text))
        _ = try world.device.quire("sync")
        try check("schemas", folders[0], folders[1], folders[2], in: world.folder)
    }

    @Test("the screens of the page and of the app are valid HTML")
    func html() throws {
        let world = try World()
        let screens = world.folder.path + "/screens"
        try Files.makeFolder(screens)
        let page = try PageWriter(world.device)
        try page.start()
        defer { try? page.kill() }
        // Whatever a person can reach by links.
        var waiting = ["/"]
        var seen: Set<String> = []
        while let target = waiting.popLast(), seen.count < 80 {
            guard seen.insert(target).inserted else { continue }
            let text = try page.screen(target)
            guard text.lowercased().hasPrefix("<!doctype html>") else { continue }
            try Files.write(text, to: "\(screens)/\(seen.count).html")
            for part in text.components(separatedBy: "href=\"/").dropFirst() {
                let link = "/" + part.prefix { $0 != "\"" && $0 != "#" }.replacing("&amp;", with: "&")
                if !link.hasPrefix("/media"), !link.contains("/file/") { waiting.append(link) }
            }
        }
        #expect(seen.count > 10, "\(seen)")
        try Command.run(
            "cp", Command.repository + "/Sources/Hub/App/Assets/index.html", screens + "/app.html",
            in: world.folder.path)
        try check("html", screens, in: world.folder)
    }
}
