import Testing

/// Where remotes differ by their kind.
private let home = "Sources/Remotes/"

/// Code that asks what kind of remote it has, outside the registry.
func askedKinds(in file: SourceFile) -> [Finding] {
    if file.path.hasPrefix(home) { return [] }
    let casts = file.findings { line in
        ["HTTPRemote", "FolderRemote"].contains { line.contains("as? \($0)") || line.contains("is \($0)") }
            ? ["a cast to a kind of remote: ask Remotes' registry, or the Remote itself"] : []
    }
    let schemes = file.source.literals.filter { $0.text.lowercased().hasPrefix("file:") }.map {
        Finding(path: file.path, line: $0.line, advice: "a folder's scheme: ask Remotes' registry")
    }
    return casts + schemes
}

@Suite("Kinds of remotes")
struct RemoteKindTests {
    @Test("only the registry knows the kinds of remotes")
    func tree() { expectNone(Repository.sources.flatMap(askedKinds)) }

    @Test(
        "code that asks for a kind is found",
        arguments: ["if remote is FolderRemote {}", "let a = remote as? HTTPRemote", "url.hasPrefix(\"file:\")"])
    func broken(_ line: String) {
        let text = "\n\(line)\n"
        #expect(askedKinds(in: SourceFile(path: "Sources/Quire/Example.swift", text: text)).map(\.line) == [2])
        #expect(askedKinds(in: SourceFile(path: home + "Example.swift", text: text)).isEmpty)
    }
}
