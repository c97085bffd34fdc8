import Testing

private let mostFiles = 15

/// Folders with more Swift files side by side than a reader looks over.
func fullFolders(of paths: [String]) -> [Finding] {
    let folders = Dictionary(grouping: paths) { $0.split(separator: "/").dropLast().joined(separator: "/") }
    return folders.filter { $0.value.count > mostFiles }.sorted { $0.key < $1.key }.map { folder, files in
        Finding(
            path: folder, line: 1,
            advice: "\(files.count) files, more than \(mostFiles): put those with one concern into a folder")
    }
}

@Suite("The size of a folder")
struct FolderSizeTests {
    @Test("no folder has more than 15 Swift files side by side")
    func tree() { expectNone(fullFolders(of: (Repository.sources + Repository.tests).map(\.path))) }

    @Test("one file too many is found, but not the files of a folder within")
    func broken() {
        let files = (1...15).map { "Sources/Model/File\($0).swift" }
        #expect(fullFolders(of: files + ["Sources/Model/Tests/File.swift"]).isEmpty)
        #expect(fullFolders(of: files + ["Sources/Model/File16.swift"]).map(\.path) == ["Sources/Model"])
    }
}
