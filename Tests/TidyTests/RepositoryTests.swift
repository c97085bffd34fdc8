import Testing

@Suite("The rules look at the real tree")
struct RepositoryTests {
    @Test("the sources are found")
    func sources() {
        #expect(Repository.exists("Package.swift"))
        #expect(Repository.sources.contains { $0.path == "Sources/Model/Tests/TestStatus.swift" && $0.room == "Model" })
        #expect(Repository.tests.contains { $0.name == "RepositoryTests.swift" })
        #expect(Repository.examples.contains { $0.name == "KioskSession.swift" })
    }

    @Test("hidden files are read, what git and the build make is not")
    func textFiles() {
        let paths = Repository.textFiles.map(\.path)
        #expect(paths.contains(".gitignore"))
        #expect(!paths.contains { $0.hasPrefix(".git/") || $0.hasPrefix(".build") })
    }

    @Test("a word is a whole one")
    func words() {
        #expect("let a = Date()".hasWord("Date()"))
        #expect(!"let a = HTTPDate()".hasWord("Date()"))
        #expect("x(FileManager.default)".hasWord("FileManager"))
        #expect(!"FileManagers, MyFileManager".hasWord("FileManager"))
    }
}
