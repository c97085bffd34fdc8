import Testing

/// Where the paths of the protocol are written and read.
private let home = "Sources/WireFormat/APIPath.swift"

/// Spellings of the protocol's paths outside their home, in comments too.
func spelledPaths(in file: SourceFile) -> [Finding] {
    if file.path == home { return [] }
    return file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        .filter { $0.element.contains("/v1/") }
        .map {
            Finding(
                path: file.path, line: $0.offset + 1,
                advice: "a path of the protocol: build and read it with WireFormat's APIPath")
        }
}

@Suite("The protocol's paths")
struct WirePathTests {
    @Test("one file spells the protocol's paths")
    func tree() { expectNone(Repository.sources.flatMap(spelledPaths)) }

    @Test("a path that is spelled elsewhere is found, in a comment as well")
    func broken() {
        let text = "let url = base + \"/v1/tests\"\n/// `GET /v1/changes`\nlet other = \"/v2/tests\"\n"
        #expect(spelledPaths(in: SourceFile(path: "Sources/Host/Example.swift", text: text)).map(\.line) == [1, 2])
        #expect(spelledPaths(in: SourceFile(path: home, text: text)).isEmpty)
    }
}
