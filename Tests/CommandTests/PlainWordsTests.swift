import ArgumentParser
import Testing

@testable import QuireCLI

/// What the verbs read by themselves is what the parser would have read.
@Suite("Plain words")
struct PlainWordsTests {
    @Test("A verb that reads its own words reads what the parser reads, and nothing that the parser refuses")
    func asTheParserDoes() throws {
        let verbs = ["list", "search", "show", "tests", "why", "status", "sync", "--version", ""]
        let words = [
            "--json", "--titles", "--offline", "--quiet", "-q", "--store", "/a store", "--store=x", "--sort", "used",
            "updated", "later", "--status", "done", "nowhere", "--quota", "1MB", "quiz-1", "слово", "help", "--help",
            "-h",
            "--", "-", "", "--no-json", "-qh", "--js", "--json", "--sort", "title", "-1",
        ]
        var numbers = SystemRandomNumberGenerator()
        var plain: [String: Int] = [:]
        for _ in 0..<4_000 {
            let verb = verbs.randomElement(using: &numbers) ?? ""
            let line =
                [verb]
                + (0..<Int.random(in: 0...4, using: &numbers)).compactMap { _ in words.randomElement(using: &numbers) }
            guard let command = PlainWords.command(line) else { continue }
            plain[verb, default: 0] += 1
            let parsed = try #require(try? QuireCommand.parseAsRoot(line), "the parser refuses \(line)")
            #expect("\(command)" == "\(parsed)", "of \(line)")
        }
        #expect(plain.keys.sorted() == ["list", "search", "show", "status", "tests", "why"])
        #expect(plain.values.allSatisfy { $0 > 20 }, "\(plain)")
    }

    @Test("What the README writes goes the short way")
    func theUsual() {
        for line in [
            ["list"], ["list", "--json"], ["list", "--sort", "used", "--store", "s"], ["search", "река", "озеро"],
            ["search", "--titles", "river"], ["show", "capitals"], ["show", "capitals", "--json", "--offline"],
            ["tests"],
            ["tests", "--status", "done", "--json"], ["why", "0198"], ["status", "-q"],
        ] { #expect(PlainWords.command(line) != nil, "\(line)") }
    }
}
