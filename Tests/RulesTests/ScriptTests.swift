import Foundation
import Testing

/// `rules.js` in a real Chromium: it imports the module as a page does, runs every vector file, and writes what it
/// found into its document, which Chromium prints.
@Suite(
    "The rules in a browser",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium"), "chromium is not installed"))
struct ScriptTests {
    @Test("rules.js passes every case of the shared vectors")
    func vectors() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let names = ["conditions", "constraints", "dates", "points", "orders", "locations", "instances"]
        let root = VectorFile.tests.deletingLastPathComponent()
        let rules = try Data(contentsOf: root.appending(path: "Sources/Model/Rules/rules.js"))
        let runner = try Data(contentsOf: VectorFile.tests.appending(path: "Vectors/run.js"))
        var cases = ""
        for name in names {
            cases += "\(name): \(String(decoding: try VectorFile.bytes(name), as: UTF8.self)),\n"
        }
        // Modules of data URLs: a page of a file may not import its neighbours.
        func module(_ data: Data) -> String { "data:text/javascript;base64," + data.base64EncodedString() }
        let page = """
            <!doctype html><meta charset="utf-8"><title>rules</title><pre id="found"></pre><script type="module">
            import * as rules from '\(module(rules))';
            import { run } from '\(module(runner))';
            const cases = {\(cases.replacing("</", with: "<\\/"))};
            let text = '';
            for (const name in cases) {
              const wrong = run(rules, name, cases[name]);
              text += `${name} ${cases[name].length} ${wrong.length} ${JSON.stringify(wrong.slice(0, 3))}\\n`;
            }
            document.querySelector('#found').textContent = text + 'end';
            </script>
            """
        let file = folder.appending(path: "rules.html")
        try Data(page.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/chromium")
        process.arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--user-data-dir=\(folder.path)/profile", "--virtual-time-budget=120000", "--dump-dom", file.absoluteString,
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = printed.components(separatedBy: "\n").map { $0.replacing("<pre id=\"found\">", with: "") }
        for name in names {
            let count = try VectorFile.cases(name, AnyCase.self).count
            let line =
                lines.first { $0.contains("\(name) \(count) ") } ?? "no line for \(name) in \(printed.prefix(400))"
            #expect(line.hasSuffix("\(name) \(count) 0 []"), "\(line)")
        }
    }

    private struct AnyCase: Decodable {}
}
