import Foundation
import Testing

/// The tour in `docs/tour.md`, run as it is written: a newcomer types these very lines.
@Suite("The tour", .enabled(if: Command.isInstalled("jq") && Command.isInstalled("curl")))
struct TourTests {
    /// A command of the tour and the lines that it prints.
    private struct Step {
        var command: String
        var printed: [String] = []
    }

    private static func steps(_ text: String) -> [Step] {
        var steps: [Step] = []
        var isInBlock = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                isInBlock.toggle()
            } else if isInBlock, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if isInBlock, !steps.isEmpty {
                steps[steps.count - 1].printed.append(line)
            }
        }
        return steps
    }

    /// What differs from run to run is the same word.
    private static func masked(_ text: String) -> String {
        let masks = [
            ("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID"), ("[0-9a-f]{64}", "DIGEST"),
            ("[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+( UTC|Z)?", "TIME"), ("[0-9]+ (s|min|h) ago", "TIME ago"),
            ("[0-9]+([.,][0-9]+)? (B|kB|MB)", "SIZE"), ("/[0-9a-f]{2}/DIGEST", "/DIGEST"),
        ]
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            // Spaces and tabs at the end of a line do not show.
            String(line.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        while lines.first?.isEmpty == true { lines.removeFirst() }
        return masks.reduce(lines.joined(separator: "\n")) { text, mask in
            text.replacingOccurrences(of: mask.0, with: mask.1, options: .regularExpression)
        }
    }

    @Test("each command prints what is written there, and nothing is written into the checkout")
    func tour() throws {
        let folder = try TemporaryFolder()
        let port = try SteadyPort.next()
        let steps = Self.steps(
            try Files.text(Command.repository + "/docs/tour.md")
                .replacing("/tmp/tour", with: folder.path + "/tour").replacing("8484", with: "\(port)"))
        #expect(steps.count > 40)
        func checkout() throws -> String {
            try Command.run(
                "find", Command.repository, "-path", "*/.build", "-prune", "-o", "-path", "*/.git", "-prune", "-o",
                "-print",
                in: folder.path)
        }
        let before = try checkout()
        try Files.makeFolder(folder.path + "/bin")
        try Command.run("ln", "-s", Command.binary, folder.path + "/bin/quire", in: folder.path)
        var script = "exec 2>&1\ncd '\(Command.repository)'\nPATH='\(folder.path)/bin':$PATH\n"
        for (number, step) in steps.enumerated() { script += "printf '\\n@@\(number)@@\\n'\n\(step.command)\n" }
        let child = try ChildProcess(
            ["bash"], environment: Command.environment(home: folder.path), folder: folder.path, input: script)
        let printed = try child.end().output.components(separatedBy: "@@\n").dropFirst().map { part in
            part.components(separatedBy: "\n@@").first ?? ""
        }
        #expect(printed.count == steps.count)
        for (step, output) in zip(steps, printed) {
            #expect(Self.masked(output) == Self.masked(step.printed.joined(separator: "\n")), "$ \(step.command)")
        }
        #expect(try checkout() == before)
    }
}
