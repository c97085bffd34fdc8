import Testing

/// The rooms that work with the store's files. Above them these words may stand in a text for people.
private let rooms: Set = ["Model", "HTTPCaching", "Disk", "CacheStore", "OutboxStore", "Sync", "Remotes", "Quire"]

/// The names that are built and parsed in one file per store, each with the files beside `*Layout.swift` that may spell it.
private let names: [(name: String, kind: Kind, alsoIn: Set<String>)] = [
    ("in-progress", .component, ["TestStatus.swift"]),
    ("sending", .component, ["TestStatus.swift"]),
    ("quarantine", .component, []),
    ("blobs", .component, []),
    ("entries", .component, []),
    (".test.json", .suffix, []),
    (".receipt.json", .suffix, []),
]

private enum Kind {
    /// A name between slashes.
    case component
    /// The end of a name.
    case suffix
}

func storeNames(in file: SourceFile) -> [Finding] {
    guard rooms.contains(file.room), !file.name.hasSuffix("Layout.swift"), !file.isGenerated else { return [] }
    return file.source.literals.flatMap { literal in
        names.filter { !$0.alsoIn.contains(file.name) && spells(literal.text, $0.name, $0.kind) }.map {
            Finding(
                path: file.path, line: literal.line,
                advice: "\"\($0.name)\" is a name of the store's files: ask the room's *Layout.swift for it")
        }
    }
}

private func spells(_ text: String, _ name: String, _ kind: Kind) -> Bool {
    // A sentence for people is no name of a file.
    if text.contains(" ") { return false }
    return switch kind {
    case .component: text.split(separator: "/").contains { $0 == name }
    case .suffix: text.contains(name)
    }
}

@Suite("The names of the store's files")
struct StoreNameTests {
    @Test("they are spelled in the layout of their store and nowhere else")
    func tree() { expectNone(Repository.sources.flatMap(storeNames)) }

    @Test(
        "a name spelled elsewhere is found",
        arguments: [
            "let a = folder.appending(\"in-progress\")",
            "let a = \"outbox/sending\"",
            "let a = root.appending(\"quarantine\")",
            "let a: FilePath = \"cache/blobs/3f\"",
            "let a = \"entries/\\(name)\"",
            "let a = \"\\(id).test.json\"",
            "if name.hasSuffix(\".receipt.json\") { }",
        ])
    func broken(_ line: String) {
        #expect(storeNames(in: SourceFile(path: "Sources/Sync/Example.swift", text: "\n\(line)\n")).map(\.line) == [2])
        #expect(storeNames(in: SourceFile(path: "Sources/OutboxStore/OutboxLayout.swift", text: line)).isEmpty)
        #expect(storeNames(in: SourceFile(path: "Sources/QuireCLI/Example.swift", text: line)).isEmpty)
    }

    @Test("a status may be spelled where the statuses are, a file's ending may not")
    func status() {
        let text = "case inProgress = \"in-progress\"\nlet a = \".test.json\"\n"
        #expect(storeNames(in: SourceFile(path: "Sources/Model/Tests/TestStatus.swift", text: text)).map(\.line) == [2])
    }

    @Test("a sentence or a comment is no name")
    func allowed() {
        let text = "// The \"blobs\" folder.\nlet a = \"sending entries\"\nlet b = \"not UUID.test.json\"\n"
        #expect(storeNames(in: SourceFile(path: "Sources/Sync/Example.swift", text: text)).isEmpty)
    }
}
