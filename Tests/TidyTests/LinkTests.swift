import Foundation
import Testing

/// Relative links of a Markdown file to files that are not there.
func deadLinks(in file: TextFile, exists: (String) -> Bool) -> [Finding] {
    var isFenced = false
    var findings: [Finding] = []
    for (index, line) in file.lines.enumerated() {
        let start = line.drop { $0 == " " }
        if start.hasPrefix("```") || start.hasPrefix("~~~") { isFenced.toggle() }
        if isFenced { continue }
        for target in linkTargets(of: line) {
            guard let path = resolve(target, from: file.path) else { continue }
            guard path.hasPrefix("..") || !exists(path) else { continue }
            findings.append(
                Finding(path: file.path, line: index + 1, advice: "the link to \(target) is dead: fix it"))
        }
    }
    return findings
}

/// What stands in `[…](here)` and `[name]: here`, outside of code.
private func linkTargets(of line: Substring) -> [String] {
    let text = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "" }.joined(separator: "`")
    var targets: [String] = []
    var rest = text[...]
    while let opening = rest.firstRange(of: "](") {
        rest = rest[opening.upperBound...]
        targets.append(String(rest.prefix { $0 != ")" }))
    }
    if text.hasPrefix("["), !text.hasPrefix("[^"), let colon = text.firstRange(of: "]:") {
        targets.append(String(text[colon.upperBound...].drop { $0 == " " }))
    }
    // A title may follow the address, and angle brackets may stand around it.
    return targets.compactMap { target in
        target.hasPrefix("<")
            ? String(target.dropFirst().prefix { $0 != ">" })
            : target.split(separator: " ").first.map { String($0) }
    }
}

/// The path from the root that a relative link means; `nil` when it leads elsewhere: a URL, or a place on the same page.
private func resolve(_ target: String, from page: String) -> String? {
    let path = target.prefix { $0 != "#" && $0 != "?" }
    if path.isEmpty || path.hasPrefix("//") || path.prefix(while: { $0 != "/" }).contains(":") { return nil }
    var parts = path.hasPrefix("/") ? [] : page.split(separator: "/").dropLast().map { String($0) }
    for part in (path.removingPercentEncoding ?? String(path)).split(separator: "/") where part != "." {
        if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(String(part)) }
    }
    return parts.joined(separator: "/")
}

@Suite("Links in the documents")
struct LinkTests {
    @Test("every relative link leads to a file")
    func tree() {
        let pages = Repository.textFiles.filter { $0.path.hasSuffix(".md") }
        expectNone(pages.flatMap { deadLinks(in: $0, exists: Repository.exists) })
    }

    @Test(
        "a dead link is found",
        arguments: [
            "See [the format](format.md).",
            "See [the format](./format.md#blobs \"title\").",
            "![a picture](<images/a b.png>)",
            "[format]: format.md",
            "[out of the house](../../elsewhere.md)",
        ])
    func broken(_ line: String) {
        let page = TextFile(path: "docs/guide.md", text: "\n\(line)\n")
        #expect(deadLinks(in: page) { _ in false }.map(\.line) == [2])
    }

    @Test(
        "a link is followed from its page",
        arguments: [
            "[a](format.md#blobs)", "[a](../docs/format.md)", "[a](/docs/format.md)", "[a](<format.md>)",
            "[a](%66ormat.md)",
        ])
    func found(_ line: String) {
        #expect(deadLinks(in: TextFile(path: "docs/guide.md", text: line)) { $0 == "docs/format.md" }.isEmpty)
    }

    @Test(
        "what leads elsewhere or is code is not looked at",
        arguments: [
            "[a](https://example.org/x.md)", "[a](mailto:a@example.org)", "[a](#here)", "`[a](x.md)`",
            "```\n[a](x.md)\n```",
            "[^1]: a footnote",
        ])
    func ignored(_ text: String) {
        #expect(deadLinks(in: TextFile(path: "docs/guide.md", text: text)) { _ in false }.isEmpty)
    }
}
