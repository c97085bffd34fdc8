import Foundation
import Testing

/// What `make docs` makes.
@Suite("The site of the documents", .enabled(if: Command.isInstalled("python3")))
struct SiteTests {
    private static func make(_ folder: TemporaryFolder) throws -> String {
        let site = folder.path + "/site"
        try Command.run(Command.repository + "/contrib/site/make-site", Command.binary, site, in: folder.path)
        return site
    }

    private static func pages(_ site: String) -> [String] {
        Files.regularFiles(below: site).filter { $0.hasSuffix(".html") }
    }

    @Test("it has a start page for each reader and a page for each command, and no link leads nowhere")
    func links() throws {
        let folder = try TemporaryFolder()
        let site = try Self.make(folder)
        let start = try Files.text(site + "/index.html")
        for reader in ["people who take tests", "teachers", "operators", "developers"] {
            #expect(
                start.contains("<h2 id=\"for-\(reader.replacing(" ", with: "-"))\">") || start.contains("For \(reader)")
            )
        }
        let help = try Device(folder.path).done("--help").output
        for command in help.matches(of: /(?m)^  ([a-z]+) {2,}/) {
            #expect(Files.exists("\(site)/command-\(command.output.1).html"), "\(command.output.1)")
        }
        // Checked once more, on what was written.
        var anchors: [String: Set<String>] = [:]
        for page in Self.pages(site) {
            anchors[page] = Set(try Files.text(page).matches(of: /id="([^"]*)"/).map { String($0.output.1) })
        }
        for page in Self.pages(site) {
            let folder = URL(filePath: page).deletingLastPathComponent()
            for link in try Files.text(page).matches(of: /(?:href|src)="([^"]*)"/).map({ String($0.output.1) })
            where !link.hasPrefix("http") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? page : folder.appending(path: String(parts[0])).standardized.path
                #expect(Files.exists(target), "\(page): \(link)")
                if parts.count > 1 { #expect(anchors[target]?.contains(String(parts[1])) == true, "\(page): \(link)") }
            }
        }
    }

    @Test("a link or an anchor that leads nowhere, and a document that no reader has, are named")
    func broken() throws {
        let folder = try TemporaryFolder()
        let copy = folder.path + "/copy"
        try Files.makeFolder(copy + "/Sources/Hub/App")
        for name in ["docs", "contrib", "sample-data", "Package.swift", "CONTRIBUTING.md", "Tests", "Examples"] {
            try Command.run("ln", "-s", "\(Command.repository)/\(name)", "\(copy)/\(name)", in: folder.path)
        }
        try Command.run("rm", copy + "/docs", copy + "/contrib", in: folder.path)
        try Command.run(
            "cp", "-r", Command.repository + "/docs", Command.repository + "/contrib", copy, in: folder.path)
        try Files.write("# New\n\n[a](tour.md#no-such), [b](nothing.md)\n", to: copy + "/docs/taking.md")
        try Files.write("# Unlisted\n", to: copy + "/docs/unlisted.md")
        let child = try ChildProcess(
            [copy + "/contrib/site/make-site", Command.binary, folder.path + "/site"],
            environment: Command.environment(home: folder.path), folder: folder.path)
        let outcome = try child.end()
        #expect(outcome.exitCode == 65, "\(outcome)")
        for words in [
            "docs/taking.md: the link tour.md#no-such", "docs/taking.md: the link nothing.md", "docs/unlisted.md",
        ] {
            #expect(outcome.errors.contains(words), "\(words) in \(outcome.errors)")
        }
        #expect(!Files.exists(folder.path + "/site/index.html"))
    }

    @Test("its pages are valid HTML")
    func valid() throws {
        let folder = try TemporaryFolder()
        let site = try Self.make(folder)
        let child = try ChildProcess(
            [Command.repository + "/.ci/documents", "html", site], environment: ProcessInfo.processInfo.environment,
            folder: folder.path)
        let outcome = try child.end()
        if outcome.exitCode == 3 { return print("skipped: \(outcome.output)") }
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
    }
}
