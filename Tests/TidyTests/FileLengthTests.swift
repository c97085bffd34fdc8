import Testing

private let mostLines = 400

func tooLong(_ file: SourceFile) -> [Finding] {
    let count = file.source.code.count
    guard count > mostLines, !file.isGenerated else { return [] }
    return [
        Finding(
            path: file.path, line: mostLines + 1,
            advice: "\(count) lines, more than \(mostLines): split the type that has two reasons to exist")
    ]
}

@Suite("The length of a file")
struct FileLengthTests {
    @Test("no source has more than 400 lines")
    func tree() { expectNone((Repository.sources + Repository.tests + Repository.examples).flatMap(tooLong)) }

    @Test("one line too many is found, but not in a generated file")
    func broken() {
        let lines = String(repeating: "let a = 1\n", count: 400)
        #expect(tooLong(SourceFile(path: "Sources/Model/Example.swift", text: lines)).isEmpty)
        #expect(tooLong(SourceFile(path: "Sources/Model/Example.swift", text: lines + "\n")).map(\.line) == [401])
        #expect(tooLong(SourceFile(path: "Sources/Model/example.pb.swift", text: lines + "\n")).isEmpty)
    }
}
